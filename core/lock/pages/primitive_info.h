// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/options/acquire_policy.h"

#include <span>
#include <string_view>

namespace lockhouse {

/// A key or channel of a lock. In its name NAME is the lock's name, and what stands in <> varies.
struct LockPlace {
  std::string_view name;    ///< "lockhouse:queue:{NAME}"
  std::string_view type;    ///< as TYPE says it, "string", "hash", "list", "zset"; or "channel"
  std::string_view meaning; ///< what is in it, and how long it stays
};

/// What an acquire and its release cost, as measured; tests/contract holds the numbers. Commands are what a client sends, calls what
/// the server counts (INFO commandstats): the same and what scripts call. All 0: as of the lock that it is made of.
struct LockCosts {
  double commands = 0, calls = 0;               ///< while nobody else wants it
  double crowdedCommands = 0, crowdedCalls = 0; ///< about so many, of 16 clients of one process that want one key all the time
};

/// What there is to know about a primitive before using it; the source of `lockhousectl primitives`, of the pages of the library's
/// documentation and of the lab's choices.
struct PrimitiveInfo {
  std::string_view name;    ///< "Mutex", "ReentrantLock"
  std::string_view summary; ///< one sentence: what it is
  std::string_view useWhen;
  std::string_view avoidWhen;
  std::span<const std::string_view> policies; ///< acquire policies it takes; the first is its default
  std::span<const std::string_view> promises;
  std::span<const std::string_view> notPromised;
  std::string_view commands;                       ///< Redis commands and round trips of an uncontended acquire, its release and its renewal, and of a handoff
  std::string_view source;                         ///< paper, document or library that it follows
  std::string_view sharedWith = {};                ///< whose locks these are too
  std::span<const LockPlace> places = {};          ///< all that it may have in Redis
  std::string_view waiting = {};                   ///< what a waiter does and costs
  std::span<const std::string_view> outcomes = {}; ///< what its acquires and releases say, where that is its own
  LockCosts costs = {};
  std::string_view example = {}; ///< C++, compiled and run by tests/contract; knows `client`, `quorum` and `work()`
};

/// Of Primitive::all(), in that order, then of what is put together from them (composition.h), then of CountDownLatch, which excludes nobody.
std::span<const PrimitiveInfo> primitiveInfos();
/// Null if there is none of that name (exact, case-sensitive).
const PrimitiveInfo *findPrimitive(std::string_view name);

AcquirePolicy defaultPolicyOf(const PrimitiveInfo &info);
bool takesPolicy(const PrimitiveInfo &info, const AcquirePolicy &policy); ///< whether info.policies lists it

} // namespace lockhouse
