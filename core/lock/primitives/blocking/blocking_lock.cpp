// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/blocking/blocking_lock.h"

#include "core/base/lockhouse_names.h"
#include "core/base/sealed_token.h"
#include "core/lock/primitives/blocking/blocking_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

constexpr std::string_view pythonPrefix = "lock:";

} // namespace

const PrimitiveInfo &BlockingLock::info() const { return pages::blockingLock; }

Result<LockToken> BlockingLock::owner(std::string_view, std::uint64_t) const { return sealedToken(); }

std::string BlockingLock::signalKey(const LockName &name) {
  const std::string_view bytes(name.bytes());
  if (bytes.starts_with(pythonPrefix))
    return std::string("lock-signal:").append(bytes.substr(pythonPrefix.size()));
  return own::signalKey(bytes);
}

Command BlockingLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::blockingAcquire, {ask.name.bytes(), signalKey(ask.name)}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command BlockingLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command BlockingLock::release(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::blockingRelease, {ask.name.bytes(), signalKey(ask.name)}, {ask.owner.bytes()});
}

Command BlockingLock::block(const LockName &name, seconds limit) const { return {"BLPOP", signalKey(name), Digits(limit.count()).text()}; }

AcquireAnswer BlockingLock::readAcquire(const Reply &reply) const {
  if (reply.integer() == 1)
    return {AcquireAnswer::Kind::Granted};
  if (reply.isArray())
    return refusal(reply);
  return {isBusy(reply) ? AcquireAnswer::Kind::Busy : AcquireAnswer::Kind::Rejected};
}

RenewAnswer BlockingLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer BlockingLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

} // namespace lockhouse
