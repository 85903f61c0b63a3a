// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Redisson's fair lock: the hash of its RLock, and beside it `redisson_lock_queue:{name}`, the list of those who wait, and
/// `redisson_lock_timeout:{name}`, the epoch ms at which the place of each lapses. Owners are `<client uuid>:0<number>`: the zero, which
/// no Java thread's id begins with, tells our waiters from Redisson's. The last release publishes "0" to
/// `redisson_lock__channel:{name}:<owner>` of the first who waits.
///
/// The script that refuses an acquire gives it its place. A place lasts one lease from the waiter's last ask, however many stand before
/// it; waiters ask at least every third of their lease. So any number of waiters whose process ended cost those behind them one lease in
/// all (Redisson: its waiting time of five minutes, each). All scripts drop lapsed places at the head of the line at once.
///
/// In one line with Redisson, promised: exclusion, re-entry, and one order for all. When Redisson gets in it takes its waiting time off
/// every place behind it; ours are made longer by that much for each Redisson waiter before them, and shorter again as those get in.
/// What we do never makes a place of Redisson's lapse sooner.
/// Not promised there: our place, if Redisson waits with more than its default of five minutes, or if a client's clock, by which it
/// judges places, is ahead of the server's by half of our lease; a waiter of ours that lost its place stands at the end again. That a
/// waiter of ours whose process ended behind Redisson waiters costs only one lease: it costs up to five minutes more for each of them.
/// As with Redisson, the line and its times have no expiry: places of ended processes stay until the next acquire or release.
///
/// Redis: acquire EVALSHA, waiting SUBSCRIBE and 1 more EVALSHA at each turn, release EVALSHA; 1 round trip each.
/// Source: Redisson, RedissonFairLock (data format and messages).
class FairLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return true; }
  Line line() const override { return Line::AtServer; }
  Word word() const override { return Word::OnOwner; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  Channel wakeChannel(const LockName &name) const override;
  Channel ownerChannel(const LockName &name, const LockToken &owner) const override;
};

} // namespace lockhouse
