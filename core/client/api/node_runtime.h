// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"
#include "core/client/api/client_runtime.h"
#include "core/client/node/node_driver.h"
#include "core/client/support/outage_clock.h"

#include <deque>
#include <future>
#include <mutex>

namespace lockhouse {

/// The loop, the drivers and the holds of a Client at its node, or of a NodeGroup at several.
class NodeRuntime : public ClientRuntime {
public:
  NodeRuntime(std::vector<Uri> nodes, const ClientOptions &options);
  ~NodeRuntime() override { close(); }

  /// Connects to all, blocking. The first error of a node is the error of all.
  Result<void> open();

  // Any thread.
  std::size_t size() const { return m_nodes.size(); }
  const std::string &address(std::size_t node) const { return m_nodes[node].address; }
  std::vector<Metrics> metrics(); ///< of each node
  SteadyClock::duration outage(std::span<const std::size_t> nodes) const override;
  void log(LogEvent event) override;

  NodeDriver &driver(std::size_t node = 0) { return *m_nodes[node].driver; } ///< loop thread only

private:
  struct Node {
    std::string address;
    std::unique_ptr<NodeDriver> driver;
    OutageClock outage;
  };

  std::future<Result<void>> open(Node &node);
  std::vector<Metrics> currentMetrics() const;
  std::uint64_t sent() const override;
  void whenSettled(Loop::Task task) override;
  void endConnections() override;
  void abandonConnections() noexcept override;

  LogSink m_logSink;
  std::deque<Node> m_nodes;
  std::mutex m_mutex;                 // guards m_lastMetrics
  std::vector<Metrics> m_lastMetrics; // when the client was closed
};

} // namespace lockhouse
