// SPDX-License-Identifier: Apache-2.0
#include "core/lock/fence_check.h"
#include "core/lock/scripts.h"

#include <charconv>

namespace lockhouse {
namespace {

/// What Redis hashes of a key instead of all of it: what is between its first '{' and the next '}', if anything.
bool hasHashTag(std::string_view key) {
  const auto open = key.find('{');
  const auto close = open == std::string_view::npos ? open : key.find('}', open);
  return close != std::string_view::npos && close > open + 1;
}

std::optional<Fence> fenceOf(const Reply &reply) {
  const auto *text = reply.bulk();
  if (text == nullptr)
    return std::nullopt;
  Fence fence;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), fence.value);
  return error == std::errc{} && end == text->data() + text->size() ? std::optional(fence) : std::nullopt;
}

} // namespace

FencedKeys FencedKeys::of(std::string_view value) {
  const std::string prefix = "lockhouse:fence:";
  return {prefix + (hasHashTag(value) ? std::string(value) : "{" + std::string(value) + "}"), std::string(value)};
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
    return fail(ErrorCode::Protocol, "this is no answer to a fenced set", "fenced set", "send what fencedSet() gives");
  return FencedAnswer{*passed == 1 ? FenceVerdict::Admitted : FenceVerdict::Stale, *highest};
}

} // namespace lockhouse
