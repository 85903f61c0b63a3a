// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lockhouse_names.h"
#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// Our own lock: a string key, value = `<client uuid>:<number>:<fence>`, expiry = the lease. Beside it `lockhouse:queue:{name}`, the
/// waiters in their order; `lockhouse:deadlines:{name}`, until when each waiting client counts as alive; `lockhouse:fence:{name}`, the
/// last fence, kept for an hour.
///
/// The script that refuses an acquire gives it a place in the queue, so that no gap lies between being refused and being heard.
/// The release makes the first waiter whose client lives the owner and pushes the grant to that client's one inbox channel, or tells
/// it by its answer if it is of the same client: half a round trip, and a number of commands that does not grow with the waiters.
/// Of waiters of one client that stand right behind one another up to three are told with the grant: they have the lock after it in
/// their order, each when the one before it has released, under the name and in the lease of the first, which is renewed for them; their
/// places are given up with the last release. So the order is that of the places, the server is asked once for four holds, and what
/// goes wrong on the way (a lost word, a waiter that gives up, a connection that breaks) leaves all others where they stand.
/// A place, and a grant that was not confirmed by a renewal, last one lease from the client's last ask; so any number of waiters whose
/// process ended cost one lease in all, and the way to the next ask. Waiting clients poll every third of their lease.
///
/// The fence is max(last + 1, server time in us), or last + 64 where it is not known what the last holder had: it grows across expiry,
/// deletion, FLUSHALL and failover, as long as the clocks of the servers agree better than a hold lasts. 64 fences belong to a grant, for
/// holds handed on inside the client.
///
/// Policies: fair, in the order of arrival at the server; barging, a release leaves it free for whoever asks next, except each sixteenth; cohort, handed on
/// inside the client without a round trip, up to 64 times (NodeDriver::Options::handoffLimit) before others get in.
/// A release of ours is that of its holder's policy: among clients of different policies the fair order is promised from fair to fair.
/// Redis: acquire EVALSHA, waiting 0 to 1 more, release EVALSHA; 1 round trip each; waiting holds one SUBSCRIBE for each client.
/// Sources: queue in the order of arrival as MCS locks have it (Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization",
/// TOCS 1991); fences: Kleppmann, "How to do distributed locking"; cohorts: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
class HandoffLock final : public Primitive {
public:
  const PrimitiveInfo &info() const override;
  bool isReentrant() const override { return false; }
  bool isFenced() const override { return true; }
  Line line() const override { return Line::AtServer; }
  Word word() const override { return Word::OnInbox; }
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  std::vector<PassedOn> readPassedOn(const Reply &reply) const override;
  std::vector<std::string> lasting(const LockName &name) const override { return {own::fenceKey(name.bytes())}; }

  static constexpr unsigned fencesOfAGrant = 64;
};

} // namespace lockhouse
