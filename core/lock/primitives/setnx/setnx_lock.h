// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// The historic lock, from before SET knew NX and PX together: SETNX, then PEXPIRE; released by WATCH, GET, MULTI, DEL, EXEC.
/// A string key, value = the holder's token, 32 hex digits; expiry = the lease, once the second command has come.
///
/// Do not use it. Between SETNX and PEXPIRE a holder that ends leaves a lock without an expiry, which nobody ever frees; here whoever is
/// refused and finds no expiry sets one (TTL repair), so that such a lock ends one lease after somebody wanted it. Each step is a round
/// trip, and releases of one client wait for each other, since WATCH belongs to a connection.
/// It is here to be shared with old fleets, to be watched, and to be broken in the lab.
/// Redis: acquire SETNX, PEXPIRE, 2 round trips; refused SETNX, PTTL, EXPIRE where there is none, and GET; release WATCH and GET, then
/// MULTI, DEL and EXEC, 2 round trips.
/// Source: the Redis documentation of SETNX, "Design pattern: locking with SETNX"; EXPIRE after SETNX as in many hand-written locks.
class SetnxLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return false; }
  bool isGuardedByWatch() const override { return true; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  std::optional<Command> acquireNext(const Ask &ask, std::string_view sent, const Reply &reply) const override;
  AcquireAnswer readAcquireStep(std::string_view sent, const Reply &reply) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
};

} // namespace lockhouse
