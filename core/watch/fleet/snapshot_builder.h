// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/fleet/redlock_merge.h"
#include "core/watch/fleet/shared_tokens.h"
#include "core/watch/node/node_watcher.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>

namespace lockhouse {

/// Puts what all nodes know into one immutable snapshot, and knows when there is something new to put.
/// With 100 000 locks a snapshot costs a copy of their pointers; records are shared.
class SnapshotBuilder {
public:
  /// Whether a node's status or locks differ from the last build.
  bool isBehind(std::span<NodeWatcher *const> nodes, std::uint64_t lastSeq) const;
  LockSnapshotPtr build(std::span<NodeWatcher *const> nodes, std::uint64_t lastSeq, SteadyTime now, const FamilyRegistry &families = FamilyRegistry::builtIn());

private:
  std::uint64_t m_revision = 0;
  std::uint64_t m_statusRevisions = 0; // the sum of all nodes': each only grows
  std::uint64_t m_lastSeq = 0;
  RedlockMerge m_members;
  SharedTokens m_shared;
};

} // namespace lockhouse
