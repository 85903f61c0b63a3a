// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/families.h"

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
// Its parts, by the name of the family.
std::vector<LockState> locksAToM();
std::vector<LockState> locksNToZ();
std::vector<LockState> tokenLocks();
std::vector<LockState> prefixedLocks();

/// What a read of it finds; refers to `state`.
KeyFacts factsOf(const LockState &state);

} // namespace lockhouse::test
