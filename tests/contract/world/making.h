// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/primitives/primitive.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse::test {

/// How a lock is made of a primitive.
enum class Making : std::uint8_t {
  Alone,           ///< a key at one node
  RedLock,         ///< one at each of several nodes, of which most decide
  MultiInOneSlot,  ///< a MultiLock of two names that one script takes
  MultiInTwoSlots, ///< of two names that are taken one after the other
  MultiAtTwoNodes, ///< of the same name at two nodes
  Striped,         ///< one of many stripes, as a user's call
  Fallback         ///< a user's call, with a lock of the process behind it, to which no case falls back: fallback_faults_test.cpp has that
};

constexpr bool isMulti(Making making) { return making == Making::MultiInOneSlot || making == Making::MultiInTwoSlots || making == Making::MultiAtTwoNodes; }
/// Locks that are reached by a user's call: each acquire is an owner of its own, and there is no handle that could be entered again.
constexpr bool isUsers(Making making) { return making == Making::Striped || making == Making::Fallback; }
/// Re-entries are no commands.
constexpr bool countsInClient(Making making) { return making == Making::RedLock || isMulti(making); }

/// What a case tries, known by its name: a primitive, or what is composed of one.
struct Subject {
  std::string_view name;
  const Primitive *primitive;
  Making making = Making::Alone;
};
/// Not for the names of none.
Subject subjectNamed(std::string_view name);
std::vector<Subject> compositions();

/// The keys of a lock of that name, at each of its nodes, in the order in which they are taken.
std::vector<std::string> keysOf(Making making, std::string_view lock);

/// What all striped locks of the suite are made with.
inline constexpr std::string_view stripesName = "striped";
inline constexpr std::uint64_t stripes = 100'000; // so many that no two names of a case share one

} // namespace lockhouse::test
