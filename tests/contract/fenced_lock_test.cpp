// SPDX-License-Identifier: Apache-2.0
// FencedLock against what Redisson's RFencedLock leaves in Redis, and its fences.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

constexpr const char *counterKey = "redisson_lock_token:{stock}";
constexpr const char *redissonField = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42";

} // namespace

class Fenced : public LockContract {
protected:
  /// Of a hold that succeeds; 0 otherwise.
  static std::uint64_t fence(const AcquireOutcome &outcome) {
    const auto *acquired = std::get_if<Acquired>(&outcome);
    return acquired != nullptr && acquired->fence ? acquired->fence->value : 0;
  }
  /// What RFencedLock does when it gets in; its fence.
  std::uint64_t javaGetsIn() {
    const auto fence = probe().number({"INCR", counterKey});
    probe()({"HINCRBY", "stock", redissonField, "1"});
    probe()({"PEXPIRE", "stock", "30000"});
    return static_cast<std::uint64_t>(fence);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, Fenced, testing::Combine(testing::Values("FencedLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(Fenced, aHoldIsOneFieldAndACounterWithoutExpiry) {
  auto &one = party().owner(primitive(), "stock");
  const auto outcome = one.tryAcquire();
  ASSERT_NE(fence(outcome), 0U);
  EXPECT_EQ(probe().text({"HGET", "stock", std::get<Acquired>(outcome).token.bytes()}), "1");
  EXPECT_EQ(probe().number({"HLEN", "stock"}), 1);
  EXPECT_EQ(probe().text({"GET", counterKey}), std::to_string(fence(outcome)));
  EXPECT_EQ(probe().number({"PTTL", counterKey}), -1);
  EXPECT_EQ(probe().number({"DBSIZE"}), 2);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(probe().text({"GET", counterKey}), std::to_string(fence(outcome))) << "a release leaves it as it is";
}

TEST_P(Fenced, theFenceStaysTheSameOnReentryAndOnAReplay) {
  auto &one = party().owner(primitive(), "stock");
  const auto first = one.tryAcquire();
  ASSERT_NE(fence(first), 0U);
  EXPECT_EQ(fence(one.tryAcquire()), fence(first));
  EXPECT_EQ(probe().text({"GET", counterKey}), std::to_string(fence(first)));
  EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);

  const LockName key("stock");
  const LockToken owner(redissonField);
  std::vector<std::optional<Fence>> fences;
  for (int i = 0; i < 3; ++i) {
    const auto command = primitive().acquire({key, owner, 30s, 1}, true);
    fences.push_back(primitive().readAcquire(probe()({"EVAL", command.script()->body, "2", command[3], command[4], command[5], command[6], command[7]})).fence);
  }
  ASSERT_TRUE(fences[0]);
  EXPECT_GT(fences[0]->value, fence(first));
  EXPECT_EQ(fences[1], fences[0]);
  EXPECT_EQ(fences[2], fences[0]);
  probe()({"DEL", "stock"});
}

TEST_P(Fenced, theFenceGrowsOverWhateverHappensBetween) {
  auto &one = party().owner(primitive(), "stock", {.lease = 600ms});
  std::uint64_t last = 0;
  const std::vector<std::vector<std::string_view>> between{{"PING"}, {"DEL", "stock"}, {"DEL", counterKey}, {"FLUSHALL"}};
  for (const auto &words : between) {
    const auto outcome = one.acquire();
    EXPECT_GT(fence(outcome), last) << words.front();
    last = fence(outcome);
    probe()(words);
    one.release();
  }
}

TEST_P(Fenced, fencesOfJavaAndOursGrowTogether) {
  auto &one = party().owner(primitive(), "stock");
  auto last = javaGetsIn();
  EXPECT_EQ(last, 1U);
  EXPECT_FALSE(one.takes());
  EXPECT_EQ(probe().text({"GET", counterKey}), "1") << "who does not get in raises nothing";
  probe()({"DEL", "stock"});
  for (int i = 0; i < 5; ++i) {
    const auto ours = fence(one.acquire());
    EXPECT_GT(ours, last);
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    last = javaGetsIn();
    EXPECT_EQ(last, ours + 1);
    probe()({"DEL", "stock"});
  }
}

TEST_P(Fenced, growsFromACounterThatIsAheadOfTheClock) {
  const std::string ahead = "9000000000000000000";
  probe()({"SET", counterKey, ahead});
  auto &one = party().owner(primitive(), "stock");
  EXPECT_EQ(fence(one.acquire()), 9'000'000'000'000'000'001U) << "to the last digit";
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Fenced, aCounterThatIsNoneIsToldAndNothingIsTaken) {
  probe()({"SET", counterKey, "precious"});
  auto &one = party().owner(primitive(), "stock");
  EXPECT_TRUE(std::holds_alternative<Failed>(one.tryAcquire()));
  EXPECT_FALSE(keyExists("stock"));
  EXPECT_EQ(probe().text({"GET", counterKey}), "precious");
}

TEST_P(Fenced, aReleaseTellsOnTheChannelOfRedissonsLock) {
  auto &one = party().owner(primitive(), "stock");
  ASSERT_TRUE(one.takes());
  probe().listenToAll();
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(eventually([&] { return !probe().heard().empty(); }));
  EXPECT_EQ(probe().heard().front(), "redisson_lock__channel:{stock} 0");
}
