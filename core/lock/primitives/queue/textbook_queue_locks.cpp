// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/queue/textbook_queue_locks.h"

#include "core/base/lockhouse_names.h"
#include "core/lock/primitives/queue/list_fair_lock.toml.h"
#include "core/lock/primitives/queue/zset_fair_lock.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {

constexpr TextbookQueueLock TextbookQueueLock::listFair{pages::listFairLock, lock_scripts::listFairAcquire, lock_scripts::listFairRelease};
constexpr TextbookQueueLock TextbookQueueLock::zsetFair{pages::zsetFairLock, lock_scripts::zsetFairAcquire, lock_scripts::zsetFairRelease};

Result<LockToken> TextbookQueueLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command TextbookQueueLock::acquire(const Ask &ask, bool) const {
  return Command::evalsha(m_acquire, {ask.name.bytes(), own::lineKey(ask.name.bytes()), own::deadlinesKey(ask.name.bytes())},
                          {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), ask.waits ? "1" : "0"});
}

Command TextbookQueueLock::renew(const Ask &ask) const {
  return Command::evalsha(lock_scripts::mutexRenew, {ask.name.bytes()}, {ask.owner.bytes(), Digits(ask.lease.count()).text()});
}

Command TextbookQueueLock::release(const Ask &ask, bool) const {
  return Command::evalsha(m_release, {ask.name.bytes(), own::lineKey(ask.name.bytes()), own::deadlinesKey(ask.name.bytes())},
                          {ask.owner.bytes(), clientOf(ask.owner)});
}

AcquireAnswer TextbookQueueLock::readAcquire(const Reply &reply) const { return lineAnswer(reply, isBusy(reply)); }

RenewAnswer TextbookQueueLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer TextbookQueueLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

std::vector<PassedOn> TextbookQueueLock::readPassedOn(const Reply &reply) const { return passedOnIn(reply); }

} // namespace lockhouse
