// SPDX-License-Identifier: Apache-2.0
// What the feed does not tell: commands that change keys without a word, notifications that are narrowed, and who listens.
#include "core/watch/node/node_watcher.h"

#include <algorithm>

namespace lockhouse {
namespace {

constexpr std::uint64_t mostListed = 500;      // clients: CLIENT LIST of more would keep the server
constexpr std::size_t mostReadAgain = 1000;    // when the first client is blocked, or none any more
constexpr std::size_t mostListenedTo = 10'000; // of semaphores and of latches
constexpr std::uint64_t channelsOfFeed = 4;    // of invalidations, and of what expires, is evicted and deleted
constexpr std::uint64_t channelsABeat = 4000;  // PUBSUB CHANNELS looks at each of them: 0.2 ms

} // namespace

void NodeWatcher::askCalls(Moment now, WatchActions &out) {
  m_callsAskedAt = now.steady;
  out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::Calls)), {"INFO", "commandstats"}});
}

// A keyspace feed says nothing of FLUSHALL and FLUSHDB, no feed of SWAPDB; under traffic nothing else shows them before the next
// sweep. Counters that began anew (CONFIG RESETSTAT) differ too, which costs a sweep.
void NodeWatcher::onCalls(const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (!answer)
    return; // the connection is lost, which is told separately
  if (answer->isFailure()) {
    if (m_phase == Phase::Epoch && m_status.feed == FeedKind::Keyspace)
      degrade({ErrorCode::NotPermitted,
               LH_MESSAGE("ErrorWords", "INFO is refused, so what keyspace notifications do not tell would be missed, and the server is polled"),
               m_options.address, LH_MESSAGE("ErrorWords", "permit CLIENT TRACKING, or INFO")},
              now, out);
    return;
  }
  const auto calls = parseSilentCalls(answer->text().value_or(""));
  const auto before = std::exchange(m_calls, calls);
  if (!before || *before == calls || m_phase != Phase::Epoch || m_status.feed == FeedKind::Poll) {
    m_quietUntil = m_callsAskedAt;
    return;
  }
  if (m_status.feed == FeedKind::Keyspace && calls.configs != before->configs)
    out.asks.push_back({tagOf(AskedBy::Feed, 0), {"CONFIG", "GET", "notify-keyspace-events"}});
  if (m_status.feed == FeedKind::Keyspace && calls.flushes != before->flushes)
    onFlush(now, out);
  else if (m_status.feed == FeedKind::Keyspace && calls.configs != before->configs)
    startScan(Haste::Known, now, out); // whatever the flags are now: they may have been others for a while
  else if (calls.swaps != before->swaps)
    startScan(Haste::Known, now, out);
}

void NodeWatcher::onFlags(const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (m_phase == Phase::Epoch && m_status.feed == FeedKind::Keyspace) {
    if (ChangeFeed::announcesTooLittle(answer))
      degrade({ErrorCode::Server, LH_MESSAGE("ErrorWords", "keyspace notifications were narrowed, so the server is polled"), m_options.address,
               LH_MESSAGE("ErrorWords", "set notify-keyspace-events to AE, or permit CLIENT TRACKING")},
              now, out);
    return;
  }
  m_feed.onFlags(answer, now.steady);
  onFeedReady(now, out);
}

// Who subscribes or goes is announced by no feed.
void NodeWatcher::onListeners(bool areSharded, const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (m_phase != Phase::Epoch)
    return;
  const bool isTold = answer && !answer->isFailure();
  if (!isTold)
    (areSharded ? m_lore.mayCountSharded : m_lore.mayCountListeners) = false;
  for (const auto &key : m_listeners.changed(isTold ? &*answer : nullptr, m_cache, m_elsewhere))
    if (!mark(key, {.urgent = true}, now, out))
      return;
}

NodeWatcher::WakeupSubscriptions NodeWatcher::wakeups() const {
  if (m_phase == Phase::Feeding || m_phase == Phase::Epoch)
    return m_lore.mayCountListeners ? WakeupSubscriptions::Open : WakeupSubscriptions::Away;
  return m_status.state == NodeState::Connecting ? WakeupSubscriptions::Coming : WakeupSubscriptions::Away;
}

