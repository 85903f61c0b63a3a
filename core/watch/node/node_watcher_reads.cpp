// SPDX-License-Identifier: Apache-2.0
// From hints over reads to the mirror.
#include "core/base/redisson_names.h"
#include "core/watch/node/companion_rows.h"
#include "core/watch/node/node_watcher.h"
#include "core/watch/record/queue_positions.h"
#include "core/watch/text/name_classifier.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace lockhouse {
namespace {

constexpr std::size_t mostUncertain = 10'000; // records below shownConfidence: their number must not grow with foreign data
constexpr std::size_t mostUnexplained = 1000;
constexpr std::size_t mostQueued = 10'000;
constexpr std::size_t mostLeft = 10'000;

/// Whether the lock is known of which a key may be one of several.
bool isRowOf(const FamilyRegistry::MemberOf &member, const LockCache &cache) {
  const auto *known = cache.find(member.lock);
  return known && known->record->family == member.family->slug;
}

bool isNumber(std::string_view value) {
  value.remove_prefix(value.starts_with('-') ? 1 : 0);
  return !value.empty() && value.find_first_not_of("0123456789") == value.npos;
}

// Of a key beside a lock that tells who waits, who has it, or which number the next hold has.
bool isOfNext(Role role) { return role == Role::Queue || role == Role::Deadlines || role == Role::Permits || role == Role::Readers || role == Role::Counter; }

} // namespace

void NodeWatcher::hint(std::string_view key, Moment now, WatchActions &out) {
  if (m_phase != Phase::Epoch)
    return;
  ++m_beat.hints;
  m_beat.lastHint = now.steady;
  const auto [part, lock] = redisson::partOf(key);
  if (part == redisson::Part::UnlockLatch)
    return;
  if (part == redisson::Part::None) {
    hintPlain(key, now, out);
    return;
  }
  for (const auto &owner : m_lore.families->usersOwnersOf(key)) {
    m_unexplained.erase(owner.lock);
    if (!mark(owner.lock, {.companion = {.others = std::uint64_t{1} << owner.form}, .hinted = true, .urgent = true}, now, out))
      return;
  }
  const Companion companion{.queue = part == redisson::Part::Queue, .fence = part == redisson::Part::Fence};
  m_unexplained.erase(std::string(lock));
  if (mark(lock, {.companion = companion, .hinted = true, .urgent = true}, now, out) && key.ends_with('}') && !lock.ends_with('}'))
    mark("{" + std::string(lock) + "}", {.companion = companion, .hinted = true, .urgent = true}, now, out); // see PartOf
}

void NodeWatcher::hintPlain(std::string_view key, Moment now, WatchActions &out) {
  m_unexplained.erase(std::string(key));
  if (const auto member = m_hasMembers ? m_lore.families->memberOf(key, {}) : std::nullopt; member && member->lock != key && isRowOf(*member, m_cache)) {
    m_unexplained.erase(member->lock);
    mark(member->lock, {.companion = {.others = member->others}, .hinted = true, .urgent = true}, now, out);
    return;
  }
  bool isCompanion = false; // of one family's lock or of several's: only the read tells which
  for (const auto &owner : m_lore.families->ownersOf(key)) {
    const bool isKnown = owner.isCertain || m_cache.find(owner.lock) != nullptr;
    m_unexplained.erase(owner.lock);
    if (!mark(owner.lock, {.companion = {.others = std::uint64_t{1} << owner.form}, .hinted = true, .urgent = isKnown}, now, out))
      return;
    isCompanion |= owner.isCertain;
  }
  if (isCompanion)
    return;
  const auto *known = m_cache.find(key);
  const bool urgent = known ? !known->companion.isLong : nameEvidence(key).lock;
  mark(key, {.hinted = true, .urgent = urgent}, now, out);
}

bool NodeWatcher::mark(std::string_view key, ReadQueue::Mark mark, Moment now, WatchActions &out) {
  if (m_readQueue.mark(key, mark, now.steady))
    return true;
  breakEpoch({ErrorCode::Server, LH_MESSAGE("ErrorWords", "changes come faster than they can be read"), m_options.address,
              LH_MESSAGE("ErrorWords", "the mirror is made anew")},
             now, out);
  return false;
}

