// SPDX-License-Identifier: Apache-2.0
// Which primitives there are: tools, console and tests list them from here.
#include "core/lock/pages/composition.h"
#include "core/lock/pages/primitive_info.h"
#include "core/lock/primitives/blocking/blocking_lock.h"
#include "core/lock/primitives/handoff/handoff_lock.h"
#include "core/lock/primitives/mutex/mutex.h"
#include "core/lock/primitives/primitive.h"
#include "core/lock/primitives/queue/textbook_queue_locks.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"
#include "core/lock/primitives/redisson/fair_lock.h"
#include "core/lock/primitives/redisson/fenced_lock.h"
#include "core/lock/primitives/redisson/read_write_lock.h"
#include "core/lock/primitives/redisson/redisson_permits.h"
#include "core/lock/primitives/redisson/reentrant_lock.h"
#include "core/lock/primitives/setnx/setnx_lock.h"
#include "core/lock/primitives/shared/multi_holder_locks.h"

#include <algorithm>
#include <array>
#include <vector>

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
                                                       &TextbookQueueLock::listFair,
                                                       &TextbookQueueLock::zsetFair,
                                                       &blockingLock,
                                                       &setnxLock,
                                                       &MultiHolderLock::fairReadWrite,
                                                       &MultiHolderLock::leasedSemaphore};

} // namespace

std::span<const Primitive *const> Primitive::all() { return primitives; }

const Primitive *Primitive::find(std::string_view name) {
  const auto found = std::ranges::find(primitives, name, [](const Primitive *primitive) { return primitive->info().name; });
  return found == primitives.end() ? nullptr : *found;
}

std::span<const PrimitiveInfo> primitiveInfos() {
  static const std::vector<PrimitiveInfo> infos = [] {
    std::vector<PrimitiveInfo> all;
    for (const auto *primitive : Primitive::all())
      all.push_back(primitive->info());
    all.insert(all.end(), compositionInfos().begin(), compositionInfos().end());
    all.push_back(CountDownLatchWait().info());
    return all;
  }();
  return infos;
}

const PrimitiveInfo *findPrimitive(std::string_view name) {
  const auto infos = primitiveInfos();
  const auto found = std::ranges::find(infos, name, &PrimitiveInfo::name);
  return found == infos.end() ? nullptr : &*found;
}

} // namespace lockhouse
