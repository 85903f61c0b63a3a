// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/fenced_lock.h"

#include "core/lock/primitives/redisson/fenced_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

const PrimitiveInfo &FencedLock::info() const { return pages::fencedLock; }

Result<LockToken> FencedLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command FencedLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(lock_scripts::fencedAcquire, {ask.name.bytes(), redisson::fenceKey(ask.name.bytes())},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text()});
}

Command FencedLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::reentrantRenew, {ask.name.bytes()}, {Digits(ask.lease.count()).text(), ask.owner.bytes()});
}

Command FencedLock::release(const Ask &ask, bool) const {
  return Command::evalsha(
      lock_scripts::reentrantRelease, {ask.name.bytes()},
      {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

AcquireAnswer FencedLock::readAcquire(const Reply &reply) const {
  using Kind = AcquireAnswer::Kind;
  if (reply.integer() == 0)
    return {Kind::HoldLost};
  if (!reply.isArray() || reply.array().size() < 2)
    return {isBusy(reply) ? Kind::Busy : Kind::Rejected};
  const auto &parts = reply.array();
  if (parts[0].integer() == 1) {
    const auto fence = parseFence(parts[1].text().value_or(""));
    return fence ? AcquireAnswer{.kind = Kind::Granted, .fence = fence} : AcquireAnswer{Kind::Rejected};
  }
  return refusal(std::span(parts).subspan(1));
}

RenewAnswer FencedLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer FencedLock::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel FencedLock::wakeChannel(const LockName &name) const { return Channel(redisson::lockChannel(name.bytes())); }

} // namespace lockhouse
