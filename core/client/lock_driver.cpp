// SPDX-License-Identifier: Apache-2.0
#include "core/client/lock_driver_core.h"
#include "core/client/lock_tenure.h"

#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds earLinger{100}; // how long a subscription outlives its last waiter, lest every handoff makes a new one

} // namespace

LockDriver::Core::Core(Loop &loop, Uri node, Options options)
    : m_loop(loop), m_options(std::move(options)), m_address(node.address()), m_clientId(randomUuid().value_or("")), m_jitter(randomSeed()), m_timer(loop),
      m_subscriber(loop, node, m_options.connection), m_connection(loop, std::move(node), m_options.connection) {
  m_connection.onLeaving([this] { m_releases.leave(); });
  m_connection.onState([this](Connection::State state, const Error *why) { stateChanged(state, why); });
  m_subscriber.onMessage([this](const Subscriber::Message &message) { heard(message.channel); });
  m_subscriber.onGap([this](const Error &) { gap(); });
  m_subscriber.onUp([this](std::int64_t) { gap(); });
}

LockDriver::Core::~Core() {
  m_ending = true; // what ends below must not reach for the timer and the connections any more
  m_connection.close();
  m_subscriber.close();
}

void LockDriver::Core::open() { m_connection.open(); }

std::uint64_t LockDriver::Core::commandsSent() const { return m_connection.counters().commands + m_subscriptions.load(std::memory_order_relaxed); }

void LockDriver::Core::whenSettled(Loop::Task task) {
  if (isSettled())
    task();
  else
    m_settleTasks.push_back(std::move(task));
}

void LockDriver::Core::countUnsettled(int change) {
  m_unsettled += change;
  if (m_unsettled > 0 || m_settleTasks.empty())
    return;
  for (auto &task : std::exchange(m_settleTasks, {}))
    m_loop.post(std::move(task)); // not here: a tenure is in the middle of something
}

void LockDriver::Core::setAlarm(AlarmHeap::Alarm &alarm, SteadyTime when) {
  m_alarms.set(alarm, when);
  if (m_alarms.next() < m_armed && !m_ending)
    arm();
}

void LockDriver::Core::arm() {
  m_armed = m_alarms.next();
  if (m_armed != AlarmHeap::never)
    m_timer.after(m_armed - SteadyClock::now(), [this] { ring(); });
}

void LockDriver::Core::ring() {
  const Visit visit(*this);
  const auto now = SteadyClock::now();
  m_armed = now; // nothing that is set while we ring needs the timer
  while (auto *alarm = m_alarms.takeDue(now))
    alarm->ring(now);
  arm();
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
  door.gate.listeners = 0;
  trimEar(door);
  m_alarms.drop(door);
  std::string key(door.primitive.info().name);
  key.append(1, ' ').append(door.name.bytes());
  m_doors.erase(key);
}

LockTenure &LockDriver::Core::newTenure(Door &door) {
  m_tenures.push_back(std::make_unique<LockTenure>(*this, door));
  m_tenures.back()->number = m_tenures.size() - 1;
  return *m_tenures.back();
}

void LockDriver::Core::retire(LockTenure &tenure) { m_retired.push_back(&tenure); }

void LockDriver::Core::sweep() {
  while (!m_retired.empty()) {
    const auto place = m_retired.back()->number;
    m_retired.pop_back();
    const auto done = std::exchange(m_tenures[place], nullptr);
    if (place + 1 != m_tenures.size()) {
      m_tenures[place] = std::move(m_tenures.back());
      m_tenures[place]->number = place;
    }
    m_tenures.pop_back();
  }
}

void LockDriver::Core::stateChanged(Connection::State state, const Error *why) {
  m_releases.leave();
  m_releases.reconnected();
  if (state == Connection::State::Ready)
    m_connection.send({"INFO", "server"}, [this](Result<Reply> reply) { readRunId(reply); });
  if (m_onState)
    m_onState(state, why);
}

