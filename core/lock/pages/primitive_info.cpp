// SPDX-License-Identifier: Apache-2.0
#include "core/lock/pages/primitive_info.h"

#include <algorithm>

namespace lockhouse {

AcquirePolicy defaultPolicyOf(const PrimitiveInfo &info) { return AcquirePolicy::named(info.policies.front()).value_or(AcquirePolicy{}); }

bool takesPolicy(const PrimitiveInfo &info, const AcquirePolicy &policy) { return std::ranges::find(info.policies, policy.name()) != info.policies.end(); }

} // namespace lockhouse
