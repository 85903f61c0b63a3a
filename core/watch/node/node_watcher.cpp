// SPDX-License-Identifier: Apache-2.0
#include "core/watch/node/node_watcher.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds loadingRetry(200);
constexpr milliseconds twinRetry(5000);
constexpr milliseconds twinWait(20);
constexpr unsigned mostTwinWaits = 10;
constexpr unsigned mostSessionTokens = 2000;       // that one scan reads completely
constexpr std::size_t mostReadWhilePolling = 2000; // known locks read again with every poll; if there are more, the scan finds them

constexpr auto announceAll = LH_MESSAGE("ErrorWords", "set notify-keyspace-events to AE, or permit CLIENT TRACKING");

milliseconds sinceEpoch(SteadyTime time) { return std::chrono::floor<milliseconds>(time.time_since_epoch()); }

// The answer to a read. It cannot end the epoch or change what is known of the server.
bool isOfKeys(const WatchEvent &event) {
  const auto *answer = std::get_if<watching::Answered>(&event);
  return answer && (askerOf(answer->tag) == AskedBy::KeyspaceScan || askerOf(answer->tag) == AskedBy::Reads);
}

// The answer to TIME.
std::optional<milliseconds> timeIn(const Result<Reply> &answer) {
  if (!answer || answer->array().size() != 2)
    return std::nullopt;
  const auto numberIn = [](const Reply &word) {
    const auto text = word.text().value_or("");
    std::int64_t number = 0;
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{} ? std::optional(number) : std::nullopt;
  };
  const auto whole = numberIn(answer->array()[0]), rest = numberIn(answer->array()[1]);
  return whole ? std::optional(std::chrono::floor<milliseconds>(seconds(*whole) + microseconds(rest.value_or(0)))) : std::nullopt;
}

} // namespace

NodeWatcher::NodeWatcher(Options options, ChangeLog &log)
    : m_options(std::move(options)), m_cache(log), m_backoff(milliseconds(100), seconds(5), m_options.seed), m_feed(m_options.barrierEvery, m_options.seed + 1),
      m_heartbeat(m_options.barrierEvery), m_waiters(m_cache, m_heuristics, m_options.db),
      m_tracker(m_status, m_cache, m_heuristics, m_waiters, m_options.background ? std::optional(m_options.followShare) : std::nullopt),
      m_scan(m_options.share) {
  m_status.id = m_options.id;
  m_status.address = m_options.address;
  m_status.db = m_options.db;
  if (m_options.families)
    m_heuristics.families = m_options.families.get();
}

void NodeWatcher::on(WatchEvent event, Moment now, WatchActions &out) {
  take(std::move(event), now, out);
  goOn(now, out);
}

void NodeWatcher::take(WatchEvent event, Moment now, WatchActions &out) {
  const auto asked = out.asks.size();
  if (!isOfKeys(event)) { // the reads that finished before this event come first
    m_tracker.takeReads();
    hasEnded(now, out);
  }
  std::visit([&](auto &what) { handle(what, now, out); }, event);
  hasEnded(now, out);
  m_heartbeat.addCost(std::span(out.asks).subspan(asked));
}

void NodeWatcher::goOn(Moment now, WatchActions &out) {
  const auto asked = out.asks.size();
  m_tracker.takeReads();
  if (!hasEnded(now, out))
    m_tracker.takeFound(m_scan, now.steady);
  if (!hasEnded(now, out)) {
    m_tracker.startReads(now.steady, out.asks);
    m_scan.advance(m_tracker.hasRoomToScan(), now.steady, out.asks);
    checkScan(now, out);
    checkBarrier(now, out);
  }
  if (m_tracker.takeRefusedSince(m_status))
    changed();
  m_heartbeat.addCost(std::span(out.asks).subspan(asked));
}

bool NodeWatcher::hasEnded(Moment now, WatchActions &out) {
  if (auto why = m_tracker.takeFailure())
    breakEpoch(std::move(*why), now, out);
  return m_phase != Phase::Epoch;
}

void NodeWatcher::readAgain(const std::vector<std::string> &keys, const ReadQueue::Mark &mark, Moment now, WatchActions &out) {
  for (const auto &key : keys)
    if (m_phase == Phase::Epoch)
      m_tracker.mark(key, mark, now.steady);
  hasEnded(now, out);
}

void NodeWatcher::handle(watching::CommandsUp, Moment now, WatchActions &out) { greet(now, out); }

