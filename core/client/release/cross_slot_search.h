// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/release/release_service_core.h"
#include "core/release/check/dry_run.h"
#include "core/release/method/cross_slot.h"

namespace lockhouse {

/// Takes a plan apart whose keys lie in several slots of a cluster: finds them, and asks for the rights to what is then
/// done by scripts of their own. Never writes. Kept alive by the connections that it asks, and over with them. Loop thread.
/// Redis: TYPE of each key, at every master of the cluster that may have it; then, of each part, an EVAL that asks for the rights and an
/// EVALSHA that cannot be, as core/release/check/dry_run.h says.
class ReleaseService::Apart : public std::enable_shared_from_this<ReleaseService::Apart> {
public:
  using Done = std::move_only_function<void(ReleasePlan)>;

  /// Whether the plan's node is of a cluster, and its keys lie in several slots.
  static bool isNeeded(const ReleasePlan &plan, const LockSnapshot &snapshot);
  /// `done` is called once, maybe inside this call.
  static void start(Lanes &lanes, ReleasePlan plan, const LockSnapshot &snapshot, Done done);

private:
  Lanes &m_lanes;
  ReleasePlan m_plan;
  Done m_done;
  std::vector<KeyPlace> m_places;
  std::vector<std::optional<Reply>> m_moved;   // of each, where it is as a master said that has it not
  std::vector<std::vector<NodeId>> m_refusing; // of each, by which masters this user may not read it
  bool m_areAllAsked = false;                  // of the cluster's masters
  std::vector<MissingRights> m_missing;        ///< of each part
  std::vector<std::string> m_unwoken;          ///< lists of parts that may be left undone, to which this user may not push
  std::size_t m_open = 0;

  Apart(Lanes &lanes, ReleasePlan plan, Done done) : m_lanes(lanes), m_plan(std::move(plan)), m_done(std::move(done)) {}
  void find(const std::vector<LockId> &nodes);
  void onPlace(std::size_t index, const LockId &at, Result<Reply> type);
  bool isOfRefusing(std::size_t index) const;
  void take();
  void onDryRun(std::size_t index, const Result<Reply> &reply);
};

/// Leaves out of a plan the lists that it only may push to and that this user may not reach. Never writes. `done` gets nothing where all of
/// them can be reached. Redis: of each an EVALSHA that cannot be, as core/release/check/dry_run.h says.
void leaveOutForbidden(ReleaseConnection &lane, const ReleasePlan &plan, std::move_only_function<void(std::optional<ReleasePlan>)> done);

} // namespace lockhouse
