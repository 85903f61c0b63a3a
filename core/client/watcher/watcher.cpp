// SPDX-License-Identifier: Apache-2.0
#include "core/client/watcher/watcher.h"

#include "core/client/watcher/snapshot_throttle.h"
#include "core/client/watcher/watcher_node.h"
#include "core/watch/fleet/change_merge.h"
#include "core/watch/fleet/cluster_subscribers.h"
#include "core/watch/fleet/shared_token_changes.h"
#include "core/watch/fleet/snapshot_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace lockhouse {
namespace {

constexpr std::string_view invalidations = "__redis__:invalidate";
constexpr std::string_view allEvents = "__keyevent@*__:*"; // literally so: ACL rules for patterns are compared as text

bool isTwice(const std::vector<Uri> &uris, const Uri &uri) {
  return std::ranges::count(uris, uri.address(), [](const Uri &other) { return other.address(); }) > 1;
}

} // namespace

WatcherNode::WatcherNode(Loop &loop, Uri uri, NodeWatcher::Options options, const ConnectionOptions &connection, ChangeLog &log,
                         std::function<void()> afterEvent)
    : m_loop(loop), m_uri(std::move(uri)), m_options(connection), m_machine(std::move(options), log), m_afterEvent(std::move(afterEvent)),
      m_ownEvents(fmt::format("__keyevent@{}__:", m_uri.db)), m_tick(loop), m_commands(loop, m_uri, connection) {
  m_commands.onState([this](Connection::State state, const Error *why) {
    if (state == Connection::State::Ready)
      tell(watching::CommandsUp{});
    else if (state == Connection::State::Down && why)
      tell(watching::CommandsDown{*why});
  });
}

WatcherNode::~WatcherNode() {
  m_isClosing = true;
  for (auto &[request, done] : std::exchange(m_reads, {}))
    done(fail(ErrorCode::Cancelled, LH_MESSAGE("ErrorWords", "the watcher was closed"), m_uri.address()));
}

void WatcherNode::read(const LockName &key, ReadDone done) {
  m_reads.emplace(++m_lastRead, std::move(done));
  tell(watching::ReadWanted{key, m_lastRead});
}

// One clock reading an event: a sweep has a million of them. The wall clock is read anew now and then.
Moment WatcherNode::moment() {
  const auto now = SteadyClock::now();
  if (now - m_wallReadAt > milliseconds(100)) {
    m_wallReadAt = now;
    m_wallRead = wallNow();
  }
  return {now, m_wallRead + std::chrono::duration_cast<microseconds>(now - m_wallReadAt)};
}

void WatcherNode::tell(WatchEvent event) {
  if (m_isClosing)
    return;
  const auto now = moment();
  m_machine.on(std::move(event), now, m_actions);
  perform();
  setTick(now.steady);
  m_afterEvent();
}

// A sweep has a million answers, hundreds of which come with one read of the socket: what follows from them is done once for all of these.
void WatcherNode::take(watching::Answered answer) {
  if (m_isClosing)
    return;
  m_machine.take(std::move(answer), moment(), m_actions);
  perform();
  if (std::exchange(m_isToGoOn, true))
    return;
  m_loop.post([this, life = std::weak_ptr(m_life)] {
    if (!life.expired())
      goOn();
  });
}

void WatcherNode::goOn() {
  m_isToGoOn = false;
  const auto now = moment();
  m_machine.goOn(now, m_actions);
  perform();
  setTick(now.steady);
  m_afterEvent();
}

void WatcherNode::perform() {
  for (auto &[tag, command] : m_actions.asks)
    m_commands.send(std::move(command), [this, from = tag](Result<Reply> reply) { take({from, std::move(reply)}); });
  m_actions.asks.clear(); // its room is kept: a sweep comes by a million times
  orderFeed(std::exchange(m_actions.feed, {}));
  for (auto &[request, record] : std::exchange(m_actions.readsDone, {}))
    if (auto read = m_reads.extract(request))
      read.mapped()(std::move(record));
  for (auto &subscribers : std::exchange(m_actions.subscriberSets, {}))
    m_wakeups.want(std::move(subscribers));
  for (auto &told : std::exchange(m_actions.listenersTold, {}))
    m_wakeups.told(std::move(told));
}

