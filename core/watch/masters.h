// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_snapshot.h"

#include <span>
#include <vector>

namespace lockhouse {

/// The masters that are watched, each server once, and which rows lie on one.
class Masters {
public:
  Masters() = default;
  explicit Masters(std::span<const NodeStatus> nodes);
  explicit Masters(std::vector<const NodeStatus *> nodes);
  std::size_t size() const { return m_nodes.size(); }
  const NodeStatus *first() const { return m_nodes.empty() ? nullptr : m_nodes.front(); }
  std::size_t unfollowed() const; ///< of which nothing is known now
  bool areMet() const;            ///< each was looked at, or tried, at least once
  bool contains(const LockId &id) const { return find(id) != nullptr; }
  const NodeStatus *find(const LockId &id) const; ///< null: its node is none of them

private:
  std::vector<const NodeStatus *> m_nodes;
};

} // namespace lockhouse
