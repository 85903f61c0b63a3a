// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/lock_tracker.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/node/companion_rows.h"
#include "core/watch/node/hold_history.h"
#include "core/watch/record/queue_positions.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::size_t mostUncertain = 10'000; // records below shownConfidence: their number must not grow with foreign data
constexpr std::size_t mostUnannounced = 1000;

Companion companionOf(const FamilyRegistry::Owner &owner) { return {.others = std::uint64_t{1} << owner.form}; }

/// Whether the lock is known that a key may be one of several keys of.
bool isRowOf(const FamilyRegistry::MemberOf &member, const LockCache &cache) {
  const auto *known = cache.find(member.lock);
  return known && known->record->family == member.family->slug;
}

bool isNumber(std::string_view value) {
  value.remove_prefix(value.starts_with('-') ? 1 : 0);
  return !value.empty() && value.find_first_not_of("0123456789") == value.npos;
}

// A key that is no lock may have taken the place of one: the lock's key is then not absent.
bool isAbsent(const ReadsInFlight::Done &done) { return done.end == KeyReader::End::Absent || (done.end == KeyReader::End::Lock && done.read.isGone()); }

// A number of Redisson's is a lock while its permits are out or a client subscribes to it; afterwards the same number stays in place.
bool isReplaced(const LockCache::Known *before, ReadsInFlight::Done &done) {
  constexpr std::array<std::string_view, 3> numbers{"redisson-permits", "redisson-semaphore", "redisson-latch"};
  const bool wasNumber = before && std::ranges::find(numbers, before->record->family) != numbers.end();
  return !isAbsent(done) && !(wasNumber && done.end == KeyReader::End::Lock && isNumber(done.read.facts().value));
}

// Its lease or its queue position ended by itself, so no hint was to be expected.
bool hasEnded(const LockCache::Known &known, SteadyTime now) {
  const auto lapse = nextLapse(*known.record);
  return (known.memory.end && now >= known.memory.end->earliest) || known.cause || (lapse && *lapse <= now);
}

Companion companionOf(ReadsInFlight::Done &done, const LockRecord &record) {
  const auto &facts = done.read.facts();
  const auto read = done.read.companion();
  return {.queue = record.family == "redisson-fair" || !facts.problems.empty(),
          .fence = facts.fence.has_value() || !facts.problems.empty(),
          .numbers = read.numbers,
          .light = read.light,
          .isLong = read.isLong,
          .others = read.others};
}

} // namespace

void LockTracker::beginEpoch() {
  ++m_epoch;
  m_reads.clear();
  m_migration.clear();
  m_unread.clear();
  m_unannounced.clear();
  m_isScanOpen = false;
  m_failure.reset();
}

bool LockTracker::tryMark(std::string_view key, const ReadQueue::Mark &mark, SteadyTime now) {
  if (!m_failure && !m_reads.mark(key, mark, now))
    m_failure = Error{ErrorCode::Server, LH_MESSAGE("ErrorWords", "changes come faster than they can be read"), m_status.address,
                      LH_MESSAGE("ErrorWords", "the mirror is made anew")};
  return !m_failure;
}

void LockTracker::mark(std::string_view key, const ReadQueue::Mark &mark, SteadyTime now) { static_cast<void>(tryMark(key, mark, now)); }

void LockTracker::markMoving(SteadyTime now) {
  for (const auto &[key, companion] : m_migration.keys())
    mark(key, {.companion = companion, .urgent = true}, now);
}

void LockTracker::hintAll() {
  m_reads.hintAll();
  m_unannounced.clear(); // a read may have found the change before its hint came
}

void LockTracker::hint(std::string_view key, SteadyTime now) {
  const auto [part, lock] = redisson::partOf(key);
  if (part == redisson::Part::UnlockLatch)
    return;
  if (part == redisson::Part::None)
    return hintKey(key, now);
  if (!hintOwners(families().usersOwnersOf(key), now))
    return;
  const Companion companion{.queue = part == redisson::Part::Queue, .fence = part == redisson::Part::Fence};
  const ReadQueue::Mark hinted{.companion = companion, .hinted = true, .urgent = true};
  m_unannounced.erase(std::string(lock));
  if (tryMark(lock, hinted, now) && key.ends_with('}') && !lock.ends_with('}'))
    mark("{" + std::string(lock) + "}", hinted, now); // its companion key has the same name: see redisson::PartOf
}

