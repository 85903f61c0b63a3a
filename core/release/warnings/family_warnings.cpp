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
  const auto isUnwritten = [](const Message &fact) { return fact.is(unwrittenCount); };
  const auto isOdd = [](const Message &fact) { return fact.is(tooLargeCount) || fact.is(noCount) || fact.is(timeAsCount); };
  return std::ranges::any_of(record.evidence, isUnwritten) && std::ranges::none_of(record.evidence, isOdd);
}

void addUnexpectedEntries(ReleasePlan &plan, const LockRecord &record, const Holder &holder) {
  if (holder.count == 0 && !isFreedByItsClient(record))
    plan.warnings.emplace_back(LH_MESSAGE("PlanWords", "its count is no number: none of its library's clients can free it"));
  const bool isWhole = record.family != "redisson-multilock"; // of which values alone are freed
  const bool isRedisson = isWhole && record.family.starts_with("redisson-") && record.type == ValueType::Hash;
  const auto unexpectedEntries = isRedisson ? strangers(record) : record.unexpectedEntries;
  if (unexpectedEntries == 0)
    return;
  if (isRedisson && record.holders.size() == 1)
    plan.warnings.push_back(
        LH_MESSAGE("PlanWords", "entries that are not what its library writes, which keep it closed, are deleted with it: %1")(unexpectedEntries));
  else
    plan.warnings.push_back(LH_MESSAGE("PlanWords", "entries that are not what its library writes, which may keep it closed, stay: %1")(unexpectedEntries));
}

void addForeign(ReleasePlan &plan, const LockRecord &record) {
  const bool isSaid = has(plan.effects, Effect::Kind::WakesNone); // of the list
  for (std::size_t i = isSaid ? 2 : 1; i < plan.keys.size(); ++i)
    if (isForeign(record, plan.keys[i]))
      plan.warnings.push_back(LH_MESSAGE("PlanWords", "%1 beside it holds something else and is left")(safeText(plan.keys[i], 120)));
}

// What has to be weighed where it is of one of these, each sentence once. Of one whose holder makes the key anew, that says it all.
void addAdviceOfThese(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &own, const FamilyRegistry &families) {
  std::map<std::string, std::pair<Message, Families>> told; // by their words, in their order
  for (const std::string &slug : record.mayBe) {
    const auto *family = families.find(slug);
    if (!family || family->releaseClass.contains('F'))
      continue;
    const auto way = releaseWayOf(*family, record.id.key.bytes(), HoldMode::Exclusive);
    auto sentences = adviceOf(*family, way);
    if (way.releaseClass.contains('G') && !own.releaseClass.contains('G'))
      sentences.push_back(releaseClassMessages("G").front());
    for (auto &sentence : sentences)
      if (std::ranges::find(plan.warnings, sentence) == plan.warnings.end()) {
        auto &[message, whose] = told[sentence.english()];
        message = std::move(sentence);
        whose.slugs.push_back(slug);
      }
  }
  for (auto &[words, sentence] : told)
    plan.warnings.push_back(LH_MESSAGE("PlanWords", "where it is of %1, weigh this too; %2")(std::move(sentence.second), std::move(sentence.first)));
}

void addMayBe(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &way, const FamilyRegistry &families, Eviction by) {
  if (record.mayBe.empty())
    return;
  plan.warnings.push_back(LH_MESSAGE("PlanWords", "several libraries leave the same bytes; it may be %1 too")(Families{record.mayBe}));
  Families resurrecting;
  for (const std::string &slug : record.mayBe)
    if (const auto *family = families.find(slug); family && family->releaseClass.contains('F'))
      resurrecting.slugs.push_back(slug);
  if (!resurrecting.slugs.empty())
    plan.warnings.push_back(
        by == Eviction::Release
            ? LH_MESSAGE("PlanWords",
                         "where it is of %1, its holder may make the deleted key anew: if it comes back, end that process, or set the key on every "
                         "master to a token of your own for longer than one lease (SET with XX and PX)")(std::move(resurrecting))
            : LH_MESSAGE("PlanWords",
                         "where it is of %1, its holder may make the key anew once its lease has ended: if it comes back, end that process, or set "
                         "the key on every master to a token of your own for longer than one lease (SET with XX and PX)")(std::move(resurrecting)));
  addAdviceOfThese(plan, record, way, families);
}

// What an evicted holder does to the next owner when it leaves, if its library does not look whose lock it is by then. Of one that may be of
// libraries that do look, it says which.
void addHarmOfLeaving(ReleasePlan &plan, const LockRecord &record, const ReleaseWay &way, const FamilyRegistry &families) {
  Families careful;
  for (const auto &slug : record.mayBe)
    if (const auto *other = families.find(slug); other && !releaseWayOf(*other, record.id.key.bytes(), HoldMode::Exclusive).releaseClass.contains('G'))
      careful.slugs.push_back(slug);
  const auto harm = releaseClassMessages("G").front();
  if (way.releaseClass.contains('G'))
    plan.warnings.push_back(careful.slugs.empty() ? harm : LH_MESSAGE("PlanWords", "unless it is of %1, %2")(std::move(careful), harm));
  std::ranges::move(adviceOf(way), std::back_inserter(plan.warnings));
}

} // namespace

std::uint64_t strangers(const LockRecord &record) {
  const auto odd = static_cast<std::uint64_t>(std::ranges::count(record.holders, 0, &Holder::count));
  return record.unexpectedEntries - std::min(record.unexpectedEntries, odd);
}

void addEviction(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families, Eviction by) {
  const auto way = releaseWayOf(family, record.id.key.bytes(), holder.mode);
  if (way.releaseClass.contains('F'))
    plan.warnings.push_back(by == Eviction::Release ? releaseClassMessages("F").front()
                                                    : LH_MESSAGE("PlanWords", "its holder's renewal may make the key anew once its lease has ended"));
  addHarmOfLeaving(plan, record, way, families);
  std::ranges::move(adviceOf(family), std::back_inserter(plan.warnings));
  addMayBe(plan, record, way, families, by);
}

void addFamilyWarnings(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families) {
  addUnexpectedEntries(plan, record, holder);
  addForeign(plan, record);
  if (record.unread > 0 && std::ranges::find(record.holders, holder.id, &Holder::id) == record.holders.end())
    plan.warnings.push_back(
        LH_MESSAGE("PlanWords", "%1 is not among the entries that were read, and %2 were not: whether it holds the lock is seen when it is taken out")(
            briefly(holder.id), record.unread));
  addEviction(plan, record, holder, family, families, Eviction::Release);
}

} // namespace lockhouse
