// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitive.h"

#include <array>
#include <charconv>

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

/// The answer {time left in ms[, holder]} that the acquire scripts give to those who do not get in.
inline AcquireAnswer refusal(const Reply &reply) {
  AcquireAnswer answer{AcquireAnswer::Kind::Refused};
  const auto &parts = reply.array();
  if (!parts.empty() && parts[0].integer().value_or(-1) >= 0)
    answer.timeLeft = milliseconds(*parts[0].integer());
  if (parts.size() > 1 && parts[1].bulk() != nullptr)
    answer.holder = *parts[1].bulk();
  return answer;
}

/// The answer 1 (renewed), 0 (somebody else's), -1 (gone) that the renewal scripts give. Another type under the name is somebody else's.
inline RenewAnswer renewalOf(const Reply &reply, bool busy) {
  if (const auto number = reply.integer())
    return *number == 1 ? RenewAnswer::Renewed : *number == 0 ? RenewAnswer::TakenOver : RenewAnswer::Gone;
  if (reply.failureWord() == "WRONGTYPE")
    return RenewAnswer::TakenOver;
  return busy ? RenewAnswer::Busy : RenewAnswer::Rejected;
}

} // namespace lockhouse
