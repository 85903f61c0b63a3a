// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/setnx/setnx_lock.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/primitives/setnx/setnx_lock.toml.h"

namespace lockhouse {

const PrimitiveInfo &SetnxLock::info() const { return pages::setnxLock; }

Result<LockToken> SetnxLock::owner(std::string_view, std::uint64_t) const { return randomToken(); }

Command SetnxLock::acquire(const Ask &ask, bool) const { return {"SETNX", ask.name.bytes(), ask.owner.bytes()}; }

// PEXPIRE is the second step of our own hold, EXPIRE the repair of another's.
std::optional<Command> SetnxLock::acquireNext(const Ask &ask, std::string_view sent, const Reply &reply) const {
  const auto lease = ask.lease.count();
  if (sent == "SETNX" && reply.integer() == 1)
    return Command{"PEXPIRE", ask.name.bytes(), Digits(lease).text()};
  if (sent == "SETNX" && reply.integer() == 0)
    return Command{"PTTL", ask.name.bytes()};
  if (sent == "PTTL" && reply.integer() == -1) // only what a lock can be is ever made to end
    return Command{"TYPE", ask.name.bytes()};
  if (sent == "TYPE" && reply.text() == "string")
    return Command{"EXPIRE", ask.name.bytes(), Digits((lease + 999) / 1000).text()};
  if (sent == "PTTL" || sent == "TYPE" || sent == "EXPIRE")
    return Command{"GET", ask.name.bytes()};
  return std::nullopt;
}

AcquireAnswer SetnxLock::readAcquireStep(std::string_view sent, const Reply &reply) const {
  using Kind = AcquireAnswer::Kind;
  if (sent == "GET" && (!reply.isFailure() || reply.failureWord() == "WRONGTYPE")) // of another type: somebody else's
    return {.kind = Kind::Refused, .holder = reply.text() ? std::optional(std::string(reply.text()->substr(0, 256))) : std::nullopt};
  if (!reply.integer())
    return {isBusy(reply) ? Kind::Busy : Kind::Rejected};
  if (sent == "PEXPIRE" && reply.integer() == 1)
    return {Kind::Granted};
  return {Kind::Refused}; // of PEXPIRE: somebody deleted it between our two commands
}

AcquireAnswer SetnxLock::readAcquire(const Reply &reply) const { return readAcquireStep("SETNX", reply); }

Command SetnxLock::renew(const Ask &ask) const { return {"PEXPIRE", ask.name.bytes(), Digits(ask.lease.count()).text()}; }

Command SetnxLock::release(const Ask &ask, bool) const { return {"DEL", ask.name.bytes()}; }

RenewAnswer SetnxLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer SetnxLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

} // namespace lockhouse
