// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/fair_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/primitives/redisson/fair_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

struct Keys {
  explicit Keys(const LockName &name) : line(redisson::queueKey(name.bytes())), lapses(redisson::timeoutKey(name.bytes())) {}
  std::string line, lapses;
};

} // namespace

const PrimitiveInfo &FairLock::info() const { return pages::fairLock; }

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
