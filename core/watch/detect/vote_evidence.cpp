// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/vote_evidence.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr auto count = LH_MESSAGE("Evidence", "keys that carry this holder's token: %1"),
               clients = LH_MESSAGE("Evidence", "clients that have some of its keys: %1");
constexpr auto tooFew = LH_MESSAGE("Evidence", "fewer than two of its keys: unless its clients are set to one, nobody holds it");
constexpr auto notSeen = LH_MESSAGE("Evidence", "its other keys may lie where nothing is seen of them: on masters that are not watched, or that refuse keys");

} // namespace

void tellVotes(LockRecord &record) {
  std::erase_if(record.evidence, [](const Message &fact) { return fact.is(count) || fact.is(clients) || fact.is(tooFew) || fact.is(notSeen); });
  record.evidence.push_back(count(record.votes));
  if (!record.outvoted.empty())
    record.evidence.push_back(clients(record.outvoted.size() + 1));
  if (record.unfollowed > 0)
    record.evidence.emplace_back(notSeen);
  else if (record.votes < record.neededVotes)
    record.evidence.emplace_back(tooFew);
}

} // namespace lockhouse
