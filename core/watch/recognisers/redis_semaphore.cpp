// SPDX-License-Identifier: Apache-2.0
// redis-semaphore's MultiSemaphore writes <uuid>_0 … <uuid>_<permits - 1>, one member for each permit of a hold: they come and go together.
#include "core/watch/recognisers/every_claim.h"

#include <algorithm>

namespace lockhouse {

std::optional<Claim> claimRedisSemaphore(const Family &family, const KeyFacts &facts) {
  constexpr std::size_t uuidSize = 36;
  const auto *form = fittingForm(family, facts);
  if (!form)
    return std::nullopt;
  Claim claim{.draft = draftOf(family, *form, facts), .isByName = true};
  std::vector<Holder> holds;
  for (auto &holder : claim.draft.holders) {
    holder.id.resize(std::min(holder.id.size(), uuidSize));
    const auto hold = std::ranges::find(holds, holder.id, &Holder::id);
    if (hold == holds.end())
      holds.push_back(std::move(holder));
    else
      ++hold->count;
  }
  claim.draft.holders = std::move(holds);
  return claim;
}

} // namespace lockhouse
