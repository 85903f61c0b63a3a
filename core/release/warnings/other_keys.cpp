// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/other_keys.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/watch/fleet/shared_tokens.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse {
namespace {

bool isOfRedisson(const LockRecord &lock) { return lock.family == "redisson-lock" || lock.family == "redisson-fair"; }

std::string_view threadOf(std::string_view owner) { return owner.substr(owner.rfind(':') + 1); }

} // namespace

OtherKeys::OtherKeys(LockSnapshotPtr watched, std::span<const ReleaseIntent> together) : m_watched(std::move(watched)) {
  for (const auto &intent : together)
    if (const auto row = m_watched->find(intent.lock)) {
      m_meant.insert(row.get());
      if (row->areManyUnder && together.size() > 1)
        m_left.try_emplace(holderOf(*row));
    }
  noteRedisson(together);
  if (m_left.empty())
    return;
  for (const auto &row : m_watched->locks) {
    const auto left = row->areManyUnder && !m_meant.contains(row.get()) ? m_left.find(holderOf(*row)) : m_left.end();
    if (left != m_left.end() && left->second.size() <= mostKeysNamed)
      left->second.push_back(row->id.key);
  }
}

// Its client has one id on all masters of a cluster.
void OtherKeys::noteRedisson(std::span<const ReleaseIntent> together) {
  std::unordered_set<std::string_view> holders;
  for (const auto &intent : together)
    if (redisson::isOwner(intent.holder))
      holders.insert(intent.holder);
  if (holders.empty() || m_watched->nodes.size() < 2)
    return;
  std::unordered_set<std::string> replicas;
  for (const auto &node : m_watched->nodes)
    if (node.role == "slave")
      replicas.insert(node.id.bytes());
  for (const auto &row : m_watched->locks) {
    if (!isOfRedisson(*row) || m_meant.contains(row.get()) || replicas.contains(row->id.node.bytes()))
      continue;
    for (const auto &holder : row->holders)
      if (holders.contains(holder.id))
        m_ofRedisson[holder.id].push_back({row->id.node, row->id.key});
  }
}

Message OtherKeys::elsewhere(const ReleasePlan &plan) const {
  const auto found = m_ofRedisson.find(plan.expectHolder);
  std::vector<std::string> names;
  for (const auto &[node, key] : found == m_ofRedisson.end() ? std::vector<Elsewhere>() : found->second)
    if (node != plan.lock.node && key != plan.lock.key && names.size() <= mostKeysNamed)
      names.push_back(names.size() == mostKeysNamed ? "…" : safeText(key.bytes(), 80));
  if (names.empty())
    return {};
  return LH_MESSAGE("PlanWords", "its holder has keys on other masters too: %1")(fmt::format("{}", fmt::join(names, ", ")));
}

OtherKeys::HolderThere OtherKeys::holderOf(const LockRecord &row) { return {row.id.node, row.id.db, row.holders.front().id}; }

Message OtherKeys::keysBeside(const LockRecord &row) const {
  const auto counted = row.areManyUnder ? m_left.find(holderOf(row)) : m_left.end();
  auto left = counted == m_left.end() ? row.alsoUnder : counted->second;
  std::erase_if(left, [&](const LockName &key) { return m_meant.contains(m_watched->find({row.id.node, row.id.db, key}).get()); });
  return otherKeys(left, counted == m_left.end() ? row.areManyUnder : left.size() > mostKeysNamed);
}

void OtherKeys::tell(ReleasePlan &plan, const LockRecord &before, const FamilyRegistry &families) const {
  const auto seen = m_watched->find(plan.lock);
  const auto others = seen && std::ranges::is_permutation(seen->holders, before.holders) ? keysBeside(*seen) : Message();
  tellOtherMasters(plan, before);
  const auto apart = isOfRedisson(before) ? elsewhere(plan) : Message();
  for (const auto &keys : {others, apart})
    if (!keys.empty())
      plan.warnings.push_back(keys);
  if (!others.empty() || !apart.empty())
    plan.warnings.push_back(
        !others.empty() && seen->isDoubtful()
            ? Message(LH_MESSAGE("PlanWords", "where they are a lock of several resources, free each of these keys"))
            : LH_MESSAGE("PlanWords", "to free all of these together, release all of its holder: %1")(Action{"release --all --holder", releaseAllOfHolder}));
  else if (mayLieUnderMore(before, families) && !isLookedAt(plan.lock, *m_watched))
    plan.warnings.push_back(unlookedKeys());
  if ((!others.empty() || !apart.empty()) && isOfRedisson(before))
    plan.warnings.emplace_back(LH_MESSAGE("PlanWords", "where these are one RMultiLock of Redisson's, its holder's own unlock fails at a key that is freed "
                                                       "here and leaves the others held, renewed as long as its process lives"));
}

// A RedLock of Redisson's has another client, and so another id, on each master, and the same thread.
void OtherKeys::tellOtherMasters(ReleasePlan &plan, const LockRecord &before) const {
  if (!isOfRedisson(before))
    return;
  const auto mayBeMember = [&](const Holder &holder) {
    return holder.id != plan.expectHolder && redisson::isOwner(holder.id) && threadOf(holder.id) == threadOf(plan.expectHolder);
  };
  std::size_t masters = 0;
  for (const auto &node : m_watched->nodes) {
    const auto row = node.id == plan.lock.node || node.isCluster ? nullptr : m_watched->find({node.id, node.db, plan.lock.key});
    const bool isLeft = row && row->family == before.family && !m_meant.contains(row.get());
    masters += isLeft && std::ranges::any_of(row->holders, mayBeMember);
  }
  if (masters > 0)
    plan.warnings.insert(plan.warnings.begin(),
                         LH_MESSAGE("PlanWords", "other masters on which the same thread holds this name by another id: %1; where they are a RedLock of "
                                                 "Redisson's, it is free only when most of them are released: release each of these too")(masters));
}

} // namespace lockhouse
