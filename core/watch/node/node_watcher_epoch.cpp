// SPDX-License-Identifier: Apache-2.0
// The life of an epoch: from the first INFO over the feed to its end.
#include "core/base/safe_text.h"
#include "core/watch/node/node_watcher.h"

#include <algorithm>
#include <charconv>

namespace lockhouse {
namespace {

constexpr milliseconds loadingRetry(200);
constexpr milliseconds twinRetry(5000);
constexpr milliseconds twinWait(20);
constexpr unsigned mostTwinWaits = 10;
constexpr milliseconds hintMargin(100); // a hint may overtake the INFO answer that counts its change by this much

milliseconds sinceEpoch(SteadyTime time) { return std::chrono::floor<milliseconds>(time.time_since_epoch()); }

} // namespace

void NodeWatcher::greet(Moment now, WatchActions &out) {
  m_phase = Phase::Greeting;
  m_retryAt = SteadyTime::max();
  m_vitals.reset();
  m_beat = {.pending = true, .due = now.steady + m_options.barrierEvery, .since = now.steady};
  out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::Info)), {"INFO"}});
  m_calls.reset();
  m_quietUntil = {};
  m_listeners.forget();
  m_elsewhere.forget();
  m_mayAskCluster = true;
  m_blocked.reset();
  m_lore.mayCountListeners = m_lore.mayWeigh = true;
  if (m_options.background)
    askCalls(now, out);
}

void NodeWatcher::onInfo(const Result<Reply> &answer, Moment now, WatchActions &out) {
  m_beat.pending = false;
  if (!answer)
    return;                                           // the connection is lost, which is told separately
  auto info = parseInfo(answer->text().value_or("")); // without the right to INFO: empty, and never different
  if (answer->isFailure() && answer->failureWord() != "NOPERM")
    return breakEpoch(errorOf(*answer, m_options.address), now, out);
  if (info.wallTime)
    m_wallOffset = *info.wallTime - sinceEpoch(now.steady);
  if (info.isLoading) {
    breakEpoch(
        {ErrorCode::Server, LH_MESSAGE("ErrorWords", "the server is reading its data"), m_options.address, LH_MESSAGE("ErrorWords", "wait until it has")}, now,
        out);
    m_retryAt = now.steady + loadingRetry;
    return;
  }
  if (std::exchange(m_isCutOff, info.isCutOff) != info.isCutOff && m_phase == Phase::Epoch) {
    m_status.error = trouble();
    changed();
  }
  if (m_status.databases != info.databases) {
    const bool wereSeveral = std::exchange(m_status.databases, info.databases).size() > 1;
    if (m_phase == Phase::Epoch && wereSeveral != (m_status.databases.size() > 1))
      markBounded(now, out);
    changed();
  }
  askBlocked(info, now, out);
  if (m_phase == Phase::Greeting)
    onFirstInfo(info, now, out);
  else if (m_phase == Phase::Epoch) {
    askNewChannels(info, out);
    onBeat(std::move(info), now, out);
  }
}

void NodeWatcher::onFirstInfo(const InfoReply &info, Moment now, WatchActions &out) {
  if (info.role != "master")
    m_status.formerReplicationId.clear();
  else if (!m_status.replicationId.empty() && m_status.replicationId != info.replicationId)
    m_status.formerReplicationId = m_status.replicationId;
  m_status.role = info.role;
  m_status.isReadOnly = info.isReadOnly;
  m_status.runId = info.runId;
  m_status.replicationId = info.replicationId;
  m_status.isCluster = m_lore.mayCountSharded = m_mayListSharded = info.isCluster;
  m_status.version = info.version;
  changed();
  const auto twin = m_options.twin(info.runId, std::exchange(m_status.twin, {}));
  if (twin.id)
    return standBack(*twin.id, now, out);
  if (twin.unsure && m_twinWaits++ < mostTwinWaits) {
    m_status.runId.clear();
    m_retryAt = now.steady + twinWait;
    return;
  }
  m_cluster = {};
  m_slotMoves = {};
  m_status.clusterMasters = 0;
  askCluster(out);
  if (!info.wallTime) {
    m_wallOffset = std::chrono::floor<milliseconds>(now.wall.time_since_epoch()) - sinceEpoch(now.steady);
    out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::Time)), {"TIME"}});
  }
  m_vitals.beat(info, 0);
  m_phase = Phase::Feeding;
  if (!m_options.background)
    return beginEpoch(now, out);
  if (m_feed.state() == ChangeFeed::State::Closed && m_feed.dueAt() == SteadyTime::max())
    m_feed.open(now.steady, out.feed);
  onFeedReady(now, out);
}

