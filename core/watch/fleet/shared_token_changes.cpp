// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/shared_token_changes.h"

#include "core/watch/fleet/shared_tokens.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace lockhouse {
namespace {

bool isOfOneHolder(const LockRecord &a, const LockRecord &b) {
  return a.holders.front().id == b.holders.front().id && a.id.db == b.id.db && a.id.node == b.id.node;
}

bool isToldAlone(const LockRecord &row) { return row.alsoUnder.empty() && !row.areManyUnder; }

bool mayBeTold(const LockRecord &row, const FamilyRegistry &families) { return mayShare(row) || mayBeOfRegistry(row) || mayBeResource(row, families); }

constexpr int mostPassed = 64; // doubtful rows of one holder in a row, lest a stranger's many cost the time of each with all others

} // namespace

// Those right before and behind it, if they are of its registry.
std::vector<LockRecordPtr> SharedTokenChanges::inSameRegistry(const LockRecordPtr &row) const {
  std::vector<LockRecordPtr> companion;
  const auto add = [&](const LockRecordPtr &other) {
    if (isOfOneHolder(*other, *row) && areOfOneRegistry(*other, *row) && (mayShare(*other) || mayBeOfRegistry(*other)))
      companion.push_back(other);
  };
  if (!mayShare(*row) && !mayBeOfRegistry(*row))
    return companion;
  if (const auto here = m_rows.lower_bound(row); here != m_rows.begin())
    add(*std::prev(here));
  if (const auto next = m_rows.upper_bound(row); next != m_rows.end())
    add(*next);
  return companion;
}

// Of a doubtful one those that prove it, of a shown one those that it proves.
std::vector<LockRecordPtr> SharedTokenChanges::takenWith(const LockRecordPtr &row, const FamilyRegistry &families) const {
  std::vector<LockRecordPtr> taken;
  const bool isShown = mayShare(*row);
  if (!isShown && !mayBeResource(*row, families))
    return taken;
  int passed = 0;
  const auto look = [&](const LockRecordPtr &other) {
    ++passed;
    if (mayShare(*other) != isShown && (!isShown || mayBeResource(*other, families)) && areTakenTogether(*other, *row, families))
      taken.push_back(other);
  };
  for (auto before = m_rows.lower_bound(row); before != m_rows.begin() && isOfOneHolder(**std::prev(before), *row) && passed < mostPassed; --before)
    look(*std::prev(before));
  passed = 0;
  for (auto next = m_rows.upper_bound(row); next != m_rows.end() && isOfOneHolder(**next, *row) && passed < mostPassed; ++next)
    look(*next);
  return taken;
}

bool SharedTokenChanges::isProven(const LockRecordPtr &row, const FamilyRegistry &families) const {
  return mayShare(*row) || !inSameRegistry(row).empty() || !takenWith(row, families).empty();
}

// Of those that were told as locks. Null: there is none, or there are several.
LockRecordPtr SharedTokenChanges::onlyOther(Rows::const_iterator row) const {
  LockRecordPtr other;
  const auto isSecond = [&other](const LockRecordPtr &one) { return mayShare(*one) && std::exchange(other, one); };
  int passed = 0;
  for (auto before = row; before != m_rows.begin() && isOfOneHolder(**std::prev(before), **row) && passed < mostPassed; --before, ++passed)
    if (isSecond(*std::prev(before)))
      return nullptr;
  passed = 0;
  for (auto next = std::next(row); next != m_rows.end() && isOfOneHolder(**next, **row) && passed < mostPassed; ++next, ++passed)
    if (isSecond(*next))
      return nullptr;
  return other;
}

LockRecordPtr SharedTokenChanges::noted(const LockRecordPtr &row, const FamilyRegistry &families) const {
  if (!isProven(row, families))
    return row;
  std::vector<LockName> others;
  int passed = 0;
  const auto isWanted = [&](const LockRecordPtr &one) { return isOfOneHolder(*one, *row) && others.size() <= mostKeysNamed && passed < mostPassed; };
  std::string sure;
  const auto add = [&](const LockRecordPtr &one) {
    if (isSureOfInstance(*one))
      sure = one->family;
    if (isProven(one, families))
      others.push_back(one->id.key);
    else
      ++passed;
  };
  auto known = m_rows.lower_bound(row);
  while (known != m_rows.begin() && isWanted(*std::prev(known)))
    add(*--known);
  std::ranges::reverse(others);
  passed = 0;
  for (known = m_rows.upper_bound(row); known != m_rows.end() && isWanted(*known); ++known)
    add(*known);
  if (others.empty())
    return row;
  const bool areMany = others.size() > mostKeysNamed;
  if (areMany)
    others.clear();
  const auto proof = mayShare(*row) ? std::vector<LockRecordPtr>() : takenWith(row, families);
  return sharing(*row, std::move(others), areMany, families,
                 {.masters = proof.empty() ? 0 : mastersOf(*row, *proof.front()), .isProven = true, .family = sure});
}

// A new row may make locks of those beside it, and tell whose the only other one is.
void SharedTokenChanges::join(Rows::const_iterator row, std::vector<LockRecordPtr> &joined, const FamilyRegistry &families) const {
  for (auto &other : inSameRegistry(*row))
    if (!mayShare(*other))
      joined.push_back(std::move(other));
  for (auto &other : takenWith(*row, families))
    if (mayShare(**row))
      joined.push_back(std::move(other));
  if (!isProven(*row, families))
    return;
  if (auto other = onlyOther(row); other && isToldAlone(*other) && mayBeNarrowed(*other, families))
    joined.push_back(std::move(other));
}

void SharedTokenChanges::replace(const LockRecordPtr &row, LockRecordPtr by) {
  auto node = m_rows.extract(row);
  node.value() = std::move(by);
  m_rows.insert(std::move(node));
}

std::vector<LockChange> SharedTokenChanges::note(std::vector<LockChange> told, const FamilyRegistry &families) {
  std::vector<LockRecordPtr> joined; // rows that were told as their holder's only ones
  for (auto &change : told) {
    if (const auto known = change.before && mayBeTold(*change.before, families) ? m_rows.find(change.before) : m_rows.end(); known != m_rows.end()) {
      change.before = *known;
      m_rows.erase(known);
    }
    if (!change.after || !mayBeTold(*change.after, families))
      continue;
    const auto [row, isNew] = m_rows.insert(change.after);
    if (!isNew)
      replace(*row, change.after);
    else
      join(row, joined, families);
  }
  std::unordered_map<LockRecordPtr, LockRecordPtr> wholes; // of a row that changes twice in these
  for (auto &change : told) {
    if (const auto whole = wholes.find(change.before); whole != wholes.end())
      change.before = whole->second;
    if (!change.after || !mayBeTold(*change.after, families))
      continue;
    const auto known = m_rows.find(change.after);
    const bool isLast = known != m_rows.end() && *known == change.after;
    auto whole = noted(change.after, families);
    if (whole == change.after)
      continue;
    if (isLast)
      replace(change.after, whole);
    else
      wholes.emplace(change.after, whole);
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
