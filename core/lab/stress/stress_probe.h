// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <deque>
#include <optional>
#include <vector>

namespace lockhouse {

/// What a run asks its servers beside its locks, over a connection of its own to each: how many commands they have run in all, by
/// INFO commandstats; and at the end UNLINK of what outlives its locks. Loop thread only. Handlers are not called any more once it has ended.
class StressProbe {
public:
  using OpenedHandler = std::move_only_function<void(Result<void>)>;
  using Handler = std::move_only_function<void(std::optional<std::uint64_t>)>;

  StressProbe(Loop &loop, const std::vector<Uri> &nodes, const ConnectionOptions &options);
  StressProbe(const StressProbe &) = delete;
  StressProbe &operator=(const StressProbe &) = delete;

  /// Connects. `opened` is told once each node is connected or has failed; an error if those are not more than half.
  void open(OpenedHandler opened);
  /// The sum over all nodes; nothing if one of them does not tell.
  void ask(Handler done);
  /// Takes these keys away, at every node, one such wish at a time; `done` when that is answered, or cannot be any more. A node that is away is
  /// cleared as soon as it is back, if the next try to connect finds it.
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
  std::vector<std::string> m_keys;    // to be taken away …
  std::vector<std::size_t> m_toClear; // … at these too, once they are back
  std::size_t m_uncleared = 0;
  Loop::Task m_cleared;
  std::deque<Connection> m_connections; // last: their handlers end before what they touch
};

} // namespace lockhouse