// One server by two addresses: its locks are shown once. Asks again, for the twin may go.
void NodeWatcher::standBack(const NodeId &twin, Moment now, WatchActions &out) {
  breakEpoch({ErrorCode::Usage, LH_MESSAGE("ErrorWords", "this is the same database of the same server as %1")(safeText(twin.bytes())), m_options.address,
              LH_MESSAGE("ErrorWords", "name it once")},
             now, out);
  std::vector<std::string> known; // the twin shows them
  m_cache.each([&](const std::string &key, const LockCache::Known &) { known.push_back(key); });
  for (const auto &key : known)
    m_cache.lose(key, false, now.steady, now.wall);
  m_status.state = NodeState::Down;
  m_status.twin = twin;
  m_retryAt = now.steady + twinRetry;
}

void NodeWatcher::onTime(const Result<Reply> &answer, Moment now) {
  if (!answer || answer->array().size() != 2)
    return; // refused: our own clock has to do
  const auto numberIn = [](const Reply &word) {
    const auto text = word.text().value_or("");
    std::int64_t number = 0;
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{} ? std::optional(number) : std::nullopt;
  };
  const auto whole = numberIn(answer->array()[0]), rest = numberIn(answer->array()[1]);
  if (whole)
    m_wallOffset = std::chrono::floor<milliseconds>(seconds(*whole) + microseconds(rest.value_or(0))) - sinceEpoch(now.steady);
}

void NodeWatcher::onFeedReady(Moment now, WatchActions &out) {
  if (m_feed.state() != ChangeFeed::State::Ready)
    return;
  const bool isBetter = m_phase == Phase::Epoch && m_status.feed == FeedKind::Poll && m_feed.kind() != FeedKind::Poll && m_pollIsForced;
  if (m_phase == Phase::Feeding || isBetter)
    beginEpoch(now, out);
}

void NodeWatcher::beginEpoch(Moment now, WatchActions &out) {
  ++m_epoch;
  m_phase = Phase::Epoch;
  m_status.feed = m_options.background ? m_feed.kind() : FeedKind::Poll;
  m_pollIsForced = m_status.feed == FeedKind::Poll;
  m_status.error = trouble();
  if (m_status.feed == FeedKind::Poll)
    m_status.exactAsOf.reset();
  m_status.scanComplete = false;
  m_barrier.reset();
  m_readQueue.clear();
  m_unread.clear();
  m_moving.clear();
  m_refusedSince.clear();
  m_unexplained.clear();
  m_beat.hints = m_beat.silentMoves = 0;
  changed();
  if (m_status.isCluster)
    m_elsewhere.beginRound();
  startScan(Haste::Full, now, out);
}

void NodeWatcher::breakEpoch(Error why, Moment now, WatchActions &out) {
  const bool isFirst = m_phase == Phase::Epoch || !m_status.staleSince;
  m_scan.stop();
  m_channelsPending = 0;
  m_scanOpen = false;
  m_readQueue.clear();
  m_unread.clear();
  m_moving.clear();
  m_refusedSince.clear();
  m_unexplained.clear();
  m_barrier.reset();
  m_nextScan = SteadyTime::max();
  ++m_epoch; // reads under way prove nothing any more
  if (m_feed.state() != ChangeFeed::State::Closed)
    m_feed.close(out.feed);
  m_cache.markStale(now.steady, now.wall);
  if (isFirst)
    m_status.staleSince = now.steady;
  const bool isHopeless = why.code == ErrorCode::NotPermitted || why.code == ErrorCode::AuthFailed;
  m_status.state = isHopeless ? NodeState::Down : NodeState::Stale;
  m_status.error = std::move(why);
  m_phase = Phase::Broken;
  m_retryAt = now.steady + m_backoff.next();
  changed();
}

