// SPDX-License-Identifier: Apache-2.0
#include "core/lock/handoff_lock.h"

#include "core/lock/answers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"fair"sv, "cohort"sv, "barging"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "policy fair: waiters get in in the order in which they came to the server, whatever their clients"sv,
    "a release makes the next waiter the owner in the same script: no waiter asks in vain, and none sleeps through its turn"sv,
    "the number of commands for each acquisition does not grow with the number of waiters"sv,
    "any number of waiters whose process ended delay the others by one lease in all"sv,
    "a fence that is greater for every later hold, over expiry, deletion and loss of the data too"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key (the fence tells the resource)"sv,
    "order under the policies barging and cohort"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "fences in order after an hour without a hold, if the server's clock was set back meanwhile"sv,
};
constexpr PrimitiveInfo about{
    .name = "HandoffLock",
    .summary = "A fair lock that is handed from holder to waiter in one script: a queue at the server, grants pushed to the client, fences.",
    .useWhen = "Many want the same lock and each must get its turn, or the resource checks fences.",
    .avoidWhen = "Other libraries share the lock: use Mutex or ReentrantLock. Nobody ever waits: Mutex costs the server half.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "acquire: EVALSHA, 1 round trip; handoff: EVALSHA of GET, ZPOPMIN, HGET, SET, TIME and PUBLISH, half a round trip",
    .source = "Lockhouse; MCS queue locks, TOCS 1991; lock cohorting, PPoPP 2012; Kleppmann, \"How to do distributed locking\"",
};

std::string_view flag(bool on) { return on ? "1" : "0"; }

struct Keys {
  explicit Keys(const LockName &name) : queue(own::queueKey(name.bytes())), deadlines(own::deadlinesKey(name.bytes())), fence(own::fenceKey(name.bytes())) {}
  std::string queue, deadlines, fence;
};

} // namespace

const PrimitiveInfo &HandoffLock::info() const { return about; }

Result<LockToken> HandoffLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command HandoffLock::acquire(const Ask &ask, bool again) const {
  const Keys keys(ask.name);
  return Command::evalsha(lock_scripts::handoffAcquire, {ask.name.bytes(), keys.queue, keys.deadlines, keys.fence},
                          {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), flag(ask.waits), flag(ask.refresh), flag(again),
                           flag(ask.policy.kind == AcquirePolicy::Kind::Barging)});
}

Command HandoffLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::handoffRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command HandoffLock::release(const Ask &ask, bool) const {
  const Keys keys(ask.name);
  return Command::evalsha(lock_scripts::handoffRelease, {ask.name.bytes(), keys.queue, keys.deadlines, keys.fence},
                          {ask.owner.bytes(), clientOf(ask.owner), flag(ask.policy.kind == AcquirePolicy::Kind::Barging)});
}

AcquireAnswer HandoffLock::readAcquire(const Reply &reply) const {
  using Kind = AcquireAnswer::Kind;
  if (!reply.isArray() || reply.array().size() < 2)
    return {isBusy(reply) ? Kind::Busy : Kind::Rejected};
  const auto &parts = reply.array();
  if (parts[0].integer() == 1)
    return {.kind = Kind::Granted, .fence = fenceOf(parts[1].text().value_or(""))};
  if (parts.size() != 5)
    return {Kind::Rejected};
  AcquireAnswer answer{.kind = Kind::Refused};
  if (parts[1].integer().value_or(-1) >= 0)
    answer.timeLeft = milliseconds(*parts[1].integer());
  const auto holder = parts[2].text().value_or("");
  const auto colon = holder.rfind(':');
  answer.fence = colon == std::string_view::npos ? std::nullopt : fenceOf(holder.substr(colon + 1));
  answer.holder = std::string(answer.fence ? holder.substr(0, colon) : holder);
  answer.newPlace = parts[3].integer() == 1;
  answer.refreshed = parts[4].integer() == 1;
  answer.queued = parts[3].integer().value_or(-1) >= 0;
  return answer;
}

RenewAnswer HandoffLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer HandoffLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

std::vector<PassedOn> HandoffLock::readPassedOn(const Reply &reply) const { return passedOnIn(reply); }

Channel HandoffLock::wakeChannel(const LockName &name) const { return Channel(own::wakeChannel(name.bytes())); }

} // namespace lockhouse
