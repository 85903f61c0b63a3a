// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/client/node/driver_base.h"
#include "core/client/node/local_wait_queue.h"
#include "core/client/node/lock_metrics_recorder.h"
#include "core/client/quorum/quorum_node.h"
#include "core/lock/options/lock_options.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class QuorumRound;

/// Runs locks over several independent nodes, all on one loop: owns their rounds, and a Connection for each node. Loop thread only, except
/// commandsSent().
///
/// Redis: of each node what the primitive sends, all nodes at the same time; INFO after each connect (run id, uptime, role, mode).
/// A node that is a replica or of a cluster, or another name of a node that is here already, does not vote, and its vote says why.
/// Waiters of one driver for one lock form a local queue, as in NodeDriver.
class QuorumDriver final : public DriverBase {
public:
  using Options = QuorumDriverOptions;
  using Standing = NodeStanding;
  using StandingHandler = std::move_only_function<void(std::size_t node)>;

  /// One lock as this driver knows it.
  struct LockEntry {
    LockEntry(QuorumDriver &driver, const Primitive &kind, LockName lock);

    LocalWaitQueue waitQueue;
    const Primitive &primitive;
    LockName name;
    LockStats stats;
    unsigned users = 0; // rounds and sessions that point here
  };

  /// 1 … mostMembers nodes.
  QuorumDriver(Loop &loop, std::vector<Uri> nodes, Options options);
  /// Drops what is under way. Holds are not released: see whenSettled(). Its sessions must have ended.
  ~QuorumDriver();

  /// Called after each change of standing(node); set before open().
  void onStanding(StandingHandler handler) { m_onStanding = std::move(handler); }
  void open();
  std::size_t size() const { return m_nodes.size(); }
  Standing standing(std::size_t node) const { return m_nodes[node].standing(); }
  /// How many nodes are connected and have said who they are.
  std::size_t answering() const;
  std::uint64_t commandsSent() const; ///< any thread
  Metrics metrics() const;            ///< since this driver was made

  // For sessions and rounds.
  const Options &options() const { return m_options; }
  QuorumNode &node(std::size_t number) { return m_nodes[number]; }
  Result<LockToken> newToken(const Primitive &primitive) { return m_owners.fresh(primitive, ++m_numbers, m_owners.needsTime() ? wallNow() : WallTime{}); }
  std::uint64_t nextSeed() { return m_jitter.next(); }
  /// How long the vote of one node is waited for.
  std::chrono::nanoseconds nodeTime(milliseconds lease) const;
  LockEntry &entry(const Primitive &primitive, const LockName &name);
  void leaveEntry(LockEntry &entry);
  QuorumRound &newRound(LockEntry &entry, LockToken token, const LockOptions &options);

private:
  void nodeReady(std::size_t number, bool restarted);
  void findTwins();

  Options m_options;
  ConnectionLog m_log; // of the locks; each node has its own
  std::string m_clientId;
  OwnerIds m_owners;
  Jitter m_jitter;
  StandingHandler m_onStanding;
  LockStatsTable m_metrics;                                              // the entries point into it
  std::unordered_map<std::string, std::unique_ptr<LockEntry>> m_entries; // by primitive and name
  std::uint64_t m_numbers = 0;
  std::deque<QuorumNode> m_nodes; // last: their handlers end before what they use
};

} // namespace lockhouse
