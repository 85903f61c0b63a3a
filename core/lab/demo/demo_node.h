// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/net/connection/connection.h"
#include "core/net/connection/subscriber.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lockhouse {

/// One node of the demo as its actors see it: a connection for commands, a subscribed one for wake-ups, and who can own a lock.
/// Loop thread only.
class DemoNode {
public:
  /// Of an integer reply; -1 for anything else. Not called any more when it ends: its actors have gone before it.
  using Number = std::move_only_function<void(std::int64_t)>;

  DemoNode(Loop &loop, const Uri &node, std::uint64_t seed);
  ~DemoNode() { m_ends = true; }
  DemoNode(const DemoNode &) = delete;
  DemoNode &operator=(const DemoNode &) = delete;

  void open(Loop::Task ready); ///< `ready` once, when the first commands can be sent
  Loop &loop() { return m_loop; }
  void send(Command command, Number done = {});
  /// Calls `woken` for every message on `channel` until unlisten(). One listener a channel.
  void listen(const std::string &channel, Loop::Task woken);
  void unlisten(const std::string &channel);

  milliseconds between(milliseconds least, milliseconds most);
  /// A Redisson owner: one of this node's few client instances, and a thread of it.
  std::string owner();

private:
  Loop &m_loop;
  bool m_ends = false;
  Connection m_connection;
  Subscriber m_subscriber;
  Jitter m_jitter;
  std::array<std::string, 3> m_instances;
  std::unordered_map<std::string, Loop::Task> m_listeners;
  Loop::Task m_ready;
};

/// Wall-clock milliseconds, which Redisson's deadlines count in.
std::int64_t epochMilliseconds();

} // namespace lockhouse
