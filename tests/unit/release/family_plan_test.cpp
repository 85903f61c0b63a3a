// SPDX-License-Identifier: Apache-2.0
// What the plans of some families say besides.
#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using test::owner;
using test::planned;
using test::record;
using testing::Contains;
using testing::HasSubstr;

TEST(FamilyPlan, saysThatAHandoffLocksHolderMayHaveHandedItToTheNextAlready) {
  const std::string client = std::string(owner).substr(0, std::string_view(owner).rfind(':'));
  auto lock = record("lockhouse-handoff", LockKind::Fair, "desk", {{std::string(owner) + ":1795300010", 1}});
  const auto risks = [&](const std::string &next) {
    lock.queue = {{next, at(seconds(5))}};
    return planned(lock, std::string(owner)).risks;
  };
  EXPECT_THAT(risks(client + ":999"), Contains(HasSubstr(":999 is of the holder's own client, which may have handed it the lock already")));
  EXPECT_THAT(risks("0e9a0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:999"), testing::Not(Contains(HasSubstr("of the holder's own client"))));
}

TEST(FamilyPlan, namesTheWriterWhoKeepsReadersOutOfADistributedLockBehindItsLastReader) {
  auto lock = record("distributedlock-rw", LockKind::ReadWrite, "a.writer", {{"web-1_1_a", 1, HoldMode::Read}, {"web-2_1_b", 1, HoldMode::Read}});
  lock.queue = {{"web-3_1_c", std::nullopt}};
  EXPECT_EQ(planned(lock, "web-1_1_a").next, std::nullopt);
  lock.holders.pop_back();
  EXPECT_EQ(planned(lock, "web-1_1_a").next, "web-3_1_c");
  EXPECT_THAT(planned(lock, "web-1_1_a").wakes, testing::IsEmpty()) << "it looks again by itself";
}

TEST(FamilyPlan, saysThatTheMarkOfAWriterOfSymfonysGoesWithHim) {
  auto lock = record("symfony", LockKind::ReadWrite, "s", {{"token-of-a-writer", 1, HoldMode::Write}});
  lock.type = ValueType::SortedSet;
  EXPECT_THAT(wordsOf(planned(lock, "token-of-a-writer").effects), Contains("takes __write__ out of s"));
  lock.holders.front().mode = HoldMode::Read;
  EXPECT_THAT(wordsOf(planned(lock, "token-of-a-writer").effects), testing::Not(Contains(HasSubstr("__write__"))));
}

} // namespace
} // namespace lockhouse
