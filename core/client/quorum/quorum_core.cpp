// SPDX-License-Identifier: Apache-2.0
#include "core/client/quorum/quorum_core.h"
#include "core/client/quorum/quorum_round.h"

#include <algorithm>
#include <utility>

namespace lockhouse {
namespace {

constexpr std::chrono::nanoseconds shortestNodeTime = milliseconds(5);
constexpr std::chrono::nanoseconds longestNodeTime = seconds(1);

} // namespace

QuorumDriver::Core::Core(Loop &loop, std::vector<Uri> nodes, Options options)
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

QuorumDriver::Core::~Core() {
  beginEnd(); // what ends below must not reach for the timer and the connections any more
  for (auto &node : m_nodes)
    node.close();
  destroyAll();
}

void QuorumDriver::Core::open() {
  for (auto &node : m_nodes)
    node.open();
}

std::uint64_t QuorumDriver::Core::commandsSent() const {
  std::uint64_t all = 0;
  for (const auto &node : m_nodes)
    all += node.commandsSent();
  return all;
}

Metrics QuorumDriver::Core::metrics() const {
  Metrics all{.locks = m_books.all(), .subscriptions = 0, .commands = 0, .connects = 0, .connected = answering() >= quorumOf(size()), .nodes = {}};
  for (const auto &node : m_nodes) {
    const auto &one = all.nodes.emplace_back(node.metrics());
    all.commands += one.commands;
    all.connects += one.connects;
  }
  return all;
}

std::size_t QuorumDriver::Core::answering() const { return static_cast<std::size_t>(std::ranges::count_if(m_nodes, &QuorumNode::isReady)); }

std::chrono::nanoseconds QuorumDriver::Core::nodeTime(milliseconds lease) const {
  const std::chrono::nanoseconds third = std::chrono::nanoseconds(lease) / 3;
  if (m_options.nodeTimeout)
    return std::min<std::chrono::nanoseconds>(std::max(*m_options.nodeTimeout, milliseconds(1)), third);
  return std::min(std::clamp(std::chrono::nanoseconds(lease) / 20, shortestNodeTime, longestNodeTime), third);
}

void QuorumDriver::Core::nodeReady(std::size_t number, bool restarted) {
  const ReentrancyGuard visit(*this);
  findTwins();
  const auto now = SteadyClock::now();
  tellReconnected(number, restarted, now);
  std::vector<LockEntry *> entries;
  for (const auto &[key, entry] : m_entries) {
    ++entry->users;
    entries.push_back(entry.get());
  }
  for (auto *entry : entries) {
    entry->waitQueue.tellAskers({AcquireEvent::Kind::Woken}, now);
    leaveEntry(*entry);
  }
  if (m_onStanding)
    m_onStanding(number);
}

void QuorumDriver::Core::findTwins() {
  for (std::size_t i = 0; i < m_nodes.size(); ++i) {
    const std::string *twin = nullptr;
    for (std::size_t earlier = 0; earlier < i && twin == nullptr; ++earlier)
      if (!m_nodes[i].runId().empty() && m_nodes[earlier].runId() == m_nodes[i].runId())
        twin = &m_nodes[earlier].address();
    m_nodes[i].setTwin(twin);
  }
}

std::string QuorumDriver::Core::keyOf(const Primitive &primitive, const LockName &name) {
  std::string key(primitive.info().name);
  return key.append(1, ' ').append(name.bytes());
}

QuorumDriver::Core::LockEntry &QuorumDriver::Core::entry(const Primitive &primitive, const LockName &name) {
  auto &entry = m_entries[keyOf(primitive, name)];
  if (!entry)
    entry = std::make_unique<LockEntry>(*this, primitive, name);
  ++entry->users;
  return *entry;
}

// Lines at the servers are not stood in: each would have a first of its own.
LocalWaitQueue::Kind QuorumDriver::Core::waitQueueFor(const Primitive &primitive) {
  return primitive.hasReaders() || primitive.hasPermits() ? LocalWaitQueue::Kind::WhileFull : LocalWaitQueue::Kind::InClient;
}

void QuorumDriver::Core::leaveEntry(LockEntry &entry) {
  if (--entry.users == 0)
    m_entries.erase(keyOf(entry.primitive, entry.name));
}

QuorumRound &QuorumDriver::Core::newRound(LockEntry &entry, LockToken token, const LockOptions &options) {
  return lodge<QuorumRound>(*this, entry, std::move(token), options);
}

QuorumDriver::QuorumDriver(Loop &loop, std::vector<Uri> nodes, Options options) : m_core(std::make_unique<Core>(loop, std::move(nodes), std::move(options))) {}
QuorumDriver::~QuorumDriver() = default;
void QuorumDriver::onStanding(StandingHandler handler) { m_core->onStanding(std::move(handler)); }
void QuorumDriver::open() { m_core->open(); }
std::size_t QuorumDriver::size() const { return m_core->size(); }
QuorumDriver::Standing QuorumDriver::standing(std::size_t node) const { return m_core->node(node).standing(); }
std::uint64_t QuorumDriver::commandsSent() const { return m_core->commandsSent(); }
Metrics QuorumDriver::metrics() const { return m_core->metrics(); }
std::size_t QuorumDriver::answering() const { return m_core->answering(); }
bool QuorumDriver::isSettled() const { return m_core->isSettled(); }
void QuorumDriver::whenSettled(Loop::Task task) { m_core->whenSettled(std::move(task)); }

} // namespace lockhouse