void NodeWatcher::pump(Moment now, WatchActions &out) {
  while (hasRoomToRead() && m_readQueue.isReady(now.steady)) {
    if (isPaced() && !m_budget.take(now.steady))
      return;
    auto item = m_readQueue.next();
    const auto *known = m_cache.find(item.key);
    auto type = item.mark.type;
    auto companion = item.mark.companion;
    if (known) {
      type = known->record->type == ValueType::None ? ValueType::Unknown : known->record->type;
      addCompanion(companion, *known, *m_lore.families);
    }
    if (item.mark.type != ValueType::String && m_queued.contains(item.key)) // what was a string just now has no queue
      companion.add({.queue = true});
    if (const auto left = m_left.find(item.key); left != m_left.end())
      companion.add({.others = left->second});
    if (isListenedTo(item.key))
      companion.add({.numbers = true});
    companion.listeners = m_lore.mayCountListeners;
    companion.sharded = m_lore.mayCountSharded;
    const auto channel = known && m_lore.mayCount() ? ownChannel(known->record->family, item.key, *m_lore.families) : std::nullopt;
    m_reads.start(std::move(item.key), {type, companion, channel.value_or("")}, {.mark = item.mark, .epoch = m_epoch}, now.steady, m_lore, out.asks);
  }
}

// A queue's name is that of two locks, with braces and without. One in braces is read with its queue when the sweep meets it, or has
// met it; that without is read at once, and finds its namesake out. False: nothing has to be read now.
bool NodeWatcher::queueFound(const std::string &key) {
  const bool isBraced = key.starts_with('{') && key.ends_with('}');
  if (m_queued.size() >= mostQueued)
    return true;
  m_queued.insert(key);
  return !isBraced || m_cache.find(key) != nullptr;
}

// One after the other, and not amid what else is answered: what tells one lock from another is then still in the processor's caches.
void NodeWatcher::takeDone(WatchActions &out) {
  for (auto &[done, at] : m_done)
    onRead(done, at, out);
  m_done.clear();
}

void NodeWatcher::onRead(ReadsInFlight::Done &done, Moment now, WatchActions &out) {
  if (done.ticket.epoch != m_epoch)
    return;
  if (done.end == KeyReader::End::Failed && done.read.error()->code != ErrorCode::Internal) {
    auto why = *done.read.error();
    why.where = m_options.address;
    return breakEpoch(std::move(why), now, out);
  }
  const auto &key = done.read.key();
  rememberQueue(done);
  if (leadsToLock(done, now, out))
    return;
  auto observation = observationOf(done, now);
  const auto holders = observation && !observation->record.isHeld() ? readersUnread(observation->record, done.read.companion().others, *m_lore.families) : 0;
  if (holders != 0) { // before it is said that nobody holds it
    auto again = done.ticket.mark;
    again.companion.others |= holders;
    if (mark(key, again, now, out))
      m_readQueue.finish(key, true, now.steady);
    return;
  }
  const bool isLock = observation.has_value();
  rememberLeft(done, isLock);
  if (!isLock && done.ticket.mark.scanned && done.read.isUnread())
    ++m_keysCut;
  countClosed(done, isLock ? &observation->record : nullptr);
  if (!(isLock && observation->record.votes > 0) && !markMembers(done, now, out))
    return;
  const bool isHalf = isLock && !done.read.hasChannel() && m_lore.mayCount() && ownChannel(observation->record.family, key, *m_lore.families);
  onObservation(std::move(observation), done, now);
  if (isHalf && !mark(key, {.scanned = done.ticket.mark.scanned, .urgent = true}, now, out)) // now it is known where its waiters listen
    return;
  m_readQueue.finish(key, isLock && !done.read.companion().isLong, now.steady);
}

