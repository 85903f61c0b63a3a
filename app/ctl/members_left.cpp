// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/members_left.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace lockhouse::ctl {
namespace {

using Hold = std::pair<std::string_view, std::string_view>; // key, holder

bool isPlanned(const ReleaseResult &result) { return result.plan && !result.verdict && !result.plan->refusal; }
bool isDone(const ReleaseResult &result) { return result.plan && (result.verdict == Verdict::Released || result.verdict == Verdict::Shortened); }

bool holdsAt(const LockMember &member, const LockRecord &row, std::string_view holder) {
  const auto isHis = [holder](const Holder &one) { return one.id == holder; };
  return member.own ? isHis(*member.own) : std::ranges::any_of(row.holders, isHis);
}

void tell(std::span<ReleaseResult *const> results, const LockRecord &row, std::string_view holder) {
  const auto isAmong = [&](const LockMember &member) {
    return std::ranges::any_of(results, [&](const ReleaseResult *result) { return result->lock.node == member.node && result->lock.db == member.db; });
  };
  std::size_t all = 0, left = 0;
  for (const auto &member : row.members) {
    const bool isHis = holdsAt(member, row, holder);
    all += isHis;
    left += isHis && !isAmong(member);
  }
  if (left == 0 || all * 2 <= row.masters) // nobody was locked out by it anyway
    return;
  const auto what = left * 2 > row.masters ? fmt::format("it stays held by its majority, on {} of {} masters", left, row.masters)
                                           : fmt::format("it stays on {} of {} masters, no majority, until its lease ends there", left, row.masters);
  for (auto *result : results) {
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
  std::map<Hold, std::vector<ReleaseResult *>> holds;
  for (auto &result : results)
    if (isPlanned(result) || isDone(result))
      holds[{result.lock.key.bytes(), result.plan->expectHolder}].push_back(&result);
  for (const auto &row : rows)
    for (const auto &holder : row->members.size() < 2 || row->isSplit() ? std::vector<Holder>() : row->holders)
      if (const auto found = holds.find({row->id.key.bytes(), holder.id}); found != holds.end())
        tell(found->second, *row, holder.id);
}

} // namespace lockhouse::ctl