void WatcherNode::orderFeed(const FeedActions &orders) {
  if (orders.close) {
    ++m_feedNumber; // what the old connection still says is not heard
    m_feed.reset();
  }
  if (orders.open)
    openFeed();
  if (!m_feed)
    return;
  const auto ifPresent = [this, feed = m_feedNumber](WatchEvent event) {
    if (feed == m_feedNumber)
      tell(std::move(event));
  };
  if (orders.subscribeAll)
    m_feed->psubscribe(Channel(allEvents), [ifPresent](Result<void> result) { ifPresent(watching::FeedSubscribed{std::move(result)}); });
  if (orders.ping)
    m_feed->ping([ifPresent, number = *orders.ping](const Result<void> &result) {
      if (result)
        ifPresent(watching::FeedPong{number});
    });
}

void WatcherNode::openFeed() {
  ++m_feedNumber;
  m_trackingRefused.reset();
  auto options = m_options;
  options.reconnect = false; // an epoch is one connection; the machine decides when to make the next
  m_feed = std::make_unique<Subscriber>(m_loop, m_uri, options);
  m_feed->onLogin(
      [this](std::int64_t clientId) {
        std::vector<Command> commands;
        if (clientId != 0)
          commands.push_back(Command{"CLIENT", "TRACKING", "ON", "REDIRECT", std::to_string(clientId), "BCAST"});
        else
          m_trackingRefused = Error{ErrorCode::NotPermitted, LH_MESSAGE("ErrorWords", "CLIENT ID is refused, so changes cannot be tracked"), m_uri.address(),
                                    LH_MESSAGE("ErrorWords", "permit CLIENT ID and CLIENT TRACKING")};
        return commands;
      },
      [this](std::size_t, const Reply &reply) {
        if (reply.isFailure())
          m_trackingRefused = errorOf(reply, m_uri.address());
      });
  m_feed->onMessage([this](const Subscriber::Message &message) { onMessage(message); });
  m_feed->onUp([this](std::int64_t) { tell(watching::FeedUp{m_trackingRefused}); });
  m_feed->onGap([this](const Error &why) { tell(watching::FeedDown{why}); });
  m_feed->subscribe(Channel(invalidations), [this, feed = m_feedNumber](const Result<void> &result) {
    if (!m_isClosing && feed == m_feedNumber && !result && result.error().code != ErrorCode::Cancelled)
      m_trackingRefused = result.error();
  });
  for (const auto event : {"expired", "evicted", "del"}) // they name the cause; where refused, it is inferred
    m_feed->subscribe(Channel(m_ownEvents + event));
  m_feed->open();
}

void WatcherNode::onMessage(const Subscriber::Message &message) {
  if (message.channel == invalidations) {
    if (message.raw && message.raw->isArray())
      tell(watching::KeysInvalidated{&message.raw->array()});
    else
      tell(watching::AllInvalidated{});
    return;
  }
  const bool isOurs = message.channel.starts_with(m_ownEvents);
  const auto event = isOurs ? message.channel.substr(m_ownEvents.size()) : std::string_view{};
  tell(watching::KeyEvent{.event = event, .key = message.payload, .elsewhere = !isOurs});
}

void WatcherNode::setTick(SteadyTime now) {
  const auto at = m_machine.wakeAt();
  if (at >= m_tickAt) // an early tick does no harm; setting a timer for every event would
    return;
  m_tickAt = at;
  m_tick.after(at - now, [this] {
    m_tickAt = SteadyTime::max();
    tell(watching::Tick{});
  });
}

class Watcher::Core {
public:
  Core(Loop &loop, std::vector<Uri> nodes, WatcherOptions options) : m_loop(loop), m_uris(std::move(nodes)), m_options(std::move(options)) {}

