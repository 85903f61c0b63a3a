// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/every_claim.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"

namespace lockhouse {

// Its key may be kept on purpose when the job is over, and its bytes do not tell.
std::optional<FamilyMatch> matchShedLock(const Family &family, const KeyFacts &facts) {
  auto match = matchByForms(family, facts);
  const std::string_view value = facts.value;
  const auto since = match ? instantOf(value.substr(value.find(':') + 1, value.find('@') - value.find(':') - 1)) : std::nullopt;
  if (since && facts.ttl && facts.serverTime - *since > *facts.ttl)
    match->draft.evidence.emplace_back(
        LH_MESSAGE("Evidence", "most of its lease has passed: its job may be over, and the lock kept for its least time (lockAtLeastFor)"));
  return match;
}

} // namespace lockhouse
