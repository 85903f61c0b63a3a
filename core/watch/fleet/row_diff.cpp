// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/row_diff.h"

#include "core/watch/node/hold_history.h"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace lockhouse {
namespace {

using Hold = std::pair<std::string_view, HoldMode>;

// What tells whether two rows are the same lock by the same holders, in whichever order.
std::vector<Hold> holdsOf(const LockRecord &row) {
  std::vector<Hold> holds;
  for (const auto &holder : row.holders)
    holds.emplace_back(holder.id, holder.mode);
  std::ranges::sort(holds);
  return holds;
}

// Those on one master who are none of the row's.
std::vector<Hold> othersOn(const LockRecord &row, const LockMember &member) {
  std::vector<Hold> others;
  if (!member.there)
    return row.isOthers(member) ? std::vector<Hold>{{member.own->id, member.own->mode}} : others;
  std::ranges::set_difference(holdsOf(*member.there), holdsOf(row), std::back_inserter(others));
  return others;
}

// Of holders who stand each by himself, those on one master.
std::vector<Hold> allOn(const LockRecord &row, const LockMember &member) {
  if (member.own)
    return {{member.own->id, member.own->mode}};
  return holdsOf(member.there ? *member.there : row);
}

bool isSameMember(const LockRecord &a, const LockMember &one, const LockRecord &b, const LockMember &two) {
  if (one.node != two.node)
    return false;
  if (a.sharedOn > 0 || b.sharedOn > 0)
    return (one.there && one.there == two.there) || allOn(a, one) == allOn(b, two);
  return othersOn(a, one) == othersOn(b, two);
}

bool haveSameMembers(const LockRecord &a, const LockRecord &b) {
  const auto isSame = [&](const LockMember &one, const LockMember &two) { return isSameMember(a, one, b, two); };
  return a.id == b.id && a.hasMajority() == b.hasMajority() && std::ranges::equal(a.members, b.members, isSame);
}

bool haveSameWaiters(const LockRecord &a, const LockRecord &b) {
  return a.waiters == b.waiters && std::ranges::equal(a.queue, b.queue, {}, &Waiter::id, &Waiter::id);
}

// Of a lock under several keys the one that names it may lie on another master: there is none here then.
bool areOfOneType(const LockRecord &a, const LockRecord &b) {
  const auto mayBeMissing = [](const LockRecord &row) { return row.type == ValueType::None || (row.type == ValueType::String && row.votes > 0); };
  return a.type == b.type || (mayBeMissing(a) && mayBeMissing(b));
}

// Whether the holders of `part` are all in `whole`: of a split vote, which is one row for a while.
bool isPartOf(const LockRecord &part, const LockRecord &whole) {
  return areOfOneType(part, whole) && part.isHeld() && std::ranges::includes(holdsOf(whole), holdsOf(part));
}

// Whether what was a row of its own is a member of `row` now, which others hold.
bool isKeptOutOf(const LockRecord &before, const LockRecord &row) {
  return before.isHeld() && std::ranges::any_of(row.members, [&](const LockMember &member) {
           return member.node == before.id.node && std::ranges::includes(othersOn(row, member), holdsOf(before));
         });
}

// Not of what lies on a master that others have.
bool isOfHolders(const LockChange &change, const LockRecord &row) {
  const auto member = std::ranges::find(row.members, change.id.node, &LockMember::node);
  return member == row.members.end() || !row.isOthers(*member);
}

std::optional<ChangeKind> kindOf(const LockRecord &before, const LockRecord &after, std::span<const LockChange> raw) {
  const bool areVotes = before.isSplit() && after.isSplit() && before.sharedOn == 0 && after.sharedOn == 0 && holdsOf(before) != holdsOf(after);
  if ((before.isSplit() != after.isSplit() || areVotes) && (isPartOf(before, after) || isPartOf(after, before)))
    return ChangeKind::Members;
  if (holdsOf(before) != holdsOf(after))
    return ChangeKind::Holder;
  if (!sameCounts(before, after))
    return ChangeKind::Count;
  if (before.staleSince.has_value() != after.staleSince.has_value())
    return after.staleSince ? ChangeKind::Stale : ChangeKind::Live;
  if (!haveSameMembers(before, after))
    return ChangeKind::Members;
  if (!haveSameWaiters(before, after))
    return ChangeKind::Waiters;
  for (const auto kind : {ChangeKind::Lease, ChangeKind::Shortened})
    if (std::ranges::any_of(raw, [&](const LockChange &change) { return change.kind == kind && isOfHolders(change, after); }))
      return kind;
  return before.fence == after.fence ? std::nullopt : std::optional(ChangeKind::Count);
}

std::optional<ChangeCause> causeOf(std::span<const LockChange> raw) {
  for (const auto &change : raw | std::views::reverse)
    if (change.cause)
      return change.cause;
  return std::nullopt;
}

// Takes the row out of `rows` that is `before` now; null if there is none.
template <class Fits> LockRecordPtr takeOut(std::vector<LockRecordPtr> &rows, Fits fits) {
  const auto found = std::ranges::find_if(rows, fits);
  if (found == rows.end())
    return nullptr;
  auto row = std::move(*found);
  rows.erase(found);
  return row;
}

LockRecordPtr successorOf(const LockRecord &before, std::vector<LockRecordPtr> &rows, std::span<const LockRecordPtr> told) {
  const auto isSame = [&](const LockRecordPtr &row) { return areOfOneType(*row, before) && holdsOf(*row) == holdsOf(before); };
  const auto isHere = [&](const LockRecordPtr &row) { return row->id == before.id && isSame(row); };
  if (auto row = takeOut(rows, isHere))
    return row;
  const auto isAnothers = [&](const LockRecordPtr &one) {
    return std::ranges::any_of(told, [&](const LockRecordPtr &other) { return other->id == one->id && holdsOf(*other) == holdsOf(*one); });
  };
  if (auto row = takeOut(rows, [&](const LockRecordPtr &one) { return before.isHeld() && isSame(one) && !isAnothers(one); }))
    return row;
  // By another holder: not one that another row told before goes on as.
  const auto isTaken = [&](const LockRecordPtr &row) {
    return std::ranges::any_of(told, [&](const LockRecordPtr &other) { return other.get() != &before && holdsOf(*other) == holdsOf(*row); });
  };
  return takeOut(rows, [&](const LockRecordPtr &row) { return areOfOneType(*row, before) && row->id == before.id && !isTaken(row); });
}

LockChange changeFrom(ChangeKind kind, LockRecordPtr before, LockRecordPtr after, std::span<const LockChange> raw) {
  const auto id = after ? after->id : before->id;
  const bool hasLess = !after || (before && kind != ChangeKind::Holder && after->members.size() < before->members.size());
  const auto cause = hasLess ? causeOf(raw) : std::nullopt;
  return {
      .seq = 0, .at = raw.empty() ? WallTime{} : raw.back().at, .id = id, .kind = kind, .cause = cause, .before = std::move(before), .after = std::move(after)};
}

} // namespace

