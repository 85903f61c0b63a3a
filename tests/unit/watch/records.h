// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

namespace lockhouse::test {

inline constexpr auto owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1";
inline constexpr auto other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5";
inline constexpr auto third = "c3d2e1f0-9b8a-4776-a554-332211009f03:6";

inline SteadyTime at(seconds since) { return SteadyTime{} + std::chrono::hours(1) + since; }

/// A lock read at at(0) with ten seconds of lease left.
inline LockRecord record(std::string family, LockKind kind, std::string key, std::vector<Holder> holders) {
  LockRecord made;
  made.id = {NodeId("127.0.0.1:6379"), 0, LockName(std::move(key))};
  made.family = std::move(family);
  made.kind = kind;
  made.holders = std::move(holders);
  made.confidence = 0.95;
  made.seenAt = at(seconds(0));
  made.expiresAt = at(seconds(10));
  made.lease = seconds(30);
  return made;
}

} // namespace lockhouse::test
