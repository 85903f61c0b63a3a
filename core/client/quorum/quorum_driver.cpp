// SPDX-License-Identifier: Apache-2.0
#include "core/client/quorum/quorum_driver.h"

#include "core/client/quorum/quorum_round.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::chrono::nanoseconds shortestNodeTime = milliseconds(5);
constexpr std::chrono::nanoseconds longestNodeTime = seconds(1);

std::string entryKey(const Primitive &primitive, const LockName &name) {
  std::string key(primitive.info().name);
  return key.append(1, ' ').append(name.bytes());
}

// The queue of a server is not used: each server's would have another first waiter.
LocalWaitQueue::Kind queueKind(const Primitive &primitive) {
  return primitive.hasReaders() || primitive.hasPermits() ? LocalWaitQueue::Kind::WhileFull : LocalWaitQueue::Kind::InClient;
}

} // namespace

QuorumDriver::LockEntry::LockEntry(QuorumDriver &driver, const Primitive &kind, LockName lock)
    : waitQueue(queueKind(kind), driver.m_options.handoffLimit), primitive(kind), name(std::move(lock)), stats{driver.m_metrics.of(kind), driver.m_log, name} {}

QuorumDriver::QuorumDriver(Loop &loop, std::vector<Uri> nodes, Options options)
    : DriverBase(loop), m_options(std::move(options)), m_log(m_options.log, {}), m_clientId(randomUuid().value_or("")), m_owners(m_options.owners, m_clientId),
      m_jitter(randomSeed()) {
  for (auto &uri : nodes) {
    const auto number = m_nodes.size();
    auto &node = m_nodes.emplace_back(loop, std::move(uri), m_options);
    node.onReady([this, number](bool restarted) { nodeReady(number, restarted); });
    node.onAway([this, number] {
      if (m_onStanding)
        m_onStanding(number);
    });
  }
}

QuorumDriver::~QuorumDriver() {
  beginEnd(); // what ends below must not use the timer and the connections any more
  for (auto &node : m_nodes)
    node.close();
  destroyAll();
}

void QuorumDriver::open() {
  for (auto &node : m_nodes)
    node.open();
}

std::uint64_t QuorumDriver::commandsSent() const {
  std::uint64_t all = 0;
  for (const auto &node : m_nodes)
    all += node.commandsSent();
  return all;
}

Metrics QuorumDriver::metrics() const {
  Metrics all{.locks = m_metrics.all(), .subscriptions = 0, .commands = 0, .connects = 0, .connected = answering() >= quorumOf(size()), .nodes = {}};
  for (const auto &node : m_nodes) {
    const auto &one = all.nodes.emplace_back(node.metrics());
    all.commands += one.commands;
    all.connects += one.connects;
  }
  return all;
}

std::size_t QuorumDriver::answering() const { return static_cast<std::size_t>(std::ranges::count_if(m_nodes, &QuorumNode::isReady)); }

std::chrono::nanoseconds QuorumDriver::nodeTime(milliseconds lease) const {
  const std::chrono::nanoseconds third = std::chrono::nanoseconds(lease) / 3;
  if (m_options.nodeTimeout)
    return std::min<std::chrono::nanoseconds>(std::max(*m_options.nodeTimeout, milliseconds(1)), third);
  return std::min(std::clamp(std::chrono::nanoseconds(lease) / 20, shortestNodeTime, longestNodeTime), third);
}

void QuorumDriver::nodeReady(std::size_t number, bool restarted) {
  const ReentrancyGuard guard(*this);
  findTwins();
  const auto now = SteadyClock::now();
  notifyReconnected(number, restarted, now);
  std::vector<LockEntry *> entries;
  for (const auto &[key, entry] : m_entries) {
    ++entry->users;
    entries.push_back(entry.get());
  }
  for (auto *entry : entries) {
    entry->waitQueue.notifyAskers({AcquireEvent::Kind::Woken}, now);
    leaveEntry(*entry);
  }
  if (m_onStanding)
    m_onStanding(number);
}

void QuorumDriver::findTwins() {
  for (std::size_t i = 0; i < m_nodes.size(); ++i) {
    const std::string *twin = nullptr;
    for (std::size_t earlier = 0; earlier < i && twin == nullptr; ++earlier)
      if (!m_nodes[i].runId().empty() && m_nodes[earlier].runId() == m_nodes[i].runId())
        twin = &m_nodes[earlier].address();
    m_nodes[i].setTwin(twin);
  }
}

QuorumDriver::LockEntry &QuorumDriver::entry(const Primitive &primitive, const LockName &name) {
  auto &entry = m_entries[entryKey(primitive, name)];
  if (!entry)
    entry = std::make_unique<LockEntry>(*this, primitive, name);
  ++entry->users;
  return *entry;
}

void QuorumDriver::leaveEntry(LockEntry &entry) {
  if (--entry.users == 0)
    m_entries.erase(entryKey(entry.primitive, entry.name));
}

QuorumRound &QuorumDriver::newRound(LockEntry &entry, LockToken token, const LockOptions &options) {
  return newTask<QuorumRound>(*this, entry, std::move(token), options);
}

} // namespace lockhouse