// Which masters there are changes seldom; once a sweep is enough.
void NodeWatcher::askCluster(WatchActions &out) {
  if (!m_status.isCluster || !m_mayAskCluster)
    return;
  out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::ClusterName)), {"CLUSTER", "MYID"}});
  out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::ClusterSlots)), {"CLUSTER", "SLOTS"}});
}

void NodeWatcher::onCluster(Question question, const Result<Reply> &answer) {
  if (!answer)
    return; // the connection is lost, which is told separately
  m_mayAskCluster &= !answer->isFailure();
  if (question == Question::ClusterName)
    m_cluster.self = answer->bulk() ? *answer->bulk() : std::string();
  else
    m_cluster.masters = mastersIn(*answer);
  if (std::exchange(m_status.clusterMasters, m_cluster.masters.size()) != m_cluster.masters.size())
    changed();
}

void NodeWatcher::askElsewhere(WatchActions &out) {
  if (auto channels = m_elsewhere.next(m_cache.sorted(), *m_lore.families); !channels.empty())
    out.subscriberSets.push_back({++m_subscribers, std::move(channels)});
}

void NodeWatcher::handle(const watching::HeardElsewhere &event, Moment now, WatchActions &out) {
  if (event.number != m_subscribers || !m_elsewhere.isAsking() || m_phase != Phase::Epoch)
    return;
  const bool wasWhole = m_elsewhere.isWhole();
  for (const auto &key : m_elsewhere.heard(event.clients, event.nodes, event.isWhole))
    if (m_cache.find(key) && !mark(key, {.scanned = m_scanOpen, .urgent = true}, now, out))
      return;
  if (wasWhole != event.isWhole)
    markBounded(now, out);
}

// Of these the evidence says something else now.
void NodeWatcher::markBounded(Moment now, WatchActions &out) {
  std::vector<std::string> keys;
  m_cache.each([&](const std::string &key, const LockCache::Known &known) {
    if (known.record->waiters && keys.size() < mostReadAgain && listenersChannel(*known.record, *m_lore.families))
      keys.push_back(key);
  });
  for (const auto &key : keys)
    if (!mark(key, {.scanned = m_scanOpen, .urgent = true}, now, out))
      return;
}

void NodeWatcher::handle(watching::ListenersWanted &event, Moment, WatchActions &out) {
  if (wakeups() != WakeupSubscriptions::Open || (event.areSharded && !m_lore.mayCountSharded)) {
    out.listenersTold.push_back({event.request, std::nullopt});
    return;
  }
  Command ask{"PUBSUB", event.areSharded ? "SHARDNUMSUB" : "NUMSUB"};
  for (const auto &channel : event.channels)
    ask.arg(channel);
  out.asks.push_back({tagOf(AskedBy::Others, event.request << 1 | event.areSharded), std::move(ask)});
}

void NodeWatcher::onOthersListeners(std::uint64_t rest, const Result<Reply> &answer, WatchActions &out) {
  const auto request = rest >> 1;
  if (!answer || answer->isFailure()) {
    if (answer)
      ((rest & 1) != 0 ? m_lore.mayCountSharded : m_lore.mayCountListeners) = false;
    out.listenersTold.push_back({request, std::nullopt});
    return;
  }
  std::vector<std::uint64_t> clients;
  for (std::size_t i = 1; i < answer->array().size(); i += 2)
    clients.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(0, answer->array()[i].integer().value_or(0))));
  out.listenersTold.push_back({request, std::move(clients)});
}

// Who of them waits for which key is told by nothing, but that nobody is blocked proves that nobody waits for a lock whose waiters are: at a
// master, where alone they are.
void NodeWatcher::askBlocked(const InfoReply &info, Moment now, WatchActions &out) {
  if (info.role != "master")
    return setBlocked(std::nullopt, now, out);
  if (info.blockedClients.value_or(1) == 0)
    return setBlocked(0, now, out);
  const bool isOfUse = m_hasBlocking || m_phase == Phase::Greeting;
  if (isOfUse && info.blockedClients && info.connectedClients <= mostListed)
    out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(Question::Blocked)), {"CLIENT", "LIST"}});
  else
    setBlocked(std::nullopt, now, out);
}

