// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/watch/detect/family_registry.h"

namespace lockhouse::test {

/// A lock as its library leaves it in Redis.
struct LockState {
  std::string_view family;
  ValueType type = ValueType::String;
  std::string key;
  /// The value; fields and values; members and scores.
  std::vector<std::pair<std::string, std::string>> parts;
  bool hasLease = true;
  std::string_view mayBe; ///< of a row that several libraries may have left: one that did
};

constexpr milliseconds corpusTime(1'795'300'000'000); ///< when they were all held

const std::vector<LockState> &lockCorpus();
// Its parts, a file each.
std::vector<LockState> locksAToM(); ///< by the name of the family: libraries of their own format
std::vector<LockState> locksNToZ();
std::vector<LockState> tokenLocks();    ///< of the family `token`, whichever library or hand set it
std::vector<LockState> prefixedLocks(); ///< under a prefix of the user's, or packed

/// What its library would write, with its times moved to `now`; without its lease.
std::vector<Command> commandsFor(const LockState &state, milliseconds now);

/// What a read of it finds; refers to `state`.
KeyFacts factsOf(const LockState &state);

} // namespace lockhouse::test
