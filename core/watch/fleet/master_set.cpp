// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/master_set.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace lockhouse {
namespace {

std::vector<const NodeStatus *> pointersTo(std::span<const NodeStatus> nodes) {
  std::vector<const NodeStatus *> all;
  for (const auto &node : nodes)
    all.push_back(&node);
  return all;
}

bool comesFrom(const NodeStatus &node, const NodeStatus &other) {
  const auto &former = node.formerReplicationId;
  return !former.empty() && (former == other.replicationId || former == other.formerReplicationId);
}

// Which of those of one origin has what was theirs: one that cannot be reached has lost its place.
int rankOf(const NodeStatus &node) { return node.state == NodeState::Live ? 2 : node.state == NodeState::Down ? 0 : 1; }

std::vector<const NodeStatus *> ofOwnOrigin(const std::vector<const NodeStatus *> &nodes) {
  auto best = nodes;
  std::ranges::stable_sort(best, std::greater(), [](const NodeStatus *node) { return rankOf(*node); });
  std::vector<const NodeStatus *> kept;
  for (const auto *node : best)
    if (std::ranges::none_of(kept, [node](const NodeStatus *other) { return areOfOneOrigin(*node, *other); }))
      kept.push_back(node);
  std::vector<const NodeStatus *> inOrder;
  std::ranges::copy_if(nodes, std::back_inserter(inOrder), [&kept](const NodeStatus *node) { return std::ranges::find(kept, node) != kept.end(); });
  return inOrder;
}

template <class Place> bool isAmong(std::span<const Place> places, const NodeStatus &node) {
  return std::ranges::any_of(places, [&](const Place &place) { return place.node == node.id && place.db == node.db; });
}

bool isReadWhole(const NodeStatus &node) { return node.state == NodeState::Live && node.keysRefused == 0 && !node.refusedSince && !node.slotsMoved; }

} // namespace

bool areOfOneOrigin(const NodeStatus &a, const NodeStatus &b) { return a.role == "master" && b.role == "master" && (comesFrom(a, b) || comesFrom(b, a)); }

const NodeStatus *successorOf(const NodeStatus &former, std::span<const NodeStatus> nodes) {
  const auto isSuccessor = [&former](const NodeStatus &node) {
    return node.id != former.id && node.db == former.db && !node.twin && node.state == NodeState::Live && areOfOneOrigin(node, former);
  };
  const auto found = std::ranges::find_if(nodes, isSuccessor);
  return former.state == NodeState::Live || found == nodes.end() ? nullptr : &*found;
}

MasterSet::MasterSet(std::span<const NodeStatus> nodes) : MasterSet(pointersTo(nodes)) {}

MasterSet::MasterSet(std::vector<const NodeStatus *> nodes) : m_nodes(std::move(nodes)) {
  std::vector<std::string_view> seen;
  std::erase_if(m_nodes, [&seen](const NodeStatus *node) {
    if (node->role == "replica" || node->twin || (!node->runId.empty() && std::ranges::find(seen, node->runId) != seen.end()))
      return true;
    seen.push_back(node->runId);
    return false;
  });
  if (std::ranges::any_of(m_nodes, [](const NodeStatus *node) { return !node->formerReplicationId.empty(); }))
    m_nodes = ofOwnOrigin(m_nodes);
}

std::size_t MasterSet::unfollowed() const {
  return static_cast<std::size_t>(std::ranges::count_if(m_nodes, [](const NodeStatus *node) { return node->state != NodeState::Live; }));
}

std::size_t MasterSet::unread() const {
  return static_cast<std::size_t>(std::ranges::count_if(m_nodes, [](const NodeStatus *node) { return !isReadWhole(*node); }));
}

std::size_t MasterSet::unseenCompanion(std::span<const LockMember> members, std::string_view key) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(m_nodes, [&](const NodeStatus *node) { return mayHaveUnseen(*node, key) && !isAmong(members, *node); }));
}

std::size_t MasterSet::refusingCompanions(std::span<const LockId> looked, std::string_view key) const {
  const auto refuses = [&](const NodeStatus &node) { return node.state == NodeState::Live && mayHaveUnseen(node, key); };
  return static_cast<std::size_t>(std::ranges::count_if(m_nodes, [&](const NodeStatus *node) { return refuses(*node) && !isAmong(looked, *node); }));
}

std::size_t MasterSet::downCompanion(std::span<const LockId> looked) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(m_nodes, [&](const NodeStatus *node) { return node->state == NodeState::Down && !isAmong(looked, *node); }));
}

bool MasterSet::areMet() const {
  return std::ranges::none_of(m_nodes, [](const NodeStatus *node) { return node->state == NodeState::Connecting; });
}

const NodeStatus *MasterSet::find(const LockId &id) const {
  const auto found = std::ranges::find_if(m_nodes, [&id](const NodeStatus *node) { return node->id == id.node && node->db == id.db; });
  return found == m_nodes.end() ? nullptr : *found;
}

bool MasterSet::areOfCluster() const {
  return std::ranges::any_of(m_nodes, [](const NodeStatus *node) { return node->isCluster; });
}

std::size_t MasterSet::readOfCluster() const {
  return static_cast<std::size_t>(std::ranges::count_if(m_nodes, [](const NodeStatus *node) { return node->isCluster && isReadWhole(*node); }));
}

std::vector<MasterSet> MasterSet::byKind() const {
  if (!areOfCluster())
    return {*this};
  const auto mayBeOfCluster = [](const NodeStatus *node) { return node->isCluster || node->role.empty(); };
  MasterSet ofCluster, single;
  for (const auto *node : m_nodes)
    (mayBeOfCluster(node) ? ofCluster : single).m_nodes.push_back(node);
  return {std::move(ofCluster), std::move(single)};
}

std::size_t MasterSet::ofCluster() const {
  std::size_t most = 0;
  for (const auto *node : m_nodes)
    most = node->state == NodeState::Live ? std::max(most, node->clusterMasters) : most;
  return most;
}

std::size_t unwatchedMasters(std::span<const NodeStatus> nodes) {
  std::size_t all = 0, watched = 0;
  for (const auto &node : nodes) {
    all = node.state == NodeState::Live ? std::max(all, node.clusterMasters) : all;
    watched += (node.isCluster || node.runId.empty()) && !node.isReadOnly; // which may be one that was never reached
  }
  return all - std::min(all, watched);
}

bool haveSeveralDatabases(std::span<const NodeStatus *const> nodes) {
  const auto isOfOneServer = [](const NodeStatus &a, const NodeStatus &b) {
    return (!a.runId.empty() && a.runId == b.runId) || (!a.address.empty() && a.address == b.address); // one that was never reached has no run id
  };
  for (auto node = nodes.begin(); node != nodes.end(); ++node)
    if (std::any_of(std::next(node), nodes.end(), [&](const NodeStatus *other) { return other->db != (*node)->db && isOfOneServer(**node, *other); }))
      return true;
  return false;
}

std::map<std::optional<int>, MasterSet> mastersByDatabase(std::span<const NodeStatus> nodes) {
  const auto all = pointersTo(nodes);
  const bool areSeveral = haveSeveralDatabases(all);
  std::map<std::optional<int>, std::vector<const NodeStatus *>> byDatabase;
  for (const auto *node : all)
    byDatabase[areSeveral ? std::optional(node->db) : std::nullopt].push_back(node);
  std::map<std::optional<int>, MasterSet> masters;
  for (auto &[db, ofDatabase] : byDatabase)
    masters.emplace(db, MasterSet(std::move(ofDatabase)));
  return masters;
}

} // namespace lockhouse