  void onSnapshot(SnapshotHandler handler) { m_onSnapshot = std::move(handler); }
  void onChanges(ChangesHandler handler) { m_onChanges = std::move(handler); }
  void open();
  void close();
  const FamilyRegistry &families() const { return m_options.families ? *m_options.families : FamilyRegistry::builtIn(); }
  LockSnapshotPtr snapshot() const {
    const std::scoped_lock guard(m_snapshotMutex);
    return m_snapshot;
  }
  void read(const LockId &id, WatcherNode::ReadDone done);
  void expectReleases(const std::vector<LockId> &ids);
  Loop &loop() { return m_loop; }

private:
  Loop &m_loop;
  std::vector<Uri> m_uris;
  WatcherOptions m_options;
  SnapshotHandler m_onSnapshot;
  ChangesHandler m_onChanges;
  mutable std::mutex m_snapshotMutex; // and no std::atomic<shared_ptr>: of libstdc++ 12, its load unlocks without an order
  LockSnapshotPtr m_snapshot = std::make_shared<const LockSnapshot>();
  // From here on the loop's thread only.
  ChangeLog m_log;
  std::vector<std::unique_ptr<WatcherNode>> m_nodes;
  std::vector<NodeWatcher *> m_machines;
  std::vector<std::optional<SteadyTime>> m_twinAwaySince; // of each node, as it last looked
  ChangeMerge m_merge;
  SharedTokenChanges m_shared;
  SnapshotBuilder m_builder;
  ClusterSubscribers m_subscribers;
  std::unique_ptr<Timer> m_publish, m_settle, m_carry;
  bool m_isToCarry = false;
  SnapshotThrottle m_pace{m_options.publishEvery};
  std::ptrdiff_t m_scanned = 0; // of the nodes

  NodeWatcher::Options nodeOptions(const Uri &uri, std::size_t index);
  bool isHeldBack(std::size_t index, const std::optional<NodeId> &twin);
  NodeWatcher::Twin twinOf(std::size_t index, int db, std::string_view runId) const;
  WatcherNode *find(const NodeId &id);
  void handOn();
  void carry();
  void tellChanges();
  void publish();
};

NodeWatcher::Options Watcher::Core::nodeOptions(const Uri &uri, std::size_t index) {
  NodeWatcher::Options options;
  options.address = uri.address();
  options.id = NodeId(isTwice(m_uris, uri) ? options.address + "/" + std::to_string(uri.db) : options.address);
  options.db = uri.db;
  options.background = m_options.background;
  options.barrierEvery = m_options.barrierEvery;
  options.reconcileEvery = m_options.reconcileEvery;
  options.families = m_options.families;
  options.seed = static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count()) + index;
  options.twin = [this, index, db = uri.db](std::string_view runId, const std::optional<NodeId> &before) {
    return isHeldBack(index, before) ? NodeWatcher::Twin{.id = before, .unsure = false} : twinOf(index, db, runId);
  };
  return options;
}

// While its twin is away, a node waits for it some time, lest they change places with every connection that is cut.
bool Watcher::Core::isHeldBack(std::size_t index, const std::optional<NodeId> &twin) {
  constexpr seconds patience(15);
  auto *other = twin ? find(*twin) : nullptr;
  m_twinAwaySince.resize(m_uris.size());
  auto &since = m_twinAwaySince[index];
  if (other == nullptr || other->machine().status().state == NodeState::Live) {
    since.reset();
    return false;
  }
  since = since.value_or(SteadyClock::now());
  return SteadyClock::now() - *since < patience;
}

// The first that was named watches; while one before this is still being asked, it may turn out to be the twin.
NodeWatcher::Twin Watcher::Core::twinOf(std::size_t index, int db, std::string_view runId) const {
  NodeWatcher::Twin twin;
  for (std::size_t i = 0; i < m_machines.size() && !runId.empty(); ++i) {
    const auto &status = m_machines[i]->status();
    if (i == index || status.db != db || status.state == NodeState::Down)
      continue;
    if (status.runId == runId)
      return {.id = status.id, .unsure = false};
    twin.unsure |= i < index && status.runId.empty();
  }
  return twin;
}

void Watcher::Core::open() {
  if (m_publish)
    return;
  m_publish = std::make_unique<Timer>(m_loop);
  m_settle = std::make_unique<Timer>(m_loop);
  m_carry = std::make_unique<Timer>(m_loop);
  for (const auto &uri : m_uris) {
    m_nodes.push_back(std::make_unique<WatcherNode>(m_loop, uri, nodeOptions(uri, m_nodes.size()), m_options.connection, m_log, [this] { handOn(); }));
    m_machines.push_back(&m_nodes.back()->machine());
    const auto place = m_nodes.size() - 1;
    m_nodes.back()->listen({.want = [this, place](auto subscribers) { m_subscribers.want(place, std::move(subscribers), SteadyClock::now()); },
                            .told = [this](auto told) { m_subscribers.take(std::move(told)); }});
  }
  publish();
  for (auto &node : m_nodes)
    node->open();
}

void Watcher::Core::close() {
  m_publish.reset();
  m_settle.reset();
  m_carry.reset();
  m_nodes.clear();
  m_machines.clear();
}

