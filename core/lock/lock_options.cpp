// SPDX-License-Identifier: Apache-2.0
#include "core/lock/lock_options.h"

#include "core/base/safe_text.h"

namespace lockhouse {

Result<void> checkLock(std::string_view name, const LockOptions &options) {
  if (name.empty())
    return fail(ErrorCode::Usage, "a lock needs a name");
  if (options.lease < milliseconds(10) || options.lease > std::chrono::days(365))
    return fail(ErrorCode::Usage, "a lease must be between 10 ms and 365 days", safeText(name, 80));
  if (options.countLimit < 1)
    return fail(ErrorCode::Usage, "the count limit must be at least 1", safeText(name, 80));
  return {};
}

} // namespace lockhouse
