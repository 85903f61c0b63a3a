// SPDX-License-Identifier: Apache-2.0
#include "core/lock/reentrant_lock.h"

#include "core/lock/answers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

const PrimitiveInfo &ReentrantLock::info() const {
  static const PrimitiveInfo &mine = *findPrimitive("ReentrantLock");
  return mine;
}

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
  return Command::evalsha(lock_scripts::reentrantRelease, {ask.name.bytes()},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes()});
}

AcquireAnswer ReentrantLock::readAcquire(const Reply &reply) const {
  if (const auto count = reply.integer())
    return {*count > 0 ? AcquireAnswer::Kind::Granted : AcquireAnswer::Kind::HoldLost};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer ReentrantLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer ReentrantLock::readRelease(const Reply &reply) const {
  if (const auto left = reply.integer())
    return *left > 0 ? ReleaseAnswer::StillHeld : *left == 0 ? ReleaseAnswer::Released : ReleaseAnswer::NotOwner;
  if (reply.failureWord() == "WRONGTYPE")
    return ReleaseAnswer::NotOwner;
  return isBusy(reply) ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

Channel ReentrantLock::wakeChannel(const LockName &name) const {
  const bool tagged = name.bytes().find('{') != std::string::npos;
  return Channel("redisson_lock__channel:" + (tagged ? name.bytes() : "{" + name.bytes() + "}"));
}

} // namespace lockhouse