// What the walk or a hint has met of which it is not known whether it is a lock here, or who holds it, since this user may not read its key or the others
// of it, or the cluster does not serve them now. What the walk was refused at its first look it counts itself.
void NodeWatcher::countClosed(ReadsInFlight::Done &done, const LockRecord *lock) {
  const auto &[mark, error] = std::tie(done.ticket.mark, done.read.error());
  Refusals why;
  if (done.end == KeyReader::End::Refused && !done.read.isElsewhere())
    why = {.rights = error->code == ErrorCode::NotPermitted, .slotsMove = error->code != ErrorCode::NotPermitted};
  else if (done.end == KeyReader::End::Absent) // one of its keys has led there, and none may be read
    why.rights = error && error->code == ErrorCode::NotPermitted;
  else if (!lock && done.read.areReadersClosed())
    why.rights = true;
  else if (lock && lock->votes > 0 && lock->unfollowed > 0)
    for (const auto &[key, odd] : done.read.facts().problems)
      why.add({.rights = odd == KeyFacts::Odd::Refused, .slotsMove = odd == KeyFacts::Odd::Unserved});
  if (why == Refusals())
    return;
  if (mark.scanned && (mark.type != ValueType::Unknown || done.end != KeyReader::End::Refused))
    m_keysUnread.add(done.read.key(), why);
  if (mark.hinted && why.rights)
    m_refusedSince.add(done.read.key());
}

// Of a key that may be one of several of a lock by its value: the lock is read with all of them, before this one is shown by itself.
bool NodeWatcher::leadsToLock(ReadsInFlight::Done &done, Moment now, WatchActions &out) {
  const auto member = done.memberOf(*m_lore.families);
  const auto &key = done.read.key();
  if (!member)
    return false;
  m_hasMembers = m_hasRowsCompanion = true;
  const bool isOther = member->lock != key, isKnown = isOther && isRowOf(*member, m_cache);
  const ReadQueue::Mark again{.type = ValueType::String,
                              .companion = {.others = member->others},
                              .hinted = done.ticket.mark.hinted,
                              .scanned = done.ticket.mark.scanned,
                              .urgent = true};
  if (isKnown)
    onObservation(std::nullopt, done, now);
  else if (done.read.companion().covers(again.companion))
    return false;
  auto ofLock = again;
  ofLock.type = ValueType::Unknown; // it may be gone, or another master of the cluster have it
  if (isOther && (!isKnown || again.hinted) && !mark(member->lock, ofLock, now, out))
    return true;
  if (!isKnown && !mark(key, again, now, out))
    return true;
  m_readQueue.finish(key, true, now.steady);
  return true;
}

// Of a lock of several keys that is none any more, those that are left are rows of their own.
bool NodeWatcher::markMembers(ReadsInFlight::Done &done, Moment now, WatchActions &out) {
  const auto *known = m_cache.find(done.read.key());
  if (done.end != KeyReader::End::Lock || !known || known->record->votes == 0)
    return true;
  return std::ranges::all_of(done.read.facts().companion, [&](const CompanionFacts &companion) {
    return companion.form->role != Role::Vote || mark(companion.key, {.hinted = true, .urgent = true}, now, out);
  });
}

// A queue beside a key that holds something else now makes a lock of it as soon as that is gone, without a hint of its own.
void NodeWatcher::rememberQueue(ReadsInFlight::Done &done) {
  if (!done.read.companion().queue || done.end == KeyReader::End::Failed)
    return;
  const bool isRead = done.end == KeyReader::End::Lock || done.end == KeyReader::End::Absent;
  if (isRead && done.read.facts().type != ValueType::String && done.read.facts().queue.empty())
    m_queued.erase(done.read.key());
  else if (m_queued.size() < mostQueued)
    m_queued.insert(done.read.key());
}

// Who stands in a queue beside a key that is no lock waits for the next one there, of which a hint names nothing but that key; a fence is the next one's.
void NodeWatcher::rememberLeft(const ReadsInFlight::Done &done, bool isLock) {
  const auto read = done.read.companion().others;
  if (read == 0 || done.end == KeyReader::End::Refused)
    return;
  const auto left = m_left.find(done.read.key());
  auto others = left == m_left.end() ? 0 : left->second;
  const auto forms = m_lore.families->companionKeys();
  for (std::size_t i = 0; i < std::min(forms.size(), mostCompanionKeys); ++i) {
    const auto bit = read & std::uint64_t{1} << i;
    const bool mayLie = bit != 0 && !isLock && isOfNext(forms[i].form->role) && !done.read.hasFoundAbsent(*forms[i].form);
    others = mayLie ? others | bit : others & ~bit; // of a lock it is known what was read with it
  }
  if (others == 0 && left != m_left.end())
    m_left.erase(left);
  else if (others != 0 && (left != m_left.end() || m_left.size() < mostLeft))
    m_left.insert_or_assign(done.read.key(), others);
}