void NodeWatcher::handle(const watching::CommandsDown &event, Moment now, WatchActions &out) {
  if (event.why.code == ErrorCode::Protocol && (m_scan.isRunning() || m_scan.wasCutOff()))
    m_scan.shrinkPages();
  breakEpoch(event.why, now, out);
  m_phase = Phase::Offline;
  m_retryAt = SteadyTime::max();
  m_status.state = NodeState::Down;
  m_status.feed = FeedKind::None;
  changed();
}

void NodeWatcher::handle(watching::Answered &event, Moment now, WatchActions &out) {
  const auto rest = restOf(event.tag);
  switch (askerOf(event.tag)) {
  case AskedBy::KeyspaceScan: return m_scan.on(rest, std::move(event.reply), now.steady, m_heuristics, out.asks);
  case AskedBy::Reads: return m_tracker.onReply(rest, std::move(event.reply), now, out);
  case AskedBy::Server: return onServer(static_cast<Question>(rest), event.reply, now, out);
  case AskedBy::Waiters: return onWaiters(static_cast<WaiterCounter::Question>(rest), event.reply, now, out);
  case AskedBy::Cluster: return onCluster(static_cast<ClusterInfo::Question>(rest), event.reply);
  case AskedBy::Feed: return onFlags(event.reply, now, out);
  case AskedBy::RemoteWatcher: return m_waiters.onSubscribersCounted(rest, event.reply, out);
  }
}

void NodeWatcher::handle(const watching::FeedUp &event, Moment now, WatchActions &out) {
  m_feed.onUp(event.trackingRefused, now.steady, out.feed);
  onFeedReady(now, out);
}

void NodeWatcher::handle(const watching::FeedSubscribed &event, Moment now, WatchActions &out) {
  m_feed.onSubscribed(event.result, now.steady, out.feed);
  if (out.feed.askFlags)
    out.asks.push_back({tagOf(AskedBy::Feed, 0), {"CONFIG", "GET", "notify-keyspace-events"}});
  onFeedReady(now, out);
}

void NodeWatcher::handle(const watching::FeedDown &event, Moment now, WatchActions &out) {
  if (m_feed.onDown(event.why, now.steady, out.feed) && m_phase == Phase::Epoch)
    return breakEpoch(event.why, now, out);
  onFeedReady(now, out);
}

void NodeWatcher::handle(const watching::FeedPong &event, Moment now, WatchActions &) {
  const auto proven = m_feed.onPong(event.number, now.steady);
  if (proven && m_phase == Phase::Epoch && !m_proof.hasBarrier() && m_tracker.closeGeneration())
    m_proof.setBarrier(*proven);
}

void NodeWatcher::handle(const watching::KeysInvalidated &event, Moment now, WatchActions &) {
  if (m_phase != Phase::Epoch)
    return;
  for (const auto &key : *event.keys)
    if (const auto *name = key.bulk()) {
      m_proof.addHint(now.steady);
      m_tracker.hint(*name, now.steady);
    }
}

// FLUSHALL or FLUSHDB of any database, DEBUG RELOAD, a replica's full resynchronisation: any key may have changed.
void NodeWatcher::handle(watching::AllInvalidated, Moment now, WatchActions &out) {
  if (m_phase != Phase::Epoch)
    return;
  m_proof.addHint(now.steady);
  onFlush(now, out);
}

void NodeWatcher::handle(const watching::KeyEvent &event, Moment now, WatchActions &) {
  if (event.elsewhere)
    return m_proof.addHint(now.steady); // INFO counts the changes of all databases
  if (event.event == "expired")
    m_cache.note(event.key, ChangeCause::Expired, now.steady);
  else if (event.event == "evicted")
    m_cache.note(event.key, ChangeCause::Evicted, now.steady);
  else if (event.event == "del" || event.event == "unlink")
    m_cache.note(event.key, ChangeCause::Deleted, now.steady);
  if (m_phase != Phase::Epoch)
    return;
  m_proof.addHint(now.steady);
  m_tracker.hint(event.key, now.steady);
}

void NodeWatcher::handle(watching::Tick, Moment now, WatchActions &out) {
  if (now.steady >= m_retryAt)
    greet(now, out);
  if (m_phase == Phase::Feeding || m_phase == Phase::Epoch) {
    if (m_feed.tick(now.steady, out.feed) && m_phase == Phase::Epoch)
      return breakEpoch(errorHere(ErrorCode::Timeout, LH_MESSAGE("ErrorWords", "the change feed does not answer"),
                                  LH_MESSAGE("ErrorWords", "check whether the server is overloaded or stopped")),
                        now, out);
    onFeedReady(now, out);
  }
  if (m_phase != Phase::Epoch)
    return;
  readAgain(m_cache.endedBy(now.steady), {.urgent = true}, now, out);
  if (m_phase != Phase::Epoch)
    return;
  if (m_options.background && m_heartbeat.isDue(now.steady))
    beat(now, out);
  if (now.steady >= m_nextScan)
    startScan(Haste::None, now, out);
}

