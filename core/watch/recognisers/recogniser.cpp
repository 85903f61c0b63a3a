// SPDX-License-Identifier: Apache-2.0
#include "core/watch/recognisers/recogniser.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lockhouse {

std::span<const Recogniser> recognisers() {
  // A fair lock is a Redisson lock with more to it, so it is asked first; strings come last because their evidence is weakest.
  static constexpr std::array table{
      Recogniser{"redisson-rw", ValueType::Hash, recogniseRedissonReadWrite},
      Recogniser{"redisson-fair", ValueType::Hash, recogniseRedissonFair},
      Recogniser{"redisson-lock", ValueType::Hash, recogniseRedissonLock},
      Recogniser{"token", ValueType::String, recogniseToken},
  };
  return table;
}

ValueType typeOf(const LockRecord &record) {
  const auto found = std::ranges::find(recognisers(), record.family, &Recogniser::family);
  return !record.isHeld() || found == recognisers().end() ? ValueType::Unknown : found->type;
}

std::optional<LockRecord> recognise(const KeyFacts &facts) {
  for (const auto &recogniser : recognisers()) {
    LockRecord draft;
    if (!recogniser.recognise(facts, draft))
      continue;
    draft.family = recogniser.family;
    draft.evidence.insert(draft.evidence.end(), facts.oddities.begin(), facts.oddities.end());
    return draft;
  }
  return std::nullopt;
}

void noteListeners(std::uint64_t clients, LockRecord &draft) {
  if (clients == 0)
    return;
  draft.waiters = clients;
  draft.evidence.emplace_back("clients listen for its release");
}

std::optional<std::int64_t> holdCount(std::string_view value) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || end != value.data() + value.size() || count <= 0)
    return std::nullopt;
  return count;
}

} // namespace lockhouse
