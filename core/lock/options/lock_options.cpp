// SPDX-License-Identifier: Apache-2.0
#include "core/lock/options/lock_options.h"

#include "core/base/safe_text.h"

namespace lockhouse {

Result<void> checkLock(std::string_view name, const LockOptions &options) {
  if (name.empty())
    return fail(ErrorCode::Usage, LH_ENGLISH("a lock needs a name"));
  if (options.lease < milliseconds(10) || options.lease > longestTime)
    return fail(ErrorCode::Usage, LH_ENGLISH("a lease must be between 10 ms and 365 days"), safeText(name, 80));
  if (options.policy)
    for (const auto pause : {options.policy->pause, options.policy->cap})
      if (pause < microseconds::zero() || pause > longestTime)
        return fail(ErrorCode::Usage, LH_ENGLISH("the pauses of a policy must be between 0 and 365 days"), safeText(name, 80));
  if (options.patience < milliseconds::zero())
    return fail(ErrorCode::Usage, LH_ENGLISH("the patience with a node out of reach cannot be negative"), safeText(name, 80));
  if (options.countLimit < 1)
    return fail(ErrorCode::Usage, LH_ENGLISH("the count limit must be at least 1"), safeText(name, 80));
  if (options.acknowledge.kind == ReplicaAck::Kind::Count && options.acknowledge.replicas < 1)
    return fail(ErrorCode::Usage, LH_ENGLISH("an acknowledgement is by at least 1 replica"), safeText(name, 80));
  if (options.acknowledge.isWanted() && (options.acknowledge.limit < milliseconds(1) || options.acknowledge.limit > longestTime))
    return fail(ErrorCode::Usage, LH_ENGLISH("the limit of an acknowledgement must be between 1 ms and 365 days"), safeText(name, 80));
  if (options.mode.permits < 1 || options.mode.capacity < 1)
    return fail(ErrorCode::Usage, LH_ENGLISH("permits and capacity must be at least 1"), safeText(name, 80));
  if (options.mode.permits > options.mode.capacity)
    return fail(ErrorCode::Usage, LH_ENGLISH("more permits are wanted than there are"), safeText(name, 80), LH_ENGLISH("raise the capacity or ask for fewer"));
  if (options.mode.permits > 10'000)
    return fail(ErrorCode::Usage, LH_ENGLISH("one hold takes at most 10000 permits"), safeText(name, 80), LH_ENGLISH("let several holds take them"));
  return {};
}

} // namespace lockhouse
