// SPDX-License-Identifier: Apache-2.0
#include "core/watch/recognisers/every_claim.h"

#include "core/watch/name_evidence.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lockhouse {

OwnRecogniser ownRecogniser(std::string_view slug) {
  static constexpr std::array<std::pair<std::string_view, OwnRecogniser>, 16> all{{{"redisson-lock", claimRedissonLock},
                                                                                   {"redisson-fair", claimRedissonFair},
                                                                                   {"redisson-rw", claimRedissonReadWrite},
                                                                                   {"redisson-multilock", claimRedissonMultiLock},
                                                                                   {"redisson-permits", claimRedissonPermits},
                                                                                   {"redisson-semaphore", claimRedissonSemaphore},
                                                                                   {"redisson-latch", claimRedissonLatch},
                                                                                   {"rueidislock", claimRueidisLock},
                                                                                   {"distributedlock-rw", claimDistributedReadWrite},
                                                                                   {"symfony", claimSymfony},
                                                                                   {"symfony-semaphore", claimSymfonySemaphore},
                                                                                   {"redis-semaphore", claimRedisSemaphore},
                                                                                   {"suo", claimSuo},
                                                                                   {"token", claimToken},
                                                                                   {"setnx-legacy", claimSetnxLegacy},
                                                                                   {"handmade-list", claimHandmadeList}}};
  const auto *found = std::ranges::find(all, slug, [](const auto &each) { return each.first; });
  return found == all.end() ? nullptr : found->second;
}

void noteListeners(std::uint64_t clients, LockRecord &draft) {
  if (clients == 0)
    return;
  draft.waiters = clients;
  draft.evidence.emplace_back("clients listen for its release");
}

bool isSupported(const KeyFacts &facts) {
  const auto name = nameEvidence(facts.key);
  const bool isHeard = facts.listeners && facts.listeners->lock + facts.listeners->readWrite > 0;
  return (name.lock && !name.attribute && !name.contrary) || facts.fence || !facts.queue.empty() || isHeard;
}

std::optional<std::int64_t> holdCount(std::string_view value) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || end != value.data() + value.size() || count <= 0)
    return std::nullopt;
  return count;
}

} // namespace lockhouse
