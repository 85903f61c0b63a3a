// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/client/support/log_event.h"
#include "core/client/support/metrics.h"
#include "core/lock/machines/quorum_vote.h"
#include "core/lock/primitives/owner_id.h"
#include "core/lock/primitives/primitive.h"
#include "core/net/connection/connection.h"

#include <memory>
#include <vector>

namespace lockhouse {

/// Which restarts of a node cost it its vote for a while. A node that comes back without its keys would give away once more what
/// is held: it may vote again when no lease from before its restart can live any more.
/// Source: Redis documentation, "Distributed Locks with Redis", "Performance, crash recovery and fsync" (delayed restarts).
enum class RestartGuard : std::uint8_t {
  Uptime, ///< every node must have been up for the longest lease
  Seen,   ///< only those that this driver saw restart; what happened before it began is trusted
  Off,    ///< for nodes that keep every write (appendfsync always)
};

/// Drives locks over several independent nodes, all on one loop. Loop thread only, except commandsSent(). Owns a Connection for
/// each node.
///
/// Redis: of each node what the primitive sends, all nodes at the same time; INFO after each connect (run id, uptime, role, mode).
/// A node that is a replica or of a cluster, or another name of a node that is here already, does not vote, and its vote says why.
/// Waiters of one driver for one lock stand in line here, as in NodeDriver.
class QuorumDriver {
public:
  struct Options {
    ConnectionOptions connection;
    RestartGuard restartGuard = RestartGuard::Uptime;
    milliseconds longestLease{30000}; ///< that any client of these nodes uses; a lock's own is counted in
    /// How long one node's vote is waited for; nothing = a twentieth of the lease, 5 ms to one second. Never longer than a third of
    /// the lease.
    std::optional<milliseconds> nodeTimeout = {};
    unsigned handoffLimit = 64;      ///< as NodeDriver's
    milliseconds lookAgain{500};     ///< as NodeDriver's
    milliseconds releaseLimit{3000}; ///< as NodeDriver's
    LogSink log = {};                ///< as NodeDriver's: each node's connection and restarts under its name, holds under none
    OwnerOptions owners = {};        ///< as NodeDriver's; every round has an owner of its own
  };
  /// A node as it stands now.
  struct Standing {
    NodeId node;
    bool answered = false;         ///< connected, and it has told who it is
    std::optional<Error> why = {}; ///< why it does not vote; of a node that is up: what is wrong with it
    bool isUnfit = false;          ///< of `why`: a replica, of a cluster, or here twice; waiting does not help
    bool isTwin = false;           ///< of isUnfit: another node here is the same server
  };
  using StandingHandler = std::move_only_function<void(std::size_t node)>;

  /// 1 … mostMembers nodes.
  QuorumDriver(Loop &loop, std::vector<Uri> nodes, Options options);
  /// What is under way is dropped, holds are not released: see whenSettled(). Sessions must be gone before.
  ~QuorumDriver();
  QuorumDriver(const QuorumDriver &) = delete;
  QuorumDriver &operator=(const QuorumDriver &) = delete;

  void onStanding(StandingHandler handler); ///< after each change of standing(node); set before open()
  void open();
  std::size_t size() const;
  Standing standing(std::size_t node) const;
  /// Nodes that are connected and have told who they are.
  std::size_t answering() const;

  std::uint64_t commandsSent() const; ///< any thread
  Metrics metrics() const;            ///< since this driver was made
  /// Nothing to give back, no release without an answer.
  bool isSettled() const;
  void whenSettled(Loop::Task task);

  class Core; ///< known to the sessions only
  Core &core() { return *m_core; }

private:
  std::unique_ptr<Core> m_core;
};

/// One owner of one lock over all nodes of a driver. Contract: OwnerSession; in addition, detail() lists each node's vote in the
/// last round of an acquire that failed. Loop thread only.
///
/// Rounds of asking (QuorumMachine), each with a fresh token, so that the giving back of one never touches the next; between them
/// the pauses of the policy. Contended: somebody else has it at too many nodes. Failed, after the option's patience or the wait
/// limit: too few nodes answer. No place in a server's line is taken. Re-entry (ReentrantLock) is counted here and costs nothing; each node has the count one.
class QuorumSession final : public OwnerSession {
public:
  /// `options` must have passed checkLock(), its policy must be one of redLockInfo().
  QuorumSession(QuorumDriver &driver, const Primitive &primitive, LockName name, LockOptions options);
  ~QuorumSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void release(ReleaseHandler done) override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override; ///< fails with Usage
  void cancel() override;
  void onLost(LostHandler handler) override;
  void onRenewed(RenewedHandler handler) override;
  bool isAcquiring() const override;
  bool isReleasing() const override;
  bool isHeld() const override;
  std::int64_t count() const override;
  SteadyTime validUntil() const override;
  const LockName &name() const override;
  const Error *lastError() const override;
  std::string detail() const override;
  const std::vector<NodeVote> &votes() const; ///< of the last round that failed; empty if none did

  class Core;

private:
  std::unique_ptr<Core> m_core;
};

} // namespace lockhouse
