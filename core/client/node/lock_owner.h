// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/lock_entry.h"
#include "core/net/connection/connection.h"

#include <string>
#include <vector>

namespace lockhouse {

/// How many upgrades from reader to writer one owner has begun, and up to which of them the server has said what came of it.
struct UpgradeCount {
  std::int64_t begun = 0;
  std::int64_t settled = 0;
  bool isUnderWay = false; ///< the acquire under way is one
};

/// One owner of one lock: the name of its hold at the server, its place among the waiters of this client, and what each of its commands
/// carries. The parts of one Acquisition share it. Loop thread only.
struct LockOwner {
  LockOwner(NodeDriver &itsDriver, LockEntry &itsEntry, LocalWaitQueue::Waiter &itsWaiter);
  ~LockOwner();
  LockOwner(const LockOwner &) = delete;
  LockOwner &operator=(const LockOwner &) = delete;

  const Primitive &primitive() const { return entry.primitive; }
  /// Gives it a name that no hold had before.
  Result<void> rename();
  /// What a command of this owner carries. `atLeast`: the lease is no shorter.
  Primitive::Ask ask(std::int64_t count, milliseconds atLeast) const;
  /// Sends a command that may run only while the key has our token: by WATCH if the primitive has no script for that.
  void sendGuarded(Command command, Connection::Handler handler) const;

  NodeDriver &driver;
  LockEntry &entry;
  LocalWaitQueue::Waiter &waiter;
  LocalWaitQueue *queue; // of the entry; by the policy of the last acquire
  LockMetricsRecorder metrics;
  LockToken token;
  std::uint64_t number = 0;               // as Primitive::owner() has it; 0 = none yet
  bool isInherited = false;               // the token is that of another owner of this client, whose hold was handed over
  std::uint64_t fence = 0;                // of the last hold; 0 = none
  std::vector<std::uint64_t> served = {}; // as of Primitive::Ask
  UpgradeCount upgrades;
  // As the last acquire wanted them:
  milliseconds lease{};
  LockMode mode;
  AcquirePolicy policy;
  bool publishes = false; // a release is published
  std::string listener;   // as of Primitive::Ask
};

} // namespace lockhouse
