// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include "core/base/random.h"
#include "core/base/redisson_names.h"
#include "core/lock/primitives/redisson/count_down_latch.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

std::string channelOf(const LockName &name) { return redisson::latchChannel(name.bytes()); }

} // namespace

const PrimitiveInfo &CountDownLatchWait::info() const { return pages::countDownLatch; }

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