bool LockTracker::hintOwners(std::span<const FamilyRegistry::Owner> owners, SteadyTime now) {
  return std::ranges::all_of(owners, [&](const FamilyRegistry::Owner &owner) {
    m_unannounced.erase(owner.lock);
    return tryMark(owner.lock, {.companion = companionOf(owner), .hinted = true, .urgent = true}, now);
  });
}

void LockTracker::hintKey(std::string_view key, SteadyTime now) {
  m_unannounced.erase(std::string(key));
  if (const auto member = m_companions.hasMembers() ? families().memberOf(key, {}) : std::nullopt; member && member->lock != key && isRowOf(*member, m_cache)) {
    m_unannounced.erase(member->lock);
    return mark(member->lock, {.companion = {.others = member->others}, .hinted = true, .urgent = true}, now);
  }
  bool isCompanion = false; // of one family's lock or of several families': the read decides
  for (const auto &owner : families().ownersOf(key)) {
    const bool isKnown = owner.isCertain || m_cache.find(owner.lock) != nullptr;
    m_unannounced.erase(owner.lock);
    if (!tryMark(owner.lock, {.companion = companionOf(owner), .hinted = true, .urgent = isKnown}, now))
      return;
    isCompanion |= owner.isCertain;
  }
  if (isCompanion)
    return;
  const auto *known = m_cache.find(key);
  const bool isUrgent = known ? !known->companion.isLong : nameEvidence(key).lock;
  mark(key, {.hinted = true, .urgent = isUrgent}, now);
}

void LockTracker::beginScan(bool isPaced) {
  m_isScanOpen = true;
  m_reads.setFullSpeed(!isPaced);
  m_unread.beginScan();
  m_cache.beginScan();
}

void LockTracker::markKnown(bool isHinted, SteadyTime now) {
  std::vector<std::string> known;
  m_cache.each([&](const std::string &key, const LockCache::Known &) { known.push_back(key); });
  // The backlog may still hold keys that an earlier flush hinted.
  m_reads.markAll(std::move(known), {.hinted = isHinted || m_reads.isBacklogHinted(), .scanned = true, .urgent = true}, now);
}

void LockTracker::takeFound(KeyspaceScan &scan, SteadyTime now) {
  for (auto &key : scan.takeUnserved())
    m_migration.add(std::move(key));
  for (auto &found : scan.takeFound()) {
    if (const auto *known = m_cache.find(found.key); known && m_cache.isMet(*known) && known->companion.covers(found.companion))
      continue; // another of its keys led there before
    if (found.companion.queue && !m_companions.addQueue(found.key, m_cache))
      continue;
    if (!tryMark(found.key, {.type = found.type, .companion = found.companion, .scanned = true}, now))
      return;
  }
}

void LockTracker::endScan(RefusedKeys byScan, NodeStatus &status, Moment now) {
  std::vector<std::string> unmet; // known, but the scan did not find it
  m_cache.each([&](const std::string &key, const LockCache::Known &known) {
    if (!m_cache.isMet(known))
      unmet.push_back(key);
  });
  m_isScanOpen = false;
  m_reads.setFullSpeed(false);
  m_cache.endScan(now.wall);
  m_reads.markAll(std::move(unmet), {.urgent = true}, now.steady);
  m_unread.endScan(std::move(byScan), status);
}

void LockTracker::startReads(SteadyTime now, Asks &out) {
  m_reads.startReads(m_epoch, now, m_heuristics, out, [this](ReadQueue::Item item) { return targetOf(std::move(item)); });
}

std::pair<ReadTarget, ValueType> LockTracker::targetOf(ReadQueue::Item item) const {
  const auto *known = m_cache.find(item.key);
  auto type = item.mark.type;
  auto companion = item.mark.companion;
  if (known) {
    type = known->record->type == ValueType::None ? ValueType::Unknown : known->record->type;
    addCompanion(companion, *known, families());
  }
  m_companions.addTo(companion, item.key, item.mark.type);
  if (m_waiters.isSubscribedNumber(item.key))
    companion.add({.numbers = true});
  companion.listeners = m_heuristics.mayCountListeners;
  companion.sharded = m_heuristics.mayCountSharded;
  auto channel = known && m_heuristics.mayCount() ? ownChannel(known->record->family, item.key, families()) : std::nullopt;
  return {ReadTarget{std::move(item.key), companion, &families(), std::move(channel).value_or("")}, type};
}

