// SPDX-License-Identifier: Apache-2.0
#include "core/release/other_keys.h"

#include "core/watch/shared_holders.h"

#include <algorithm>

namespace lockhouse {

OtherKeys::OtherKeys(LockSnapshotPtr watched, std::span<const ReleaseIntent> together) : m_watched(std::move(watched)) {
  for (const auto &intent : together)
    if (const auto row = m_watched->find(intent.lock)) {
      m_meant.insert(row.get());
      if (row->areManyUnder && together.size() > 1)
        m_left.try_emplace(holderOf(*row));
    }
  if (m_left.empty())
    return;
  for (const auto &row : m_watched->locks) {
    const auto left = row->areManyUnder && !m_meant.contains(row.get()) ? m_left.find(holderOf(*row)) : m_left.end();
    if (left != m_left.end() && left->second.size() <= mostKeysNamed)
      left->second.push_back(row->id.key);
  }
}

OtherKeys::HolderThere OtherKeys::holderOf(const LockRecord &row) { return {row.id.node, row.id.db, row.holders.front().id}; }

std::string OtherKeys::words(const LockRecord &row) const {
  const auto counted = row.areManyUnder ? m_left.find(holderOf(row)) : m_left.end();
  auto left = counted == m_left.end() ? row.alsoUnder : counted->second;
  std::erase_if(left, [&](const LockName &key) { return m_meant.contains(m_watched->find({row.id.node, row.id.db, key}).get()); });
  return otherKeysWords(left, counted == m_left.end() ? row.areManyUnder : left.size() > mostKeysNamed);
}

void OtherKeys::tell(ReleasePlan &plan, const LockRecord &before, const Families &families) const {
  const auto seen = m_watched->find(plan.lock);
  const auto others = seen && std::ranges::is_permutation(seen->holders, before.holders) ? words(*seen) : std::string();
  if (!others.empty())
    plan.risks.insert(plan.risks.end(), {others, seen->isDoubtful() ? "where they are a lock of several resources, free each of these keys"
                                                                    : "to free all of these together, release all of its holder: release --all --holder"});
  else if (mayLieUnderMore(before, families) && !isLookedAt(plan.lock, *m_watched))
    plan.risks.emplace_back(unlookedWords);
}

} // namespace lockhouse
