// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/hold_begin.h"

#include "core/watch/record/metadata.h"

#include "core/watch/text/id_time.h"
#include <algorithm>

namespace lockhouse {

std::optional<SteadyTime> sinceByHolder(const LockRecord &record, SteadyTime now, WallTime wall) {
  if (record.heldSinceExact || record.holders.size() != 1)
    return std::nullopt;
  const auto told = std::ranges::find(record.extras, "since", &MetadataEntry::name);
  const auto at = told == record.extras.end() ? std::nullopt : instantOf(told->value);
  if (!at)
    return std::nullopt;
  const auto since = now - (wall - WallTime(*at));
  return since < record.heldSince ? std::optional(since) : std::nullopt;
}

} // namespace lockhouse