void LockTracker::onReply(std::uint64_t rest, Result<Reply> reply, Moment now, WatchActions &out) {
  auto done = m_reads.on(rest, std::move(reply), now.steady, m_heuristics, out.asks);
  if (!done)
    return;
  if (done->ticket.request == 0)
    return static_cast<void>(m_done.emplace_back(std::move(*done), now));
  takeReads();
  answer(*done, now.steady, out);
}

// Finished reads are taken one after the other, and not between other replies: the tables of the families then stay in the processor's caches.
void LockTracker::takeReads() {
  for (auto &[done, at] : m_done)
    onRead(done, at);
  m_done.clear();
}

void LockTracker::onRead(Done &done, Moment now) {
  if (m_failure || done.ticket.epoch != m_epoch)
    return;
  if (done.end == KeyReader::End::Failed && done.read.error()->code != ErrorCode::Internal) {
    m_failure = *done.read.error();
    m_failure->where = m_status.address;
    return;
  }
  const auto &key = done.read.key();
  m_companions.noteQueue(done);
  if (leadsToLock(done, now))
    return;
  auto observation = observationOf(done, now.steady);
  if (observation && readHolders(*observation, done, now.steady))
    return;
  const bool isLock = observation.has_value();
  m_companions.noteOthers(done, isLock, families());
  m_unread.note(done, isLock ? &observation->record : nullptr);
  if (!(isLock && observation->record.votes > 0) && !markMembers(done, now.steady))
    return;
  // Only now is the channel of its waiters known: it is read once more.
  const bool lacksChannel = isLock && !done.read.hasChannel() && m_heuristics.mayCount() && ownChannel(observation->record.family, key, families());
  observe(std::move(observation), done, now);
  if (lacksChannel && !tryMark(key, {.scanned = done.ticket.mark.scanned, .urgent = true}, now.steady))
    return;
  m_reads.finish(key, isLock && !done.read.companion().isLong, now.steady);
}

// By its value the key may be one of several keys of a lock. That lock is read with all of them, before this key is shown by itself.
bool LockTracker::leadsToLock(Done &done, Moment now) {
  const auto member = done.memberOf(families());
  const auto &key = done.read.key();
  if (!member)
    return false;
  m_companions.noteMember();
  const bool isOther = member->lock != key, isKnown = isOther && isRowOf(*member, m_cache);
  const ReadQueue::Mark again{.type = ValueType::String,
                              .companion = {.others = member->others},
                              .hinted = done.ticket.mark.hinted,
                              .scanned = done.ticket.mark.scanned,
                              .urgent = true};
  if (isKnown)
    observe(std::nullopt, done, now);
  else if (done.read.companion().covers(again.companion))
    return false;
  auto ofLock = again;
  ofLock.type = ValueType::Unknown; // it may be absent, or another master of the cluster may serve it
  if (isOther && (!isKnown || again.hinted) && !tryMark(member->lock, ofLock, now.steady))
    return true;
  if (!isKnown && !tryMark(key, again, now.steady))
    return true;
  m_reads.finish(key, true, now.steady);
  return true;
}

// Before a lock is shown as free, the companion keys that may name its holders are read too. True: they are read now.
bool LockTracker::readHolders(const LockCache::Observation &observation, const Done &done, SteadyTime now) {
  const auto &record = observation.record;
  const auto holders = record.isHeld() ? 0 : readersUnread(record, done.read.companion().others, families());
  if (holders == 0)
    return false;
  auto again = done.ticket.mark;
  again.companion.others |= holders;
  if (tryMark(done.read.key(), again, now))
    m_reads.finish(done.read.key(), true, now);
  return true;
}

// A lock of several keys ended. The keys that are left become rows of their own.
bool LockTracker::markMembers(Done &done, SteadyTime now) {
  const auto *known = m_cache.find(done.read.key());
  if (done.end != KeyReader::End::Lock || !known || known->record->votes == 0)
    return true;
  return std::ranges::all_of(done.read.facts().companion, [&](const CompanionFacts &companion) {
    return companion.form->role != Role::Vote || tryMark(companion.key, {.hinted = true, .urgent = true}, now);
  });
}