void NodeWatcher::handle(watching::ReadWanted &event, Moment now, WatchActions &out) {
  if (m_phase != Phase::Offline)
    return m_tracker.request(std::move(event), now.steady, out.asks);
  out.readsDone.push_back(
      {event.request, std::unexpected(m_status.error.value_or(errorHere(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "not connected"))))});
}

void NodeWatcher::handle(const watching::ReleaseExpected &event, Moment now, WatchActions &) {
  for (const auto &key : event.keys)
    m_cache.expectRelease(key, now.steady);
}

void NodeWatcher::handle(const watching::SubscribersWanted &event, Moment, WatchActions &out) {
  m_waiters.onSubscribersWanted(event, subscriberCounting() == SubscriberCounting::Open, out);
}

void NodeWatcher::handle(const watching::RemoteCounts &event, Moment now, WatchActions &out) {
  if (m_phase == Phase::Epoch)
    readAgain(m_waiters.onRemoteCounts(event), {.scanned = m_tracker.isScanOpen(), .urgent = true}, now, out);
}

NodeWatcher::SubscriberCounting NodeWatcher::subscriberCounting() const {
  if (m_phase == Phase::Feeding || m_phase == Phase::Epoch)
    return m_heuristics.mayCountListeners ? SubscriberCounting::Open : SubscriberCounting::Away;
  return m_status.state == NodeState::Connecting ? SubscriberCounting::Coming : SubscriberCounting::Away;
}

SteadyTime NodeWatcher::wakeAt() const {
  auto at = m_retryAt;
  if (m_phase == Phase::Feeding || m_phase == Phase::Epoch)
    at = std::min(at, m_feed.dueAt());
  if (m_phase != Phase::Epoch)
    return at;
  const auto page = m_tracker.hasRoomToScan() ? m_scan.dueAt() : std::nullopt; // otherwise it waits for room and not for a time
  const auto beat = m_options.background ? m_heartbeat.dueAt() : std::nullopt;
  for (const auto due : {m_cache.nextEnd(), m_tracker.dueAt(), page, beat})
    if (due)
      at = std::min(at, *due);
  return std::min(at, m_nextScan);
}

void NodeWatcher::ask(Question question, Command command, WatchActions &out) {
  out.asks.push_back({tagOf(AskedBy::Server, static_cast<std::uint64_t>(question)), std::move(command)});
}

void NodeWatcher::askCalls(Moment now, WatchActions &out) {
  m_proof.askedCalls(now.steady);
  ask(Question::Calls, {"INFO", "commandstats"}, out);
}

void NodeWatcher::greet(Moment now, WatchActions &out) {
  m_phase = Phase::Greeting;
  m_retryAt = SteadyTime::max();
  m_proof.beginConnection();
  m_heartbeat.begin(now.steady);
  m_waiters.beginConnection();
  m_heuristics.mayWeigh = true;
  ask(Question::Info, {"INFO"}, out);
  if (m_options.background)
    askCalls(now, out);
}

void NodeWatcher::onServer(Question question, const Result<Reply> &answer, Moment now, WatchActions &out) {
  switch (question) {
  case Question::Info: return onInfo(answer, now, out);
  case Question::Calls: return onCalls(answer, now, out);
  case Question::Time:
    if (const auto time = timeIn(answer)) // refused: our own clock is used
      setClockOffset(*time, now);
    return;
  }
}

void NodeWatcher::setClockOffset(milliseconds serverWall, Moment now) { m_tracker.setClockOffset(serverWall - sinceEpoch(now.steady)); }

