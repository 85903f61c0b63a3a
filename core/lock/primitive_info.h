// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/acquire_policy.h"

#include <span>
#include <string_view>

namespace lockhouse {

/// What there is to know about a primitive before using it; the source of `lockhousectl primitives` and of the lab's choices.
struct PrimitiveInfo {
  std::string_view name;    ///< "Mutex", "ReentrantLock"
  std::string_view summary; ///< one sentence: what it is
  std::string_view useWhen;
  std::string_view avoidWhen;
  std::span<const std::string_view> policies; ///< acquire policies it takes; the first is its default
  std::span<const std::string_view> promises;
  std::span<const std::string_view> notPromised;
  std::string_view commands; ///< Redis commands and round trips of an uncontended acquire + release
  std::string_view source;   ///< paper, document or library that it follows
};

/// Of Primitive::all(), in that order, then of what is put together from them (composition.h).
std::span<const PrimitiveInfo> primitiveInfos();
/// Null if there is none of that name (exact, case-sensitive).
const PrimitiveInfo *findPrimitive(std::string_view name);

AcquirePolicy defaultPolicyOf(const PrimitiveInfo &info);
bool takesPolicy(const PrimitiveInfo &info, const AcquirePolicy &policy); ///< whether info.policies lists it

} // namespace lockhouse
