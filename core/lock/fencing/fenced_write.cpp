// SPDX-License-Identifier: Apache-2.0
#include "core/lock/fencing/fence_check.h"

#include "core/base/hash_slot.h"
#include "core/lock/scripts.h"

#include <algorithm>

namespace lockhouse {
namespace {

std::optional<Fence> fenceOf(const Reply &reply) {
  const auto *text = reply.bulk();
  return text == nullptr ? std::nullopt : parseFence(*text);
}

} // namespace

FencedKeys FencedKeys::of(std::string_view value) {
  const std::string prefix = "lockhouse:fence:";
  return {prefix + (hashTag(value).size() < value.size() ? std::string(value) : "{" + std::string(value) + "}"), std::string(value)};
}

Command fencedSet(const FencedKeys &keys, Fence fence, std::string_view value, std::optional<milliseconds> markLife) {
  const auto number = std::to_string(fence.value);
  const auto life = std::to_string(std::max<milliseconds::rep>(markLife ? markLife->count() : 0, markLife ? 1 : 0));
  if (keys.value.empty())
    return Command::evalsha(lock_scripts::fenceGuard, {keys.mark}, {number, life});
  return Command::evalsha(lock_scripts::fenceGuard, {keys.mark, keys.value}, {number, life, value});
}

Result<FencedAnswer> readFencedSet(const Reply &reply) {
  if (reply.isFailure())
    return std::unexpected(errorOf(reply, "fenced set"));
  const auto &parts = reply.array();
  const auto passed = parts.size() == 2 ? parts[0].integer() : std::nullopt;
  const auto highest = passed ? fenceOf(parts[1]) : std::nullopt;
  if (!highest || (*passed != 0 && *passed != 1))
    return fail(ErrorCode::Protocol, LH_ENGLISH("this is no answer to a fenced set"), "fenced set", LH_ENGLISH("send what fencedSet() gives"));
  return FencedAnswer{*passed == 1 ? FenceVerdict::Admitted : FenceVerdict::Stale, *highest};
}

} // namespace lockhouse
