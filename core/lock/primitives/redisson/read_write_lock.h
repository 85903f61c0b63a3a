// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Redisson's RReadWriteLock: many readers or one writer. A hash: `mode` → read or write, `<client uuid>:<number>` → count for each
/// reader, that with `:write` behind it → count for the writer; beside it `{name}:<reader>:rwlock_timeout:<entry>` for each entry of a
/// reader, which carries that entry's lease. LockMode::shared makes a reader of the owner. The last reader's release publishes "0" to
/// `redisson_rwlock:{name}`, the writer's "1".
///
/// Unlike Redisson: counts are absolute; a reader renews its own leases only, and a writer's ask drops readers of whose leases none is
/// left, so a reader whose process ended delays writers by one lease although other readers come and go (Redisson: its readers keep each
/// other alive); a writer that becomes a reader (renew as a reader does it) tells the readers who wait; entering again never adds to the
/// lease, it only grows to it; the hash keeps the longest lease until it is free.
/// Not promised: any order of readers and writers of different clients; a stream of readers may keep writers out. That a reader may
/// become the writer: it would wait for itself.
///
/// Redis: acquire EVALSHA, release EVALSHA, 1 round trip each; waiting one SUBSCRIBE for each client and lock.
/// Source: Redisson, RedissonReadLock and RedissonWriteLock (data format and messages).
class ReadWriteLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return true; }
  bool hasReaders() const override { return true; }
  bool canBecomeReader() const override { return true; }
  Line line() const override { return Line::WhileFull; }
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