void NodeWatcher::beat(Moment now, WatchActions &out) {
  m_beat.due = now.steady + m_options.barrierEvery;
  const auto passed = now.steady - m_beat.since;
  if (passed.count() > 0) {
    const double share = static_cast<double>(m_beat.cost.count()) / static_cast<double>(passed.count());
    m_status.load = std::min(1.0, 0.7 * m_status.load + 0.3 * share);
    changed();
  }
  m_beat.since = now.steady;
  m_beat.cost = {};
  if (m_beat.pending)
    return;
  m_beat.pending = true;
  out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::Info)), {"INFO"}});
  askCalls(now, out);
  if (m_status.isCluster) {
    m_elsewhere.keep(m_cache);
    askElsewhere(out);
    lookAtMoving(now, out);
  }
  if (m_lore.mayCount())
    for (auto &ask : m_listeners.next(m_cache.sorted(), m_lore))
      out.asks.push_back(
          {tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(ask.isSharded ? Question::ShardListeners : Question::SubscriberCounts)), std::move(ask.command)});
}

void NodeWatcher::onBeat(InfoReply info, Moment now, WatchActions &out) {
  const bool justHinted = now.steady - m_beat.lastHint < hintMargin;
  const auto hints = std::exchange(m_beat.hints, justHinted ? 1 : 0);
  if (hints > 0)
    m_beat.silentMoves = 0;
  switch (m_vitals.beat(std::move(info), hints)) {
  case ServerInfo::Verdict::Same: return;
  case ServerInfo::Verdict::Another:
    return breakEpoch({ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "another server, or the same one restarted, answers now"), m_options.address, {}}, now,
                      out);
  case ServerInfo::Verdict::Unhinted:
    if (m_status.feed != FeedKind::Poll)
      onSilence(now, out);
  }
}

// Data changed and nothing said so: SWAPDB, or notifications were switched off.
void NodeWatcher::onSilence(Moment now, WatchActions &out) {
  if (m_status.feed == FeedKind::Keyspace && ++m_beat.silentMoves >= 2)
    return degrade({ErrorCode::Server, LH_MESSAGE("ErrorWords", "data changes but keyspace notifications are silent, so the server is polled"),
                    m_options.address, LH_MESSAGE("ErrorWords", "set notify-keyspace-events to AE, or permit CLIENT TRACKING")},
                   now, out);
  startScan(Haste::Known, now, out);
}

// Of a server that is followed. What a replica has is old from the moment on in which its master's stream ends.
std::optional<Error> NodeWatcher::trouble() const {
  if (m_isCutOff)
    return Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "this replica has lost its master, so that what it has may be old"), m_options.address,
                 LH_MESSAGE("ErrorWords", "look at the master, or wait until its link is up")};
  return m_options.background ? m_feed.why() : std::nullopt;
}

void NodeWatcher::degrade(Error why, Moment now, WatchActions &out) {
  m_feed.degrade(std::move(why));
  m_status.feed = FeedKind::Poll;
  m_status.error = trouble();
  m_status.exactAsOf.reset();
  m_barrier.reset();
  m_pollIsForced = false;
  changed();
  startScan(Haste::Known, now, out);
}

// What a sweep found and no hint announced, though every hint up to `exact` has come.
void NodeWatcher::judgeUnexplained(SteadyTime exact, Moment now, WatchActions &out) {
  const auto judged = std::erase_if(m_unexplained, [&](const auto &entry) { return entry.second <= exact; });
  if (judged == 0)
    return;
  m_status.divergences += judged;
  changed();
  if (m_status.feed == FeedKind::Keyspace)
    degrade({ErrorCode::Server, LH_MESSAGE("ErrorWords", "locks change that keyspace notifications do not tell of, so the server is polled"), m_options.address,
             LH_MESSAGE("ErrorWords", "set notify-keyspace-events to AE, or permit CLIENT TRACKING")},
            now, out);
}

} // namespace lockhouse