void NodeWatcher::onInfo(const Result<Reply> &answer, Moment now, WatchActions &out) {
  m_heartbeat.answered();
  if (!answer)
    return;                                           // the connection is lost, which is reported separately
  auto info = parseInfo(answer->text().value_or("")); // without the right to INFO: empty, and never different
  if (answer->isFailure() && answer->failureWord() != "NOPERM")
    return breakEpoch(errorOf(*answer, m_options.address), now, out);
  if (info.wallTime)
    setClockOffset(*info.wallTime, now);
  if (info.isLoading) {
    breakEpoch(errorHere(ErrorCode::Server, LH_MESSAGE("ErrorWords", "the server is reading its data"), LH_MESSAGE("ErrorWords", "wait until it has")), now,
               out);
    m_retryAt = now.steady + loadingRetry;
    return;
  }
  noteInfo(info, now, out);
  readAgain(m_waiters.onInfo(info, m_phase == Phase::Greeting, out.asks), {.urgent = true}, now, out);
  if (m_phase == Phase::Greeting)
    onFirstInfo(info, now, out);
  else if (m_phase == Phase::Epoch) {
    m_waiters.listNumbers(info, out.asks);
    onBeat(std::move(info), now, out);
  }
}

void NodeWatcher::noteInfo(const InfoReply &info, Moment now, WatchActions &out) {
  if (std::exchange(m_isCutOff, info.isCutOff) != info.isCutOff && m_phase == Phase::Epoch) {
    m_status.error = trouble();
    changed();
  }
  if (m_status.databases == info.databases)
    return;
  const bool wereSeveral = std::exchange(m_status.databases, info.databases).size() > 1;
  if (wereSeveral != (m_status.databases.size() > 1))
    readAgain(m_waiters.subscribedLocks(), {.scanned = m_tracker.isScanOpen(), .urgent = true}, now, out);
  changed();
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
  m_status.isCluster = info.isCluster;
  m_status.version = info.version;
  m_waiters.firstInfo(info);
  changed();
  const auto twin = m_options.twin(info.runId, std::exchange(m_status.twin, {}));
  if (twin.id)
    return standBack(*twin.id, now, out);
  if (twin.unsure && m_twinWaits++ < mostTwinWaits) {
    m_status.runId.clear();
    m_retryAt = now.steady + twinWait;
    return;
  }
  m_cluster.beginConnection();
  m_status.clusterMasters = 0;
  askMasters(out);
  if (!info.wallTime) {
    setClockOffset(std::chrono::floor<milliseconds>(now.wall.time_since_epoch()), now);
    ask(Question::Time, {"TIME"}, out);
  }
  m_proof.firstInfo(info);
  m_phase = Phase::Feeding;
  if (!m_options.background)
    return beginEpoch(now, out);
  if (m_feed.state() == ChangeFeed::State::Closed && m_feed.dueAt() == SteadyTime::max())
    m_feed.open(now.steady, out.feed);
  onFeedReady(now, out);
}

// One server by two addresses: its locks are shown once, by the twin. It asks again later, because the twin may go down.
void NodeWatcher::standBack(const NodeId &twin, Moment now, WatchActions &out) {
  breakEpoch(errorHere(ErrorCode::Usage, LH_MESSAGE("ErrorWords", "this is the same database of the same server as %1")(safeText(twin.bytes())),
                       LH_MESSAGE("ErrorWords", "name it once")),
             now, out);
  std::vector<std::string> known;
  m_cache.each([&](const std::string &key, const LockCache::Known &) { known.push_back(key); });
  for (const auto &key : known)
    m_cache.lose(key, false, now.steady, now.wall);
  m_status.state = NodeState::Down;
  m_status.twin = twin;
  m_retryAt = now.steady + twinRetry;
}

void NodeWatcher::beat(Moment now, WatchActions &out) {
  if (const auto share = m_heartbeat.takeShare(now.steady)) {
    m_status.load = std::min(1.0, 0.7 * m_status.load + 0.3 * *share);
    changed();
  }
  if (!m_heartbeat.beat(now.steady))
    return;
  ask(Question::Info, {"INFO"}, out);
  askCalls(now, out);
  m_waiters.beat(m_status.isCluster, out);
  if (m_status.isCluster) {
    m_tracker.markMoving(now.steady);
    hasEnded(now, out);
  }
}

void NodeWatcher::onBeat(InfoReply info, Moment now, WatchActions &out) {
  switch (m_proof.beat(std::move(info), now.steady)) {
  case ServerInfo::Verdict::Same: return;
  case ServerInfo::Verdict::Another:
    return breakEpoch(errorHere(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "another server, or the same one restarted, answers now")), now, out);
  case ServerInfo::Verdict::Unhinted:
    if (m_status.feed != FeedKind::Poll)
      onSilence(now, out);
  }
}

