// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/fenced_lock.h"

#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"pubsub"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "a fence that is greater for every later hold, over expiry, deletion and loss of the data too, and the same on re-entry"sv,
    "the same keys, fields, channel and messages as Redisson's RFencedLock: fences of Java and C++ grow together"sv,
    "the holder may acquire it again; a command that is sent twice never counts twice"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key (the fence tells the resource)"sv,
    "fences in order if Redisson is the first to hold it after its counter was lost, or the server's clock was set back meanwhile"sv,
    "order among waiters of different clients"sv,
    "that nothing stays: the counter has no expiry"sv,
};
constexpr std::array places{
    LockPlace{"NAME", "hash", "one field, <client uuid>:<number>, with how often its owner is in; lives as long as the lease"},
    LockPlace{"redisson_lock_token:{NAME}", "string", "the last fence; never goes, as with Redisson"},
    LockPlace{"redisson_lock__channel:{NAME}", "channel", "\"0\" when it is free"},
};
constexpr std::array outcomes{
    "Contended names the holder and the time left of its lease, TimedOut the holder"sv,
    "LockHandle::fence() of what is acquired is the hold's number, the same after a re-entry"sv,
    "a second acquire through the same handle: Acquired, one count up, 1 round trip; a release that leaves a count: StillHeld"sv,
    "a re-entry of a hold that is gone from Redis: Failed, and the hold is told its loss; nothing is taken anew"sv,
    "more counts than LockOptions::countLimit: Failed, Usage"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view example = R"(FenceCheck account; // where the account is written, perhaps in another process
const auto lock = client.fencedLock(LockName("account:4"), {.waitLimit = 5s});
if (const auto held = lock.acquire())
  if (account.check("account:4", *held->fence()) == FenceVerdict::Admitted)
    work(); // a holder that slept over the end of its lease is refused here
)";
constexpr PrimitiveInfo about{
    .name = "FencedLock",
    .summary = "A re-entrant lock whose holds carry a growing number, which the resource checks; shared with Redisson's RFencedLock.",
    .useWhen = "The resource checks fences and you share the lock with Java services on Redisson.",
    .avoidWhen = "No Redisson is about: HandoffLock gives fences too, in the order of arrival, and leaves no key for ever.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of HGET, EXISTS, INCR, TIME, INCRBY, GET, HSET, PEXPIRE, 1 round trip; release: EVALSHA of HGET, DEL, PUBLISH, 1 round trip; "
                "renewal: EVALSHA of HEXISTS, PEXPIRE",
    .source = "Redisson's RFencedLock, its data format and messages; Kleppmann, \"How to do distributed locking\"",
    .sharedWith = "Redisson's RFencedLock, from Java.",
    .places = places,
    .waiting = "One SUBSCRIBE for each client and lock, however many wait. Told that it is free, the first of them asks again: EVALSHA of HGET, EXISTS, PTTL, "
               "HLEN, HKEYS.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 13, .crowdedCommands = 2, .crowdedCalls = 13},
    .example = example,
};

} // namespace

const PrimitiveInfo &FencedLock::info() const { return about; }

Result<LockToken> FencedLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command FencedLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::fencedAcquire, {ask.name.bytes(), redisson::fenceKey(ask.name.bytes())},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text()});
}

Command FencedLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::reentrantRenew, {ask.name.bytes()}, {Digits(ask.lease.count()).text(), ask.owner.bytes()});
}

Command FencedLock::release(const Ask &ask, bool) const {
  return Command::evalsha(
      lock_scripts::reentrantRelease, {ask.name.bytes()},
      {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

AcquireAnswer FencedLock::readAcquire(const Reply &reply) const {
  using Kind = AcquireAnswer::Kind;
  if (reply.integer() == 0)
    return {Kind::HoldLost};
  if (!reply.isArray() || reply.array().size() < 2)
    return {isBusy(reply) ? Kind::Busy : Kind::Rejected};
  const auto &parts = reply.array();
  if (parts[0].integer() == 1) {
    const auto fence = parseFence(parts[1].text().value_or(""));
    return fence ? AcquireAnswer{.kind = Kind::Granted, .fence = fence} : AcquireAnswer{Kind::Rejected};
  }
  return refusal(std::span(parts).subspan(1));
}

RenewAnswer FencedLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer FencedLock::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel FencedLock::wakeChannel(const LockName &name) const { return Channel(redisson::lockChannel(name.bytes())); }

} // namespace lockhouse
