// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/shared/multi_holder_locks.h"

#include "core/base/lockhouse_names.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/primitives/shared/fair_read_write_lock.toml.h"
#include "core/lock/primitives/shared/leased_semaphore.toml.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

std::string_view flag(bool on) { return on ? "1" : "0"; }

// "w/token", "r/token", "w7/token" or "token/i".
std::string_view tokenIn(std::string_view member, bool permits) { return permits ? member.substr(0, member.rfind('/')) : member.substr(member.find('/') + 1); }

Command withAllKeys(const Script &script, const LockName &lock, std::initializer_list<std::string_view> args) {
  const auto &name = lock.bytes();
  return Command::evalsha(script, {name, own::queueKey(name), own::deadlinesKey(name), own::capacityKey(name)}, args);
}

} // namespace

constexpr MultiHolderLock MultiHolderLock::fairReadWrite{
    pages::fairReadWriteLock, {lock_scripts::fairReadWriteAcquire, lock_scripts::fairReadWriteRenew, lock_scripts::fairReadWriteRelease}, false};
constexpr MultiHolderLock MultiHolderLock::leasedSemaphore{
    pages::leasedSemaphore, {lock_scripts::leasedSemaphoreAcquire, lock_scripts::leasedSemaphoreRenew, lock_scripts::leasedSemaphoreRelease}, true};

std::string MultiHolderLock::kind(const LockMode &mode) const { return m_permits ? std::to_string(mode.permits) : mode.shared ? "r" : "w"; }

Result<LockToken> MultiHolderLock::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

Command MultiHolderLock::acquire(const Ask &ask, bool) const {
  if (ask.upgrading && !m_permits)
    return upgrade(ask);
  const bool isAhead = ask.policy.kind == AcquirePolicy::Kind::WritersFirst && !ask.mode.shared;
  return withAllKeys(m_scripts.acquire, ask.name,
                     {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), flag(ask.waits), flag(ask.refresh), kind(ask.mode),
                      flag(isAhead), Digits(ask.mode.capacity).text()});
}

Command MultiHolderLock::upgrade(const Ask &ask) const {
  return withAllKeys(lock_scripts::fairReadWriteUpgrade, ask.name,
                     {ask.owner.bytes(), Digits(ask.lease.count()).text(), clientOf(ask.owner), flag(ask.waits), flag(ask.refresh),
                      Digits(ask.settledUpgrades).text(), Digits(ask.upgrades).text()});
}

Command MultiHolderLock::renew(const Ask &ask) const {
  if (!m_permits)
    return renewAs(ask, ask.upgrading ? "u" : ask.mode.shared ? "r" : "w");
  return Command::evalsha(m_scripts.renew, {ask.name.bytes(), own::capacityKey(ask.name.bytes())},
                          {ask.owner.bytes(), Digits(ask.lease.count()).text(), kind(ask.mode)});
}

Command MultiHolderLock::renewAs(const Ask &ask, std::string_view what) const {
  return withAllKeys(m_scripts.renew, ask.name,
                     {ask.owner.bytes(), Digits(ask.lease.count()).text(), what, Digits(ask.settledUpgrades).text(), Digits(ask.upgrades).text()});
}

Command MultiHolderLock::release(const Ask &ask, bool) const {
  if (ask.count > 0) // of one that is not re-entrant: an upgrade is taken back
    return renewAs(ask, "r");
  return withAllKeys(m_scripts.release, ask.name,
                     {ask.owner.bytes(), clientOf(ask.owner), kind(ask.mode), Digits(ask.settledUpgrades).text(), Digits(ask.upgrades).text()});
}

AcquireAnswer MultiHolderLock::readAcquire(const Reply &reply) const {
  if (reply.integer() == 0)
    return {AcquireAnswer::Kind::HoldLost};
  if (reply.isArray() && reply.array().size() == 2 && reply.array()[0].integer() == -1)
    return {.kind = AcquireAnswer::Kind::Deadlock, .holder = std::string(reply.array()[1].text().value_or(""))};
  auto answer = lineAnswer(reply, isBusy(reply));
  if (answer.holder)
    answer.holder = std::string(tokenIn(*answer.holder, m_permits));
  return answer;
}

RenewAnswer MultiHolderLock::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer MultiHolderLock::readRelease(const Reply &reply) const { return queueReleaseOf(reply, isBusy(reply)); }

std::vector<PassedOn> MultiHolderLock::readPassedOn(const Reply &reply) const { return passedOnIn(reply); }

} // namespace lockhouse
