// SPDX-License-Identifier: Apache-2.0
// The sweeps of an epoch: what is read with each, what it finds, and when it is over.
#include "core/watch/node/node_watcher.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr unsigned mostCurious = 2000;             // tokens under names of sessions and the like that a sweep reads whole
constexpr std::size_t mostMoving = 200;            // looked at with each beat; the sweep comes by the others
constexpr std::size_t mostReadWhilePolling = 2000; // known locks read again with every poll; beyond, the sweep meets them

} // namespace

void NodeWatcher::startScan(Haste haste, Moment now, WatchActions &out) {
  m_nextScan = SteadyTime::max();
  m_scanOpen = true;
  m_keysCut = 0;
  m_keysUnread = {};
  m_refusedSince.beginScan();
  if (m_status.isCluster && m_slotMoves.begin())
    askSlots(out);
  m_lore.curiosity = mostCurious;
  m_cache.beginScan();
  // When something has happened, what is known is read first of all; otherwise the sweep meets it on its way.
  if (haste != Haste::None || (m_status.feed == FeedKind::Poll && m_cache.size() <= mostReadWhilePolling)) {
    const bool isHinted = haste == Haste::Flush || (m_unreadMark.hinted && !m_unread.empty()); // of a flush before, some may be left
    std::vector<std::string> known;
    m_cache.each([&](const std::string &key, const LockCache::Known &) { known.push_back(key); });
    readSoon(std::move(known), {.hinted = isHinted, .scanned = true, .urgent = true}, now);
  }
  if (m_status.scanComplete)
    askCluster(out);
  m_listened = {}; // what is listened to is read again
  askChannels(out);
  m_scan.start(haste == Haste::None || haste == Haste::Known, now.steady, out.asks);
}

// There may be more of them than ReadQueue takes: refused there, they would end the epoch, and each that follows it would end the same way.
void NodeWatcher::readSoon(std::vector<std::string> keys, const ReadQueue::Mark &mark, Moment now) {
  m_unread = std::move(keys);
  m_unreadMark = mark;
  markUnread(now);
}

void NodeWatcher::markUnread(Moment now) {
  while (!m_unread.empty() && m_readQueue.waiting() < mostWaiting && m_readQueue.mark(m_unread.back(), m_unreadMark, now.steady))
    m_unread.pop_back();
}

void NodeWatcher::takeFound(Moment now, WatchActions &out) {
  for (auto &key : m_scan.takeUnserved())
    if (m_moving.size() < mostMoving)
      m_moving.try_emplace(std::move(key));
  for (auto &found : m_scan.takeFound()) {
    if (const auto *known = m_cache.find(found.key); known && m_cache.isMet(*known) && known->companion.covers(found.companion))
      continue; // another of its keys has led there before
    if (found.companion.queue && !queueFound(found.key))
      continue;
    if (!mark(found.key, {.type = found.type, .companion = found.companion, .scanned = true}, now, out))
      return;
  }
}

// Between two masters a key is served by neither, and no word is sent when it is again: what was heard of it then, or was known, is looked at with
// each beat for a while, with what belongs beside it. Whether it was looked at so.
bool NodeWatcher::noteMoving(const ReadsInFlight::Done &done, bool isKnown, bool isSeen) {
  constexpr unsigned mostLooks = 60;
  const auto &key = done.read.key();
  const bool isAway = (!isSeen && done.isServedElsewhere()) || (done.end == KeyReader::End::Refused && done.read.error()->code != ErrorCode::NotPermitted);
  const auto looked = m_moving.find(key);
  const bool wasMoving = looked != m_moving.end();
  if (wasMoving && (!isAway || ++looked->second.looks > mostLooks))
    m_moving.erase(looked);
  else if (wasMoving)
    looked->second.companion.add(done.read.companion());
  else if (isAway && !wasMoving && (isKnown || done.ticket.mark.hinted) && m_moving.size() < mostMoving)
    m_moving.emplace(key, Moving{.looks = 0, .companion = done.read.companion()});
  return wasMoving;
}

void NodeWatcher::lookAtMoving(Moment now, WatchActions &out) {
  std::vector<std::pair<std::string, Companion>> keys;
  for (const auto &[key, moving] : m_moving)
    keys.emplace_back(key, moving.companion);
  for (const auto &[key, companion] : keys)
    if (!mark(key, {.companion = companion, .urgent = true}, now, out))
      return;
}

// A sweep is done when its walk has ended and everything it found has been read.
void NodeWatcher::checkScan(Moment now, WatchActions &out) {
  if (!m_scanOpen || m_scan.isRunning() || m_channelsPending > 0)
    return;
  if (m_scan.error()) {
    auto why = *m_scan.error();
    why.where = m_options.address;
    return breakEpoch(std::move(why), now, out);
  }
  if (m_readQueue.openScanned() > 0 || !m_unread.empty() || m_elsewhere.isAsking())
    return;
  if (m_elsewhere.isInRound()) { // who listens elsewhere is asked for once all locks are known
    askElsewhere(out);
    if (m_elsewhere.isAsking())
      return;
  }
  if (m_slotMoves.end())
    askSlots(out);
  if (m_slotMoves.isAsking())
    return;
  std::vector<std::string> unmet; // known, but the walk did not come by
  m_cache.each([&](const std::string &key, const LockCache::Known &known) {
    if (!m_cache.isMet(known))
      unmet.push_back(key);
  });
  m_scanOpen = false;
  m_cache.endScan(now.wall);
  readSoon(std::move(unmet), {.urgent = true}, now);
  m_status.scanComplete = true;
  m_status.keysScanned = m_scan.tally().keys;
  noteRefused();
  m_status.slotsMoved = m_slotMoves.haveMoved();
  m_status.slotsTold = !m_status.isCluster || m_slotMoves.areKnown();
  m_status.keysCut = m_keysCut;
  m_status.scannedAt = now.steady;
  m_status.state = NodeState::Live;
  m_status.staleSince.reset();
  m_backoff.reset();
  const auto rest = m_status.feed == FeedKind::Poll ? m_options.pollEvery : m_options.reconcileEvery;
  m_nextScan = m_options.background ? now.steady + rest : SteadyTime::max();
  changed();
}

void NodeWatcher::noteRefused() {
  m_refusedSince.endScan();
  auto refused = std::make_shared<RefusedKeys>(m_scan.takeRefused());
  refused->add(m_keysUnread);
  refused->sort();
  m_status.keysRefused = refused->count();
  m_status.refusedFor = refused->why();
  m_status.refused = std::move(refused);
}

void NodeWatcher::askSlots(WatchActions &out) {
  out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::OwnSlots)), {"CLUSTER", "NODES"}});
}

} // namespace lockhouse
