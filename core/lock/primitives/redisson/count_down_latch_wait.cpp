// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include "core/base/random.h"
#include "core/base/redisson_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

using namespace std::string_view_literals;

constexpr std::array policies{"pubsub"sv, "backoff"sv, "spin"sv, "try"sv};
constexpr std::array promises{"whoever waits goes on once the count is zero or deleted"sv};
constexpr std::array notPromised{"a count down whose answer was lost is not sent again: it may have been counted"sv};
constexpr std::array places{
    LockPlace{"NAME", "string", "what is left to count; deleted at zero, has no expiry before"},
    LockPlace{"redisson_countdownlatch__channel__{NAME}", "channel",
              "\"0\" when it is open, \"1\" when it was closed by a new count; in braces also where NAME has some"},
};
constexpr std::array outcomes{
    "wait(limit, cancel, policy) answers false when its limit has passed, it was cancelled or its policy looks only once, and an error where the "
    "node cannot be reached"sv,
    "trySetCount() answers false if there is a count already"sv,
    "countDown() of an open latch answers 0; one whose answer was lost is an error, and may have been counted"sv,
    "a key that holds no number: an error"sv,
};
constexpr std::string_view example = R"(const auto parts = client.countDownLatch(LockName("import:parts"));
if (parts.trySetCount(2).value_or(false)) {
  const std::jthread one([&] { parts.countDown(); }), two([&] { parts.countDown(); }); // anybody, anywhere
  if (parts.wait(10s).value_or(false))
    work(); // all parts are done
}
)";
constexpr PrimitiveInfo about{
    .name = "CountDownLatch",
    .summary = "Waiting until so many things have happened, shared with Redisson's RCountDownLatch.",
    .useWhen = "Some wait for work that others do, whoever and wherever they are.",
    .avoidWhen = "Anybody is to be kept out.",
    .policies = policies,
    .promises = promises,
    .notPromised = notPromised,
    .commands = "wait: EVALSHA of GET, of a closed latch of PTTL too, 1 round trip; count down: EVALSHA of EXISTS, DECRBY, DEL, PUBLISH, 1 round trip; close: "
                "EVALSHA of EXISTS, SET, PUBLISH, 1 round trip; count: GET, 1 round trip",
    .source = "Redisson's RCountDownLatch, its data format and messages",
    .sharedWith = "Redisson's RCountDownLatch, from Java.",
    .places = places,
    .waiting = "One SUBSCRIBE for each client and latch, however many wait; all of them go on when told.",
    .outcomes = outcomes,
    .example = example,
};

std::string channelOf(const LockName &name) { return redisson::latchChannel(name.bytes()); }

} // namespace

const PrimitiveInfo &CountDownLatchWait::info() const { return about; }

// Written nowhere, so owners of any format fit.
Result<LockToken> CountDownLatchWait::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command CountDownLatchWait::acquire(const Ask &ask, bool) const { return Command::evalsha(lock_scripts::latchAsk, {ask.name.bytes()}, {}); }

Command CountDownLatchWait::renew(const Ask &ask) const { return {"EXISTS", ask.name.bytes()}; }

Command CountDownLatchWait::release(const Ask &ask, bool) const { return {"EXISTS", ask.name.bytes()}; }

AcquireAnswer CountDownLatchWait::readAcquire(const Reply &reply) const { return roomyGrant(reply, isBusy(reply)); }

RenewAnswer CountDownLatchWait::readRenew(const Reply &reply) const {
  return reply.integer() ? RenewAnswer::Renewed : isBusy(reply) ? RenewAnswer::Busy : RenewAnswer::Rejected;
}

ReleaseAnswer CountDownLatchWait::readRelease(const Reply &reply) const {
  return reply.integer() ? ReleaseAnswer::Released : isBusy(reply) ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

Channel CountDownLatchWait::wakeChannel(const LockName &name) const { return Channel(channelOf(name)); }

Command CountDownLatchWait::countDown(const LockName &name, std::int64_t by, const ServerFeatures &server) const {
  return Command::evalsha(lock_scripts::latchCountDown, {name.bytes()}, {Digits(by).text(), channelOf(name), publishWord(server)});
}

Command CountDownLatchWait::setCount(const LockName &name, std::int64_t count, const ServerFeatures &server) const {
  return Command::evalsha(lock_scripts::latchSetCount, {name.bytes()}, {Digits(count).text(), channelOf(name), publishWord(server)});
}

} // namespace lockhouse