// Data changed without a hint: SWAPDB, or notifications were switched off.
void NodeWatcher::onSilence(Moment now, WatchActions &out) {
  if (m_status.feed == FeedKind::Keyspace && m_proof.isSilentAgain())
    return degrade(
        errorHere(ErrorCode::Server, LH_MESSAGE("ErrorWords", "data changes but keyspace notifications are silent, so the server is polled"), announceAll), now,
        out);
  startScan(Haste::Known, now, out);
}

void NodeWatcher::onCalls(const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (!answer)
    return; // the connection is lost, which is reported separately
  const bool isKeyspace = isFollowing(FeedKind::Keyspace);
  if (answer->isFailure()) {
    if (isKeyspace)
      degrade(errorHere(ErrorCode::NotPermitted,
                        LH_MESSAGE("ErrorWords", "INFO is refused, so what keyspace notifications do not tell would be missed, and the server is polled"),
                        LH_MESSAGE("ErrorWords", "permit CLIENT TRACKING, or INFO")),
              now, out);
    return;
  }
  const auto changes = m_proof.takeCalls(answer->text().value_or(""), m_phase == Phase::Epoch && m_status.feed != FeedKind::Poll);
  if (isKeyspace && changes.configs)
    out.asks.push_back({tagOf(AskedBy::Feed, 0), {"CONFIG", "GET", "notify-keyspace-events"}});
  if (isKeyspace && changes.flushes)
    onFlush(now, out);
  else if (changes.swaps || (isKeyspace && changes.configs)) // the flags may have been different for a while
    startScan(Haste::Known, now, out);
}

void NodeWatcher::onWaiters(WaiterCounter::Question question, const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (m_phase != Phase::Epoch && question != WaiterCounter::Question::Blocked)
    return;
  const bool isScanOpen = m_tracker.isScanOpen();
  if (WaiterCounter::isOfNumbers(question))
    return readAgain(m_waiters.onNumbers(question, answer),
                     {.type = ValueType::String, .companion = {.numbers = true}, .scanned = isScanOpen, .urgent = !isScanOpen}, now, out);
  readAgain(m_waiters.onAnswer(question, answer), {.urgent = true}, now, out);
}

void NodeWatcher::askCluster(ClusterInfo::Question question, std::string_view subcommand, WatchActions &out) {
  out.asks.push_back({tagOf(AskedBy::Cluster, static_cast<std::uint64_t>(question)), {"CLUSTER", subcommand}});
}

void NodeWatcher::askMasters(WatchActions &out) {
  if (!m_status.isCluster || !m_cluster.mayAskMasters())
    return;
  askCluster(ClusterInfo::Question::Name, "MYID", out);
  askCluster(ClusterInfo::Question::Masters, "SLOTS", out);
}

void NodeWatcher::onCluster(ClusterInfo::Question question, const Result<Reply> &answer) {
  if (!m_cluster.take(question, answer))
    return;
  m_status.clusterMasters = m_cluster.view().masters.size();
  changed();
}

void NodeWatcher::onFlags(const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (isFollowing(FeedKind::Keyspace)) {
    if (ChangeFeed::announcesTooLittle(answer))
      degrade(errorHere(ErrorCode::Server, LH_MESSAGE("ErrorWords", "keyspace notifications were narrowed, so the server is polled"), announceAll), now, out);
    return;
  }
  m_feed.onFlags(answer, now.steady);
  onFeedReady(now, out);
}

void NodeWatcher::onFlush(Moment now, WatchActions &out) {
  m_cache.noteAll(ChangeCause::Flushed, now.steady);
  m_tracker.hintAll();
  startScan(Haste::Flush, now, out);
}

void NodeWatcher::onFeedReady(Moment now, WatchActions &out) {
  if (m_feed.state() != ChangeFeed::State::Ready)
    return;
  const bool isBetter = isFollowing(FeedKind::Poll) && m_feed.kind() != FeedKind::Poll && m_isPollForced;
  if (m_phase == Phase::Feeding || isBetter)
    beginEpoch(now, out);
}

void NodeWatcher::beginEpoch(Moment now, WatchActions &out) {
  m_phase = Phase::Epoch;
  m_status.feed = m_options.background ? m_feed.kind() : FeedKind::Poll;
  m_isPollForced = m_status.feed == FeedKind::Poll;
  m_status.error = trouble();
  if (m_status.feed == FeedKind::Poll)
    m_status.exactAsOf.reset();
  m_status.scanComplete = false;
  m_proof.beginEpoch();
  m_tracker.beginEpoch();
  m_waiters.beginEpoch(m_status.isCluster);
  changed();
  startScan(Haste::Full, now, out);
}

