// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/lock_cache.h"

#include "core/watch/record/queue_positions.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr seconds releaseBelieved(10);
constexpr milliseconds endGrain(2); // of the lease's end as PTTL tells it

// A fair lock whose queue ran empty looks like a plain one; while it lives, it stays what it was. So does one whose queue could not be read:
// who waits then is not known.
void rememberFair(const LockRecord &before, LockCache::Observation &observation) {
  auto &after = observation.record;
  if (before.family != "redisson-fair" || after.family != "redisson-lock")
    return;
  after.family = before.family;
  after.kind = before.kind;
  after.waiters = observation.companion.queue ? std::nullopt : std::optional<std::uint64_t>(0);
  after.moreMayWait = false;
  after.evidence.emplace_back(LH_MESSAGE("Evidence", "it had a queue before"));
}

// When it is something else without anybody's doing: its lease ends, or that of one of its holders, or a place in its queue. What is over
// stays until somebody comes.
std::optional<SteadyTime> changesAt(const LockRecord &record) {
  constexpr milliseconds rest(100); // clocks tell of a lapse as often as they are read
  const auto end = record.isOver ? std::nullopt : record.expiresAt;
  const auto lapse = nextLapse(record);
  return !lapse ? end : std::min(end.value_or(SteadyTime::max()), std::max(*lapse, record.seenAt + rest));
}

// Whether one of them is among the others.
bool isAmong(const std::vector<Holder> &some, const std::vector<Holder> &others) {
  return std::ranges::find_first_of(some, others, {}, &Holder::id, &Holder::id) != some.end();
}

// Whoever comes to wait may tell whose lock it is, and that its waiters have gone may hide it: its holder has it all the while.
bool isOneLine(const LockRecord &before, const LockRecord &after) {
  const auto redisson = [](const LockRecord &record) { return record.family == "redisson-lock" || record.family == "redisson-fair"; };
  return before.family == after.family || (redisson(before) && redisson(after)) || (isQueueLock(before) && isQueueLock(after)) ||
         (before.type == after.type && before.votes == 0 && after.votes == 0 && isAmong(after.holders, before.holders));
}

constexpr std::size_t mostLapsed = 10'000; // locks

bool isByHand(const LockRecord &record) { return record.family == "handmade-zset"; }

// Of a lock without anybody who listens for it, or a fence, whose form data has too, its lease alone tells; the first that was seen does.
bool isTrustedByLease(const LockRecord &before, const LockRecord &after) {
  return after.family == "redisson-lock" && before.family == after.family && before.isDoubtful() && !after.isDoubtful() && !after.fence &&
         after.waiters.value_or(0) == 0;
}

constexpr auto remainsData = LH_MESSAGE("Evidence", "its lease has been longer than a lock's before, and its holder is the same");
constexpr auto remainsLock = LH_MESSAGE("Evidence", "it has been seen as a lock before, and its holder is the same");

} // namespace

std::optional<ChangeKind> LockCache::see(Observation observation, WallTime at) {
  const auto [lock, isNew] = m_locks.try_emplace(observation.record.id.key.bytes());
  if (isNew) {
    appear(lock, std::move(observation), at);
    return ChangeKind::Appeared;
  }
  auto &known = lock->second;
  const auto before = known.record;
  if (known.isUntold && (observation.scanned || !known.companion.covers(observation.companion))) { // what is different was there before
    amend(lock, std::move(observation), at);
    return ChangeKind::Appeared;
  }
  if (!isOneLine(*before, observation.record)) {
    const auto key = lock->first;
    lose(key, true, observation.record.seenAt, at);
    appear(m_locks.try_emplace(key).first, std::move(observation), at);
    return ChangeKind::Appeared;
  }
  tell(known, at);
  rememberFair(*before, observation);
  rememberLine(*before, observation.record);
  keepTrust(known, observation.record);
  auto kind = carryOn(*before, observation.record, known.memory, observation.end, observation.watched);
  if (!kind && before->staleSince)
    kind = ChangeKind::Live;
  if (kind == ChangeKind::Holder)
    m_released.erase(lock->first); // taken again before its release was seen
  known.companion.add(observation.companion);
  known.companion.light = observation.companion.light;
  known.scan = observation.scanned ? m_scan : known.scan;
  if (observation.askedAt >= known.causeAt)
    known.cause.reset();
  const auto after = std::make_shared<const LockRecord>(std::move(observation.record));
  replace(lock, after);
  if (kind)
    report(*kind, {}, before, after, at);
  return kind;
}

