// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/lock_driver_core.h"
#include "core/client/node/lock_tenure.h"
#include "core/lock/primitives/handoff/handoff_lock.h"

#include <utility>

namespace lockhouse {
namespace {

KeyGate::Kind gateFor(Primitive::Line line) {
  switch (line) {
  case Primitive::Line::InClient: return KeyGate::Kind::InClient;
  case Primitive::Line::AtServer: return KeyGate::Kind::AtServer;
  case Primitive::Line::WhileFull: return KeyGate::Kind::WhileFull;
  }
  return KeyGate::Kind::InClient;
}

} // namespace

LockDriver::Core::Core(Loop &loop, Uri node, Options options)
    : DriverTurns(loop), m_options(std::move(options)), m_address(node.address()), m_log(m_options.log, m_address), m_clientId(randomUuid().value_or("")),
      m_owners(m_options.owners, m_clientId), m_jitter(randomSeed()), m_ears(loop, node, m_options.connection), m_inbox(*this),
      m_connection(loop, node, m_options.connection), m_acknowledgedLane(loop, std::move(node), m_options.connection) {
  m_connection.onLeaving([this] { m_releases.leave(); });
  m_connection.onState([this](Connection::State state, const Error *why) { stateChanged(state, why); });
  m_connection.onScriptsFlushed([this] { m_log.scriptsFlushed(); });
  m_acknowledgedLane.onBack([this] { reconnected(false); });
  m_ears.onLine([this](const Error *why) {
    if (why != nullptr)
      m_log.messagesInterrupted(*why);
    else
      m_log.messagesBack();
  });
}

LockDriver::Core::~Core() {
  beginEnd(); // what ends below must not reach for the timer and the connections any more
  m_connection.close();
  m_ears.close();
  m_acknowledgedLane.close();
  sendAway();
}

void LockDriver::Core::open() { m_connection.open(); }

std::uint64_t LockDriver::Core::commandsSent() const { return m_connection.counters().commands + m_acknowledgedLane.sent() + m_ears.sent(); }

Metrics LockDriver::Core::metrics() const {
  return {.locks = m_books.all(),
          .subscriptions = m_ears.count(),
          .commands = commandsSent(),
          .connects = m_connection.counters().connects,
          .connected = m_connection.state() == Connection::State::Ready,
          .nodes = {}};
}

LockDriver::Core::Door &LockDriver::Core::door(const Primitive &primitive, const LockName &name) {
  std::string key(primitive.info().name);
  key.append(1, ' ').append(name.bytes());
  auto &door = m_doors[std::move(key)];
  if (!door)
    door = std::make_unique<Door>(*this, primitive, name);
  ++door->users;
  return *door;
}

void LockDriver::Core::leaveDoor(Door &door) {
  if (--door.users > 0)
    return;
  m_ears.drop(door);
  std::string key(door.primitive.info().name);
  key.append(1, ' ').append(door.name.bytes());
  m_doors.erase(key);
}

LockTenure &LockDriver::Core::newTenure(Door &door) { return lodge<LockTenure>(*this, door); }

void LockDriver::Core::handOnSoon(LockTenure &tenure) {
  m_handingOn.push_back(&tenure);
  if (m_handingOn.size() == 1)
    loop().post([this, alive = std::weak_ptr(m_alive)] {
      if (!alive.expired())
        handOn();
    });
}

void LockDriver::Core::handOn() {
  const Visit visit(*this);
  for (auto *tenure : std::exchange(m_handingOn, {}))
    tenure->handOn();
}

void LockDriver::Core::askSoon(LockTenure &tenure) {
  m_askingSoon.push_back(&tenure);
  if (m_askingSoon.size() == 1)
    loop().post([this, alive = std::weak_ptr(m_alive)] {
      if (alive.expired() || isEnding())
        return;
      const Visit visit(*this);
      const auto now = SteadyClock::now();
      for (auto *asking : std::exchange(m_askingSoon, {}))
        if (asking->isUnsent()) // what one of them is told may end another's
          asking->sendAsk(now);
    });
}

void LockDriver::Core::stateChanged(Connection::State state, const Error *why) {
  m_releases.leave();
  m_releases.reconnected();
  for (const auto &[key, door] : m_doors)
    for (auto *tenure : door->asks.takeAll()) // none of them shall wait for answers that do not come
      askSoon(*tenure);
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

void LockDriver::Core::readInfo(const Result<Reply> &reply) {
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

void LockDriver::Core::readCommands(const Result<Reply> &reply) {
  if (reply)
    m_server = readServerFeatures(std::exchange(m_info, {}), *reply);
}

void LockDriver::Core::reconnected(bool restarted) {
  const Visit visit(*this);
  const auto now = SteadyClock::now();
  for (const auto &[key, door] : m_doors)
    door->placesUntil = {}; // it may be another server, which knows of none
  tellReconnected(0, restarted, now);
}

LockDriver::LockDriver(Loop &loop, Uri node, Options options) : m_core(std::make_unique<Core>(loop, std::move(node), std::move(options))) {}
LockDriver::~LockDriver() = default;
void LockDriver::onState(Connection::StateHandler handler) { m_core->onState(std::move(handler)); }
void LockDriver::open() { m_core->open(); }
Connection::State LockDriver::state() const { return m_core->connection().state(); }
const Error *LockDriver::why() const { return m_core->connection().why(); }
std::uint64_t LockDriver::commandsSent() const { return m_core->commandsSent(); }
Metrics LockDriver::metrics() const { return m_core->metrics(); }
bool LockDriver::isSettled() const { return m_core->isSettled(); }
void LockDriver::whenSettled(Loop::Task task) { m_core->whenSettled(std::move(task)); }

LockDriver::Core::Door::Door(Core &core, const Primitive &kind, LockName lock)
    : gate(gateFor(kind.line()), core.m_options.handoffLimit),
      cohort(KeyGate::Kind::Cohort, std::min(core.m_options.handoffLimit, HandoffLock::fencesOfAGrant)), primitive(kind), name(std::move(lock)), driver(core),
      book{core.m_books.of(kind), core.m_log, name} {}

void LockDriver::Core::Door::stands(bool hears) {
  const Visit visit(driver);
  gate.forgetOwn();
  gate.tellAskers({hears ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}, SteadyClock::now());
}

void LockDriver::Core::Door::heard(std::string_view) {
  const Visit visit(driver);
  const auto now = SteadyClock::now();
  if (gate.inside() == nullptr && !gate.expectsOwn())
    book.freedAt = now;
  gate.heard(now);
}

void LockDriver::Core::Door::gap() {
  const Visit visit(driver);
  gate.forgetOwn();
  gate.lookAgain(SteadyClock::now());
}

} // namespace lockhouse
