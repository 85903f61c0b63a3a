// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/session/lock_home.h"

#include "app/ctl/session/key_owners.h"
#include "core/release/plan/hold_selection.h"

#include <algorithm>

namespace lockhouse::ctl {

double Home::confidence() const {
  double best = 0;
  for (const auto &row : rows)
    best = std::max(best, row->members.empty() && row->alsoUnder.empty() && !row->areManyUnder ? 0 : row->confidence);
  return best;
}

Home homeOf(const std::string &key, Session &session, const std::vector<NodeStatus> &all, const std::vector<NodeStatus> &meant) {
  auto found = rowsOf(key, session, all);
  std::erase_if(found.nodes, [&meant](const NodeStatus &node) {
    return std::ranges::none_of(meant, [&node](const NodeStatus &one) { return one.id == node.id && one.db == node.db; });
  });
  if (found.nodes.empty())
    found.nodes = {meant.front()};
  return {std::move(found.nodes), std::move(found.asked), std::move(found.locks)};
}

bool isFreeOf(const Home &home, const LockId &id, const std::string &holder) {
  bool isElsewhere = false, isHere = false;
  const auto isIt = [&id](const LockMember &member) { return member.node == id.node && member.db == id.db; };
  for (const auto &row : home.rows)
    if (row->sharedOn > 0 || (row->id.key == id.key && std::ranges::any_of(row->members, isIt))) // the keys of a rueidislock differ
      for (const auto &hold : placedHoldsOf(*row, holder)) {
        isElsewhere |= hold.holder.id == holder;
        isHere |= hold.lock == id;
      }
  return isElsewhere && !isHere;
}

} // namespace lockhouse::ctl
