// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/node_runtime.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

NodeRuntime::NodeRuntime(std::vector<Uri> nodes, const ClientOptions &options) : ClientRuntime(options.wait, options.closeLimit), m_logSink(options.log) {
  loop().call([&] {
    for (auto &uri : nodes) {
      auto &node = m_nodes.emplace_back();
      node.address = uri.address();
      node.driver = std::make_unique<NodeDriver>(loop(), std::move(uri),
                                                 NodeDriver::Options{.connection = options.connection, .log = options.log, .owners = options.owners});
    }
  });
}

Result<void> NodeRuntime::open() {
  std::vector<std::future<Result<void>>> answers;
  loop().call([&] {
    for (auto &node : m_nodes)
      answers.push_back(open(node));
  });
  Result<void> all;
  for (auto &answer : answers)
    if (auto result = answer.get(); all && !result)
      all = std::move(result);
  return all;
}

std::future<Result<void>> NodeRuntime::open(Node &node) {
  auto answer = std::make_shared<std::promise<Result<void>>>();
  auto first = answer->get_future();
  node.driver->onState([&node, answer](Connection::State state, const Error *why) mutable {
    node.outage.set(state != Connection::State::Ready);
    if (!answer || state == Connection::State::Connecting)
      return;
    if (state == Connection::State::Ready)
      answer->set_value({});
    else
      answer->set_value(std::unexpected(why != nullptr ? *why : Error{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "no connection"), {}, {}}));
    answer.reset();
  });
  node.driver->open();
  return first;
}

std::vector<Metrics> NodeRuntime::currentMetrics() const {
  std::vector<Metrics> all;
  for (const auto &node : m_nodes)
    all.push_back(node.driver->metrics());
  return all;
}

std::vector<Metrics> NodeRuntime::metrics() {
  if (auto now = readOnLoop([this] { return m_nodes.front().driver ? currentMetrics() : m_lastMetrics; }))
    return std::move(*now);
  if (isForkedChild()) // before the mutex: a thread that is not here may have had it during the fork
    return std::vector<Metrics>(size());
  const std::scoped_lock guard(m_mutex);
  return m_lastMetrics;
}

SteadyClock::duration NodeRuntime::outage(std::span<const std::size_t> nodes) const {
  auto longest = SteadyClock::duration::zero();
  for (const auto node : nodes)
    longest = std::max(longest, m_nodes[node].outage.length());
  if (nodes.empty())
    for (const auto &node : m_nodes)
      longest = std::max(longest, node.outage.length());
  return longest;
}

void NodeRuntime::log(LogEvent event) {
  if (!m_logSink)
    return;
  if (m_nodes.size() == 1)
    event.node = NodeId(m_nodes.front().address);
  post([this, logged = std::move(event)] { m_logSink(logged); });
}

std::uint64_t NodeRuntime::sent() const {
  std::uint64_t all = 0;
  for (const auto &node : m_nodes)
    all += node.driver->commandsSent();
  return all;
}

void NodeRuntime::whenSettled(Loop::Task task) {
  // Counted in a task of their own, which may exist one loop turn longer than this.
  auto last = std::make_shared<std::pair<std::size_t, Loop::Task>>(m_nodes.size(), std::move(task));
  for (const auto &node : m_nodes)
    node.driver->whenSettled([last] {
      if (--last->first == 0)
        last->second();
    });
}

void NodeRuntime::endConnections() {
  auto last = currentMetrics();
  for (auto &node : m_nodes)
    node.driver.reset();
  const std::scoped_lock guard(m_mutex);
  m_lastMetrics = std::move(last);
}

void NodeRuntime::abandonConnections() noexcept {
  for (auto &node : m_nodes)
    static_cast<void>(node.driver.release());
}

} // namespace lockhouse
