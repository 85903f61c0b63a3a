// SPDX-License-Identifier: Apache-2.0
// What a child of fork() does with the locks and clients of its parent: nothing, at once.
#include "tests/server/client/client_house.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace lockhouse;
using namespace lockhouse::test;

class ForkedChild : public ClientHouse {
protected:
  /// Runs `judge` in a forked child and returns its judgement; false too if the child does not come to an end.
  template <class Judge> static bool inChild(Judge judge) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20); // its default ends the child
      ::_exit(judge() ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
};

TEST_F(ForkedChild, neitherHoldsNorReleasesALock) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  EXPECT_TRUE(inChild([&] {
    const bool believes = held->isHeld() || held->release() != ReleaseOutcome::NotOwner;
    *held = LockHandle();
    return !believes;
  }));
  EXPECT_TRUE(held->isHeld());
  EXPECT_FALSE(isFree("k"));
}

TEST_F(ForkedChild, lettingGoOfAClientWaitsForNothingAndTakesNothingFromTheParent) {
  auto held = client->mutex(LockName("k")).tryAcquire();
  ASSERT_TRUE(held);
  EXPECT_TRUE(inChild([&] {
    client.reset();
    *held = LockHandle();
    return true;
  }));
  EXPECT_TRUE(held->isHeld());
  EXPECT_FALSE(isFree("k"));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released) << "the parent's client works as before";
}

TEST_F(ForkedChild, isRefusedByAClientThatItInherited) {
  EXPECT_TRUE(inChild([&] {
    const auto refused = client->mutex(LockName("k")).acquire();
    return !refused && refused.error().is<Cancelled>();
  }));
}

TEST_F(ForkedChild, isRefusedByAFallbackLockWhoseLineSomebodyOfTheParentIsIn) {
  const FallbackLock lock(client->mutex(LockName("k")));
  std::jthread busy([&](const std::stop_token &stop) {
    while (!stop.stop_requested())
      lock.tryAcquire();
  });
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(inChild([&] {
      bool refused = false;
      lock.acquire([&](const FallbackResult &result) { refused = !result && result.error().is<Cancelled>(); });
      return refused;
    })) << i;
}

TEST_F(ForkedChild, letsGoOfTheLocksOfSeveralNodesToo) {
  auto quorum = Quorum::connect(std::vector{server->unixUri()}, {.restartGuard = RestartGuard::Off});
  auto group = NodeGroup::connect(std::vector{server->unixUri()});
  ASSERT_TRUE(quorum && group);
  auto red = quorum->redLock(LockName("r")).tryAcquire();
  auto multi = group->multiLock({{0, LockName("m")}, {0, LockName("n")}}).tryAcquire();
  ASSERT_TRUE(red && multi);
  EXPECT_TRUE(inChild([&] {
    const bool believes = red->isHeld() || multi->isHeld() || red->release() != ReleaseOutcome::NotOwner;
    const auto refused = quorum->redLock(LockName("k")).acquire();
    const bool isRefused = !refused && refused.error().is<Cancelled>() && quorum->standings().empty();
    *red = LockHandle();
    *multi = LockHandle();
    { const auto gone = std::move(*quorum); }
    { const auto gone = std::move(*group); }
    return isRefused && !believes;
  }));
  EXPECT_TRUE(red->isHeld() && multi->isHeld());
  EXPECT_EQ(red->release(), ReleaseOutcome::Released);
  EXPECT_EQ(multi->release(), ReleaseOutcome::Released);
}
