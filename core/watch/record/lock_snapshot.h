// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/watch/record/lock_record.h"
#include "core/watch/record/refused_keys.h"

#include <memory>
#include <span>

namespace lockhouse {

enum class NodeState { Connecting, Live, Stale, Down };
enum class FeedKind { None, Tracking, Keyspace, Poll };

std::string_view name(NodeState state); ///< "connecting", "live", "stale", "down"
std::string_view name(FeedKind feed);   ///< "none", "tracking", "keyspace", "poll"

/// How much is known of one node, and how surely.
struct NodeStatus {
  NodeId id;           ///< the address, with "/db" behind it where one address is watched twice
  std::string address; ///< "host:port" or a socket path
  int db = 0;
  std::string role;        ///< "master", "replica", "" while unknown
  bool isReadOnly = false; ///< a replica that takes no writes
  std::string runId;
  std::string replicationId;       ///< a master's and its replicas' alike
  std::string formerReplicationId; ///< of a master: what that was while it was a replica, or before it was restarted; empty: it was seen as neither
  bool isCluster = false;          ///< one of several masters that share the names among them
  std::size_t clusterMasters = 0;  ///< of its cluster, that serve slots, watched or not, as it said last; 0: it did not say
  std::string version;             ///< of the server
  std::vector<int> databases = {}; ///< of the server that hold keys, this one or not
  NodeState state = NodeState::Connecting;
  FeedKind feed = FeedKind::None;
  std::optional<Error> error; ///< why Down, Stale, a lesser feed, or a replica without its master
  std::optional<NodeId> twin; ///< Down because this node watches the same database of the same server
  std::optional<SteadyTime> staleSince;
  std::optional<SteadyTime> exactAsOf;                  ///< every change before this instant is in the snapshot (barrier); nothing while polling
  bool scanComplete = false;                            ///< at least one sweep of this epoch has ended
  std::uint64_t keysRefused = 0;                        ///< of keysScanned, how many may not or cannot be read: locks among them are not known
  Refusals refusedFor{};                                ///< why
  std::shared_ptr<const RefusedKeys> refused = {};      ///< … and which; null: if any, it may be any
  std::shared_ptr<const RefusedKeys> refusedSince = {}; ///< those of which the feed has told since that sweep began; null: none
  bool slotsMoved = false;                              ///< … or slots of its cluster moved while it was swept: locks in them may have been missed
  bool slotsTold = true;                                ///< false: whether they moved is not known, for its cluster did not say
  std::uint64_t keysCut = 0;                            ///< the same, how many are too long to be read whole: locks in them may have been missed
  std::uint64_t keysScanned = 0;                        ///< by the last complete sweep, or so far by the first
  std::optional<SteadyTime> scannedAt;                  ///< when the last complete sweep ended
  std::uint64_t divergences = 0;                        ///< sweeps' finds that no hint had announced, since start
  double load = 0;                                      ///< our share of the server's time in the last seconds, 0 … 1, estimated
};

/// Whether a key of this name may lie on a node though none was seen there: it is not followed, slots move, or such a key is among those that
/// could not be read.
bool mayHaveUnseen(const NodeStatus &node, std::string_view key);

/// Databases of the server of `node` that hold keys and that none of `nodes` watches; told of the first of these that is of this server, of others
/// none.
std::vector<int> unwatchedDatabases(const NodeStatus &node, std::span<const NodeStatus> nodes);

/// How many masters of their cluster serve slots and are none of `nodes`, as those tell that are followed; 0: none, or they do not tell. At least so
/// many where the masters of several clusters are watched.
std::size_t unwatchedMasters(std::span<const NodeStatus> nodes);

/// Everything the watcher knows at one instant; immutable, shared between threads.
struct LockSnapshot {
  std::uint64_t revision = 0; ///< grows with every snapshot
  SteadyTime at{};
  std::vector<NodeStatus> nodes;    ///< in the order the user named them
  std::vector<LockRecordPtr> locks; ///< sorted by id, members folded; low-confidence records included

  /// The record of a lock, or the row that its hold on this node is a member of; null if there is none. Binary searches.
  LockRecordPtr find(const LockId &id) const;

private:
  LockRecordPtr row(const LockId &id) const;
};

using LockSnapshotPtr = std::shared_ptr<const LockSnapshot>;

} // namespace lockhouse
