// SPDX-License-Identifier: Apache-2.0
// Clients of Redisson of 2016 wait on channels of their own.
#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using test::intent;
using test::other;
using test::owner;
using test::planned;
using test::readers;
using test::record;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(OldClients, areToldOnTheirChannelWhereTheyListen) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 3}});
  lock.extras = {{"old_clients", "2"}};
  const auto plan = planned(lock, owner);
  EXPECT_THAT(plan.args, ElementsAre(owner, "3", "redisson_lock__channel:{stock}", "1", "", "redisson_lock__channel__{stock}"));
  ASSERT_EQ(plan.effects.size(), 3U);
  EXPECT_EQ(plan.effects[2].text.english(), "publishes 0 on redisson_lock__channel__{stock} (PUBLISH) too, where clients of Redisson of 2016 listen: 2");
  lock.fence = Fence{41};
  EXPECT_THAT(planned(lock, owner).args, ElementsAre(owner, "3", "redisson_lock__channel:{stock}", "1", "41", "redisson_lock__channel__{stock}"));
}

TEST(OldClients, ofAReadWriteLockAreToldWhereAnythingIsPublished) {
  auto lock = readers({{owner, 1, HoldMode::Read}});
  lock.extras = {{"old_clients", "2"}};
  const auto plan = planned(lock, owner);
  EXPECT_THAT(plan.args, ElementsAre(owner, "1", "redisson_rwlock:{rw}", "1", "0", "redisson_rwlock__{rw}", ""));
  EXPECT_EQ(plan.effects.back().text.english(), "publishes 0 on redisson_rwlock__{rw} (PUBLISH) too, where clients of Redisson of 2016 listen: 2");
  lock.holders.push_back({other, 1, HoldMode::Read});
  EXPECT_THAT(englishOf(textsOf(planned(lock, owner).effects)), testing::Each(Not(HasSubstr("2016")))) << "no writer can enter yet";
}

TEST(OldClients, areToldOfALeaseThatEndsSooner) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{owner, 3}});
  lock.type = ValueType::Hash;
  lock.extras = {{"old_clients", "2"}};
  auto wish = intent(lock, owner);
  wish.shortenTo = seconds(1);
  auto plan = planRelease(lock, wish, at(seconds(0)));
  ASSERT_TRUE(plan) << plan.error().detail.english();
  EXPECT_THAT(plan->args, ElementsAre("hash", owner, "3", "1000", "", "", "redisson_lock__channel:{stock}", "0", "", "redisson_lock__channel__{stock}"));
  EXPECT_THAT(englishOf(textsOf(plan->effects)),
              Contains("publishes 0 on redisson_lock__channel__{stock} (PUBLISH) too, where clients of Redisson of 2016 listen: 2"));
  lock.fence = Fence{41};
  plan = planRelease(lock, wish, at(seconds(0)));
  ASSERT_TRUE(plan) << plan.error().detail.english();
  EXPECT_EQ(plan->args.at(8), "41");
  EXPECT_EQ(plan->args.at(9), "redisson_lock__channel__{stock}");
}

} // namespace
} // namespace lockhouse
