// SPDX-License-Identifier: Apache-2.0
// Locks of jobs, for which nobody waits: ShedLock's, whose late unlock may hit the next holder, and those of BullMQ's workers.
#include "tests/interop/eviction.h"

using namespace lockhouse;
using namespace lockhouse::test;
using testing::HasSubstr;
using testing::MatchesRegex;

class ReleaseOfShedLock : public Eviction {
protected:
  const std::string key = "job-lock:default:orders";

  /// One's lock is taken away; two takes it after that.
  void passOn(const std::string &kind) {
    ASSERT_TRUE(asked("one", kind + " take orders" + lease).ok());
    EXPECT_TRUE(asked("two", kind + " take orders" + lease).no()) << "both are inside";
    const auto shown = seen(key);
    EXPECT_EQ(listed().size(), 1U) << listed().dump();
    EXPECT_EQ(shown["family"], "shedlock");
    EXPECT_EQ(shown["holders"][0]["count"], 1);
    EXPECT_TRUE(shown["waiters"].is_null()) << shown["waiters"];
    EXPECT_EQ(holderOf(shown), text(key));
    EXPECT_THAT(holderOf(shown), MatchesRegex("ADDED:2[0-9-]+T[0-9:.]+Z@.+:[0-9a-f-]{36}"));
    EXPECT_THAT(risksOf(planned(key, holderOf(shown))), HasSubstr(unconditionalUnlock));
    EXPECT_THAT(risksOf(planned(key, holderOf(shown))), HasSubstr("safeUpdate"));
    EXPECT_EQ(released(key, holderOf(shown))["verdict"], "released");
    EXPECT_TRUE(asked("two", kind + " take orders" + lease).ok());
    next = text(key);
    EXPECT_EQ(holderOf(seen(key)), next);
  }

  std::string next; // holder
};

TEST_F(ReleaseOfShedLock, warnsThatTheEvictedHoldersUnlockDeletesTheNextOnesLock) {
  ASSERT_NO_FATAL_FAILURE(start("shedlock"));
  ASSERT_NO_FATAL_FAILURE(passOn("plain"));
  EXPECT_TRUE(asked("one", "plain give orders").ok());
  EXPECT_TRUE(listed().empty()) << "it compares nothing, and was warned of";
}

TEST_F(ReleaseOfShedLock, leavesTheNextHolderUnharmedWhereItsLibraryComparesFirst) {
  ASSERT_NO_FATAL_FAILURE(start("shedlock"));
  ASSERT_NO_FATAL_FAILURE(passOn("safe"));
  EXPECT_TRUE(asked("one", "safe give orders").ok());
  EXPECT_EQ(holderOf(seen(key)), next);
  EXPECT_TRUE(asked("two", "safe give orders").ok());
  EXPECT_TRUE(listed().empty()) << listed().dump();
}

class ReleaseOfBullMq : public Eviction {};

TEST_F(ReleaseOfBullMq, isRefusedSinceAJobHangsOnItAndItsWorkerGoesOn) {
  ASSERT_NO_FATAL_FAILURE(start("bullmq"));
  ASSERT_TRUE(asked("one", "job take orders" + lease).ok());
  const std::string key = "bull:orders:1:lock";
  const auto shown = seen(key);
  EXPECT_EQ(listed().size(), 1U) << listed().dump();
  EXPECT_EQ(shown["family"], "bullmq-job");
  EXPECT_EQ(shown["holders"][0]["count"], 1);
  EXPECT_TRUE(shown["waiters"].is_null()) << shown["waiters"];
  EXPECT_EQ(holderOf(shown), asked("one", "job who orders").text);
  EXPECT_EQ(shown["extras"]["queue"], "orders");
  EXPECT_EQ(shown["extras"]["job"], "1");
  const auto refused = released(key, holderOf(shown));
  EXPECT_EQ(refused["verdict"], "unreleasable");
  EXPECT_THAT(refused["detail"].get<std::string>(), HasSubstr("use BullMQ to fail, retry or remove the job"));
  EXPECT_EQ(text(key), holderOf(shown));
  EXPECT_TRUE(asked("one", "job give orders").ok()) << "its worker has lost the job";
  EXPECT_TRUE(listed().empty()) << listed().dump();
}
