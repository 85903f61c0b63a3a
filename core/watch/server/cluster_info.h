// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/server/cluster_view.h"
#include "core/watch/server/slot_moves.h"

namespace lockhouse {

/// What one node of a cluster reports about the cluster. Its masters (CLUSTER MYID and SLOTS) change seldom: once a scan is enough. Its own slots
/// (CLUSTER NODES) are asked for before and after each scan. A node that refuses a question is not asked again in this connection.
class ClusterInfo {
public:
  enum class Question { Name, Masters, OwnSlots };

  void beginConnection() { *this = {}; }
  bool mayAskMasters() const { return m_mayAskMasters; }
  /// True if the number of masters changed.
  bool take(Question question, const Result<Reply> &answer);

  const ClusterView &view() const { return m_view; }
  SlotMoves &slots() { return m_slots; }

private:
  ClusterView m_view; // by the last answers
  bool m_mayAskMasters = true;
  SlotMoves m_slots;
};

} // namespace lockhouse
