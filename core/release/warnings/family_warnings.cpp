// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/family_warnings.h"

#include "core/base/safe_text.h"
#include "core/release/plan/remove_member.h"
#include "core/watch/record/metadata.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <ranges>

namespace lockhouse {
namespace {

// A count of 0 or less: the holder's own client deletes it.
bool isFreedByItsClient(const LockRecord &record) {
  const auto isOdd = [](const std::string &fact) { return fact.starts_with("its count is "); };
  const auto isUnwritten = [](const std::string &fact) { return fact.ends_with(unwrittenCount); };
  return std::ranges::any_of(record.evidence, isUnwritten) && std::ranges::all_of(record.evidence | std::views::filter(isOdd), isUnwritten);
}

void addUnexpectedEntries(ReleasePlan &plan, const LockRecord &record, const Holder &holder) {
  if (holder.count == 0 && !isFreedByItsClient(record))
    plan.risks.emplace_back("its count is no number: none of its library's clients can free it");
  const bool isWhole = record.family != "redisson-multilock"; // of which values alone are freed
  const bool isRedisson = isWhole && record.family.starts_with("redisson-") && record.type == ValueType::Hash;
  const auto unexpectedEntries = isRedisson ? strangers(record) : record.unexpectedEntries;
  if (unexpectedEntries == 0)
    return;
  if (isRedisson && record.holders.size() == 1)
    plan.risks.push_back(fmt::format("entries that are not what its library writes, which keep it closed, are deleted with it: {}", unexpectedEntries));
  else
    plan.risks.push_back(fmt::format("entries that are not what its library writes, which may keep it closed, stay: {}", unexpectedEntries));
}

void addForeign(ReleasePlan &plan, const LockRecord &record) {
  const bool isSaid = has(plan.effects, Effect::Kind::WakesNone); // of the list
  for (std::size_t i = isSaid ? 2 : 1; i < plan.keys.size(); ++i)
    if (isForeign(record, plan.keys[i]))
      plan.risks.push_back(fmt::format("{} beside it holds something else and is left", safeText(plan.keys[i], 120)));
}

// What has to be weighed where it is of one of these, each sentence once. Of one whose holder makes the key anew, that says it all.
void addAdviceOfThese(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &own, const FamilyRegistry &families) {
  std::map<std::string, std::vector<std::string_view>> told;
  for (const std::string &slug : record.mayBe) {
    const auto *family = families.find(slug);
    if (!family || family->releaseClass.contains('F'))
      continue;
    const auto way = releaseWayOf(*family, record.id.key.bytes(), HoldMode::Exclusive);
    auto sentences = family->advice;
    sentences.insert(sentences.end(), way.advice.begin(), way.advice.end());
    if (way.releaseClass.contains('G') && !own.releaseClass.contains('G'))
      sentences.push_back(releaseClassWords("G").front());
    for (auto &sentence : sentences)
      if (std::ranges::find(plan.risks, sentence) == plan.risks.end())
        told[std::move(sentence)].push_back(slug);
  }
  for (const auto &[sentence, slugs] : told)
    plan.risks.push_back(fmt::format("where it is of {}, weigh this too; {}", fmt::join(slugs, ", "), sentence));
}

void addMayBe(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &way, const FamilyRegistry &families, Eviction by) {
  if (record.mayBe.empty())
    return;
  plan.risks.push_back(fmt::format("several libraries leave the same bytes; it may be {} too", fmt::join(record.mayBe, ", ")));
  std::vector<std::string_view> resurrecting;
  for (const std::string &slug : record.mayBe)
    if (const auto *family = families.find(slug); family && family->releaseClass.contains('F'))
      resurrecting.push_back(slug);
  if (!resurrecting.empty())
    plan.risks.push_back(fmt::format("where it is of {}, its holder may make the {}: if it comes back, end that process, or set the key on every "
                                     "master to a token of your own for longer than one lease (SET with XX and PX)",
                                     fmt::join(resurrecting, ", "), by == Eviction::Release ? "deleted key anew" : "key anew once its lease has ended"));
  addAdviceOfThese(plan, record, way, families);
}

// What an evicted holder does to the next owner when he leaves, if his library does not look whose lock it is by then. Of one that may be of
// libraries that do look, it says which.
void addHarmOfLeaving(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &way, const FamilyRegistry &families) {
  std::vector<std::string_view> careful;
  for (const auto &slug : record.mayBe)
    if (const auto *other = families.find(slug); other && !releaseWayOf(*other, record.id.key.bytes(), HoldMode::Exclusive).releaseClass.contains('G'))
      careful.push_back(slug);
  const auto words = releaseClassWords("G").front();
  if (way.releaseClass.contains('G'))
    plan.risks.push_back(careful.empty() ? words : fmt::format("unless it is of {}, {}", fmt::join(careful, ", "), words));
  plan.risks.insert(plan.risks.end(), way.advice.begin(), way.advice.end());
}

} // namespace

std::uint64_t strangers(const LockRecord &record) {
  const auto odd = static_cast<std::uint64_t>(std::ranges::count(record.holders, 0, &Holder::count));
  return record.unexpectedEntries - std::min(record.unexpectedEntries, odd);
}

void addEviction(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families, Eviction by) {
  const auto way = releaseWayOf(family, record.id.key.bytes(), holder.mode);
  if (way.releaseClass.contains('F'))
    plan.risks.push_back(by == Eviction::Release ? releaseClassWords("F").front() : "its holder's renewal may make the key anew once its lease has ended");
  addHarmOfLeaving(plan, record, way, families);
  plan.risks.insert(plan.risks.end(), family.advice.begin(), family.advice.end());
  addMayBe(plan, record, way, families, by);
}

void addFamilyWarnings(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families) {
  addUnexpectedEntries(plan, record, holder);
  addForeign(plan, record);
  if (record.unread > 0 && std::ranges::find(record.holders, holder.id, &Holder::id) == record.holders.end())
    plan.risks.push_back(fmt::format("{} is not among the entries that were read, and {} were not: whether it holds the lock is seen when it is taken out",
                                     briefly(holder.id), record.unread));
  addEviction(plan, record, holder, family, families, Eviction::Release);
}

} // namespace lockhouse
