// SPDX-License-Identifier: Apache-2.0
#include "core/watch/masters.h"

#include <algorithm>

namespace lockhouse {

Masters::Masters(std::span<const NodeStatus> nodes) {
  std::vector<std::string_view> seen;
  for (const auto &node : nodes) {
    if (node.role == "replica" || node.twin || (!node.runId.empty() && std::ranges::find(seen, node.runId) != seen.end()))
      continue;
    seen.push_back(node.runId);
    m_nodes.push_back(&node);
  }
}

std::size_t Masters::unfollowed() const {
  return static_cast<std::size_t>(std::ranges::count_if(m_nodes, [](const NodeStatus *node) { return node->state != NodeState::Live; }));
}

bool Masters::areMet() const {
  return std::ranges::none_of(m_nodes, [](const NodeStatus *node) { return node->state == NodeState::Connecting; });
}

const NodeStatus *Masters::find(const LockId &id) const {
  const auto found = std::ranges::find_if(m_nodes, [&id](const NodeStatus *node) { return node->id == id.node && node->db == id.db; });
  return found == m_nodes.end() ? nullptr : *found;
}

} // namespace lockhouse
