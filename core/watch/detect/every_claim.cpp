// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/every_claim.h"

#include <algorithm>
#include <array>

namespace lockhouse {
namespace {

using enum ValueType;

using Types = unsigned; // one bit for each
constexpr Types of(ValueType type) { return 1U << static_cast<unsigned>(type); }
constexpr Types anyType = ~0U;

struct Own {
  std::string_view slug;
  OwnRecogniser recognise;
  Types beyondForms = 0; ///< of keys of these types it looks at more than its forms say; of all others it doubts or adds to what a form has found
  double surest = 1;     ///< none of its claims is surer: it need not be asked where another's is as sure
};

constexpr auto everyOwn = std::to_array<Own>({
    {"redisson-lock", claimRedissonLock, of(Hash)},
    {"redisson-fair", claimRedissonFair, anyType},
    {"redisson-rw", claimRedissonReadWrite, of(Hash)},
    {"redisson-multilock", claimRedissonMultiLock, of(Hash)},
    {"redisson-permits", claimRedissonPermits, anyType},
    {"redisson-semaphore", claimRedissonSemaphore, of(String)},
    {"redisson-latch", claimRedissonLatch, of(String)},
    {"rueidislock", claimRueidisLock, of(String) | of(None)},
    {"distributedlock-rw", claimDistributedReadWrite, anyType},
    {"symfony", claimSymfony, of(SortedSet)},
    {"suo", claimSuo, of(String)},
    {"token", claimToken, of(String), 0.97},
    {"setnx-legacy", claimSetnxLegacy, of(String), 0.58},
    {"foundatio", claimFoundatio, of(String)},
    {"lockhouse-semaphore", claimLeasedSemaphore},
    {"lockhouse-blocking", claimBlockingLock},
    {"lockhouse-handoff", claimHandoff},
    {"mlanett-redis-lock", claimMlanett},
    {"discourse", claimDiscourse},
    {"symfony-semaphore", claimSymfonySemaphore},
    {"redis-semaphore", claimRedisSemaphore},
    {"handmade-list", claimHandmadeList},
    {"handmade-count", claimHandmadeCount},
    {"laravel", claimLaravel},
    {"laravel-funnel", claimLaravelFunnel},
    {"aiocache", claimUnlessNamedOtherwise},
    {"sentry", claimSentry},
    {"shedlock", claimShedLock},
    {"distributedlock", claimDistributedLock},
    {"distributedlock-semaphore", claimDistributedSemaphore},
    {"django-redis", claimUnlessNamedOtherwise},
    {"redis-objects", claimUnlessNamedOtherwise},
    {"npm-redis-lock", claimUnlessNamedOtherwise},
    {"gem-redis-semaphore", claimUnlessNamedOtherwise},
});

const Own *find(std::string_view slug) {
  const auto *found = std::ranges::find(everyOwn, slug, &Own::slug);
  return found == everyOwn.end() ? nullptr : found;
}

} // namespace

OwnRecogniser ownRecogniser(std::string_view slug) {
  const auto *own = find(slug);
  return own ? own->recognise : nullptr;
}

double surestClaim(const Family &family) {
  const auto *own = family.recognise ? find(family.slug) : nullptr;
  return own ? own->surest : 1;
}

bool looksBeyondForms(const Family &family, ValueType type) {
  const auto *own = family.recognise ? find(family.slug) : nullptr;
  return own && (own->beyondForms & of(type)) != 0;
}

} // namespace lockhouse