void NodeWatcher::onBlocked(const Result<Reply> &answer, Moment now, WatchActions &out) {
  const bool isTold = answer && !answer->isFailure();
  setBlocked(isTold ? std::optional(blockedIn(answer->text().value_or(""), m_options.db)) : std::nullopt, now, out);
}

void NodeWatcher::setBlocked(std::optional<std::uint64_t> clients, Moment now, WatchActions &out) {
  const bool isAnother = (std::exchange(m_blocked, clients) == std::uint64_t{0}) != (clients == std::uint64_t{0});
  if (!isAnother || m_phase != Phase::Epoch || !m_hasBlocking)
    return;
  std::vector<std::string> keys;
  m_cache.each([&](const std::string &key, const LockCache::Known &known) {
    const auto *family = m_lore.families->find(known.record->family);
    if (family && family->waits == Waits::Blocked && keys.size() < mostReadAgain)
      keys.push_back(key);
  });
  for (const auto &key : keys)
    if (!mark(key, {.urgent = true}, now, out))
      return;
}

// Who begins to listen is announced by no feed. The more channels there are, the more seldom they are asked for; as few as our own feed's
// only when their number is another.
void NodeWatcher::askNewChannels(const InfoReply &info, WatchActions &out) {
  const auto before = std::exchange(m_channels, info.channels.value_or(0));
  const bool areOurs = m_channels == before && m_channels <= channelsOfFeed;
  if (!areOurs && m_channelsPending == 0 && m_channelRests++ >= m_channels / channelsABeat)
    askChannels(out);
}

bool NodeWatcher::isListenedTo(const std::string &key) const {
  return std::ranges::any_of(m_listened, [&key](const auto &names) { return names.contains(key); });
}

void NodeWatcher::askChannels(WatchActions &out) {
  m_channelRests = 0;
  const auto ask = [&](Question question, std::string_view subcommand, std::string_view pattern) {
    ++m_channelsPending;
    out.asks.push_back({tagOf(AskedBy::Vitals, static_cast<std::uint64_t>(question)), {"PUBSUB", subcommand, pattern}});
  };
  constexpr std::string_view semaphores = "redisson_sc:*", latches = "redisson_countdownlatch__channel__{*";
  if (m_lore.mayCountListeners) {
    ask(Question::SemaphoreChannels, "CHANNELS", semaphores);
    ask(Question::LatchChannels, "CHANNELS", latches);
  }
  if (m_mayListSharded) {
    ask(Question::ShardSemaphoreChannels, "SHARDCHANNELS", semaphores);
    ask(Question::ShardLatchChannels, "SHARDCHANNELS", latches);
  }
}

void NodeWatcher::onChannels(Question question, const Result<Reply> &answer, Moment now, WatchActions &out) {
  if (m_channelsPending == 0 || m_phase != Phase::Epoch)
    return;
  --m_channelsPending;
  const bool areLatches = question == Question::LatchChannels || question == Question::ShardLatchChannels;
  if ((question == Question::ShardSemaphoreChannels || question == Question::ShardLatchChannels) && (!answer || answer->isFailure()))
    m_mayListSharded = false;
  const auto *family = m_lore.families->find(areLatches ? "redisson-latch" : "redisson-semaphore");
  if (!answer || answer->isFailure() || !family)
    return;
  auto &listened = m_listened[static_cast<std::size_t>(question) - static_cast<std::size_t>(Question::SemaphoreChannels)];
  const auto before = std::exchange(listened, {});
  for (const auto &word : answer->array()) {
    Captures captures;
    const auto *channel = word.bulk();
    if (!channel || listened.size() >= mostListenedTo || !family->channel->matches(*channel, &captures))
      continue;
    const auto name = listened.emplace(captures.find("lock").value_or("")).first;
    const ReadQueue::Mark found{.type = ValueType::String, .companion = {.numbers = true}, .scanned = m_scanOpen, .urgent = !m_scanOpen};
    if (!before.contains(*name) && !mark(*name, found, now, out))
      return;
  }
}

} // namespace lockhouse
