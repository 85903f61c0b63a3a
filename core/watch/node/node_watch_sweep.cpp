// SPDX-License-Identifier: Apache-2.0
// The sweeps of an epoch: what is read with each, what it finds, and when it is over.
#include "core/watch/node/node_watch.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr unsigned mostCurious = 2000;             // tokens under names of sessions and the like that a sweep reads whole
constexpr std::size_t mostMoving = 200;            // looked at with each beat; the sweep comes by the others
constexpr std::size_t mostReadWhilePolling = 2000; // known locks read again with every poll; beyond, the sweep meets them

} // namespace

void NodeWatch::startSweep(Haste haste, Moment now, WatchActions &out) {
  m_nextSweep = SteadyTime::max();
  m_sweepOpen = true;
  m_keysCut = 0;
  m_keysUnread = {};
  m_refusedSince.beginSweep();
  if (m_status.isCluster && m_slotMoves.begin())
    askSlots(out);
  m_lore.curiosity = mostCurious;
  m_mirror.beginSweep();
  // When something has happened, what is known is read first of all; otherwise the sweep meets it on its way.
  if (haste != Haste::None || (m_status.feed == FeedKind::Poll && m_mirror.size() <= mostReadWhilePolling)) {
    const bool isHinted = haste == Haste::Flush || (m_unreadMark.hinted && !m_unread.empty()); // of a flush before, some may be left
    std::vector<std::string> known;
    m_mirror.each([&](const std::string &key, const Mirror::Known &) { known.push_back(key); });
    readSoon(std::move(known), {.hinted = isHinted, .swept = true, .urgent = true}, now);
  }
  if (m_status.scanComplete)
    askCluster(out);
  m_listened = {}; // what is listened to is read again
  askChannels(out);
  m_sweep.start(haste == Haste::None || haste == Haste::Known, now.steady, out.asks);
}

// There may be more of them than DirtyKeys takes: refused there, they would end the epoch, and each that follows it would end the same way.
void NodeWatch::readSoon(std::vector<std::string> keys, const DirtyKeys::Mark &mark, Moment now) {
  m_unread = std::move(keys);
  m_unreadMark = mark;
  markUnread(now);
}

void NodeWatch::markUnread(Moment now) {
  while (!m_unread.empty() && m_dirty.waiting() < mostWaiting && m_dirty.mark(m_unread.back(), m_unreadMark, now.steady))
    m_unread.pop_back();
}

void NodeWatch::takeFound(Moment now, WatchActions &out) {
  for (auto &key : m_sweep.takeUnserved())
    if (m_moving.size() < mostMoving)
      m_moving.try_emplace(std::move(key));
  for (auto &found : m_sweep.takeFound()) {
    if (const auto *known = m_mirror.find(found.key); known && m_mirror.isMet(*known) && known->beside.covers(found.beside))
      continue; // another of its keys has led there before
    if (found.beside.queue && !queueFound(found.key))
      continue;
    if (!mark(found.key, {.type = found.type, .beside = found.beside, .swept = true}, now, out))
      return;
  }
}

// Between two masters a key is served by neither, and no word is sent when it is again: what was heard of it then, or was known, is looked at with
// each beat for a while, with what belongs beside it. Whether it was looked at so.
bool NodeWatch::noteMoving(const KeyReads::Done &done, bool isKnown, bool isSeen) {
  constexpr unsigned mostLooks = 60;
  const auto &key = done.read.key();
  const bool isAway = (!isSeen && done.isServedElsewhere()) || (done.end == KeyRead::End::Refused && done.read.error()->code != ErrorCode::NotPermitted);
  const auto looked = m_moving.find(key);
  const bool wasMoving = looked != m_moving.end();
  if (wasMoving && (!isAway || ++looked->second.looks > mostLooks))
    m_moving.erase(looked);
  else if (wasMoving)
    looked->second.beside.add(done.read.beside());
  else if (isAway && !wasMoving && (isKnown || done.ticket.mark.hinted) && m_moving.size() < mostMoving)
    m_moving.emplace(key, Moving{.looks = 0, .beside = done.read.beside()});
  return wasMoving;
}

void NodeWatch::lookAtMoving(Moment now, WatchActions &out) {
  std::vector<std::pair<std::string, Beside>> keys;
  for (const auto &[key, moving] : m_moving)
    keys.emplace_back(key, moving.beside);
  for (const auto &[key, beside] : keys)
    if (!mark(key, {.beside = beside, .urgent = true}, now, out))
      return;
}

// A sweep is done when its walk has ended and everything it found has been read.
void NodeWatch::checkSweep(Moment now, WatchActions &out) {
  if (!m_sweepOpen || m_sweep.isRunning() || m_channelsPending > 0)
    return;
  if (m_sweep.error()) {
    auto why = *m_sweep.error();
    why.where = m_options.address;
    return breakEpoch(std::move(why), now, out);
  }
  if (m_dirty.openSwept() > 0 || !m_unread.empty() || m_elsewhere.isAsking())
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
  m_mirror.each([&](const std::string &key, const Mirror::Known &known) {
    if (!m_mirror.isMet(known))
      unmet.push_back(key);
  });
  m_sweepOpen = false;
  m_mirror.endSweep(now.wall);
  readSoon(std::move(unmet), {.urgent = true}, now);
  m_status.scanComplete = true;
  m_status.keysScanned = m_sweep.tally().keys;
  noteRefused();
  m_status.slotsMoved = m_slotMoves.haveMoved();
  m_status.slotsTold = !m_status.isCluster || m_slotMoves.areKnown();
  m_status.keysCut = m_keysCut;
  m_status.scannedAt = now.steady;
  m_status.state = NodeState::Live;
  m_status.staleSince.reset();
  m_backoff.reset();
  const auto rest = m_status.feed == FeedKind::Poll ? m_options.pollEvery : m_options.reconcileEvery;
  m_nextSweep = m_options.background ? now.steady + rest : SteadyTime::max();
  changed();
}

void NodeWatch::noteRefused() {
  m_refusedSince.endSweep();
  auto refused = std::make_shared<RefusedKeys>(m_sweep.takeRefused());
  refused->add(m_keysUnread);
  refused->sort();
  m_status.keysRefused = refused->count();
  m_status.refusedFor = refused->why();
  m_status.refused = std::move(refused);
}

void NodeWatch::askSlots(WatchActions &out) {
  out.asks.push_back({tagOf(Asker::Vitals, static_cast<std::uint64_t>(Question::OwnSlots)), {"CLUSTER", "NODES"}});
}

} // namespace lockhouse
