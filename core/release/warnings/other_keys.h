// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"

#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace lockhouse {

/// Which keys beside a lock's own its holder has, or may have under another id on other masters, of which nothing is done: one token may lie under
/// several, and not all of them may be meant.
class OtherKeys {
public:
  /// `together`: all that is planned at once.
  OtherKeys(LockSnapshotPtr watched, std::span<const ReleaseIntent> together);

  /// Has the plan warn of them, or say that nobody has looked; `before` is its lock as it was read.
  void tell(ReleasePlan &plan, const LockRecord &before, const FamilyRegistry &families) const;

private:
  using HolderThere = std::tuple<NodeId, int, std::string>;

  LockSnapshotPtr m_watched;
  std::unordered_set<const LockRecord *> m_meant;      ///< rows of m_watched
  std::map<HolderThere, std::vector<LockName>> m_left; ///< of those whose keys are too many for a row to name: which are not meant, as far as it matters

  static HolderThere holderOf(const LockRecord &row);
  struct Elsewhere {
    NodeId node;
    LockName key;
  };
  std::unordered_map<std::string_view, std::vector<Elsewhere>> m_ofRedisson; ///< by their holders, of m_watched: locks of theirs that are not meant

  Message keysBeside(const LockRecord &row) const;
  Message elsewhere(const ReleasePlan &plan) const;
  void noteRedisson(std::span<const ReleaseIntent> together);
  void tellOtherMasters(ReleasePlan &plan, const LockRecord &before) const;
};

} // namespace lockhouse
