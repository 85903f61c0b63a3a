// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// A string key: value = the holder's token, 24 characters of base64, see sealedToken(); expiry = the lease. Who waits blocks in BLPOP on
/// a signal list, to which the release pushes one element. The format of python-redis-lock: for a lock "lock:<name>" the signal is
/// "lock-signal:<name>", for any other name "lockhouse:signal:{name}".
///
/// Redis wakes the client that has blocked for longest, with one push and no herd. Each lock that a client waits for blocks a connection
/// of its own. A signal taken by a client that then goes is lost: its lease of a second and the poll of the others bound that.
/// Redis: acquire EVALSHA, waiting BLPOP and another EVALSHA, release EVALSHA.
/// Not promised: that "lock:<name>" and its signal are in one slot of a Redis Cluster, unless the name has a hash tag.
/// Source: python-redis-lock (data format); Redis documentation, BLPOP, "Event notification".
class BlockingLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return false; }
  Word word() const override { return Word::OnList; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  Command block(const LockName &name, seconds limit) const override;
  std::vector<std::string> lasting(const LockName &name) const override { return {signalKey(name)}; }

  /// The list on which waiters block.
  static std::string signalKey(const LockName &name);
};

} // namespace lockhouse