void LockDriver::Core::readRunId(const Result<Reply> &reply) {
  if (!reply) // lost again: the next connection asks again
    return;
  std::string runId;
  const auto text = reply->text().value_or("");
  if (const auto at = text.find("run_id:"); at != std::string_view::npos)
    runId = text.substr(at + 7, 40);
  const bool restarted = !m_runId.empty() && !runId.empty() && runId != m_runId;
  m_runId = std::move(runId);
  reconnected(restarted);
}

void LockDriver::Core::reconnected(bool restarted) {
  const Visit visit(*this);
  const auto now = SteadyClock::now();
  for (std::size_t i = 0; i < m_tenures.size(); ++i) // by index: a holder who is told of a loss may make new ones
    m_tenures[i]->reconnected(restarted, now);
}

LockDriver::LockDriver(Loop &loop, Uri node, Options options) : m_core(std::make_unique<Core>(loop, std::move(node), std::move(options))) {}
LockDriver::~LockDriver() = default;
void LockDriver::onState(Connection::StateHandler handler) { m_core->onState(std::move(handler)); }
void LockDriver::open() { m_core->open(); }
Connection::State LockDriver::state() const { return m_core->connection().state(); }
const Error *LockDriver::why() const { return m_core->connection().why(); }
std::uint64_t LockDriver::commandsSent() const { return m_core->commandsSent(); }
bool LockDriver::isSettled() const { return m_core->isSettled(); }
void LockDriver::whenSettled(Loop::Task task) { m_core->whenSettled(std::move(task)); }

// Listening.

bool LockDriver::Core::listen(Door &door) {
  auto &gate = door.gate;
  ++gate.listeners;
  if (gate.ear != KeyGate::Ear::Deaf)
    return gate.ear == KeyGate::Ear::Hears;
  if (!std::exchange(m_subscriberOpen, true))
    m_subscriber.open();
  gate.ear = KeyGate::Ear::Asked;
  const auto channel = door.primitive.wakeChannel(door.name);
  m_ears[channel] = &door;
  m_subscriptions.fetch_add(1, std::memory_order_relaxed);
  m_subscriber.subscribe(channel, [this, channel](Result<void> result) { subscribed(channel, result); });
  return false;
}

void LockDriver::Core::subscribed(const Channel &channel, const Result<void> &result) {
  if (m_ending)
    return;
  const Visit visit(*this);
  const auto found = m_ears.find(channel);
  if (found == m_ears.end())
    return;
  auto &gate = found->second->gate;
  gate.ear = result ? KeyGate::Ear::Hears : KeyGate::Ear::Deaf;
  gate.forgetOwn();
  if (!result) {
    m_ears.erase(found);
    m_subscriber.unsubscribe(channel); // it would remember the channel if only its connection was lost
  }
  gate.tellFirst({result ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}, SteadyClock::now());
}

void LockDriver::Core::stopListening(Door &door, SteadyTime now) {
  if (door.gate.listeners == 0)
    return;
  --door.gate.listeners;
  if (door.gate.listeners == 0)
    setAlarm(door, now + earLinger);
}

void LockDriver::Core::trimEar(Door &door) {
  if (door.gate.listeners > 0 || door.gate.ear == KeyGate::Ear::Deaf || m_ending)
    return;
  const auto channel = door.primitive.wakeChannel(door.name);
  door.gate.ear = KeyGate::Ear::Deaf;
  m_ears.erase(channel);
  m_subscriptions.fetch_add(1, std::memory_order_relaxed);
  m_subscriber.unsubscribe(channel);
}

void LockDriver::Core::heard(std::string_view channel) {
  const Visit visit(*this);
  if (const auto found = m_ears.find(Channel(channel)); found != m_ears.end())
    found->second->gate.heard(SteadyClock::now());
}

void LockDriver::Core::gap() {
  const Visit visit(*this);
  const auto now = SteadyClock::now();
  std::vector<Channel> channels;
  for (const auto &[channel, door] : m_ears)
    channels.push_back(channel);
  for (const auto &channel : channels)
    if (const auto found = m_ears.find(channel); found != m_ears.end()) {
      found->second->gate.forgetOwn();
      found->second->gate.lookAgain(now);
    }
}

} // namespace lockhouse