std::optional<LockRecord> NodeWatcher::recognised(ReadsInFlight::Done &done, Moment now) {
  if (done.end != KeyReader::End::Lock)
    return std::nullopt;
  auto &facts = done.read.facts();
  m_elsewhere.addTo(facts, done.read.channel());
  facts.blockedClients = m_blocked;
  facts.isOfCluster = m_status.isCluster;
  facts.serverTime = std::chrono::floor<milliseconds>(now.steady.time_since_epoch()) + m_wallOffset;
  facts.areEnds = facts.type == ValueType::SortedSet && m_cache.areEnds(done.read.key());
  auto record = m_lore.families->recognise(facts);
  const bool isElsewhere = facts.type == ValueType::None && done.read.error(); // what lies beside it here tells nothing of it
  if (!record || (isElsewhere && record->votes == 0) || (!record->isHeld() && done.read.areReadersClosed()))
    return std::nullopt;
  record->id = {m_options.id, m_options.db, LockName(done.read.key())};
  record->seenAt = now.steady;
  m_elsewhere.note(*record, *m_lore.families);
  if (m_status.databases.size() > 1 && record->waiters.value_or(0) > 0 && record->queue.empty() && listenersChannel(*record, *m_lore.families))
    record->evidence.emplace_back(listenersOfAll);
  return record;
}

std::optional<LockCache::Observation> NodeWatcher::observationOf(ReadsInFlight::Done &done, Moment now) {
  auto record = recognised(done, now);
  if (!record)
    return std::nullopt;
  const auto &facts = done.read.facts();
  const auto owners = m_lore.families->ownersOf(done.read.key());
  if (isCompanionKnown(*record, owners, m_cache, *m_lore.families))
    return std::nullopt;
  if (record->isDoubtful() && m_cache.uncertain() >= mostUncertain && !m_cache.find(done.read.key()))
    return std::nullopt;
  m_hasRowsCompanion |= !owners.empty();
  m_hasNotes |= !notedLock(*record).empty();
  LockCache::Observation observation;
  observation.end = endOfLease(*record, facts, done.read.askedAt());
  observation.companion = {.queue = record->family == "redisson-fair" || !facts.problems.empty(),
                           .fence = facts.fence.has_value() || !facts.problems.empty(),
                           .numbers = done.read.companion().numbers,
                           .light = done.read.companion().light,
                           .isLong = done.read.companion().isLong,
                           .others = done.read.companion().others};
  observation.watched = isWatched() && done.ticket.mark.hinted;
  observation.askedAt = done.read.askedAt();
  observation.scanned = done.ticket.mark.scanned;
  observation.isHalf = observation.scanned && m_scanOpen && !done.ticket.mark.hinted &&
                       (!owners.empty() || mayHaveCompanions(*record, done.read.companion().others, *m_lore.families));
  observation.record = std::move(*record);
  return observation;
}

// Of a lock whose waiters come and go without a word of any feed.
bool NodeWatcher::waitsUnseen(const LockRecord &record) {
  const auto *family = m_lore.families->find(record.family);
  const bool isBlocking = family && family->waits == Waits::Blocked;
  m_hasBlocking |= isBlocking;
  return isBlocking || listenersChannel(record, *m_lore.families).has_value();
}

bool NodeWatcher::wasHinted(const ReadsInFlight::Done &done) const {
  const bool isHintedYet = m_unreadMark.hinted && !m_unread.empty(); // it may be among these
  return done.ticket.mark.hinted || isHintedYet || m_readQueue.isHinted(done.read.key());
}

