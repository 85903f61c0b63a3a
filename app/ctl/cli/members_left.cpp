// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/members_left.h"

#include "core/release/plan/hold_selection.h"
#include "core/release/warnings/release_warnings.h"
#include "core/watch/fleet/master_set.h"
#include "core/watch/fleet/redlock_candidates.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockhouse::ctl {
namespace {

bool isPlanned(const ReleaseResult &result) { return result.plan && !result.verdict && !result.plan->refusal; }
bool isDone(const ReleaseResult &result) { return result.plan && (result.verdict == Verdict::Released || result.verdict == Verdict::Shortened); }

// What was to be released there is somebody else's by now, or no lock.
bool isLost(const ReleaseResult &result, std::string_view holder) {
  const bool hasHim = result.now && std::ranges::find(result.now->holders, holder, &Holder::id) != result.now->holders.end();
  return result.verdict == Verdict::NotALock || (result.verdict == Verdict::Changed && !hasHim);
}

// Of this holder, or of whoever held it there.
bool leaves(const ReleaseResult &result, std::string_view holder) {
  const bool isHis = result.plan && result.plan->expectHolder == holder;
  return result.verdict == Verdict::AlreadyFree || (isHis && (isPlanned(result) || isAsAsked(result.verdict) || isLost(result, holder)));
}

bool holdsAt(const LockMember &member, const LockRecord &row, std::string_view holder) {
  const auto isHis = [holder](const Holder &one) { return one.id == holder; };
  return std::ranges::any_of(holdersThere(row, member), isHis);
}

bool isAt(const ReleaseResult &result, const NodeId &node, int db) { return result.lock.node == node && result.lock.db == db; }

/// On how many masters the holder has it, and on how many of them he keeps it.
struct Share {
  std::size_t all = 0, left = 0;
};

Share shareOf(std::span<ReleaseResult *const> ofKey, const LockRecord &row, std::string_view holder) {
  const auto isLeft = [&](const NodeId &node, int db) {
    return std::ranges::none_of(ofKey, [&](const ReleaseResult *result) { return isAt(*result, node, db) && leaves(*result, holder); });
  };
  if (row.members.empty())
    return {1, isLeft(row.id.node, row.id.db) ? 1U : 0U};
  Share share;
  for (const auto &member : row.members) {
    const bool isHis = holdsAt(member, row, holder);
    share.all += isHis;
    share.left += isHis && isLeft(member.node, member.db);
  }
  return share;
}

Message staysHeld(std::size_t left, std::size_t masters) {
  return left * 2 > masters ? LH_ENGLISH("it stays held by its majority, on %1 of %2 masters")(left, masters)
                            : LH_ENGLISH("it stays on %1 of %2 masters, no majority, until its lease ends there")(left, masters);
}

Message leaseStays(std::size_t left, std::size_t masters) { return LH_ENGLISH("its lease stays as it is on %1 of %2 masters")(left, masters); }

/// What to say of a hold that is released, or whose lease is shortened; `planned`: before it is done.
using Said = std::function<Message(bool isShortening, bool isPlanned)>;

void say(std::span<ReleaseResult *const> ofKey, std::string_view holder, const Said &said) {
  for (auto *result : ofKey) {
    if (!leaves(*result, holder) || !(isPlanned(*result) || isDone(*result)))
      continue;
    auto message = said(isShortening(*result->plan), isPlanned(*result));
    if (isPlanned(*result))
      result->plan->warnings.insert(result->plan->warnings.begin(), std::move(message));
    else
      result->detail = Message::joined({result->detail, std::move(message)});
  }
}

// Of a lock of several keys: what of his the plans are not for.
void tellKeys(std::span<ReleaseResult *const> ofKey, const LockRecord &row, std::string_view holder) {
  const auto all = row.votes;
  std::size_t taken = 0;
  for (const auto *result : ofKey)
    taken += result->plan && result->plan->expectHolder == holder && leaves(*result, holder) ? result->plan->votes : 0;
  if (taken >= all || all < row.neededVotes) // nobody was locked out by it anyway
    return;
  const auto left = all - taken;
  say(ofKey, holder, [&](bool isShortening, bool isPlanned) {
    const auto stays = isShortening              ? LH_ENGLISH("the lease of %1 of %2 keys stays as it is")(left, all)
                       : left >= row.neededVotes ? LH_ENGLISH("it stays held, by %1 of %2 keys")(left, all)
                                                 : LH_ENGLISH("%1 of %2 keys stay, too few to hold it, until their lease ends")(left, all);
    return isPlanned ? LH_ENGLISH("of %1 of his %2 keys alone: %3")(taken, all, stays) : stays;
  });
}

void tell(std::span<ReleaseResult *const> ofKey, const LockRecord &row, std::string_view holder) {
  const auto [all, left] = shareOf(ofKey, row, holder);
  if (left == 0 || all * 2 <= row.masters) // nobody was locked out by it anyway
    return;
  say(ofKey, holder, [&, all = all, left = left](bool isShortening, bool isPlanned) {
    const auto stays = isShortening ? leaseStays(left, row.masters) : staysHeld(left, row.masters);
    return isPlanned ? LH_ENGLISH("on %1 of the %2 masters that have it alone: %3")(all - left, all, stays) : stays;
  });
}

// Of those that are not followed: one that answers for its key before it is swept has been reached.
std::size_t unreachedOf(const MasterSet &masters, std::span<ReleaseResult *const> ofKey) {
  std::set<const NodeStatus *> answered;
  for (const auto *result : ofKey)
    if (const auto *node = masters.find(result->lock); node && node->state != NodeState::Live && result->verdict != Verdict::Unreachable)
      answered.insert(node);
  return masters.unfollowed() - answered.size();
}

// Of those of which it was not seen, for they refuse a key of its name.
std::size_t refusingOf(const MasterSet &masters, std::span<ReleaseResult *const> ofKey, const LockRecord &row) {
  std::vector<LockId> looked;
  for (const auto &member : row.members)
    looked.push_back({member.node, member.db, row.id.key});
  for (const auto *result : ofKey)
    looked.push_back(result->lock);
  const auto isMember = [&row](const ReleaseResult *result) {
    return std::ranges::any_of(row.members, [result](const LockMember &member) { return member.node == result->lock.node && member.db == result->lock.db; });
  };
  std::set<const NodeStatus *> closed; // asked, and not told
  for (const auto *result : ofKey)
    if (const auto *master = masters.find(result->lock); master && result->verdict == Verdict::NotAllowed && !result->plan && !isMember(result))
      closed.insert(master);
  return masters.refusingCompanions(looked, row.id.key.bytes()) + closed.size();
}

// Of masters that cannot be reached, or refuse it, nobody knows what lies there.
void tellUnreached(std::span<ReleaseResult *const> ofKey, const LockRecord &row, std::string_view holder, const MasterSet &masters) {
  const auto refusing = refusingOf(masters, ofKey, row), unreached = unreachedOf(masters, ofKey) + refusing;
  const auto [all, left] = shareOf(ofKey, row, holder);
  const bool mayBeMost = (left + unreached) * 2 > masters.size();
  if (unreached == 0 || (all + unreached) * 2 <= masters.size() || !(mayBeMost || row.members.size() > 1))
    return;
  say(ofKey, holder, [&, most = left + unreached](bool isShortening, bool) {
    const auto stays = isShortening ? leaseStays(most, masters.size()) : staysHeld(most, masters.size());
    return refusing > 0 ? LH_ENGLISH("%1 of %2 masters refuse its key or could not be reached: if it lies there too, %3")(unreached, masters.size(), stays)
                        : LH_ENGLISH("%1 of %2 masters could not be reached: if it lies there too, %3")(unreached, masters.size(), stays);
  });
}

// `db`: of masters that are watched under several databases, see mastersByDatabase.
void tellOn(const MasterSet &masters, std::optional<int> db, std::span<ReleaseResult> results, std::span<const LockRecordPtr> rows) {
  const bool areApart = masters.size() > 1 && !masters.areOfCluster();
  std::map<std::string_view, std::vector<ReleaseResult *>> ofKeys;
  for (auto &result : results)
    if (result.lock.db == db.value_or(result.lock.db))
      ofKeys[result.lock.key.bytes()].push_back(&result);
  for (const auto &row : rows) {
    const auto found = row->id.db != db.value_or(row->id.db) ? ofKeys.end() : ofKeys.find(row->id.key.bytes());
    if (found == ofKeys.end())
      continue;
    for (auto *result : found->second)
      if (result->plan) // of one KEY, which is read before its masters are swept
        dropSeveralNodes(result->plan->warnings, *row);
    for (const auto &holder : row->holders) {
      if (row->members.size() > 1)
        (row->neededVotes > 0 ? tellKeys : tell)(found->second, *row, holder.id);
      if (areApart && masters.contains(row->id) && (row->members.size() > 1 || mayBeRedlock(*row) || isNamedRedlock(*row)))
        tellUnreached(found->second, *row, holder.id, masters);
    }
  }
}

} // namespace

void tellWhatIsLeft(std::span<ReleaseResult> results, std::span<const LockRecordPtr> rows, std::span<const NodeStatus> nodes) {
  for (const auto &[db, masters] : mastersByDatabase(nodes))
    tellOn(masters, db, results, rows);
}

} // namespace lockhouse::ctl
