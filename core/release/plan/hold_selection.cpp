// SPDX-License-Identifier: Apache-2.0
#include "core/release/plan/hold_selection.h"

#include "core/base/encoding.h"
#include "core/base/lockhouse_names.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"
#include "core/watch/text/token_format.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

namespace lockhouse {

namespace {

bool isHoldOf(const LockRecord &lock, const Holder &one, const std::string &holder) {
  return redisson::isHoldOf(one.id, holder) || (lock.family == handoff && own::isHandoffOf(one.id, holder));
}

// A reader of our own read-write lock who waits to become its writer: his place, "u<number>/<his token>", is before all others.
bool isUpgrading(const LockRecord &lock, std::string_view reader) {
  const auto isUpgrade = [](const Waiter &waiter) { return waiter.id.starts_with('u'); };
  const auto isHis = [reader](const Waiter &waiter) { return reader == fmt::format("r{}", waiter.id.substr(waiter.id.find('/'))); };
  return lock.family == "lockhouse-rw" && std::ranges::any_of(lock.queue | std::views::take_while(isUpgrade), isHis);
}

} // namespace

std::vector<Holder> holdsOf(const LockRecord &lock, const std::optional<std::string> &holder) {
  std::vector<Holder> holds;
  const auto isHis = [&](const Holder &one) { return !holder || isHoldOf(lock, one, *holder); };
  std::ranges::copy_if(lock.holders, std::back_inserter(holds), isHis);
  std::ranges::stable_sort(holds, {}, [&](const Holder &one) { return one.mode == HoldMode::Write ? 2 : isUpgrading(lock, one.id) ? 0 : 1; });
  return holds;
}

bool namesNobody(std::string_view holder) {
  const auto isDigit = [](char c) { return '0' <= c && c <= '9'; };
  return (holder.size() < 3 && std::ranges::all_of(holder, isDigit)) ||
         (tokenFormat(holder).kind == TokenFormat::Class::None && plainShape(holder).kind == TokenFormat::Class::Trivial);
}

bool isOnlyATime(std::string_view holder) {
  const auto whole = holder.substr(0, holder.find('.'));
  const bool isNumber = holder.find_first_not_of("0123456789.") == holder.npos && (whole.size() == 10 || whole.size() == 13);
  const auto at = isNumber ? instantOf(holder) : std::nullopt;
  return at && isPlausibleTime(static_cast<double>(at->count()));
}

namespace {

/// What each of a lock's members has of one hold, of which there may be thousands.
class HoldsThere {
public:
  explicit HoldsThere(const LockRecord &lock) : m_lock(lock), m_there(lock.members.size()) {
    for (std::size_t i = 0; i < m_there.size(); ++i)
      if (const auto &there = lock.members[i].there)
        for (const auto &holder : there->holders)
          m_there[i].emplace(holder.id, &holder);
  }
  /// Nothing: it has none. `hold` is one of the row's.
  std::optional<Holder> of(std::size_t member, const Holder &hold) const {
    const auto &[own, there] = std::tie(m_lock.members[member].own, m_lock.members[member].there);
    if (there) {
      const auto found = m_there[member].find(hold.id);
      return found == m_there[member].end() ? std::nullopt : std::optional(*found->second);
    }
    return !own || own->id == hold.id ? std::optional(own.value_or(hold)) : std::nullopt;
  }

private:
  const LockRecord &m_lock;
  std::vector<std::unordered_map<std::string_view, const Holder *>> m_there;
};

} // namespace

std::span<const Holder> holdersThere(const LockRecord &lock, const LockMember &member) {
  if (member.there)
    return member.there->holders;
  return member.own ? std::span(&*member.own, 1) : std::span(lock.holders);
}

std::vector<PlacedHold> placedHoldsOf(const LockRecord &lock, const std::optional<std::string> &holder) {
  std::vector<PlacedHold> placed;
  const HoldsThere there(lock);
  const auto place = [&](std::size_t i, const Holder &hold) { placed.push_back({{lock.members[i].node, lock.members[i].db, lock.id.key}, hold}); };
  for (const auto &hold : holdsOf(lock, holder)) {
    if (lock.members.empty())
      placed.push_back({lock.id, hold});
    for (std::size_t i = 0; i < lock.members.size(); ++i)
      if (const auto its = there.of(i, hold))
        place(i, *its);
  }
  const auto isOfRow = [&](const Holder &one) { return std::ranges::find(lock.holders, one.id, &Holder::id) != lock.holders.end(); };
  for (std::size_t i = 0; holder && i < lock.members.size(); ++i)
    if (lock.members[i].own || lock.members[i].there)
      for (const auto &its : holdersThere(lock, lock.members[i]))
        if (isHoldOf(lock, its, *holder) && !isOfRow(its))
          place(i, its);
  if (holder && placed.empty() && std::ranges::find(lock.outvoted, *holder, &Holder::id) != lock.outvoted.end()) { // where it has keys, the plan finds
    if (lock.members.empty())
      placed.push_back({lock.id, {.id = *holder}});
    for (std::size_t i = 0; i < lock.members.size(); ++i)
      if (!lock.members[i].own)
        place(i, {.id = *holder});
  }
  return placed;
}

bool isShownAs(const LockRecord &lock, const Holder &holder, std::string_view text) {
  constexpr std::array widths{256, 80, 60, 48, 16}; // of show, refusals, list
  if (text.empty() || holder.id == text)
    return holder.id == text;
  return (lock.family == "redisson-permits" && hex(holder.id) == text) ||
         std::ranges::any_of(widths, [&](int width) { return safeText(holder.id, static_cast<std::size_t>(width)) == text; });
}

std::optional<std::string> holderShownAs(std::span<const LockRecordPtr> locks, const std::string &text) {
  std::set<std::string_view> meant;
  bool isHimself = false;
  const auto look = [&](const LockRecord &lock, const Holder &holder) {
    isHimself |= redisson::isHoldOf(holder.id, text);
    if (isShownAs(lock, holder, text))
      meant.insert(holder.id);
  };
  for (const auto &lock : locks) {
    for (const auto &holder : lock->holders)
      look(*lock, holder);
    for (const auto &member : lock->members)
      if (member.own || member.there)
        for (const auto &its : holdersThere(*lock, member))
          look(*lock, its);
  }
  return !isHimself && meant.size() == 1 ? std::optional<std::string>(*meant.begin()) : std::nullopt;
}

HoldMode modeOfUnread(const LockRecord &lock, const std::string &holder) {
  if (redisson::isWriter(holder))
    return HoldMode::Write;
  if (lock.isHeld())
    return lock.holders.front().mode;
  return lock.kind == LockKind::ReadWrite ? HoldMode::Read : HoldMode::Exclusive;
}

std::vector<std::string> unreadHoldsOf(const LockRecord &lock, const std::string &holder) {
  std::vector<std::string> holds;
  if (lock.unread == 0 || lock.type == ValueType::List || lock.holders.empty())
    return holds;
  holds.push_back(holder);
  if (lock.family == "redisson-rw" && redisson::isOwner(holder))
    holds.push_back(redisson::writerOf(holder));
  std::erase_if(holds, [&](const std::string &hold) { return std::ranges::find(lock.holders, hold, &Holder::id) != lock.holders.end(); });
  return holds;
}

bool mayHideHoldsOf(const LockRecord &lock, const std::string &holder) {
  const bool isThread = redisson::isOwner(holder) && lock.family.starts_with("redisson-") && lock.type == ValueType::Hash;
  return lock.unread > 0 && (lock.type == ValueType::List || isThread);
}

std::vector<UnreadHolds> unreadHolds(std::span<const ReleaseResult> planned) {
  std::map<LockId, std::uint64_t> left;
  for (const auto &result : planned)
    if (result.now && result.now->unread > 0)
      left[result.lock] = result.now->holdersAtMost();
  for (const auto &result : planned)
    if (const auto lock = left.find(result.lock); lock != left.end() && lock->second > 0)
      lock->second -= result.plan || (result.verdict != Verdict::Changed && result.verdict != Verdict::AlreadyFree);
  std::vector<UnreadHolds> unread;
  for (const auto &[lock, holds] : left)
    if (holds > 0)
      unread.push_back({lock, holds});
  return unread;
}

bool GoneBefore::contains(std::string_view holder) const {
  if (!order || holder == own)
    return false;
  const auto found = order->find(holder);
  return found != order->end() && found->second < place;
}

bool GoneBefore::isBefore(std::string_view holder) const {
  if (!order || holder == own)
    return false;
  const auto found = order->find(holder);
  return found != order->end() && found->second > place;
}

LockRecord without(LockRecord lock, const GoneBefore &gone) {
  const auto takeOut = [&lock](const auto &isMeant) {
    return std::erase_if(lock.holders, [&](const Holder &one) {
      const bool isOut = isMeant(one);
      if (isOut && one.count == 0 && lock.unexpectedEntries > 0)
        --lock.unexpectedEntries; // an odd count is one of them
      return isOut;
    });
  };
  takeOut([&](const Holder &one) { return gone.contains(one.id); });
  if (lock.family == "redisson-rw" && std::ranges::find(lock.holders, gone.own, &Holder::id) != lock.holders.end())
    lock.unread += takeOut([&](const Holder &one) { return gone.isBefore(one.id); });
  return lock;
}

bool haveOthersEnded(const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto isOver = [now](const Holder &other) { return other.expiresAt && *other.expiresAt <= now; };
  return !isOver(holder) && std::ranges::all_of(record.holders, [&](const Holder &other) { return other == holder || isOver(other); });
}

} // namespace lockhouse
