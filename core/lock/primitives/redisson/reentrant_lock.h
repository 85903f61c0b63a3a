// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Redisson's RLock: a hash with the one field `<client uuid>:<number>` → count; expiry = the lease. The number stands where
/// Redisson has the thread's id: here it belongs to the handle (never reused by its client), so that a hold may move between threads.
/// The last release publishes "0" to `redisson_lock__channel:{name}`; a name that contains `{` is put in without further braces.
///
/// Unlike Redisson: counts are absolute, so no unlock-latch key is needed against double counting; an inner acquire never shortens
/// the lease; at a node of a cluster SPUBLISH, as Redisson does there.
/// Source: Redisson, RedissonLock and RedissonBaseLock (data format and messages).
class ReentrantLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return true; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  Channel wakeChannel(const LockName &name) const override;
};

} // namespace lockhouse
