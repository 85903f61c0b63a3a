// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitive_info.h"

#include "core/lock/composition.h"
#include "core/lock/latch_gate.h"
#include "core/lock/primitive.h"

#include <algorithm>
#include <vector>

namespace lockhouse {

std::span<const PrimitiveInfo> primitiveInfos() {
  static const std::vector<PrimitiveInfo> infos = [] {
    std::vector<PrimitiveInfo> all;
    for (const auto *primitive : Primitive::all())
      all.push_back(primitive->info());
    all.insert(all.end(), compositionInfos().begin(), compositionInfos().end());
    all.push_back(LatchGate().info());
    return all;
  }();
  return infos;
}

const PrimitiveInfo *findPrimitive(std::string_view name) {
  const auto infos = primitiveInfos();
  const auto found = std::ranges::find(infos, name, &PrimitiveInfo::name);
  return found == infos.end() ? nullptr : &*found;
}

AcquirePolicy defaultPolicyOf(const PrimitiveInfo &info) { return AcquirePolicy::named(info.policies.front()).value_or(AcquirePolicy{}); }

bool takesPolicy(const PrimitiveInfo &info, const AcquirePolicy &policy) { return std::ranges::find(info.policies, policy.name()) != info.policies.end(); }

} // namespace lockhouse
