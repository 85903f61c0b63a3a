// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The channels and timeout keys that Redisson derives from a lock's name: "prefix:{name}" and "{name}:suffix", where a name that
/// has a brace already is used as it is. Source: redisson, RedissonObject.prefixName / suffixName and the lock classes.
namespace lockhouse::redisson {

/// Of a reentrant lock; of a fair lock's waiter with ":<waiter>" behind it.
std::string lockChannel(std::string_view lock);
std::string rwChannel(std::string_view lock);
/// Carries the lease of a reader's `entry`-th hold (from 1).
std::string readerTimeoutKey(std::string_view lock, std::string_view reader, std::int64_t entry);

} // namespace lockhouse::redisson
