// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

#include <array>
#include <charconv>
#include <ranges>
#include <utility>

namespace lockhouse {

/// A number as decimal digits without a heap allocation, for the arguments of scripts.
class Digits {
public:
  explicit Digits(std::int64_t number)
      : m_size(static_cast<std::size_t>(std::to_chars(m_text.data(), m_text.data() + m_text.size(), number).ptr - m_text.data())) {}
  std::string_view text() const { return {m_text.data(), m_size}; }

private:
  std::array<char, 24> m_text;
  std::size_t m_size;
};

/// The parts {time left in ms[, holder]} of the answer that the acquire scripts give to those who do not get in.
inline AcquireAnswer refusal(std::span<const Reply> parts) {
  AcquireAnswer answer{AcquireAnswer::Kind::Refused};
  if (!parts.empty() && parts[0].integer().value_or(-1) >= 0)
    answer.timeLeft = milliseconds(*parts[0].integer());
  if (parts.size() > 1 && parts[1].bulk() != nullptr)
    answer.holder = *parts[1].bulk();
  return answer;
}
inline AcquireAnswer refusal(const Reply &reply) { return refusal(std::span(reply.array())); }

/// The answer {1, room for more} (granted), {0, time left in ms[, holder]} (refused), 0 (the hold to be entered again is lost) that
/// the acquire scripts of locks give that let several in.
inline AcquireAnswer roomyGrant(const Reply &reply, bool busy) {
  using Kind = AcquireAnswer::Kind;
  if (reply.integer() == 0)
    return {Kind::HoldLost};
  if (!reply.isArray() || reply.array().size() < 2)
    return {busy ? Kind::Busy : Kind::Rejected};
  const auto &parts = reply.array();
  if (parts[0].integer() == 1)
    return {.kind = Kind::Granted, .room = parts[1].integer().value_or(0)};
  return refusal(std::span(parts).subspan(1));
}

/// The answer 1 (renewed), 0 (somebody else's), -1 (gone) that the renewal scripts give. Another type under the name is somebody else's.
inline RenewAnswer renewalOf(const Reply &reply, bool busy) {
  if (const auto number = reply.integer())
    return *number == 1 ? RenewAnswer::Renewed : *number == 0 ? RenewAnswer::TakenOver : RenewAnswer::Gone;
  if (reply.failureWord() == "WRONGTYPE")
    return RenewAnswer::TakenOver;
  return busy ? RenewAnswer::Busy : RenewAnswer::Rejected;
}

/// "<client uuid>:<number>".
inline LockToken numberedOwner(std::string_view client, std::uint64_t number) {
  return LockToken(std::string(client).append(1, ':').append(std::to_string(number)));
}
inline std::string_view clientOf(const LockToken &owner) {
  const std::string_view bytes(owner.bytes());
  return bytes.substr(0, bytes.rfind(':'));
}

/// The answers of the scripts that give up a hold or a place in the server's line: 1 or {1, …} given up, 0 neither was ours.
inline ReleaseAnswer queueReleaseOf(const Reply &reply, bool busy) {
  if (reply.isArray())
    return ReleaseAnswer::Released;
  if (reply.integer())
    return reply.integer() == 1 ? ReleaseAnswer::Released : ReleaseAnswer::NotOwner;
  if (reply.failureWord() == "WRONGTYPE")
    return ReleaseAnswer::NotOwner;
  return busy ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

/// The answer n > 0 (a count of n is left), 0 (released), -1 (not ours) that the release scripts of counted holds give.
inline ReleaseAnswer countLeft(const Reply &reply, bool busy) {
  if (const auto left = reply.integer())
    return *left > 0 ? ReleaseAnswer::StillHeld : *left == 0 ? ReleaseAnswer::Released : ReleaseAnswer::NotOwner;
  if (reply.failureWord() == "WRONGTYPE")
    return ReleaseAnswer::NotOwner;
  return busy ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

/// The grant {1[, fence or instant]} or the refusal {0, time left in ms or -1, holder or "", 1 a new place, 0 an old one or -1 none[, 1 if
/// the client's places were renewed[, the instant]]} that the acquire scripts of locks with a line at the server give.
inline AcquireAnswer lineAnswer(const Reply &reply, bool busy) {
  using Kind = AcquireAnswer::Kind;
  if (!reply.isArray() || reply.array().empty())
    return {busy ? Kind::Busy : Kind::Rejected};
  const auto &parts = reply.array();
  if (parts[0].integer() == 1)
    return {.kind = Kind::Granted, .fence = parts.size() > 1 ? parseFence(parts[1].text().value_or("")) : std::nullopt};
  if (parts[0].integer() != 0 || parts.size() < 4 || parts.size() > 6)
    return {Kind::Rejected};
  AcquireAnswer answer{.kind = Kind::Refused};
  if (parts[1].integer().value_or(-1) >= 0)
    answer.timeLeft = milliseconds(*parts[1].integer());
  if (const auto holder = parts[2].text(); holder && !holder->empty())
    answer.holder = std::string(*holder);
  answer.queued = parts[3].integer().value_or(-1) >= 0;
  answer.newPlace = parts[3].integer() == 1;
  answer.refreshed = parts.size() > 4 && parts[4].integer() == 1;
  if (parts.size() > 5)
    answer.fence = parseFence(parts[5].text().value_or(""));
  return answer;
}

/// The waiters of a grant, "number[,number …]"; nothing for anything else.
inline std::optional<PassedOn> waitersIn(std::string_view numbers) {
  std::optional<PassedOn> grant;
  for (const auto part : std::views::split(numbers, ',')) {
    const auto number = parseFence(std::string_view(part));
    if (!number)
      return std::nullopt;
    if (grant)
      grant->behind.push_back(number->value);
    else
      grant = PassedOn{number->value, {}};
  }
  return grant;
}

/// The pairs behind the first element of {1, numbers, fence, numbers, fence …}.
inline std::vector<PassedOn> passedOnIn(const Reply &reply) {
  std::vector<PassedOn> grants;
  if (!reply.isArray())
    return grants;
  const auto &parts = reply.array();
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) {
    auto grant = waitersIn(parts[i].text().value_or(""));
    const auto fence = parseFence(parts[i + 1].text().value_or(""));
    if (!grant || !fence)
      continue;
    grant->fence = *fence;
    grants.push_back(std::move(*grant));
  }
  return grants;
}

} // namespace lockhouse
