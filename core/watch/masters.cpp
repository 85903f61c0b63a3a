// SPDX-License-Identifier: Apache-2.0
#include "core/watch/masters.h"

#include <algorithm>

namespace lockhouse {
namespace {

std::vector<const NodeStatus *> pointersTo(std::span<const NodeStatus> nodes) {
  std::vector<const NodeStatus *> all;
  for (const auto &node : nodes)
    all.push_back(&node);
  return all;
}

} // namespace

Masters::Masters(std::span<const NodeStatus> nodes) : Masters(pointersTo(nodes)) {}

Masters::Masters(std::vector<const NodeStatus *> nodes) : m_nodes(std::move(nodes)) {
  std::vector<std::string_view> seen;
  std::erase_if(m_nodes, [&seen](const NodeStatus *node) {
    if (node->role == "replica" || node->twin || (!node->runId.empty() && std::ranges::find(seen, node->runId) != seen.end()))
      return true;
    seen.push_back(node->runId);
    return false;
  });
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
