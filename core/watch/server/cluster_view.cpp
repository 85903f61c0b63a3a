// SPDX-License-Identifier: Apache-2.0
#include "core/watch/server/cluster_view.h"

#include <algorithm>

namespace lockhouse {

bool ClusterView::isOneWith(const ClusterView &other) const {
  if (!isKnown() || !other.isKnown())
    return true;
  return std::ranges::any_of(masters, [&other](const std::string &id) { return std::ranges::binary_search(other.masters, id); });
}

// Each range of slots: where it begins and ends, its master, its replicas; a node is an address, a port, an id.
std::vector<std::string> mastersIn(const Reply &slots) {
  std::vector<std::string> ids;
  for (const auto &range : slots.array()) {
    const auto &words = range.array();
    const auto *id = words.size() > 2 && words[2].array().size() > 2 ? words[2].array()[2].bulk() : nullptr;
    if (id && !id->empty())
      ids.push_back(*id);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

} // namespace lockhouse
