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
    {"redisson-lock", matchRedissonLock, of(Hash)},
    {"redisson-fair", matchRedissonFair, anyType},
    {"redisson-rw", matchRedissonReadWrite, of(Hash)},
    {"redisson-multilock", matchRedissonMultiLock, of(Hash)},
    {"redisson-permits", matchRedissonPermits, anyType},
    {"redisson-semaphore", matchRedissonSemaphore, of(String)},
    {"redisson-latch", matchRedissonLatch, of(String)},
    {"rueidislock", matchRueidisLock, of(String) | of(None)},
    {"distributedlock-rw", matchDistributedReadWrite, anyType},
    {"symfony", matchSymfony, of(SortedSet)},
    {"suo", matchSuo, of(String)},
    {"token", matchToken, of(String), 0.97},
    {"setnx-legacy", matchSetnxLegacy, of(String), 0.58},
    {"foundatio", matchFoundatio, of(String)},
    {"lockhouse-semaphore", matchLeasedSemaphore},
    {"lockhouse-blocking", matchBlockingLock},
    {"lockhouse-handoff", matchHandoff},
    {"mlanett-redis-lock", matchMlanett},
    {"discourse", matchDiscourse},
    {"symfony-semaphore", matchSymfonySemaphore},
    {"redis-semaphore", matchRedisSemaphore},
    {"handmade-list", matchHandmadeList},
    {"handmade-count", matchHandmadeCount},
    {"laravel", matchLaravel},
    {"laravel-funnel", matchLaravelFunnel},
    {"aiocache", matchUnlessNamedOtherwise},
    {"sentry", matchSentry},
    {"shedlock", matchShedLock},
    {"distributedlock", matchDistributedLock},
    {"distributedlock-semaphore", matchDistributedSemaphore},
    {"django-redis", matchUnlessNamedOtherwise},
    {"redis-objects", matchUnlessNamedOtherwise},
    {"npm-redis-lock", matchUnlessNamedOtherwise},
    {"gem-redis-semaphore", matchUnlessNamedOtherwise},
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

double surestMatch(const Family &family) {
  const auto *own = family.recognise ? find(family.slug) : nullptr;
  return own ? own->surest : 1;
}

bool looksBeyondForms(const Family &family, ValueType type) {
  const auto *own = family.recognise ? find(family.slug) : nullptr;
  return own && (own->beyondForms & of(type)) != 0;
}

} // namespace lockhouse