std::vector<LockChange> changesBetween(std::span<const LockRecordPtr> told, std::span<const LockRecordPtr> rows, std::span<const LockChange> raw) {
  std::vector<LockChange> ended, changes, ofNew; // in this order: what is told last of a place is what lies there
  std::vector<LockRecordPtr> left(rows.begin(), rows.end()), gone;
  for (const auto &before : told) {
    auto after = successorOf(*before, left, told);
    if (!after)
      gone.push_back(before);
    else if (const auto kind = kindOf(*before, *after, raw))
      changes.push_back(changeFrom(*kind, before, std::move(after), raw));
  }
  for (auto &row : left) {
    const auto isPart = [&](const LockRecordPtr &one) { return isPartOf(*row, *one) || isPartOf(*one, *row); };
    const auto isKeptOut = [&](const LockRecordPtr &one) { return isKeptOutOf(*one, *row); };
    if (auto part = takeOut(gone, isPart))
      ofNew.push_back(changeFrom(ChangeKind::Members, std::move(part), std::move(row), raw));
    else if (auto other = takeOut(gone, isKeptOut))
      ofNew.push_back(changeFrom(ChangeKind::Holder, std::move(other), std::move(row), raw));
    else
      ofNew.push_back(changeFrom(ChangeKind::Appeared, nullptr, std::move(row), raw));
  }
  for (auto &before : gone) { // it may go on in another row
    const auto whole = std::ranges::find_if(rows, [&](const LockRecordPtr &row) {
      return isPartOf(*before, *row) || isKeptOutOf(*before, *row) || (before->isSplit() && isPartOf(*row, *before));
    });
    if (whole == rows.end())
      ended.push_back(changeFrom(ChangeKind::Vanished, std::move(before), nullptr, raw));
    else
      changes.push_back(changeFrom(ChangeKind::Members, std::move(before), *whole, raw));
  }
  std::ranges::move(changes, std::back_inserter(ended));
  std::ranges::move(ofNew, std::back_inserter(ended));
  return ended;
}

} // namespace lockhouse