void LockCache::appear(Locks::iterator lock, Observation observation, WallTime at) {
  HoldMemory memory;
  beginHold(observation.record, memory, observation.end, observation.watched);
  const auto record = std::make_shared<const LockRecord>(std::move(observation.record));
  lock->second = {
      .record = nullptr, .memory = memory, .companion = observation.companion, .cause = {}, .causeAt = {}, .scan = observation.scanned ? m_scan : m_scan - 1};
  replace(lock, record);
  if (observation.isHalf) {
    lock->second.isUntold = true;
    m_untold.push_back(lock->first);
  } else
    report(ChangeKind::Appeared, {}, nullptr, record, at);
}

void LockCache::amend(Locks::iterator lock, Observation observation, WallTime at) {
  auto &known = lock->second;
  beginHold(observation.record, known.memory, observation.end, observation.watched);
  observation.record.heldSince = known.record->heldSince;
  known.companion.add(observation.companion);
  known.companion.light = observation.companion.light;
  known.scan = observation.scanned ? m_scan : known.scan;
  const bool isHalf = observation.isHalf;
  replace(lock, std::make_shared<const LockRecord>(std::move(observation.record)));
  if (!isHalf)
    tell(known, at);
}

void LockCache::keepTrust(Known &known, LockRecord &record) {
  const auto &before = *known.record;
  const bool isSameHold = isAmong(record.holders, before.holders);
  known.wasDoubted = isSameHold && (known.wasDoubted || (before.isDoubtful() && before.expiresAt)); // a lease comes after what it is of
  if (known.wasDoubted && isTrustedByLease(before, record)) {
    record.confidence = before.confidence;
    record.evidence.emplace_back(remainsData);
  }
  if (!record.isDoubtful() && (record.waiters.value_or(0) > 0 || record.fence))
    known.wasDoubted = false;
  if (!isSameHold || known.wasDoubted || !record.isDoubtful())
    return;
  record.confidence = before.confidence;
  record.evidence.emplace_back(remainsLock);
}

void LockCache::tell(Known &known, WallTime at) {
  if (std::exchange(known.isUntold, false))
    report(ChangeKind::Appeared, {}, nullptr, known.record, at);
}

void LockCache::endScan(WallTime at) {
  for (const auto &key : std::exchange(m_untold, {}))
    if (const auto lock = m_locks.find(key); lock != m_locks.end())
      tell(lock->second, at);
}

bool LockCache::lose(std::string_view key, bool replaced, SteadyTime now, WallTime at) {
  if (!replaced && !m_lapsed.empty())
    m_lapsed.erase(std::string(key));
  const auto lock = m_locks.find(key);
  if (lock == m_locks.end())
    return false;
  const auto before = lock->second.record;
  if (replaced && isByHand(*before) && m_lapsed.size() < mostLapsed)
    m_lapsed.insert(before->id.key.bytes());
  if (!replaced)
    tell(lock->second, at);
  if (!lock->second.isUntold) // else it was no lock of its own
    report(ChangeKind::Vanished, causeOf(key, lock->second, replaced, now), before, nullptr, at);
  forgetEnd(lock->second);
  m_uncertain -= before->isDoubtful();
  m_touched.push_back({before, false});
  m_locks.erase(lock);
  return true;
}

std::optional<ChangeCause> LockCache::causeOf(std::string_view key, const Known &known, bool replaced, SteadyTime now) {
  const auto released = m_released.find(std::string(key));
  if (released != m_released.end()) {
    const bool believed = now <= released->second;
    m_released.erase(released);
    if (believed)
      return ChangeCause::Released;
  }
  const bool hasEnded = !known.record->staleSince && !known.record->isOver && known.memory.end && now + endGrain >= known.memory.end->earliest;
  if (replaced && !hasEnded) // else who has lapsed lies there still
    return ChangeCause::Replaced;
  if (known.cause && !replaced)
    return known.cause;
  return hasEnded ? std::optional(ChangeCause::Expired) : std::nullopt;
}

void LockCache::replace(Locks::iterator lock, LockRecordPtr record) {
  auto &known = lock->second;
  forgetEnd(known);
  if (known.record)
    m_uncertain -= known.record->isDoubtful();
  m_uncertain += record->isDoubtful();
  known.record = std::move(record);
  if (const auto at = changesAt(*known.record))
    m_ends.add(*at, lock->first, known.end);
  m_touched.push_back({known.record, true});
}

