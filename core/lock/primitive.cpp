// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitive.h"

#include "core/lock/mutex.h"
#include "core/lock/reentrant_lock.h"

#include <algorithm>
#include <array>

namespace lockhouse {

const Primitive *Primitive::find(std::string_view name) {
  static const Mutex mutex;
  static const ReentrantLock reentrant;
  for (const Primitive *primitive : std::array<const Primitive *, 2>{&mutex, &reentrant})
    if (primitive->info().name == name)
      return primitive;
  return nullptr;
}

Command Primitive::releaseTogether(std::span<const Ask>) const { return {}; }

AcquirePolicy Primitive::defaultPolicy() const { return AcquirePolicy::named(info().policies.front()).value_or(AcquirePolicy{}); }

bool Primitive::takes(const AcquirePolicy &policy) const { return std::ranges::find(info().policies, policy.name()) != info().policies.end(); }

bool Primitive::isBusy(const Reply &reply) {
  static constexpr std::array<std::string_view, 6> words{"LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS"};
  return std::ranges::find(words, reply.failureWord()) != words.end();
}

} // namespace lockhouse
