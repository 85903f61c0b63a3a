// SPDX-License-Identifier: Apache-2.0
// Redisson's semaphores, latch, readers and fences, and ours.
#include "core/client/api/count_down_latch.h"
#include "tests/interop/meeting.h"

#include <charconv>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

Format spoken(std::string name, std::string kind, std::string_view primitive) {
  return {.name = std::move(name), .library = "redisson", .kind = std::move(kind), .primitive = primitive, .wake = Format::Wake::ByChannel, .holder = ""};
}

} // namespace

class InteropPermits : public Meeting {
protected:
  bool isExpirable() const { return format().kind == "permits"; }
  std::future<Foreign::Answer> waitForOne() { return theirs("one", "wait", isExpirable() ? " 30000 25000" : " 1 25000"); }
  Foreign::Answer giveOne() { return theirs("one", "give", " 1").get(); }
  std::string free() { return probe().text({"GET", key()}); }
};
INSTANTIATE_TEST_SUITE_P(Every, InteropPermits,
                         testing::Values(spoken("redissonSemaphore", "semaphore", "Semaphore"), spoken("redissonPermits", "permits", "ExpirablePermits")),
                         formatName);

TEST_P(InteropPermits, areCountedTogetherAndWhoeverWaitsIsWoken) {
  ASSERT_TRUE(theirs("one", "set", " 2").get().ok());
  for (int i = 0; i < 20; ++i) {
    auto held = ours({.mode = {.permits = 2, .capacity = 2}}).acquire();
    ASSERT_TRUE(held) << held.error().sentence();
    EXPECT_EQ(free(), "0");
    auto waiting = whenWaiting([&] { return waitForOne(); });
    const auto given = SharedClock::now();
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    const auto taken = waiting.get();
    ASSERT_TRUE(taken.ok()) << taken.text;
    EXPECT_GE(taken.at, given) << "more are out than there are";
    EXPECT_LT(taken.at - given, farBelowTheLease);
    EXPECT_EQ(free(), "1");
    auto both = whenWaiting([&] { return waitOurs({.mode = {.permits = 2, .capacity = 2}}); });
    const auto back = giveOne();
    ASSERT_TRUE(back.ok()) << back.text;
    auto again = both.get();
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_LT(SharedClock::now() - back.at, farBelowTheLease);
    EXPECT_EQ(again->release(), ReleaseOutcome::Released);
    EXPECT_EQ(free(), "2");
  }
  probe()({"DEL", key()});
}

class InteropLatch : public Meeting {};
INSTANTIATE_TEST_SUITE_P(Every, InteropLatch, testing::Values(spoken("redissonLatch", "latch", "Mutex")), formatName);

TEST_P(InteropLatch, isOpenForBothWhenBothHaveCounted) {
  const auto latch = client().countDownLatch(LockName("k"));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(latch.trySetCount(2), Result<bool>(true));
    EXPECT_TRUE(theirs("one", "set", " 2").get().no()) << "it has a count already";
    auto waitingTheirs = whenWaiting([&] { return theirs("one", "wait", " 25000"); });
    auto waitingOurs = std::async(std::launch::async, [&] { return latch.wait(25s); });
    const auto began = SharedClock::now();
    EXPECT_TRUE(theirs("two", "give").get().ok());
    EXPECT_EQ(latch.count(), Result<std::int64_t>(1));
    EXPECT_EQ(waitingTheirs.wait_for(0s), std::future_status::timeout) << "through before the last count";
    EXPECT_EQ(i % 2 == 0 ? latch.countDown().value_or(-1) : (theirs("two", "give").get().ok() ? 0 : -1), 0);
    EXPECT_TRUE(waitingTheirs.get().ok());
    EXPECT_EQ(waitingOurs.get(), Result<bool>(true));
    EXPECT_LT(SharedClock::now() - began, farBelowTheLease);
  }
}

class InteropReaders : public Meeting {};
INSTANTIATE_TEST_SUITE_P(Every, InteropReaders, testing::Values(spoken("redissonReaders", "read", "ReadWriteLock")), formatName);

TEST_P(InteropReaders, ofBothAreInsideTogetherAndKeepWritersOfBothOut) {
  const LockOptions reader{.mode = {.shared = true}};
  for (int i = 0; i < 20; ++i) {
    auto held = ours(reader).acquire();
    ASSERT_TRUE(held) << held.error().sentence();
    ASSERT_TRUE(takeTheirs().ok()) << "two readers";
    EXPECT_TRUE(foreign().ask("two", "write take k 30000").get().no()) << "a writer beside readers";
    EXPECT_FALSE(ours().tryAcquire()) << "a writer beside readers";
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    EXPECT_FALSE(ours().tryAcquire()) << "a writer beside a reader";
    auto writing = whenWaiting([&] { return waitOurs(); });
    const auto given = giveTheirs();
    ASSERT_TRUE(given.ok()) << given.text;
    auto writer = writing.get();
    ASSERT_TRUE(writer) << writer.error().sentence();
    EXPECT_LT(SharedClock::now() - given.at, farBelowTheLease);
    EXPECT_TRUE(takeTheirs().no()) << "a reader beside a writer";
    EXPECT_EQ(writer->release(), ReleaseOutcome::Released);
  }
}

class InteropFences : public Meeting {
protected:
  static std::uint64_t number(const std::string &text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, InteropFences, testing::Values(spoken("redissonFenced", "fenced", "FencedLock")), formatName);

TEST_P(InteropFences, growFromHoldToHoldWhoeverHolds) {
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    auto held = ours().acquire();
    ASSERT_TRUE(held) << held.error().sentence();
    ASSERT_TRUE(held->fence());
    EXPECT_GT(held->fence()->value, last);
    last = held->fence()->value;
    EXPECT_EQ(held->release(), ReleaseOutcome::Released);
    const auto taken = takeTheirs();
    ASSERT_TRUE(taken.ok()) << taken.text;
    EXPECT_GT(number(taken.text), last);
    last = number(taken.text);
    EXPECT_TRUE(giveTheirs().ok());
  }
}
