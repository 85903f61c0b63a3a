// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

namespace lockhouse {

/// What Redisson's two semaphores have in common: a string key with the number of free permits, told on `redisson_sc:{name}` whenever it
/// grows. A hold takes LockMode::permits of them at once or waits. Beside the counter lies a sorted set of the permits that are out, with
/// the epoch ms at which each lapses; whoever asks takes back what has lapsed. By that set a command that is sent again never counts
/// twice, and permits of a process that ended come back after their lease.
///
/// Nobody has said how many there are (trySetPermits of Redisson): the first of ours says LockMode::capacity, keeps that beside as
/// `lockhouse:capacity:{name}`, and the last one deletes what we made; it ends with the last lease too. So if Redisson takes part, it
/// has to say the number first; then the counter stays, and what LockMode::capacity says does not count.
/// Not promised: any order among clients; that many permits are had at all while others take few. Those of one client stand in line.
///
/// Redis: acquire EVALSHA, release EVALSHA, 1 round trip each; waiting one SUBSCRIBE for each client and semaphore.
class RedissonPermits : public Primitive {
public:
  bool isReentrant() const override { return false; }
  bool hasPermits() const override { return true; }
  Line line() const override { return Line::WhileFull; }
  Command acquire(const Ask &ask, bool again) const override;
  Command renew(const Ask &ask) const override;
  Command release(const Ask &ask, bool wake) const override;
  AcquireAnswer readAcquire(const Reply &reply) const override;
  RenewAnswer readRenew(const Reply &reply) const override;
  ReleaseAnswer readRelease(const Reply &reply) const override;
  Channel wakeChannel(const LockName &name) const override;

protected:
  constexpr RedissonPermits() = default;
  ~RedissonPermits() = default;

private:
  virtual std::string outKey(std::string_view name) const = 0;
  /// Of the owner's permit of that number, from 0; each is another.
  virtual std::string permitId(const LockToken &owner, std::int64_t number) const = 0;
  Command command(const Script &script, const Ask &ask, std::vector<std::string> words) const;
};

/// Redisson's RSemaphore. It has no holders of its own; ours are in `lockhouse:permits:{name}`, which Redisson does not know.
/// Source: Redisson, RedissonSemaphore (data format and messages).
class Semaphore final : public RedissonPermits {
public:
  const PrimitiveInfo &info() const override;
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;

private:
  std::string outKey(std::string_view name) const override;
  std::string permitId(const LockToken &owner, std::int64_t number) const override;
};

/// Redisson's RPermitExpirableSemaphore: the permits that are out are members of `{name}:timeout`, each of 16 bytes. An owner's are its
/// token, whose last two bytes count its permits.
/// Redisson judges what has lapsed by its clients' clocks, we by the server's.
/// Source: Redisson, RedissonPermitExpirableSemaphore (data format and messages).
class ExpirablePermits final : public RedissonPermits {
public:
  const PrimitiveInfo &info() const override;
  Result<LockToken> owner(std::string_view client, std::uint64_t number) const override;

private:
  std::string outKey(std::string_view name) const override;
  std::string permitId(const LockToken &owner, std::int64_t number) const override;
};

} // namespace lockhouse
