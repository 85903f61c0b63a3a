// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/lock_record.h"

#include <algorithm>

namespace lockhouse {
namespace {

bool isExpiring(const LockRecord &record, milliseconds left) {
  // Without a known lease the whole of what is left was all that was ever seen: nothing to take a tenth of.
  return left < seconds(10) && record.lease && left * 10 < *record.lease;
}

bool isSuspect(const LockRecord &record, SteadyTime now) {
  return record.renewedAt && record.renewalPeriod && *record.renewalPeriod > milliseconds(0) && now - *record.renewedAt > 2 * *record.renewalPeriod;
}

} // namespace

std::string_view name(ValueType type) {
  switch (type) {
  case ValueType::String: return "string";
  case ValueType::Hash: return "hash";
  case ValueType::List: return "list";
  case ValueType::Set: return "set";
  case ValueType::SortedSet: return "zset";
  default: return "";
  }
}

std::string_view name(LockKind kind) {
  switch (kind) {
  case LockKind::Mutex: return "mutex";
  case LockKind::Reentrant: return "reentrant";
  case LockKind::Fair: return "fair";
  case LockKind::ReadWrite: return "read-write";
  case LockKind::Semaphore: return "semaphore";
  case LockKind::Latch: return "latch";
  }
  return "";
}

std::string_view name(LockState state) {
  switch (state) {
  case LockState::Held: return "held";
  case LockState::Contended: return "contended";
  case LockState::Waiting: return "waiting";
  case LockState::Expiring: return "expiring";
  case LockState::NeverExpires: return "never-expires";
  case LockState::Suspect: return "suspect";
  case LockState::Stale: return "stale";
  }
  return "";
}

std::string_view name(HoldMode mode) {
  switch (mode) {
  case HoldMode::Exclusive: return "exclusive";
  case HoldMode::Read: return "read";
  case HoldMode::Write: return "write";
  }
  return "";
}

bool LockRecord::hasMajority() const {
  if (neededVotes > 0)
    return votes >= neededVotes;
  if (votes > 0 || members.empty())
    return true;
  return (sharedOn > 0 ? sharedOn : isSplit() ? 0 : heldOn()) * 2 > masters;
}

bool LockRecord::mayHaveMajority() const {
  if (hasMajority() || neededVotes > 0)
    return hasMajority() || unfollowed > 0;
  return !isSplit() && sharedOn == 0 && (heldOn() + unfollowed) * 2 > masters;
}

bool LockRecord::isSplit() const {
  if (members.empty() || holders.size() < 2)
    return false;
  return sharedOn > 0 ? sharedOn * 2 <= masters : members.front().own && holders.front() == *members.front().own;
}

bool LockRecord::isOthers(const LockMember &member) const {
  return member.there ? member.areOthers : member.own && std::ranges::find(holders, member.own->id, &Holder::id) == holders.end();
}

std::size_t LockRecord::heldOn() const {
  return static_cast<std::size_t>(std::ranges::count_if(members, [this](const LockMember &member) { return !isOthers(member); }));
}

std::size_t LockRecord::seenLastOn() const {
  return static_cast<std::size_t>(std::ranges::count_if(members, [this](const LockMember &member) { return member.staleSince && !isOthers(member); }));
}

std::int64_t depthOf(const LockRecord &record) {
  if (record.number)
    return *record.number;
  return record.holders.size() == 1 ? record.holders.front().count : static_cast<std::int64_t>(record.holders.size());
}

LockState stateAt(const LockRecord &record, SteadyTime now) {
  if (record.staleSince)
    return LockState::Stale;
  if (!record.isHeld())
    return record.unread > 0 ? LockState::Suspect : LockState::Waiting;
  const auto left = timeLeft(record, now);
  if (!left)
    return LockState::NeverExpires;
  if (record.isOver || !record.hasMajority() || isSuspect(record, now))
    return LockState::Suspect;
  if (isExpiring(record, *left))
    return LockState::Expiring;
  return record.waiters.value_or(0) > 0 ? LockState::Contended : LockState::Held;
}

std::optional<milliseconds> timeLeft(const LockRecord &record, SteadyTime now) {
  if (record.isOver)
    return milliseconds(0);
  if (!record.expiresAt)
    return std::nullopt;
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*record.expiresAt - now));
}

} // namespace lockhouse