void LockCache::forgetEnd(Known &known) {
  if (known.end != LeaseHeap::nowhere)
    m_ends.remove(known.end);
}

bool LockCache::areEnds(const std::string &key) const {
  const auto *known = find(key);
  return known ? isByHand(*known->record) : m_lapsed.contains(key);
}

void LockCache::markStale(SteadyTime since, WallTime at) {
  for (auto lock = m_locks.begin(); lock != m_locks.end(); ++lock)
    makeStale(lock, since, at);
}

bool LockCache::doubt(std::string_view key, SteadyTime since, WallTime at) {
  const auto lock = m_locks.find(key);
  return lock != m_locks.end() && makeStale(lock, since, at);
}

bool LockCache::makeStale(Locks::iterator lock, SteadyTime since, WallTime at) {
  const auto before = lock->second.record;
  if (before->staleSince)
    return false;
  tell(lock->second, at);
  auto record = std::make_shared<LockRecord>(*before);
  record->staleSince = since;
  replace(lock, record);
  report(ChangeKind::Stale, {}, before, record, at);
  return true;
}

void LockCache::note(std::string_view key, ChangeCause cause, SteadyTime now) {
  if (const auto lock = m_locks.find(key); lock != m_locks.end()) {
    lock->second.cause = cause;
    lock->second.causeAt = now;
  }
}

void LockCache::forgetCause(std::string_view key) {
  if (const auto lock = m_locks.find(key); lock != m_locks.end())
    lock->second.cause.reset();
}

void LockCache::noteAll(ChangeCause cause, SteadyTime now) {
  for (auto &[key, known] : m_locks) {
    known.cause = cause;
    known.causeAt = now;
  }
}

void LockCache::expectRelease(const LockName &key, SteadyTime now) {
  for (; !m_releases.empty() && m_releases.front().first < now; m_releases.pop_front())
    if (const auto old = m_released.find(m_releases.front().second); old != m_released.end() && old->second < now)
      m_released.erase(old);
  m_released.insert_or_assign(key.bytes(), now + releaseBelieved);
  m_releases.emplace_back(now + releaseBelieved, key.bytes());
}

const LockCache::Known *LockCache::find(std::string_view key) const {
  const auto lock = m_locks.find(key);
  return lock == m_locks.end() ? nullptr : &lock->second;
}

std::optional<SteadyTime> LockCache::nextEnd() const { return m_ends.empty() ? std::nullopt : std::optional(m_ends.next()); }

std::vector<std::string> LockCache::endedBy(SteadyTime now) {
  std::vector<std::string> keys;
  while (!m_ends.empty() && m_ends.next() <= now) {
    keys.push_back(m_ends.nextKey());
    m_ends.remove(0);
  }
  return keys;
}

const std::vector<LockRecordPtr> &LockCache::sorted() {
  if (m_touched.empty())
    return m_sorted;
  const auto keyOf = [](const LockRecordPtr &record) -> const std::string & { return record->id.key.bytes(); };
  std::ranges::stable_sort(m_touched, {}, [&keyOf](const Touched &touched) -> const std::string & { return keyOf(touched.record); });
  m_merged.reserve(m_locks.size());
  auto old = m_sorted.begin();
  for (auto touched = m_touched.begin(); touched != m_touched.end(); ++touched) {
    const auto &key = keyOf(touched->record);
    if (const auto next = std::next(touched); next != m_touched.end() && keyOf(next->record) == key)
      continue; // what came last holds
    for (; old != m_sorted.end() && keyOf(*old) < key; ++old)
      m_merged.push_back(std::move(*old));
    if (old != m_sorted.end() && keyOf(*old) == key)
      ++old;
    if (touched->isThere)
      m_merged.push_back(touched->record);
  }
  std::move(old, m_sorted.end(), std::back_inserter(m_merged));
  m_sorted.swap(m_merged);
  m_merged.clear(); // its room is kept: the next is as large
  m_touched.clear();
  return m_sorted;
}

void LockCache::report(ChangeKind kind, std::optional<ChangeCause> cause, LockRecordPtr before, LockRecordPtr after, WallTime at) {
  const auto &id = after ? after->id : before->id;
  m_log->add({.seq = 0, .at = at, .id = id, .kind = kind, .cause = cause, .before = std::move(before), .after = std::move(after)});
}

} // namespace lockhouse
