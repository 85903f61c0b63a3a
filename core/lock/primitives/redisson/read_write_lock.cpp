// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/read_write_lock.h"

#include "core/base/redisson_names.h"
#include "core/lock/primitives/redisson/read_write_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

const PrimitiveInfo &ReadWriteLock::info() const { return pages::readWriteLock; }

Result<LockToken> ReadWriteLock::owner(std::string_view client, std::uint64_t number) const {
  return LockToken(std::string(client) + ":" + std::to_string(number));
}

Command ReadWriteLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(ask.mode.shared ? lock_scripts::rwReadAcquire : lock_scripts::rwWriteAcquire,
                          {ask.name.bytes(), redisson::readerLeasePrefix(ask.name.bytes())},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text()});
}

Command ReadWriteLock::renew(const Ask &ask) const {
  return Command::evalsha(ask.mode.shared ? lock_scripts::rwReadRenew : lock_scripts::rwWriteRenew,
                          {ask.name.bytes(), redisson::readerLeasePrefix(ask.name.bytes())},
                          {Digits(ask.lease.count()).text(), ask.owner.bytes(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

Command ReadWriteLock::release(const Ask &ask, bool) const {
  return Command::evalsha(
      ask.mode.shared ? lock_scripts::rwReadRelease : lock_scripts::rwWriteRelease, {ask.name.bytes(), redisson::readerLeasePrefix(ask.name.bytes())},
      {Digits(ask.lease.count()).text(), ask.owner.bytes(), Digits(ask.count).text(), wakeChannel(ask.name).bytes(), publishWord(ask.server)});
}

AcquireAnswer ReadWriteLock::readAcquire(const Reply &reply) const { return roomyGrant(reply, isBusy(reply)); }

RenewAnswer ReadWriteLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer ReadWriteLock::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel ReadWriteLock::wakeChannel(const LockName &name) const { return Channel(redisson::rwChannel(name.bytes())); }

} // namespace lockhouse
