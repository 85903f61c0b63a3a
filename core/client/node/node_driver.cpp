// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/node_driver.h"

#include "core/client/node/acquisition.h"

#include <utility>

namespace lockhouse {
namespace {

std::string entryKey(const Primitive &primitive, const LockName &name) {
  std::string key(primitive.info().name);
  return key.append(1, ' ').append(name.bytes());
}

} // namespace

NodeDriver::NodeDriver(Loop &loop, Uri node, Options options)
    : DriverBase(loop), m_options(std::move(options)), m_address(node.address()), m_log(m_options.log, m_address), m_clientId(randomUuid().value_or("")),
      m_owners(m_options.owners, m_clientId), m_jitter(randomSeed()), m_wakeups(loop, node, m_options.connection), m_inbox(*this),
      m_connection(loop, node, m_options.connection), m_waitConnection(loop, std::move(node), m_options.connection) {
  m_connection.beforeWrite([this] { m_releases.flush(); });
  m_connection.onState([this](Connection::State state, const Error *why) { stateChanged(state, why); });
  m_connection.onScriptsFlushed([this] { m_log.scriptsFlushed(); });
  m_probe.onIdentified([this](bool restarted) {
    if (restarted)
      m_log.serverRestarted();
    reconnected(restarted);
  });
  m_waitConnection.onBack([this] { reconnected(false); });
  m_wakeups.onInterruption([this](const Error *why) {
    if (why != nullptr)
      m_log.messagesInterrupted(*why);
    else
      m_log.messagesBack();
  });
}

NodeDriver::~NodeDriver() {
  beginEnd(); // what ends below must not use the timer and the connections any more
  m_connection.close();
  m_wakeups.close();
  m_waitConnection.close();
  destroyAll();
}

std::uint64_t NodeDriver::commandsSent() const { return m_connection.counters().commands + m_waitConnection.sent() + m_wakeups.sent(); }

Metrics NodeDriver::metrics() const {
  return {.locks = m_metrics.all(),
          .subscriptions = m_wakeups.count(),
          .commands = commandsSent(),
          .connects = m_connection.counters().connects,
          .connected = m_connection.state() == Connection::State::Ready,
          .nodes = {}};
}

LockEntry &NodeDriver::entry(const Primitive &primitive, const LockName &name) {
  auto &entry = m_entries[entryKey(primitive, name)];
  if (!entry)
    entry = std::make_unique<LockEntry>(*this, primitive, name);
  ++entry->users;
  return *entry;
}

void NodeDriver::leaveEntry(LockEntry &entry) {
  if (--entry.users > 0)
    return;
  m_wakeups.remove(entry);
  m_entries.erase(entryKey(entry.primitive, entry.name));
}

Acquisition &NodeDriver::newAcquisition(LockEntry &entry) { return newTask<Acquisition>(*this, entry); }

void NodeDriver::scheduleHandoff(Acquisition &acquisition) {
  m_scheduledHandoffs.push_back(&acquisition);
  if (m_scheduledHandoffs.size() == 1)
    loop().post([this, alive = std::weak_ptr(m_alive)] {
      if (!alive.expired())
        handOver();
    });
}

void NodeDriver::handOver() {
  const ReentrancyGuard guard(*this);
  for (auto *acquisition : std::exchange(m_scheduledHandoffs, {}))
    acquisition->handOver();
}

void NodeDriver::scheduleAsk(AcquireAttempt &attempt) {
  m_scheduledAsks.push_back(&attempt);
  if (m_scheduledAsks.size() == 1)
    loop().post([this, alive = std::weak_ptr(m_alive)] {
      if (!alive.expired() && !isEnding())
        sendAsks();
    });
}

void NodeDriver::sendAsks() {
  const ReentrancyGuard guard(*this);
  const auto now = SteadyClock::now();
  for (auto *attempt : std::exchange(m_scheduledAsks, {}))
    if (attempt->isUnsent()) // one of them may end another one
      attempt->sendAsk(now);
}

void NodeDriver::stateChanged(Connection::State state, const Error *why) {
  m_releases.flush();
  m_releases.reconnected();
  for (const auto &[key, entry] : m_entries)
    for (auto *attempt : entry->asks.takeAll()) // the replies that they wait for do not arrive any more
      scheduleAsk(*attempt);
  m_log.connection(state, why);
  if (state == Connection::State::Ready)
    m_probe.start();
  if (m_onState)
    m_onState(state, why);
}

void NodeDriver::reconnected(bool restarted) {
  const ReentrancyGuard guard(*this);
  const auto now = SteadyClock::now();
  for (const auto &[key, entry] : m_entries)
    entry->placesUntil = {}; // it may be another server, which has no places of ours
  notifyReconnected(0, restarted, now);
}

} // namespace lockhouse
