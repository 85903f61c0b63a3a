// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/reentrant_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/primitives/redisson/reentrant_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

const PrimitiveInfo &ReentrantLock::info() const { return pages::reentrantLock; }

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
