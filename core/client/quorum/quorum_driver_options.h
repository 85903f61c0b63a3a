// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/support/log_event.h"
#include "core/lock/primitives/owner_id.h"
#include "core/net/connection/connection.h"

#include <optional>

namespace lockhouse {

/// Which restarts of a node cost it its vote for a while. A node that comes back without its keys would grant again what is held: it may
/// vote when every lease from before its restart must have ended.
/// Source: Redis documentation, "Distributed Locks with Redis", "Performance, crash recovery and fsync" (delayed restarts).
enum class RestartGuard : std::uint8_t {
  Uptime, ///< every node must have been up for the longest lease
  Seen,   ///< only nodes that this driver saw restart; what happened before it began is trusted
  Off,    ///< for nodes that keep every write (appendfsync always)
};

/// A node of a quorum, now.
struct NodeStanding {
  NodeId node;
  bool answered = false;         ///< connected, and it has said who it is
  std::optional<Error> why = {}; ///< why it does not vote; of a node that is up: what is wrong with it
  bool isUnfit = false;          ///< of `why`: a replica, of a cluster, or here twice; waiting does not help
  bool isTwin = false;           ///< of isUnfit: another node here is the same server
};

struct QuorumDriverOptions {
  ConnectionOptions connection;
  RestartGuard restartGuard = RestartGuard::Uptime;
  milliseconds longestLease{30000}; ///< that any client of these nodes uses; a lock's own is counted in
  /// How long the vote of one node is waited for; nothing = a twentieth of the lease, 5 ms to one second. Never longer than a third of
  /// the lease.
  std::optional<milliseconds> nodeTimeout = {};
  unsigned handoffLimit = 64;      ///< as NodeDriver's
  milliseconds recheckAfter{500};  ///< as NodeDriver's
  milliseconds releaseLimit{3000}; ///< as NodeDriver's
  LogSink log = {};                ///< as NodeDriver's: each node's connection and restarts under its name, holds under none
  OwnerOptions owners = {};        ///< as NodeDriver's; every round has an owner of its own
};

} // namespace lockhouse
