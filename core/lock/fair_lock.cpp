// SPDX-License-Identifier: Apache-2.0
#include "core/lock/fair_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/answers.h"
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
constexpr PrimitiveInfo about{
    .name = "FairLock",
    .summary = "A re-entrant lock whose waiters stand in one line at the server, shared with Redisson's fair lock.",
    .useWhen = "You share fair locks with Java services on Redisson.",
    .avoidWhen = "No Redisson is about: HandoffLock is as fair, needs half the round trips and gives a fence.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA of HGET, EXISTS, LINDEX, HSET, PEXPIRE, 1 round trip; release: EVALSHA of HGET, DEL, LINDEX, PUBLISH, 1 round trip",
    .source = "Redisson's fair lock, its data format and messages",
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

Channel FairLock::ownerChannel(const LockName &name, const LockToken &owner) const {
  return Channel(redisson::lockChannel(name.bytes()) + ":" + owner.bytes());
}

} // namespace lockhouse
