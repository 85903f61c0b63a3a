// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/handoff/handoff_lock.h"

#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

#include <fmt/ranges.h>

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"fair"sv, "cohort"sv, "barging"sv, "try"sv};
constexpr std::array promises{
    "one holder at a time, as long as the node keeps its data and both clocks agree within 1 %"sv,
    "policy fair: waiters get in in the order in which they came to the server, whatever their clients"sv,
    "a release makes the next waiter the owner in the same script: no waiter asks in vain, and none sleeps through its turn"sv,
    "waiters of one client that stand right behind one another, up to four, have it one after the other without a round trip, in their order"sv,
    "the number of commands for each acquisition does not grow with the number of waiters"sv,
    "any number of waiters whose process ended delay the others once: until their leases end and the next ask of a waiter, each third of its own"sv,
    "a fence that is greater for every later grant of the server, over expiry, deletion and loss of the data too"sv,
};
constexpr std::array notPromised{
    "exclusion across a failover or restart that loses the key (the fence tells the resource)"sv,
    "order under the policies barging and cohort"sv,
    "that what a client hands on inside has a greater fence than that of another who took it meanwhile, because the key was deleted: it is refused then"sv,
    "re-entry: a second acquire through the same handle is refused"sv,
    "fences in order after an hour without a hold, if the server's clock was set back meanwhile"sv,
};
constexpr std::array places{
    LockPlace{"NAME", "string", "<client uuid>:<number>:<fence> of the holder, or of the one of its client who has handed it on; lives as long as the lease"},
    LockPlace{"lockhouse:queue:{NAME}", "zset", "<client uuid>:<number> of each waiter, score: its place; lives one lease after the last ask"},
    LockPlace{"lockhouse:deadlines:{NAME}", "hash",
              "of each client that waits: until which epoch ms of the server its places last; lives one lease after the last ask"},
    LockPlace{"lockhouse:fence:{NAME}", "string", "the fence of the last hold; lives for an hour"},
    LockPlace{
        "lockhouse:inbox:<client uuid>", "channel",
        "\"HandoffLock <number>[,<number> …] <fence> NAME\": the first of these waiters of the client is the owner now, the others stand right behind it"},
};
constexpr std::array outcomes{
    "Contended names the holder and the time left of its lease, TimedOut the holder"sv,
    "LockHandle::fence() of what is acquired is the hold's number"sv,
    "TimedOut and Cancelled give the place back, and a grant that is on its way"sv,
    "a second acquire through the same handle: Failed, Usage"sv,
    "a key of another type under the name: Failed, \"choose another key\"; a release that finds one: NotOwner"sv,
};
constexpr std::string_view example =
    R"(const auto seat = client.lock(*Primitive::find("HandoffLock"), LockName("seat:K-12"), {.policy = AcquirePolicy::fair(), .waitLimit = 5s});
if (const auto held = seat.acquire()) {
  std::puts(std::to_string(held->fence()->value).c_str()); // greater than that of every hold before it
  work();
}
)";
constexpr PrimitiveInfo about{
    .name = "HandoffLock",
    .summary = "A fair lock that is handed from holder to waiter in one script: a queue at the server, grants pushed to the client, fences.",
    .useWhen = "Many want the same lock and each must get its turn, or the resource checks fences.",
    .avoidWhen = "Other libraries share the lock: use Mutex or ReentrantLock. Nobody ever waits: Mutex costs the server half.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands =
        "acquire: EVALSHA of GET, ZRANGE, TIME, SET, 1 round trip; release: EVALSHA of GET, ZRANGE, DEL, 1 round trip; handoff: ZRANGE, ZREMRANGEBYRANK, "
        "TIME, SET, HGET, SET and PUBLISH in the release's script, half a round trip, inside the client none; renewal: EVALSHA of GET, PEXPIRE",
    .source = "Lockhouse; MCS queue locks, TOCS 1991; lock cohorting, PPoPP 2012; Kleppmann, \"How to do distributed locking\"",
    .sharedWith = "Nobody: the format is Lockhouse's own.",
    .places = places,
    .waiting = "The ask that is refused gives the waiter its place. One SUBSCRIBE for each client, to its inbox, whatever the number of its locks and waiters; "
               "a waiting client asks every third of its lease, so that its places last. Policy cohort hands it on inside the client for nothing, as do up to "
               "four waiters of a client that came to the server one right behind the other. A holder whose user may not PUBLISH, and a word that is lost with "
               "its connection, leave the next one to that ask or to the connection's return; the order stays.",
    .outcomes = outcomes,
    .costs = {.commands = 2, .calls = 11, .crowdedCommands = 1.25, .crowdedCalls = 7},
    .example = example,
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
                          {ask.owner.bytes(), clientOf(ask.owner), flag(ask.policy.kind == AcquirePolicy::Kind::Barging),
                           Digits(static_cast<std::int64_t>(ask.fence)).text(), fmt::format("{}", fmt::join(ask.served, ","))});
}

AcquireAnswer HandoffLock::readAcquire(const Reply &reply) const {
  auto answer = lineAnswer(reply, isBusy(reply));
  if (!answer.holder)
    return answer;
  const std::string_view holder(*answer.holder); // "token:fence"
  const auto colon = holder.rfind(':');
  answer.fence = colon == std::string_view::npos ? std::nullopt : parseFence(holder.substr(colon + 1));
  if (answer.fence)
    answer.holder->resize(colon);
  return answer;
}

RenewAnswer HandoffLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer HandoffLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

std::vector<PassedOn> HandoffLock::readPassedOn(const Reply &reply) const { return passedOnIn(reply); }

} // namespace lockhouse
