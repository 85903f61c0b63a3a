// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/reentrant_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"pubsub"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "the same keys, fields, channel and messages as Redisson's RLock: Java and C++ exclude each other and wake each other"sv,
    "the holder may acquire it again; a command that is sent twice never counts twice"sv,
    "a shorter lease of an inner acquire never shortens the outer one"sv,
    "waiters of one client get in in their order; no waiter starves"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "order among waiters of different clients"sv,
    "a fencing token"sv,
};

constexpr std::array places{
    LockPlace{"NAME", "hash", "one field, <client uuid>:<number>, with how often its owner is in; lives as long as the lease"},
    LockPlace{"redisson_lock__channel:{NAME}", "channel", "\"0\" when it is free"},
};
constexpr std::array outcomes{
    "Contended names the holder and the time left of its lease, TimedOut the holder"sv,
    "a second acquire through the same handle: Acquired, one count up, 1 round trip; a release that leaves a count: StillHeld"sv,
    "a re-entry of a hold that is gone from Redis: Failed, and the hold is told its loss; nothing is taken anew"sv,
    "more counts than LockOptions::countLimit: Failed, Usage"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view example = R"(TimedLock report(client.reentrantLock(LockName("report:daily")));
const std::scoped_lock outer(report);
const std::scoped_lock inner(report); // the same thread once more: it does not wait for itself
work();
)";
constexpr PrimitiveInfo about{
    .name = "ReentrantLock",
    .summary = "A lock that its holder may take again: one hash key with the holder's field and count, shared with Redisson's RLock.",
    .useWhen = "You share locks with Java services on Redisson, or the holder re-enters its own lock.",
    .avoidWhen = "Nobody re-enters and no Redisson is about: Mutex costs the server half.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands =
        "acquire: EVALSHA of EXISTS, HSET, PEXPIRE, 1 round trip; release: EVALSHA of HGET, DEL, PUBLISH, 1 round trip; renewal: EVALSHA of HEXISTS, PEXPIRE",
    .source = "Redisson's RLock, its data format and messages",
    .sharedWith = "Redisson's RLock, from Java.",
    .places = places,
    .waiting = "One SUBSCRIBE for each client and lock, however many wait. Told that it is free, the first of them asks again: EVALSHA of EXISTS, HGET, PTTL, "
               "HLEN, HKEYS.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 8, .crowdedCommands = 2, .crowdedCalls = 8},
    .example = example,
};

} // namespace

const PrimitiveInfo &ReentrantLock::info() const { return about; }

Result<LockToken> ReentrantLock::owner(std::string_view client, std::uint64_t number) const {
  return LockToken(std::string(client) + ":" + std::to_string(number));
}

Command ReentrantLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::reentrantAcquire, {ask.name.bytes()}, {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text()});
}

Command ReentrantLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::reentrantRenew, {ask.name.bytes()}, {Digits(ask.lease.count()).text(), ask.owner.bytes()});
}

Command ReentrantLock::release(const Ask &ask, bool) const {
  return Command::evalsha(
      lock_scripts::reentrantRelease, {ask.name.bytes()},
      {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

AcquireAnswer ReentrantLock::readAcquire(const Reply &reply) const {
  if (const auto count = reply.integer())
    return {*count > 0 ? AcquireAnswer::Kind::Granted : AcquireAnswer::Kind::HoldLost};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer ReentrantLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer ReentrantLock::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel ReentrantLock::wakeChannel(const LockName &name) const { return Channel(redisson::lockChannel(name.bytes())); }

} // namespace lockhouse
