// SPDX-License-Identifier: Apache-2.0
#include "core/release/redisson_channels.h"

#include <fmt/format.h>

namespace lockhouse::redisson {
namespace {

std::string braced(std::string_view lock) { return lock.find('{') == std::string_view::npos ? fmt::format("{{{}}}", lock) : std::string(lock); }

} // namespace

std::string lockChannel(std::string_view lock) { return "redisson_lock__channel:" + braced(lock); }

std::string rwChannel(std::string_view lock) { return "redisson_rwlock:" + braced(lock); }

std::string readerTimeoutKey(std::string_view lock, std::string_view reader, std::int64_t entry) {
  return fmt::format("{}:{}:rwlock_timeout:{}", braced(lock), reader, entry);
}

} // namespace lockhouse::redisson
