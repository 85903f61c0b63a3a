// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <deque>
#include <optional>
#include <vector>

namespace lockhouse {

/// What a run asks its servers apart from its locks, on a connection of its own to each: how many commands they have run, by INFO commandstats, and
/// at the end UNLINK of keys that outlive the locks. Loop thread only. No handler is called after it is destroyed.
class StressProbe {
public:
  using OpenedHandler = std::move_only_function<void(Result<void>)>;
  using Handler = std::move_only_function<void(std::optional<std::uint64_t>)>;

  StressProbe(Loop &loop, const std::vector<Uri> &nodes, const ConnectionOptions &options);
  StressProbe(const StressProbe &) = delete;
  StressProbe &operator=(const StressProbe &) = delete;

  /// Connects. `opened` is called when each node is connected or has failed; with an error unless more than half are connected.
  void open(OpenedHandler opened);
  /// The sum over all nodes; nothing if one of them does not say.
  void ask(Handler done);
  /// Deletes these keys at every node, one call at a time. `done` when all have answered or cannot. A node that is disconnected is cleared after the
  /// next reconnect.
  void clear(std::vector<std::string> keys, Loop::Task done);
  std::string address() const { return m_connections.front().uri().address(); }

private:
  struct Sum {
    Handler done;
    std::size_t left;
    std::optional<std::uint64_t> calls = 0;
  };

  void heard(std::size_t node, Connection::State state, const Error *why);
  void clearAt(std::size_t node);

  std::vector<bool> m_heard;
  std::size_t m_ready = 0;
  std::optional<Error> m_why;
  OpenedHandler m_opened;
  std::vector<std::string> m_keys;    // to be deleted …
  std::vector<std::size_t> m_toClear; // … at these too, when they are connected again
  std::size_t m_uncleared = 0;
  Loop::Task m_cleared;
  std::deque<Connection> m_connections; // last: their handlers end before what they use
};

} // namespace lockhouse