std::optional<LockRecord> LockTracker::detect(Done &done, SteadyTime now) {
  if (done.end != KeyReader::End::Lock)
    return std::nullopt;
  auto &facts = done.read.facts();
  m_waiters.addTo(facts, done.read.channel());
  facts.isOfCluster = m_status.isCluster;
  facts.serverTime = std::chrono::floor<milliseconds>(now.time_since_epoch()) + m_clockOffset;
  facts.areEnds = facts.type == ValueType::SortedSet && m_cache.areEnds(done.read.key());
  auto record = families().recognise(facts);
  const bool isElsewhere = facts.type == ValueType::None && done.read.error(); // its companion keys here prove nothing
  if (!record || (isElsewhere && record->votes == 0) || (!record->isHeld() && done.read.areReadersRefused()))
    return std::nullopt;
  record->id = {m_status.id, m_status.db, LockName(done.read.key())};
  record->seenAt = now;
  m_waiters.explain(*record, m_status.databases.size() > 1);
  return record;
}

std::optional<LockCache::Observation> LockTracker::observationOf(Done &done, SteadyTime now) {
  auto record = detect(done, now);
  if (!record)
    return std::nullopt;
  const auto owners = families().ownersOf(done.read.key());
  if (isCompanionKnown(*record, owners, m_cache, families()))
    return std::nullopt;
  if (record->isDoubtful() && m_cache.uncertain() >= mostUncertain && !m_cache.find(done.read.key()))
    return std::nullopt;
  m_companions.noteRow(*record, owners);
  const auto &mark = done.ticket.mark;
  LockCache::Observation observation;
  observation.end = endOfLease(*record, done.read.facts(), done.read.askedAt());
  observation.companion = companionOf(done, *record);
  observation.watched = isFollowed() && mark.hinted;
  observation.askedAt = done.read.askedAt();
  observation.scanned = mark.scanned;
  observation.isHalf =
      mark.scanned && m_isScanOpen && !mark.hinted && (!owners.empty() || mayHaveCompanions(*record, done.read.companion().others, families()));
  observation.record = std::move(*record);
  return observation;
}

std::optional<ChangeKind> LockTracker::see(LockCache::Observation observation, const std::string &key, Moment now) {
  const auto kind = m_cache.see(std::move(observation), now.wall);
  if (kind == ChangeKind::Appeared)
    for (const auto &row : m_companions.rowsOf(*m_cache.find(key)->record, m_cache, families()))
      m_cache.lose(row, true, now.steady, now.wall);
  return kind;
}

void LockTracker::observe(std::optional<LockCache::Observation> observation, Done &done, Moment now) {
  const auto &key = done.read.key();
  const auto *known = m_cache.find(key);
  const bool isKnown = known != nullptr, isLock = observation.has_value(), isRefused = done.end == KeyReader::End::Refused;
  const bool wasNumber = known && known->record->number;
  bool isExplained = isRefused || done.ticket.mark.hinted || m_reads.isHinted(key) || (known && (hasEnded(*known, now.steady) || known->record->staleSince));
  bool isDifferent = false;
  if (observation) {
    const bool isNumber = observation->record.number.has_value();
    const bool isUnannounced = m_waiters.addLock(observation->record, m_status.isCluster && m_status.scanComplete && !known);
    const auto kind = see(std::move(*observation), key, now);
    isDifferent = kind.has_value();
    isExplained |= isUnannounced && (kind == ChangeKind::Waiters || (isNumber && kind == ChangeKind::Appeared));
  } else if (isRefused && !done.read.isElsewhere())
    isDifferent = m_cache.doubt(key, done.read.askedAt(), now.wall);
  else {
    if (done.isServedElsewhere()) // the notification was about its move
      m_cache.forgetCause(key);
    isDifferent = m_cache.lose(key, isReplaced(known, done) && !done.read.isElsewhere(), now.steady, now.wall);
    isExplained |= wasNumber && !isAbsent(done); // its last subscriber left, which no hint announces
  }
  isExplained |= m_status.isCluster && m_migration.note(done, isKnown, isLock);
  m_changes += isDifferent;
  if (isDifferent && isFollowed() && !isExplained && m_unannounced.size() < mostUnannounced)
    m_unannounced.try_emplace(key, now.steady);
}

