// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/quorum/quorum_driver.h"

namespace lockhouse {

/// One token at all nodes of a driver: what each command of a round carries. Loop thread only.
struct QuorumOwner {
  QuorumOwner(QuorumDriver &itsDriver, QuorumDriver::LockEntry &itsEntry, LockToken itsToken, const LockOptions &options)
      : driver(itsDriver), entry(itsEntry), token(std::move(itsToken)), lease(options.lease), mode(options.mode) {
    ++entry.users;
  }
  ~QuorumOwner() { driver.leaveEntry(entry); }
  QuorumOwner(const QuorumOwner &) = delete;
  QuorumOwner &operator=(const QuorumOwner &) = delete;

  /// How many may hold the lock at once.
  std::int64_t capacity() const { return entry.primitive.hasPermits() ? mode.capacity : 1; }
  Primitive::Ask ask(std::int64_t count) const { return {entry.name, token, lease, count, mode}; }
  /// Sends a command that may run only while the key has our token.
  void sendGuarded(std::size_t member, Command command, Connection::Handler handler) const {
    auto &node = driver.node(member);
    if (entry.primitive.isGuardedByWatch())
      node.sendGuarded(entry.name, token, std::move(command), std::move(handler));
    else
      node.send(std::move(command), std::move(handler));
  }

  QuorumDriver &driver;
  QuorumDriver::LockEntry &entry;
  LockToken token;
  milliseconds lease;
  LockMode mode;
};

} // namespace lockhouse
