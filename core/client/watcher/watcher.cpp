// SPDX-License-Identifier: Apache-2.0
#include "core/client/watcher/watcher.h"

#include "core/client/watcher/snapshot_publisher.h"
#include "core/client/watcher/watcher_node.h"
#include "core/watch/fleet/change_merge.h"
#include "core/watch/fleet/cluster_subscribers.h"
#include "core/watch/fleet/shared_token_changes.h"

#include <algorithm>

namespace lockhouse {
namespace {

bool isTwice(const std::vector<Uri> &uris, const Uri &uri) {
  return std::ranges::count(uris, uri.address(), [](const Uri &other) { return other.address(); }) > 1;
}

} // namespace

class Watcher::Core {
public:
  Core(Loop &loop, std::vector<Uri> nodes, WatcherOptions options) : m_loop(loop), m_uris(std::move(nodes)), m_options(std::move(options)) {}

  void onSnapshot(SnapshotHandler handler) { m_snapshots.onSnapshot(std::move(handler)); }
  void onChanges(ChangesHandler handler) { m_onChanges = std::move(handler); }
  void open();
  void close();
  const FamilyRegistry &families() const { return m_options.families ? *m_options.families : FamilyRegistry::builtIn(); }
  LockSnapshotPtr snapshot() const { return m_snapshots.latest(); }
  void read(const LockId &id, WatcherNode::ReadDone done);
  void expectReleases(const std::vector<LockId> &ids);
  Loop &loop() { return m_loop; }

private:
  Loop &m_loop;
  std::vector<Uri> m_uris;
  WatcherOptions m_options;
  ChangesHandler m_onChanges;
  // From here on the loop's thread only.
  ChangeLog m_log;
  std::vector<std::unique_ptr<WatcherNode>> m_nodes;
  std::vector<NodeWatcher *> m_machines;
  std::vector<std::optional<SteadyTime>> m_twinAwaySince; // of each node, when it last asked
  ChangeMerge m_merge;
  SharedTokenChanges m_shared;
  SnapshotPublisher m_snapshots{m_machines, m_log, families(), m_options.publishEvery}; // latest() on any thread
  ClusterSubscribers m_subscribers;
  std::unique_ptr<Timer> m_changesDue, m_subscribersDue;
  bool m_isDeliveryPosted = false;

  NodeWatcher::Options nodeOptions(const Uri &uri, std::size_t index);
  bool isHeldBack(std::size_t index, const std::optional<NodeId> &twin);
  NodeWatcher::Twin twinOf(std::size_t index, int db, std::string_view runId) const;
  WatcherNode *find(const NodeId &id);
  void afterEvent();
  void deliver();
  void reportChanges();
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

// While its twin is down, a node waits for it some time. Otherwise the two would change places with every lost connection.
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

// The node that was named first watches. A node before this one that has not answered yet may be the twin.
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
  if (m_changesDue)
    return;
  m_changesDue = std::make_unique<Timer>(m_loop);
  m_subscribersDue = std::make_unique<Timer>(m_loop);
  for (const auto &uri : m_uris) {
    m_nodes.push_back(std::make_unique<WatcherNode>(m_loop, uri, nodeOptions(uri, m_nodes.size()), m_options.connection, m_log, [this] { afterEvent(); }));
    m_machines.push_back(&m_nodes.back()->machine());
    const auto index = m_nodes.size() - 1;
    m_nodes.back()->onRemoteCounting({.ask = [this, index](auto question) { m_subscribers.ask(index, std::move(question), SteadyClock::now()); },
                                      .answer = [this](auto answer) { m_subscribers.take(std::move(answer)); }});
  }
  m_snapshots.open(m_loop);
  for (auto &node : m_nodes)
    node->open();
}

void Watcher::Core::close() {
  m_snapshots.close();
  m_changesDue.reset();
  m_subscribersDue.reset();
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
      node->handle(watching::ReleaseExpected{std::move(keys)});
  }
}

WatcherNode *Watcher::Core::find(const NodeId &id) {
  const auto node = std::ranges::find(m_nodes, id, [](const auto &each) { return each->machine().status().id; });
  return node == m_nodes.end() ? nullptr : node->get();
}

// Changes are reported at once, in order.
void Watcher::Core::afterEvent() {
  if (!m_subscribers.isIdle() && m_subscribersDue && !std::exchange(m_isDeliveryPosted, true))
    m_subscribersDue->after({}, [this] { deliver(); });
  if (!m_log.empty())
    reportChanges();
  m_snapshots.check();
}

// Not inside an event of a node: a delivery is an event that causes further questions.
void Watcher::Core::deliver() {
  m_isDeliveryPosted = false;
  for (auto &[index, event] : m_subscribers.next(m_machines, SteadyClock::now()))
    m_nodes[index]->handle(std::move(event));
  if (const auto due = m_subscribers.dueAt(); due && m_subscribersDue && !m_subscribersDue->isSet())
    m_subscribersDue->after(*due - SteadyClock::now(), [this] { deliver(); });
}

void Watcher::Core::reportChanges() {
  auto changes = m_merge.merge(m_log.take(), m_machines, SteadyClock::now(), families());
  if (m_onChanges && !changes.empty())
    m_onChanges(m_shared.note(std::move(changes), families()));
  if (const auto due = m_merge.dueAt(); due && m_changesDue && !m_changesDue->isSet())
    m_changesDue->after(*due - SteadyClock::now(), [this] { reportChanges(); });
}

Watcher::Watcher(Loop &loop, std::vector<Uri> nodes, WatcherOptions options) : m_core(std::make_shared<Core>(loop, std::move(nodes), std::move(options))) {}

Watcher::~Watcher() {
  // If the loop has ended, no other thread uses the core any more.
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
