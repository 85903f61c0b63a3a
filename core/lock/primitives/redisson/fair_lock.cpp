// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/fair_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"pubsub"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "waiters get in in the order in which they came to the server, whatever their clients"sv,
    "the same keys, fields, channels and messages as Redisson's fair lock: Java and C++ stand in one line"sv,
    "any number of waiters of ours whose process ended delay the others by one lease in all"sv,
    "the holder may acquire it again; a command that is sent twice never counts twice"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key"sv,
    "our place behind a Redisson that waits with more than its default of five minutes, or whose clock is ahead by half a lease"sv,
    "that a waiter whose process ended behind Redisson waiters costs no more than one lease"sv,
    "a fencing token"sv,
};
constexpr std::array places{
    LockPlace{"NAME", "hash", "one field, <client uuid>:0<number>, with how often its owner is in; lives as long as the lease"},
    LockPlace{"redisson_lock_queue:{NAME}", "list", "the owners who wait, the next one first; goes with the last of them, has no expiry"},
    LockPlace{"redisson_lock_timeout:{NAME}", "zset",
              "the same owners, score: the epoch ms at which the place lapses; goes with the last of them, has no expiry"},
    LockPlace{"redisson_lock__channel:{NAME}:<owner>", "channel", "\"0\" when it is the turn of this waiter"},
};
constexpr std::array outcomes{
    "Contended names the holder and the time left of its lease, TimedOut the holder"sv,
    "a second acquire through the same handle: Acquired, one count up, 1 round trip; a release that leaves a count: StillHeld"sv,
    "a re-entry of a hold that is gone from Redis: Failed, and the hold is told its loss; nothing is taken anew"sv,
    "more counts than LockOptions::countLimit: Failed, Usage"sv,
    "TimedOut and Cancelled give the place back"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view example = R"(const auto till = client.fairLock(LockName("till:3"), {.waitLimit = 30s});
if (auto held = till.acquire()) {
  work();
  if (held->release() == ReleaseOutcome::NotOwner)
    std::puts("it was lost while we worked");
}
)";
constexpr PrimitiveInfo about{
    .name = "FairLock",
    .summary = "A re-entrant lock whose waiters stand in one line at the server, shared with Redisson's fair lock.",
    .useWhen = "You share fair locks with Java services on Redisson.",
    .avoidWhen = "No Redisson is about: HandoffLock is as fair, needs half the round trips and gives a fence.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands =
        "acquire: EVALSHA of HGET, EXISTS, LINDEX, HSET, PEXPIRE, 1 round trip; release: EVALSHA of HGET, DEL, LINDEX, 1 round trip; handoff: LINDEX, ZSCORE, "
        "TIME and PUBLISH in the release's script, then the EVALSHA of the one who was told, one round trip and a half; renewal: EVALSHA of HEXISTS, PEXPIRE",
    .source = "Redisson's fair lock, its data format and messages",
    .sharedWith = "Redisson's RFairLock, from Java.",
    .places = places,
    .waiting = "The ask that is refused gives the waiter its place. One SUBSCRIBE for each waiter, to a channel of its own; it asks when told, and at least "
               "every third of its lease.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 10, .crowdedCommands = 3, .crowdedCalls = 28},
    .example = example,
};

struct Keys {
  explicit Keys(const LockName &name) : line(redisson::queueKey(name.bytes())), lapses(redisson::timeoutKey(name.bytes())) {}
  std::string line, lapses;
};

} // namespace

const PrimitiveInfo &FairLock::info() const { return about; }

Result<LockToken> FairLock::owner(std::string_view client, std::uint64_t number) const {
  return LockToken(std::string(client) + ":0" + std::to_string(number));
}

Command FairLock::acquire(const Ask &ask, bool) const {
  const Keys keys(ask.name);
  return Command::evalsha(lock_scripts::fairAcquire, {ask.name.bytes(), keys.line, keys.lapses},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), ask.waits ? "1" : "0"});
}

Command FairLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::reentrantRenew, {ask.name.bytes()}, {Digits(ask.lease.count()).text(), ask.owner.bytes()});
}

Command FairLock::release(const Ask &ask, bool) const {
  const Keys keys(ask.name);
  return Command::evalsha(
      lock_scripts::fairRelease, {ask.name.bytes(), keys.line, keys.lapses},
      {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

AcquireAnswer FairLock::readAcquire(const Reply &reply) const {
  if (const auto count = reply.integer())
    return {*count > 0 ? AcquireAnswer::Kind::Granted : AcquireAnswer::Kind::HoldLost};
  if (!reply.isArray() || reply.array().size() != 3)
    return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
  auto answer = refusal(reply);
  const auto placed = reply.array()[2].integer().value_or(-1);
  answer.queued = placed >= 0;
  answer.newPlace = placed == 1;
  return answer;
}

RenewAnswer FairLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer FairLock::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel FairLock::wakeChannel(const LockName &name) const { return Channel(redisson::lockChannel(name.bytes())); }

Channel FairLock::ownerChannel(const LockName &name, const LockToken &owner) const { return Channel(redisson::fairChannel(name.bytes(), owner.bytes())); }

} // namespace lockhouse
