// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitive.h"

#include "core/lock/blocking_lock.h"
#include "core/lock/fair_lock.h"
#include "core/lock/fenced_lock.h"
#include "core/lock/handoff_lock.h"
#include "core/lock/mutex.h"
#include "core/lock/queue_lock.h"
#include "core/lock/read_write_lock.h"
#include "core/lock/redisson_permits.h"
#include "core/lock/reentrant_lock.h"
#include "core/lock/setnx_lock.h"
#include "core/lock/shared_lock.h"

#include <algorithm>
#include <array>

namespace lockhouse {

namespace {

constexpr Mutex mutex;
constexpr ReentrantLock reentrantLock;
constexpr FairLock fairLock;
constexpr FencedLock fencedLock;
constexpr ReadWriteLock readWriteLock;
constexpr Semaphore semaphore;
constexpr ExpirablePermits expirablePermits;
constexpr HandoffLock handoffLock;
constexpr BlockingLock blockingLock;
constexpr SetnxLock setnxLock;

/// All there are. What else there is to list of them comes from here.
constexpr std::array<const Primitive *, 14> primitives{&mutex,
                                                       &reentrantLock,
                                                       &fairLock,
                                                       &fencedLock,
                                                       &readWriteLock,
                                                       &semaphore,
                                                       &expirablePermits,
                                                       &handoffLock,
                                                       &QueueLock::listFair,
                                                       &QueueLock::zsetFair,
                                                       &blockingLock,
                                                       &setnxLock,
                                                       &SharedLock::fairReadWrite,
                                                       &SharedLock::leasedSemaphore};

} // namespace

std::span<const Primitive *const> Primitive::all() { return primitives; }

const Primitive *Primitive::find(std::string_view name) {
  const auto found = std::ranges::find(primitives, name, [](const Primitive *primitive) { return primitive->info().name; });
  return found == primitives.end() ? nullptr : *found;
}

std::vector<PassedOn> Primitive::readPassedOn(const Reply &) const { return {}; }

std::vector<std::string> Primitive::lasting(const LockName &) const { return {}; }

std::optional<Command> Primitive::acquireNext(const Ask &, std::string_view, const Reply &) const { return std::nullopt; }

AcquireAnswer Primitive::readAcquireStep(std::string_view, const Reply &reply) const { return readAcquire(reply); }

Command Primitive::block(const LockName &, seconds) const { return {}; }

Channel Primitive::wakeChannel(const LockName &) const { return {}; }

Channel Primitive::ownerChannel(const LockName &name, const LockToken &) const { return wakeChannel(name); }

Command Primitive::releaseTogether(std::span<const Ask>) const { return {}; }

AcquirePolicy Primitive::defaultPolicy() const { return defaultPolicyOf(info()); }

bool Primitive::takes(const AcquirePolicy &policy) const { return takesPolicy(info(), policy); }

bool Primitive::isBusy(const Reply &reply) {
  static constexpr std::array<std::string_view, 6> words{"LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS"};
  return std::ranges::find(words, reply.failureWord()) != words.end();
}

} // namespace lockhouse
