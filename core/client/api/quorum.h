// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/quorum/quorum_driver_options.h"
#include "core/client/support/metrics.h"
#include "core/lock/options/lock_options.h"
#include "core/lock/primitives/primitive.h"

#include <span>
#include <string>

namespace lockhouse {

class Lock;
class QuorumRuntime;

struct QuorumOptions {
  ConnectionOptions connection = {};
  Loop::Wait wait = Loop::Wait::Awake; ///< as of Client
  milliseconds closeLimit{2000};       ///< how long the destructor waits until everything held is given back
  RestartGuard restartGuard = RestartGuard::Uptime;
  milliseconds longestLease{30000};             ///< that any client of these nodes uses: how long a restarted node does not vote
  std::optional<milliseconds> nodeTimeout = {}; ///< how long one node's vote is waited for; nothing = see QuorumDriver::Options
  OwnerOptions owners = {};                     ///< as of Client; the same at each node
  LogSink log = {};                             ///< as of Client; what is about one node under its name, what is about a lock under none
};

/// RedLocks: each held at more than half of several independent nodes. Any thread. Owns a loop with its thread and a connection to
/// each node, which reconnects by itself.
///
///   auto quorum = lockhouse::Quorum::connect({"redis://a:6379", "redis://b:6379", "redis://c:6379"});
///   if (auto held = quorum->redLock(LockName("order:7")).acquire()) … else puts(held.error().sentence().c_str());
///
/// Redis: see redLockInfo(); INFO after each connect. Promised: what redLockInfo() promises. Not promised: exclusion when more than
/// half of the nodes forget a lock, or let time jump; use a fence where that must not hurt.
/// Source: Redis documentation, "Distributed Locks with Redis" (Redlock).
class Quorum {
public:
  /// Connects, blocking, until every node has told who it is or cannot be reached; at most connectTimeout, and no longer than a
  /// quarter of a second after a quorum has answered.
  /// Usage: no node, an even number, more than 31, an address or a server twice, a replica, a cluster node, a sentinel. Unreachable:
  /// fewer than a quorum answer, with what each says. Of one node it is a lock of one node.
  static Result<Quorum> connect(std::vector<Uri> nodes, QuorumOptions options = {});
  static Result<Quorum> connect(std::span<const std::string> uris, QuorumOptions options = {});
  /// Gives back what is held, cancels what waits, and ends the thread; waits at most closeLimit. Not on the loop thread. In a forked
  /// child as ~Client().
  ~Quorum();
  Quorum(Quorum &&) noexcept;
  Quorum &operator=(Quorum &&) noexcept;

  /// In the format of Mutex, or of `primitive`: with its keys at each node, and its readers or permits, but without its line, whose first
  /// would be another at each node. Of so many permits as LockMode::capacity a hold needs more than half of the nodes, see quorumOf().
  /// Policies: those of redLockInfo(). A refusal lists each node's vote. Wrong options: every acquire fails with Usage.
  /// Contract: QuorumSession.
  Lock redLock(LockName name, LockOptions options = {}) const;
  Lock redLock(const Primitive &primitive, LockName name, LockOptions options = {}) const;

  std::vector<NodeStanding> standings() const; ///< of each node, now; empty in a forked child
  /// What was seen so far: of the locks as a whole, and of each node. As of Client::metrics() otherwise.
  Metrics metrics() const;
  std::uint64_t commandsSent() const;

private:
  explicit Quorum(std::shared_ptr<QuorumRuntime> runtime);

  std::shared_ptr<QuorumRuntime> m_runtime; // shared with locks and handles, which may outlive the quorum
};

/// What Quorum::connect() checks before it connects, and the lab for its runs: their number, and no address twice.
Result<void> checkQuorum(std::span<const Uri> nodes);

} // namespace lockhouse