void Watcher::Core::read(const LockId &id, WatcherNode::ReadDone done) {
  if (auto *node = find(id.node))
    return node->read(id.key, std::move(done));
  done(fail(ErrorCode::Usage, LH_MESSAGE("ErrorWords", "this node is not watched"), id.node.bytes(), LH_MESSAGE("ErrorWords", "name it with --url")));
}

void Watcher::Core::expectReleases(const std::vector<LockId> &ids) {
  for (const auto &node : m_nodes) {
    std::vector<LockName> keys;
    for (const auto &id : ids)
      if (id.node == node->machine().status().id)
        keys.push_back(id.key);
    if (!keys.empty())
      node->tell(watching::ReleaseExpected{std::move(keys)});
  }
}

WatcherNode *Watcher::Core::find(const NodeId &id) {
  const auto node = std::ranges::find(m_nodes, id, [](const auto &each) { return each->machine().status().id; });
  return node == m_nodes.end() ? nullptr : node->get();
}

// Changes at once, in order; a snapshot when the last one is old enough, or later, but at once where a node was swept: only then is known what all it has.
void Watcher::Core::handOn() {
  if (!m_subscribers.isIdle() && m_carry && !std::exchange(m_isToCarry, true))
    m_carry->after({}, [this] { carry(); });
  if (!m_log.empty())
    tellChanges();
  const auto scanned = std::ranges::count_if(m_machines, [](const NodeWatcher *node) { return node->status().scanComplete; });
  const bool isWhole = std::exchange(m_scanned, scanned) < scanned;
  if (!m_publish || (m_publish->isSet() && !isWhole) || !m_builder.isBehind(m_machines, m_log.lastSeq()))
    return;
  m_publish->after(isWhole ? std::chrono::nanoseconds(0) : m_pace.untilDue(SteadyClock::now()), [this] { publish(); });
}

// Not inside what a node does: what it is told makes it ask again.
void Watcher::Core::carry() {
  m_isToCarry = false;
  for (auto &[place, event] : m_subscribers.next(m_machines, SteadyClock::now()))
    m_nodes[place]->tell(std::move(event));
  if (const auto due = m_subscribers.dueAt(); due && m_carry && !m_carry->isSet())
    m_carry->after(*due - SteadyClock::now(), [this] { carry(); });
}

void Watcher::Core::tellChanges() {
  auto changes = m_merge.merge(m_log.take(), m_machines, SteadyClock::now(), families());
  if (m_onChanges && !changes.empty())
    m_onChanges(m_shared.note(std::move(changes), families()));
  if (const auto due = m_merge.dueAt(); due && m_settle && !m_settle->isSet())
    m_settle->after(*due - SteadyClock::now(), [this] { tellChanges(); });
}

void Watcher::Core::publish() {
  m_pace.run([this](SteadyTime now) {
    auto snapshot = m_builder.build(m_machines, m_log.lastSeq(), now, families());
    {
      const std::scoped_lock guard(m_snapshotMutex);
      m_snapshot = snapshot;
    }
    if (m_onSnapshot)
      m_onSnapshot(std::move(snapshot));
  });
}

Watcher::Watcher(Loop &loop, std::vector<Uri> nodes, WatcherOptions options) : m_core(std::make_shared<Core>(loop, std::move(nodes), std::move(options))) {}

Watcher::~Watcher() {
  // Where the loop has ended, nothing else touches the core any more.
  if (!m_core->loop().call([core = m_core] { core->close(); }))
    m_core->close();
}

void Watcher::onSnapshot(SnapshotHandler handler) { m_core->onSnapshot(std::move(handler)); }
void Watcher::onChanges(ChangesHandler handler) { m_core->onChanges(std::move(handler)); }

void Watcher::start() {
  m_core->loop().post([core = m_core] { core->open(); });
}

const FamilyRegistry &Watcher::families() const { return m_core->families(); }

LockSnapshotPtr Watcher::snapshot() const { return m_core->snapshot(); }

void Watcher::read(const LockId &id, std::move_only_function<void(Result<LockRecordPtr>)> done) {
  m_core->loop().post([core = m_core, id, done = std::move(done)]() mutable { core->read(id, std::move(done)); });
}

void Watcher::expectRelease(const LockId &id) { expectReleases({id}); }

void Watcher::expectReleases(std::vector<LockId> ids) {
  m_core->loop().post([core = m_core, ids = std::move(ids)] { core->expectReleases(ids); });
}

} // namespace lockhouse
