// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/watch/lock_corpus.h"

#include <cstdlib>
#include <iterator>

namespace lockhouse::test {

const std::vector<LockState> &lockCorpus() {
  static const auto states = [] {
    std::vector<LockState> all;
    for (auto part : {locksAToM(), locksNToZ(), tokenLocks(), prefixedLocks()})
      std::ranges::move(part, std::back_inserter(all));
    return all;
  }();
  return states;
}

KeyFacts factsOf(const LockState &state) {
  KeyFacts facts;
  facts.key = state.key;
  facts.type = state.type;
  facts.ttl = state.hasLease ? std::optional(milliseconds(20'000)) : std::nullopt;
  facts.serverTime = corpusTime;
  facts.seenAt = SteadyTime(seconds(50));
  facts.size = state.parts.size();
  for (const auto &[first, second] : state.parts) {
    if (state.type == ValueType::String)
      facts.value = first;
    else if (state.type == ValueType::Hash)
      facts.fields.emplace_back(first, second);
    else
      facts.members.push_back({first, std::strtod(second.c_str(), nullptr)});
  }
  return facts;
}

} // namespace lockhouse::test
