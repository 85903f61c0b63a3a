// SPDX-License-Identifier: Apache-2.0
#include "core/lock/mutex.h"

#include "core/base/random.h"
#include "core/lock/answers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

const PrimitiveInfo &Mutex::info() const {
  static const PrimitiveInfo &mine = *findPrimitive("Mutex");
  return mine;
}

Result<LockToken> Mutex::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command Mutex::acquire(const Ask &ask, bool again) const {
  const Digits lease(ask.lease.count());
  if (again)
    return Command::evalsha(lock_scripts::mutexAcquire, {ask.name.bytes()}, {ask.owner.bytes(), lease.text()});
  return {"SET", ask.name.bytes(), ask.owner.bytes(), "NX", "PX", lease.text()};
}

Command Mutex::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command Mutex::release(const Ask &ask, bool wake) const {
  if (wake)
    return Command::evalsha(lock_scripts::mutexReleaseWake, {ask.name.bytes()}, {ask.owner.bytes(), wakeChannel(ask.name).bytes()});
  return Command::evalsha(lock_scripts::mutexRelease, {ask.name.bytes()}, {ask.owner.bytes()});
}

Command Mutex::releaseTogether(std::span<const Ask> asks) const {
  std::vector<std::string_view> names;
  std::vector<std::string_view> tokens;
  names.reserve(asks.size());
  tokens.reserve(asks.size());
  for (const auto &ask : asks) {
    names.push_back(ask.name.bytes());
    tokens.push_back(ask.owner.bytes());
  }
  return Command::evalsha(lock_scripts::mutexReleaseTogether, names, tokens);
}

AcquireAnswer Mutex::readAcquire(const Reply &reply) const {
  if (reply.isOk() || reply.integer() == 1)
    return {AcquireAnswer::Kind::Granted};
  if (reply.isNil())
    return {AcquireAnswer::Kind::Refused};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer Mutex::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer Mutex::readRelease(const Reply &reply) const {
  if (reply.integer())
    return reply.integer() == 1 ? ReleaseAnswer::Released : ReleaseAnswer::NotOwner;
  if (reply.failureWord() == "WRONGTYPE")
    return ReleaseAnswer::NotOwner;
  return isBusy(reply) ? ReleaseAnswer::Busy : ReleaseAnswer::Rejected;
}

Channel Mutex::wakeChannel(const LockName &name) const { return Channel("lockhouse:wake:{" + name.bytes() + "}"); }

} // namespace lockhouse
