// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/redisson_names.h"
#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Redisson's RFencedLock: the hash of its RLock, and beside it `redisson_lock_token:{name}`, a counter that each hold raises: its
/// fence. A resource that refuses what comes with a smaller fence than it has seen is safe from holders that lost the lock and do not
/// know it yet.
///
/// Unlike Redisson: the fence stays the same when the holder enters again, and a hold raises the counter at least to the server's time
/// in us. So fences grow even when the counter was deleted or lost by a failover, as long as the clocks of the servers agree better than
/// a hold lasts. To Redisson it stays a counter that it goes on raising by one; the fences of both together grow.
/// Not promised: that fences are consecutive; that a first hold of Redisson's after a loss of the counter has a greater fence than those
/// before, since Redisson begins at 1 again. As with Redisson the counter has no expiry: one key for each lock stays.
///
/// Redis: acquire EVALSHA, release EVALSHA, 1 round trip each; waiting as for ReentrantLock, whose channel and messages it shares.
/// Sources: Redisson, RedissonFencedLock (data format); Kleppmann, "How to do distributed locking".
class FencedLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return true; }
  bool isFenced() const override { return true; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  Channel wakeChannel(const LockName &name) const override;
  std::vector<std::string> lasting(const LockName &name) const override { return {redisson::fenceKey(name.bytes())}; }
};

} // namespace lockhouse
