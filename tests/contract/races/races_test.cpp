// SPDX-License-Identifier: Apache-2.0
// Acquires and cancels as fast as they go, after which there is nothing left, while the clients are still there.
#include "tests/contract/world/extent.h"
#include "tests/contract/world/lock_world.h"
#include "tests/contract/world/racers.h"

#include <cstdlib>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

/// Another one in each run, unless LOCKHOUSE_RACE_SEED says which.
std::uint64_t chosenSeed() {
  if (const char *word = std::getenv("LOCKHOUSE_RACE_SEED"))
    return std::strtoull(word, nullptr, 10);
  return std::random_device()();
}

} // namespace

class Races : public LockContract {};
// Over TCP they are those over a Unix socket, a little slower.
INSTANTIATE_TEST_SUITE_P(Every, Races,
                         testing::ValuesIn(worlds("Races", {Topology::UnixSocket, Topology::Tls, Topology::Replicas, Topology::RedLock3,
                                                            Topology::RedLock5OneDown, Topology::TwoNodes})),
                         contractName);

TEST_P(Races, ofAcquiresAndCancelsLeaveNothingBehind) {
  const auto seed = chosenSeed();
  SCOPED_TRACE("LOCKHOUSE_RACE_SEED=" + std::to_string(seed));
  Loop loop;
  const auto policies = waitingPolicies();
  const auto each = extent().races / policies.size() + 1;
  for (const auto &policy : policies) {
    SCOPED_TRACE(policy.name());
    Racers racers(loop, place(), primitive(), policy, seed, each);
    ASSERT_TRUE(racers.isReady());
    racers.begin();
    EXPECT_TRUE(eventually([&] { return racers.isOver(); }, 10min)) << racers.tally().races << " of " << each;
    EXPECT_TRUE(eventually([&] { return racers.isSettled(); }));
    expectNothingLeft();
    const auto tally = racers.tally();
    EXPECT_EQ(tally.trouble, "");
    EXPECT_EQ(tally.together, 0);
    EXPECT_LT(tally.longestWait, 8s) << "who waits is told of his turn, and not left to a poll, which comes after 10 s";
    // Not all of them ended before they had begun.
    EXPECT_GT(tally.acquired, each / 20);
    EXPECT_GT(tally.cancelled, each / 20);
    EXPECT_GT(tally.ended, each / 50);
    if (HasFailure())
      return;
  }
}
