// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Waiting for Redisson's RCountDownLatch, as an acquire that is granted when the latch is open. It takes nothing, excludes nobody and
/// changes nothing, so it is no lock and not among Primitive::all(): it lets CountDownLatch wait as locks wait, with one subscription
/// for all who wait for one latch, over reconnections, within a limit, until cancelled.
///
/// Redis: EVALSHA of GET, PTTL, 1 round trip; waiting one SUBSCRIBE to `redisson_countdownlatch__channel__{name}`; the end of it EXISTS.
/// Source: Redisson, RedissonCountDownLatch (data format and messages).
class CountDownLatchWait final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return false; }
  Line line() const override { return Line::WhileFull; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  Channel wakeChannel(const LockName &name) const override;

  /// Answered by what is left to count.
  Command countDown(const LockName &name, std::int64_t by, const ServerFeatures &server) const;
  /// Answered by 1, or 0 if there is a count already.
  Command setCount(const LockName &name, std::int64_t count, const ServerFeatures &server) const;
};

} // namespace lockhouse
