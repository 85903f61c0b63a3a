// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/members_left.h"

#include "core/release/holds_of.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace lockhouse::ctl {
namespace {

bool isPlanned(const ReleaseResult &result) { return result.plan && !result.verdict && !result.plan->refusal; }
bool isDone(const ReleaseResult &result) { return result.plan && (result.verdict == Verdict::Released || result.verdict == Verdict::Shortened); }

// Of this holder, or of whoever held it there.
bool leaves(const ReleaseResult &result, std::string_view holder) {
  const bool isHis = result.plan && result.plan->expectHolder == holder;
  return result.verdict == Verdict::AlreadyFree || (isHis && (isPlanned(result) || isAsAsked(result.verdict)));
}

bool holdsAt(const LockMember &member, const LockRecord &row, std::string_view holder) {
  const auto isHis = [holder](const Holder &one) { return one.id == holder; };
  return std::ranges::any_of(holdersThere(row, member), isHis);
}

void tell(std::span<ReleaseResult *const> ofKey, const LockRecord &row, std::string_view holder) {
  const auto isLeft = [&](const LockMember &member) {
    return std::ranges::none_of(
        ofKey, [&](const ReleaseResult *result) { return result->lock.node == member.node && result->lock.db == member.db && leaves(*result, holder); });
  };
  std::size_t all = 0, left = 0;
  for (const auto &member : row.members) {
    const bool isHis = holdsAt(member, row, holder);
    all += isHis;
    left += isHis && isLeft(member);
  }
  if (left == 0 || all * 2 <= row.masters) // nobody was locked out by it anyway
    return;
  const auto what = left * 2 > row.masters ? fmt::format("it stays held by its majority, on {} of {} masters", left, row.masters)
                                           : fmt::format("it stays on {} of {} masters, no majority, until its lease ends there", left, row.masters);
  for (auto *result : ofKey) {
    if (!leaves(*result, holder) || !(isPlanned(*result) || isDone(*result)))
      continue;
    const bool isShorter = result->plan->script && result->plan->script->name == "shorten-lease";
    const auto words = isShorter ? fmt::format("its lease stays as it is on {} of {} masters", left, row.masters) : what;
    if (isPlanned(*result))
      result->plan->risks.insert(result->plan->risks.begin(), fmt::format("on {} of the {} masters that have it alone: {}", all - left, all, words));
    else
      result->detail += "; " + words;
  }
}

} // namespace

void tellWhatIsLeft(std::span<ReleaseResult> results, std::span<const LockRecordPtr> rows) {
  std::map<std::string_view, std::vector<ReleaseResult *>> ofKeys;
  for (auto &result : results)
    ofKeys[result.lock.key.bytes()].push_back(&result);
  for (const auto &row : rows)
    if (const auto found = row->members.size() < 2 || row->isSplit() ? ofKeys.end() : ofKeys.find(row->id.key.bytes()); found != ofKeys.end())
      for (const auto &holder : row->holders)
        tell(found->second, *row, holder.id);
}

} // namespace lockhouse::ctl