void NodeWatcher::breakEpoch(Error why, Moment now, WatchActions &out) {
  const bool isFirst = m_phase == Phase::Epoch || !m_status.staleSince;
  m_scan.stop();
  m_nextScan = SteadyTime::max();
  m_tracker.beginEpoch(); // reads under way prove nothing any more
  m_waiters.endEpoch();
  m_proof.endEpoch();
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

// A replica's data is old from the moment on at which its master's stream ends.
std::optional<Error> NodeWatcher::trouble() const {
  if (m_isCutOff)
    return errorHere(ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "this replica has lost its master, so that what it has may be old"),
                     LH_MESSAGE("ErrorWords", "look at the master, or wait until its link is up"));
  return m_options.background ? m_feed.why() : std::nullopt;
}

void NodeWatcher::degrade(Error why, Moment now, WatchActions &out) {
  m_feed.degrade(std::move(why));
  m_status.feed = FeedKind::Poll;
  m_status.error = trouble();
  m_status.exactAsOf.reset();
  m_proof.endEpoch();
  m_isPollForced = false;
  changed();
  startScan(Haste::Known, now, out);
}

void NodeWatcher::checkBarrier(Moment now, WatchActions &out) {
  if (m_phase != Phase::Epoch || !m_proof.hasBarrier() || !m_tracker.isClosedDone())
    return;
  const auto exact = m_proof.takeBarrier();
  if (!m_status.scanComplete || (m_status.feed == FeedKind::Keyspace && !m_proof.hasCalls()))
    return;
  const auto proven = m_proof.provenBy(exact);
  m_status.exactAsOf = std::max(proven, m_status.exactAsOf.value_or(proven));
  changed();
  const auto unannounced = m_tracker.takeUnannounced(exact);
  m_status.divergences += unannounced;
  if (unannounced > 0 && m_status.feed == FeedKind::Keyspace)
    degrade(
        errorHere(ErrorCode::Server, LH_MESSAGE("ErrorWords", "locks change that keyspace notifications do not tell of, so the server is polled"), announceAll),
        now, out);
}

void NodeWatcher::startScan(Haste haste, Moment now, WatchActions &out) {
  const bool isPaced = haste == Haste::None || haste == Haste::Known;
  m_nextScan = SteadyTime::max();
  m_tracker.beginScan(isPaced);
  if (m_status.isCluster && m_cluster.slots().begin())
    askCluster(ClusterInfo::Question::OwnSlots, "NODES", out);
  m_heuristics.sessionTokenBudget = mostSessionTokens;
  // If something happened, the known locks are read first; otherwise the scan finds them on its way.
  if (haste != Haste::None || (m_status.feed == FeedKind::Poll && m_cache.size() <= mostReadWhilePolling))
    m_tracker.markKnown(haste == Haste::Flush, now.steady);
  if (m_status.scanComplete)
    askMasters(out);
  m_waiters.beginScan(out.asks);
  m_scan.start(isPaced, now.steady, out.asks);
}

// A scan ends when its pages end and everything that it found is read.
void NodeWatcher::checkScan(Moment now, WatchActions &out) {
  if (!m_tracker.isScanOpen() || m_scan.isRunning() || m_waiters.isListing())
    return;
  if (m_scan.error()) {
    auto why = *m_scan.error();
    why.where = m_options.address;
    return breakEpoch(std::move(why), now, out);
  }
  if (!m_tracker.isScanRead() || m_waiters.isAskingRemotely() || m_waiters.finishScan(out))
    return;
  auto &slots = m_cluster.slots();
  if (slots.end())
    askCluster(ClusterInfo::Question::OwnSlots, "NODES", out);
  if (!slots.isAsking())
    endScan(now);
}

void NodeWatcher::endScan(Moment now) {
  m_tracker.endScan(m_scan.takeRefused(), m_status, now);
  m_status.scanComplete = true;
  m_status.keysScanned = m_scan.tally().keys;
  m_status.slotsMoved = m_cluster.slots().haveMoved();
  m_status.slotsTold = !m_status.isCluster || m_cluster.slots().areKnown();
  m_status.scannedAt = now.steady;
  m_status.state = NodeState::Live;
  m_status.staleSince.reset();
  m_backoff.reset();
  const auto rest = m_status.feed == FeedKind::Poll ? m_options.pollEvery : m_options.reconcileEvery;
  m_nextScan = m_options.background ? now.steady + rest : SteadyTime::max();
  changed();
}

} // namespace lockhouse
