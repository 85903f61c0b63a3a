// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <QString>

#include <vector>

namespace lockhouse::ui {

/// The letter each node goes by on screen, in the order the user named them: a, b … z, aa, ab …
class NodeNames {
public:
  NodeNames() = default;
  explicit NodeNames(const std::vector<NodeStatus> &nodes);

  QString of(const NodeId &node) const;                        ///< its letter; the shown address for a node not in the list
  std::vector<NodeId> inOrder(const LockRecord &record) const; ///< where its holders have it, as the user named them
  const std::vector<NodeId> &all() const { return m_nodes; }   ///< as the user named them
  static QString letter(std::size_t index);
  bool operator==(const NodeNames &) const = default;

private:
  std::vector<NodeId> m_nodes;
};

} // namespace lockhouse::ui
