// SPDX-License-Identifier: Apache-2.0
#include "core/lock/options/server_features.h"

namespace lockhouse {

ServerFeatures readServerFeatures(std::string_view info, const Reply &commands) {
  using Compare = ServerFeatures::CompareAndDelete;
  const auto &known = commands.array();
  const auto has = [&known](std::size_t index) { return index < known.size() && known[index].isArray() && !known[index].array().empty(); };
  return {.compareAndDelete = has(0)   ? Compare::Delex
                              : has(1) ? Compare::Delifeq
                                       : Compare::Script,
          .shardedChannels = has(2),
          .cluster = info.find("redis_mode:cluster") != std::string_view::npos};
}

} // namespace lockhouse
