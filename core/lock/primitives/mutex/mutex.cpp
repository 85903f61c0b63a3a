// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/mutex/mutex.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/lock/primitives/mutex/mutex.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

const PrimitiveInfo &Mutex::info() const { return pages::mutex; }

Result<LockToken> Mutex::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command Mutex::acquire(const Ask &ask, bool again) const {
  const Digits lease(ask.lease.count());
  if (!ask.listener.empty())
    return Command::evalsha(lock_scripts::mutexListen, {ask.name.bytes(), own::listenersKey(ask.name.bytes())},
                            {ask.owner.bytes(), lease.text(), ask.listener, again ? "1" : "0"});
  if (again)
    return Command::evalsha(lock_scripts::mutexAcquire, {ask.name.bytes()}, {ask.owner.bytes(), lease.text()});
  return {"SET", ask.name.bytes(), ask.owner.bytes(), "NX", "PX", lease.text()};
}

Command Mutex::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command Mutex::release(const Ask &ask, bool wake) const {
  if (wake)
    return Command::evalsha(lock_scripts::mutexReleaseWake, {ask.name.bytes(), own::listenersKey(ask.name.bytes())}, {ask.owner.bytes(), ask.listener});
  using Compare = ServerFeatures::CompareAndDelete;
  switch (ask.server.compareAndDelete) {
  case Compare::Delex: return {"DELEX", ask.name.bytes(), "IFEQ", ask.owner.bytes()};
  case Compare::Delifeq: return {"DELIFEQ", ask.name.bytes(), ask.owner.bytes()};
  case Compare::Script: break;
  }
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
  if (reply.isArray()) {
    auto answer = refusal(reply);
    answer.queued = reply.array().size() > 2 && reply.array()[2].integer() == 1;
    if (answer.holder && answer.holder->empty())
      answer.holder.reset();
    return answer;
  }
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

} // namespace lockhouse
