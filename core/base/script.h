// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockhouse {

/// A Lua script of ours, a constant embedded at build time from a room's scripts/ folder. Data reaches it by KEYS and ARGV only.
struct Script {
  std::string_view name; ///< "mutex-release": the file's name with dashes
  std::string_view body; ///< exact bytes sent by EVAL
  std::string_view sha1; ///< 40 lower-case hex of body, for EVALSHA
};

} // namespace lockhouse
