// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/redisson/redisson_permits.h"

#include "core/base/lockhouse_names.h"
#include "core/base/random.h"
#include "core/base/redisson_names.h"
#include "core/lock/primitives/redisson/expirable_permits.toml.h"
#include "core/lock/primitives/redisson/semaphore.toml.h"
#include "core/lock/primitives/reply_readers.h"
#include "core/lock/scripts.h"

namespace lockhouse {
namespace {

constexpr std::size_t countBytes = 2; // of an expirable permit's id

std::string digits(std::int64_t number) { return std::string(Digits(number).text()); }

} // namespace

Command RedissonPermits::command(const Script &script, const Ask &ask, std::vector<std::string> words) const {
  for (std::int64_t i = 0; i < ask.mode.permits; ++i)
    words.push_back(permitId(ask.owner, i));
  const auto out = outKey(ask.name.bytes());
  const auto capacity = own::capacityKey(ask.name.bytes());
  const std::array<std::string_view, 3> keys{ask.name.bytes(), out, capacity};
  const std::vector<std::string_view> args(words.begin(), words.end());
  return Command::evalsha(script, keys, args);
}

Command RedissonPermits::acquire(const Ask &ask, bool) const {
  return command(lock_scripts::permitsAcquire, ask,
                 {digits(ask.lease.count()), digits(ask.mode.capacity), wakeChannel(ask.name).bytes(), std::string(publishWord(ask.server))});
}

Command RedissonPermits::renew(const Ask &ask) const { return command(lock_scripts::permitsRenew, ask, {digits(ask.lease.count())}); }

Command RedissonPermits::release(const Ask &ask, bool) const {
  return command(lock_scripts::permitsRelease, ask, {wakeChannel(ask.name).bytes(), std::string(publishWord(ask.server))});
}

AcquireAnswer RedissonPermits::readAcquire(const Reply &reply) const { return roomyGrant(reply, isBusy(reply)); }

RenewAnswer RedissonPermits::readRenew(const Reply &reply) const { return renewalOf(reply, isBusy(reply)); }

ReleaseAnswer RedissonPermits::readRelease(const Reply &reply) const { return countLeft(reply, isBusy(reply)); }

Channel RedissonPermits::wakeChannel(const LockName &name) const { return Channel(redisson::semaphoreChannel(name.bytes())); }

const PrimitiveInfo &Semaphore::info() const { return pages::semaphore; }

Result<LockToken> Semaphore::owner(std::string_view client, std::uint64_t number) const { return numberedOwner(client, number); }

std::string Semaphore::outKey(std::string_view name) const { return own::companion("permits", name); }

std::string Semaphore::permitId(const LockToken &owner, std::int64_t number) const { return owner.bytes() + ":" + std::to_string(number); }

const PrimitiveInfo &ExpirablePermits::info() const { return pages::expirablePermits; }

Result<LockToken> ExpirablePermits::owner(std::string_view, std::uint64_t) const {
  std::string id(16, '\0');
  if (auto filled = randomBytes(std::span(id).first(id.size() - countBytes)); !filled)
    return std::unexpected(std::move(filled.error()));
  return LockToken(std::move(id));
}

std::string ExpirablePermits::outKey(std::string_view name) const { return redisson::permitsKey(name); }

std::string ExpirablePermits::permitId(const LockToken &owner, std::int64_t number) const {
  auto id = owner.bytes();
  if (number > 0 && id.size() >= countBytes) {
    id[id.size() - 2] = static_cast<char>(number >> 8);
    id[id.size() - 1] = static_cast<char>(number & 0xff);
  }
  return id;
}

} // namespace lockhouse