// What makes no lock may still lie beside a key that has gone.
bool NodeWatcher::isAbsent(const ReadsInFlight::Done &done) {
  return done.end == KeyReader::End::Absent || (done.end == KeyReader::End::Lock && done.read.isGone());
}

// A number of Redisson's is a lock while its permits are out or somebody listens to it; afterwards it lies there as before.
bool NodeWatcher::isReplaced(const LockCache::Known *before, ReadsInFlight::Done &done) {
  constexpr std::array<std::string_view, 3> numbers{"redisson-permits", "redisson-semaphore", "redisson-latch"};
  const bool wasNumber = before && std::ranges::find(numbers, before->record->family) != numbers.end();
  return !isAbsent(done) && !(wasNumber && done.end == KeyReader::End::Lock && isNumber(done.read.facts().value));
}

void NodeWatcher::onObservation(std::optional<LockCache::Observation> observation, ReadsInFlight::Done &done, Moment now) {
  const auto &key = done.read.key();
  const auto *known = m_cache.find(key);
  const bool isKnown = known != nullptr;
  const bool leaseEnded = known && ((known->memory.end && now.steady >= known->memory.end->earliest) || known->cause);
  const auto lapse = known ? nextLapse(*known->record) : std::nullopt;
  const bool lapseEnded = lapse && *lapse <= now.steady;
  const bool wasStale = known && known->record->staleSince;
  const bool wasNumber = known && known->record->number; // which is a lock for as long as somebody listens
  bool isDifferent = false;
  bool isListening = false; // who subscribes or goes is announced by no feed
  if (observation) {
    const bool isNumber = observation->record.number.has_value();
    isListening = waitsUnseen(observation->record);
    auto channel = m_status.isCluster && m_status.scanComplete && !known ? listenersChannel(observation->record, *m_lore.families) : std::nullopt;
    if (channel)
      m_elsewhere.add(key, std::move(*channel));
    const auto kind = m_cache.see(std::move(*observation), now.wall);
    if (kind == ChangeKind::Appeared && m_hasRowsCompanion)
      for (const auto &companion : companionRows(*m_cache.find(key)->record, m_cache, *m_lore.families))
        m_cache.lose(companion, true, now.steady, now.wall);
    if (kind == ChangeKind::Appeared && m_hasNotes)
      for (const auto &note : notesCompanion(*m_cache.find(key)->record, m_cache))
        m_cache.lose(note, true, now.steady, now.wall);
    isDifferent = kind.has_value();
    isListening &= kind == ChangeKind::Waiters || (isNumber && kind == ChangeKind::Appeared);
  } else if (done.end == KeyReader::End::Refused && !done.read.isElsewhere())
    isDifferent = m_cache.doubt(key, done.read.askedAt(), now.wall);
  else {
    if (done.isServedElsewhere()) // the notification was of its move
      m_cache.forgetCause(key);
    isDifferent = m_cache.lose(key, isReplaced(known, done) && !done.read.isElsewhere(), now.steady, now.wall);
    isListening = wasNumber && !isAbsent(done);
  }
  const bool wasMoving = m_status.isCluster && noteMoving(done, isKnown, observation.has_value());
  if (isDifferent)
    changed();
  const bool explained = leaseEnded || lapseEnded || wasStale || wasMoving || wasHinted(done) || isListening || done.end == KeyReader::End::Refused;
  if (isDifferent && isWatched() && !explained && m_unexplained.size() < mostUnexplained)
    m_unexplained.try_emplace(key, now.steady);
}

void NodeWatcher::checkBarrier(Moment now, WatchActions &out) {
  if (!m_barrier || !m_readQueue.isClosedDone())
    return;
  const auto exact = *std::exchange(m_barrier, std::nullopt);
  if (!m_status.scanComplete || (m_status.feed == FeedKind::Keyspace && !m_calls))
    return;
  const auto proven = m_calls ? std::min(exact, m_quietUntil) : exact; // until then no silent command was run either
  m_status.exactAsOf = std::max(proven, m_status.exactAsOf.value_or(proven));
  changed();
  judgeUnexplained(exact, now, out);
}

} // namespace lockhouse