std::size_t LockTracker::takeUnannounced(SteadyTime exact) {
  return std::erase_if(m_unannounced, [&](const auto &entry) { return entry.second <= exact; });
}

void LockTracker::request(watching::ReadWanted wanted, SteadyTime now, Asks &out) {
  const Companion all{.queue = true,
                      .fence = true,
                      .listeners = m_heuristics.mayCountListeners,
                      .sharded = m_heuristics.mayCountSharded,
                      .numbers = m_heuristics.mayCount(),
                      .others = everyOther};
  auto key = std::move(wanted.key).bytes();
  for (auto &owner : families().ownersOf(key))
    if (owner.isCertain) { // the caller named another of its keys
      key = std::move(owner.lock);
      break;
    }
  m_reads.start({std::move(key), all, &families()}, ValueType::Unknown, {.mark = {}, .epoch = m_epoch, .request = wanted.request}, now, m_heuristics, out);
}

// The caller named a key that by its value may be one of several keys of a lock. The lock is read first; if there is none, the key itself.
bool LockTracker::isDetour(Done &done, SteadyTime now, WatchActions &out) {
  auto ticket = done.ticket;
  const auto readNext = [&](std::string key) {
    m_reads.start({std::move(key), done.read.companion(), &families()}, ValueType::Unknown, std::move(ticket), now, m_heuristics, out.asks);
    return true;
  };
  const auto member = done.memberOf(families());
  if (ticket.asked.empty() && member && member->lock != done.read.key()) {
    ticket.asked = done.read.key();
    return readNext(member->lock);
  }
  if (ticket.asked.empty() || ticket.asked == done.read.key())
    return false;
  if (const auto observation = observationOf(done, now); observation && observation->record.votes > 0)
    return false;
  if (done.end == KeyReader::End::Refused && done.read.error()->code == ErrorCode::NotPermitted) // it may be one of several keys or not
    return false;
  return readNext(ticket.asked);
}

std::optional<Error> LockTracker::refusalOf(Done &done) const {
  const bool isElsewhere = done.end == KeyReader::End::Absent && done.read.error();
  if (done.end != KeyReader::End::Failed && done.end != KeyReader::End::Refused && !isElsewhere)
    return std::nullopt;
  const Error closed{
      ErrorCode::NotPermitted, LH_MESSAGE("ErrorWords", "this user may not read the key"), {}, LH_MESSAGE("ErrorWords", "permit its name in the user's ACL")};
  auto why = done.read.error().value_or(closed);
  if (const auto &asked = done.ticket.asked; !asked.empty() && asked != done.read.key() && why.code == ErrorCode::NotPermitted)
    why = {closed.code,
           LH_MESSAGE("ErrorWords", "whether %1 is one of several keys of %2 is not known, for this user may not read that")(safeText(asked, 120),
                                                                                                                             safeText(done.read.key(), 120)),
           {},
           closed.next};
  return why;
}

void LockTracker::answer(Done &done, SteadyTime now, WatchActions &out) {
  if (isDetour(done, now, out))
    return;
  const auto fail = [&](Error why) {
    why.where = m_status.address;
    out.readsDone.push_back({done.ticket.request, std::unexpected(std::move(why))});
  };
  if (auto why = refusalOf(done))
    return fail(std::move(*why));
  auto observation = observationOf(done, now);
  if (!observation) {
    if (auto why = done.read.refusedHolders().or_else([&] { return done.read.unread(); }).or_else([&] { return done.read.error(); }))
      return fail(std::move(*why));
    return out.readsDone.push_back({done.ticket.request, LockRecordPtr{}});
  }
  auto &record = observation->record;
  if (auto channel = done.read.hasChannel() ? std::nullopt : ownChannel(record.family, done.read.key(), families())) {
    m_reads.start({done.read.key(), done.read.companion(), &families(), std::move(*channel)}, record.type, done.ticket, now, m_heuristics, out.asks);
    return;
  }
  HoldMemory memory;
  beginHold(record, memory, observation->end, false);
  out.readsDone.push_back({done.ticket.request, std::make_shared<const LockRecord>(std::move(record))});
}

} // namespace lockhouse
