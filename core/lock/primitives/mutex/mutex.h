// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// A string key: value = the holder's token, 32 hex digits of 128 random bits, fresh for each hold; expiry = the lease.
/// The format of redis-py, node-redlock, redsync and most hand-written locks. Acquire: SET NX PX, 1 round trip; later asks of a
/// waiting acquire: mutex_acquire.lua, which also tells the holder and the time left. Release: compare and delete, by the server's own
/// command for it (DELEX IFEQ of Redis 8.4, DELIFEQ of Valkey 9), else by a script, which many that leave together share. Renew:
/// compare and expire.
///
/// Wake by pub/sub is ours alone: a waiter of policy pubsub is written down in `lockhouse:listeners:{name}` by the script that refuses it,
/// and a holder of the same policy tells the inboxes of all who are. So a client has one subscription, however many locks it waits for.
/// Holders of other policies tell nobody, so that a pubsub waiter then gets in by its poll.
/// Source: Redis documentation, "Distributed Locks with Redis", single instance.
class Mutex final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return false; }
  Word word() const override { return Word::Hint; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  std::size_t mostTogether() const override { return 64; } // some 40 us of the server's time
  Command releaseTogether(std::span<const Ask> asks) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
};

} // namespace lockhouse
