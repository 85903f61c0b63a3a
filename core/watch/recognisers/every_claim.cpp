// SPDX-License-Identifier: Apache-2.0
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>
#include <array>

namespace lockhouse {

OwnRecogniser ownRecogniser(std::string_view slug) {
  static constexpr auto all = std::to_array<std::pair<std::string_view, OwnRecogniser>>({{"redisson-lock", claimRedissonLock},
                                                                                         {"redisson-fair", claimRedissonFair},
                                                                                         {"redisson-rw", claimRedissonReadWrite},
                                                                                         {"redisson-multilock", claimRedissonMultiLock},
                                                                                         {"redisson-permits", claimRedissonPermits},
                                                                                         {"redisson-semaphore", claimRedissonSemaphore},
                                                                                         {"redisson-latch", claimRedissonLatch},
                                                                                         {"rueidislock", claimRueidisLock},
                                                                                         {"lockhouse-semaphore", claimLeasedSemaphore},
                                                                                         {"lockhouse-blocking", claimBlockingLock},
                                                                                         {"lockhouse-handoff", claimHandoff},
                                                                                         {"mlanett-redis-lock", claimMlanett},
                                                                                         {"discourse", claimDiscourse},
                                                                                         {"distributedlock-rw", claimDistributedReadWrite},
                                                                                         {"symfony", claimSymfony},
                                                                                         {"symfony-semaphore", claimSymfonySemaphore},
                                                                                         {"redis-semaphore", claimRedisSemaphore},
                                                                                         {"suo", claimSuo},
                                                                                         {"token", claimToken},
                                                                                         {"setnx-legacy", claimSetnxLegacy},
                                                                                         {"handmade-list", claimHandmadeList},
                                                                                         {"handmade-count", claimHandmadeCount},
                                                                                         {"laravel", claimLaravel},
                                                                                         {"laravel-funnel", claimLaravelFunnel},
                                                                                         {"foundatio", claimFoundatio},
                                                                                         {"aiocache", claimUnlessNamedOtherwise},
                                                                                         {"sentry", claimSentry},
                                                                                         {"shedlock", claimShedLock},
                                                                                         {"distributedlock", claimDistributedLock},
                                                                                         {"distributedlock-semaphore", claimDistributedSemaphore},
                                                                                         {"django-redis", claimUnlessNamedOtherwise},
                                                                                         {"redis-objects", claimUnlessNamedOtherwise},
                                                                                         {"npm-redis-lock", claimUnlessNamedOtherwise},
                                                                                         {"gem-redis-semaphore", claimUnlessNamedOtherwise}});
  const auto *found = std::ranges::find(all, slug, [](const auto &each) { return each.first; });
  return found == all.end() ? nullptr : found->second;
}

} // namespace lockhouse
