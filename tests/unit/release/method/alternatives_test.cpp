// SPDX-License-Identifier: Apache-2.0
// Where a release is undone, harms the next owner or is refused, the plan or the refusal says what can be done instead.
#include "core/release/make_plan.h"

#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr auto nowhere = "rueidislock:0:some:name"; // of hardly any family's form

// Everything that is said to whoever wants to free a lock of this family.
std::vector<std::string> saidOf(const Family &family) {
  auto lock = test::record(family.slug, family.kind, nowhere, {{"holder", 1}});
  if (family.slug == "nextcloud")
    lock.holders.front().mode = HoldMode::Read; // of whom nobody is named
  const auto plan = planRelease(lock, {lock.id, "holder", {}, "stuck"}, test::at(seconds(0)));
  return plan ? englishOf(plan->warnings) : std::vector{plan.error().detail.english()};
}

bool isTroublesome(const Family &family) { return family.releaseClass.find_first_of("FGJ") != std::string::npos || family.releaseClass == "E"; }

TEST(Alternatives, areOfferedWhereverAReleaseIsUndoneHarmsOrIsRefused) {
  unsigned troublesome = 0;
  for (const auto &family : FamilyRegistry::builtIn().all()) {
    const auto said = saidOf(family);
    for (const auto &advice : family.advice)
      EXPECT_THAT(said, Contains(HasSubstr(advice))) << family.slug;
    for (const auto &advice : releaseWayOf(family, nowhere, family.slug == "nextcloud" ? HoldMode::Read : HoldMode::Exclusive).advice)
      EXPECT_THAT(said, Contains(HasSubstr(advice))) << family.slug;
    if (!isTroublesome(family) && family.slug != "suo" && family.slug != "nextcloud")
      continue;
    ++troublesome;
    const bool isAdvised = std::ranges::any_of(family.forms, [](const Form &form) { return !form.advice.empty(); });
    EXPECT_TRUE(isAdvised || !family.advice.empty()) << family.slug << " offers nothing";
  }
  EXPECT_GT(troublesome, 20U);
}

TEST(Alternatives, toALockThatItsHolderMakesAnewKeepItsHolderOut) {
  for (const auto &family : FamilyRegistry::builtIn().all())
    if (family.releaseClass.contains('F')) {
      EXPECT_THAT(saidOf(family), Contains(HasSubstr("a token of your own"))) << family.slug;
    }
}

TEST(Alternatives, areOfferedWhereItOnlyMayBeOfALibraryThatMakesItAnew) {
  auto lock = test::record("token", LockKind::Mutex, "lock:a", {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", 1}});
  const auto warnings = [&] { return englishOf(planRelease(lock, {lock.id, lock.holders.front().id, {}, "stuck"}, test::at(seconds(0)))->warnings); };
  lock.mayBe = {"sherlock"};
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("anew"))));
  lock.mayBe = {"aioredlock", "redlock-rb", "sherlock"};
  EXPECT_THAT(warnings(),
              Contains(HasSubstr("where it is of aioredlock, redlock-rb, its holder may make the deleted key anew: if it comes back, end that process")));
}

} // namespace
} // namespace lockhouse
