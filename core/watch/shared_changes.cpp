// SPDX-License-Identifier: Apache-2.0
#include "core/watch/shared_changes.h"

#include "core/watch/shared_holders.h"

#include <algorithm>
#include <iterator>

namespace lockhouse {
namespace {

bool isOfOneHolder(const LockRecord &a, const LockRecord &b) {
  return a.holders.front().id == b.holders.front().id && a.id.db == b.id.db && a.id.node == b.id.node;
}

bool isToldAlone(const LockRecord &row) { return row.alsoUnder.empty() && !row.areManyUnder; }

} // namespace

// Null: there is none, or there are several.
LockRecordPtr SharedChanges::onlyOther(Rows::const_iterator row) const {
  LockRecordPtr other;
  for (auto before = row; before != m_rows.begin() && isOfOneHolder(**std::prev(before), **row); --before)
    if (std::exchange(other, *std::prev(before)))
      return nullptr;
  for (auto next = std::next(row); next != m_rows.end() && isOfOneHolder(**next, **row); ++next)
    if (std::exchange(other, *next))
      return nullptr;
  return other;
}

LockRecordPtr SharedChanges::noted(const LockRecordPtr &row, const Families &families) const {
  std::vector<LockName> others;
  auto known = m_rows.lower_bound(row);
  while (known != m_rows.begin() && isOfOneHolder(**std::prev(known), *row) && others.size() <= mostKeysNamed)
    others.push_back((*--known)->id.key);
  std::ranges::reverse(others);
  for (known = m_rows.upper_bound(row); known != m_rows.end() && isOfOneHolder(**known, *row) && others.size() <= mostKeysNamed; ++known)
    others.push_back((*known)->id.key);
  if (others.empty())
    return row;
  const bool areMany = others.size() > mostKeysNamed;
  if (areMany)
    others.clear();
  return sharing(*row, std::move(others), areMany, families);
}

void SharedChanges::replace(const LockRecordPtr &row, LockRecordPtr by) {
  auto node = m_rows.extract(row);
  node.value() = std::move(by);
  m_rows.insert(std::move(node));
}

std::vector<LockChange> SharedChanges::note(std::vector<LockChange> told, const Families &families) {
  std::vector<LockRecordPtr> joined; // rows that were told as their holder's only ones
  for (auto &change : told) {
    if (const auto known = change.before && mayShare(*change.before) ? m_rows.find(change.before) : m_rows.end(); known != m_rows.end()) {
      change.before = *known;
      m_rows.erase(known);
    }
    if (!change.after || !mayShare(*change.after))
      continue;
    const auto [row, isNew] = m_rows.insert(change.after);
    if (!isNew)
      replace(*row, change.after);
    else if (auto other = onlyOther(row); other && isToldAlone(*other) && mayBeNarrowed(*other, families))
      joined.push_back(std::move(other));
  }
  for (auto &change : told) {
    if (!change.after || !mayShare(*change.after))
      continue;
    const auto known = m_rows.find(change.after);
    const bool isLast = known != m_rows.end() && *known == change.after;
    auto whole = noted(change.after, families);
    if (isLast && whole != change.after)
      replace(change.after, whole);
    change.after = std::move(whole);
  }
  for (const auto &row : joined) {
    const auto known = m_rows.find(row);
    if (known == m_rows.end() || *known != row)
      continue; // it was told meanwhile
    auto whole = noted(row, families);
    if (whole == row)
      continue;
    replace(row, whole);
    told.push_back({.seq = 0, .at = told.back().at, .id = row->id, .kind = ChangeKind::Members, .cause = {}, .before = row, .after = std::move(whole)});
  }
  for (auto &change : told)
    change.seq = ++m_lastSeq;
  return told;
}

} // namespace lockhouse
