// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/client/node/driver_base.h"
#include "core/client/node/local_wait_queue.h"
#include "core/client/quorum/quorum_node.h"
#include "core/client/support/lock_stats.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class QuorumRound;

/// What the rounds and sessions of one QuorumDriver share. Loop thread only, except commandsSent().
class QuorumDriver::Core final : public DriverBase {
public:
  /// One lock as this driver knows it.
  struct LockEntry {
    LockEntry(Core &core, const Primitive &kind, LockName lock)
        : waitQueue(waitQueueFor(kind), core.m_options.handoffLimit), primitive(kind), name(std::move(lock)), book{core.m_books.of(kind), core.m_log, name} {}
    LocalWaitQueue waitQueue;
    const Primitive &primitive;
    LockName name;
    LockStats book;
    unsigned users = 0; // rounds and sessions that point here
  };

  Core(Loop &loop, std::vector<Uri> nodes, Options options);
  ~Core();
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  void onStanding(StandingHandler handler) { m_onStanding = std::move(handler); }
  void open();
  std::size_t size() const { return m_nodes.size(); }
  QuorumNode &node(std::size_t number) { return m_nodes[number]; }
  const QuorumNode &node(std::size_t number) const { return m_nodes[number]; }
  std::uint64_t commandsSent() const;

  // For rounds and sessions.
  const Options &options() const { return m_options; }
  Metrics metrics() const;
  std::size_t answering() const;
  Result<LockToken> newOwner(const Primitive &primitive) { return m_owners.fresh(primitive, ++m_numbers, m_owners.needsTime() ? wallNow() : WallTime{}); }
  std::uint64_t nextSeed() { return m_jitter.next(); }
  std::chrono::nanoseconds nodeTime(milliseconds lease) const;
  LockEntry &entry(const Primitive &primitive, const LockName &name);
  void leaveEntry(LockEntry &entry);
  QuorumRound &newRound(LockEntry &entry, LockToken token, const LockOptions &options);

private:
  static LocalWaitQueue::Kind waitQueueFor(const Primitive &primitive);
  void nodeReady(std::size_t number, bool restarted);
  void findTwins();
  static std::string keyOf(const Primitive &primitive, const LockName &name);

  Options m_options;
  ConnectionLog m_log; // of the locks; each node has its own
  std::string m_clientId;
  OwnerIds m_owners;
  Jitter m_jitter;
  StandingHandler m_onStanding;
  LockStatsTable m_books;                                                // the doors point into them
  std::unordered_map<std::string, std::unique_ptr<LockEntry>> m_entries; // by primitive and name
  std::uint64_t m_numbers = 0;
  std::deque<QuorumNode> m_nodes; // last: their handlers end before what they touch
};

} // namespace lockhouse
