// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/acquisition.h"
#include "core/client/node/node_driver_core.h"
#include "core/lock/primitives/handoff/handoff_lock.h"

#include <utility>

namespace lockhouse {
namespace {

LocalWaitQueue::Kind waitQueueFor(Primitive::Line line) {
  switch (line) {
  case Primitive::Line::InClient: return LocalWaitQueue::Kind::InClient;
  case Primitive::Line::AtServer: return LocalWaitQueue::Kind::AtServer;
  case Primitive::Line::WhileFull: return LocalWaitQueue::Kind::WhileFull;
  }
  return LocalWaitQueue::Kind::InClient;
}

} // namespace

NodeDriver::Core::Core(Loop &loop, Uri node, Options options)
    : DriverBase(loop), m_options(std::move(options)), m_address(node.address()), m_log(m_options.log, m_address), m_clientId(randomUuid().value_or("")),
      m_owners(m_options.owners, m_clientId), m_jitter(randomSeed()), m_wakeups(loop, node, m_options.connection), m_inbox(*this),
      m_connection(loop, node, m_options.connection), m_acknowledgedLane(loop, std::move(node), m_options.connection) {
  m_connection.onLeaving([this] { m_releases.leave(); });
  m_connection.onState([this](Connection::State state, const Error *why) { stateChanged(state, why); });
  m_connection.onScriptsFlushed([this] { m_log.scriptsFlushed(); });
  m_acknowledgedLane.onBack([this] { reconnected(false); });
  m_wakeups.onLine([this](const Error *why) {
    if (why != nullptr)
      m_log.messagesInterrupted(*why);
    else
      m_log.messagesBack();
  });
}

NodeDriver::Core::~Core() {
  beginEnd(); // what ends below must not reach for the timer and the connections any more
  m_connection.close();
  m_wakeups.close();
  m_acknowledgedLane.close();
  destroyAll();
}

void NodeDriver::Core::open() { m_connection.open(); }

std::uint64_t NodeDriver::Core::commandsSent() const { return m_connection.counters().commands + m_acknowledgedLane.sent() + m_wakeups.sent(); }

Metrics NodeDriver::Core::metrics() const {
  return {.locks = m_books.all(),
          .subscriptions = m_wakeups.count(),
          .commands = commandsSent(),
          .connects = m_connection.counters().connects,
          .connected = m_connection.state() == Connection::State::Ready,
          .nodes = {}};
}

NodeDriver::Core::LockEntry &NodeDriver::Core::entry(const Primitive &primitive, const LockName &name) {
  std::string key(primitive.info().name);
  key.append(1, ' ').append(name.bytes());
  auto &entry = m_entries[std::move(key)];
  if (!entry)
    entry = std::make_unique<LockEntry>(*this, primitive, name);
  ++entry->users;
  return *entry;
}

void NodeDriver::Core::leaveEntry(LockEntry &entry) {
  if (--entry.users > 0)
    return;
  m_wakeups.drop(entry);
  std::string key(entry.primitive.info().name);
  key.append(1, ' ').append(entry.name.bytes());
  m_entries.erase(key);
}

Acquisition &NodeDriver::Core::newAcquisition(LockEntry &entry) { return lodge<Acquisition>(*this, entry); }

void NodeDriver::Core::handOnSoon(Acquisition &acquisition) {
  m_handingOn.push_back(&acquisition);
  if (m_handingOn.size() == 1)
    loop().post([this, alive = std::weak_ptr(m_alive)] {
      if (!alive.expired())
        handOn();
    });
}

void NodeDriver::Core::handOn() {
  const ReentrancyGuard visit(*this);
  for (auto *acquisition : std::exchange(m_handingOn, {}))
    acquisition->handOn();
}

void NodeDriver::Core::askSoon(Acquisition &acquisition) {
  m_askingSoon.push_back(&acquisition);
  if (m_askingSoon.size() == 1)
    loop().post([this, alive = std::weak_ptr(m_alive)] {
      if (alive.expired() || isEnding())
        return;
      const ReentrancyGuard visit(*this);
      const auto now = SteadyClock::now();
      for (auto *asking : std::exchange(m_askingSoon, {}))
        if (asking->isUnsent()) // what one of them is told may end another's
          asking->sendAsk(now);
    });
}

void NodeDriver::Core::stateChanged(Connection::State state, const Error *why) {
  m_releases.leave();
  m_releases.reconnected();
  for (const auto &[key, entry] : m_entries)
    for (auto *acquisition : entry->asks.takeAll()) // none of them shall wait for answers that do not come
      askSoon(*acquisition);
  m_log.connection(state, why);
  if (state == Connection::State::Ready) {
    m_server = {};
    Command commands{"COMMAND", "INFO"};
    for (const auto word : ServerFeatures::asked)
      commands.arg(word);
    m_connection.send({"INFO", "server"}, [this](Result<Reply> reply) { readInfo(reply); });
    m_connection.send(std::move(commands), [this](Result<Reply> reply) { readCommands(reply); });
  }
  if (m_onState)
    m_onState(state, why);
}

void NodeDriver::Core::readInfo(const Result<Reply> &reply) {
  if (!reply) // lost again: the next connection asks again
    return;
  m_info = reply->text().value_or("");
  std::string runId;
  const std::string_view text = m_info;
  if (const auto at = text.find("run_id:"); at != std::string_view::npos)
    runId = text.substr(at + 7, 40);
  const bool restarted = !m_runId.empty() && !runId.empty() && runId != m_runId;
  m_runId = std::move(runId);
  if (restarted)
    m_log.serverRestarted();
  reconnected(restarted);
}

void NodeDriver::Core::readCommands(const Result<Reply> &reply) {
  if (reply)
    m_server = readServerFeatures(std::exchange(m_info, {}), *reply);
}

void NodeDriver::Core::reconnected(bool restarted) {
  const ReentrancyGuard visit(*this);
  const auto now = SteadyClock::now();
  for (const auto &[key, entry] : m_entries)
    entry->placesUntil = {}; // it may be another server, which knows of none
  tellReconnected(0, restarted, now);
}

NodeDriver::NodeDriver(Loop &loop, Uri node, Options options) : m_core(std::make_unique<Core>(loop, std::move(node), std::move(options))) {}
NodeDriver::~NodeDriver() = default;
void NodeDriver::onState(Connection::StateHandler handler) { m_core->onState(std::move(handler)); }
void NodeDriver::open() { m_core->open(); }
Connection::State NodeDriver::state() const { return m_core->connection().state(); }
const Error *NodeDriver::why() const { return m_core->connection().why(); }
std::uint64_t NodeDriver::commandsSent() const { return m_core->commandsSent(); }
Metrics NodeDriver::metrics() const { return m_core->metrics(); }
bool NodeDriver::isSettled() const { return m_core->isSettled(); }
void NodeDriver::whenSettled(Loop::Task task) { m_core->whenSettled(std::move(task)); }

NodeDriver::Core::LockEntry::LockEntry(Core &core, const Primitive &kind, LockName lock)
    : waitQueue(waitQueueFor(kind.line()), core.m_options.handoffLimit),
      cohort(LocalWaitQueue::Kind::Cohort, std::min(core.m_options.handoffLimit, HandoffLock::fencesOfAGrant)), primitive(kind), name(std::move(lock)),
      driver(core), book{core.m_books.of(kind), core.m_log, name} {}

void NodeDriver::Core::LockEntry::stands(bool hears) {
  const ReentrancyGuard visit(driver);
  waitQueue.forgetOwn();
  waitQueue.tellAskers({hears ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}, SteadyClock::now());
}

void NodeDriver::Core::LockEntry::heard(std::string_view) {
  const ReentrancyGuard visit(driver);
  const auto now = SteadyClock::now();
  if (waitQueue.inside() == nullptr && !waitQueue.expectsOwn())
    book.freedAt = now;
  waitQueue.heard(now);
}

void NodeDriver::Core::LockEntry::gap() {
  const ReentrancyGuard visit(driver);
  waitQueue.forgetOwn();
  waitQueue.lookAgain(SteadyClock::now());
}

} // namespace lockhouse
