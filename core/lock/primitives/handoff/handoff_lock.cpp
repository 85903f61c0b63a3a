// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/handoff/handoff_lock.h"

#include "core/lock/primitives/handoff/handoff_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

#include <fmt/ranges.h>

namespace lockhouse {
namespace {

std::string_view flag(bool on) { return on ? "1" : "0"; }

struct Keys {
  explicit Keys(const LockName &name) : queue(own::queueKey(name.bytes())), deadlines(own::deadlinesKey(name.bytes())), fence(own::fenceKey(name.bytes())) {}
  std::string queue, deadlines, fence;
};

} // namespace

const PrimitiveInfo &HandoffLock::info() const { return pages::handoffLock; }

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
