// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/vote_evidence.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

constexpr std::string_view count = "keys that carry this holder's token: ", clients = "clients that have some of its keys: ";
constexpr std::string_view tooFew = "fewer than two of its keys: unless its clients are set to one, nobody holds it";
constexpr std::string_view notSeen = "its other keys may lie where nothing is seen of them: on masters that are not watched, or that refuse keys";

} // namespace

void tellVotes(LockRecord &record) {
  std::erase_if(record.evidence,
                [](const std::string &fact) { return fact.starts_with(count) || fact.starts_with(clients) || fact == tooFew || fact == notSeen; });
  record.evidence.push_back(fmt::format("{}{}", count, record.votes));
  if (!record.outvoted.empty())
    record.evidence.push_back(fmt::format("{}{}", clients, record.outvoted.size() + 1));
  if (record.unfollowed > 0)
    record.evidence.emplace_back(notSeen);
  else if (record.votes < record.neededVotes)
    record.evidence.emplace_back(tooFew);
}

} // namespace lockhouse
