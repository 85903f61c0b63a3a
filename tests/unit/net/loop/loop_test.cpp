// SPDX-License-Identifier: Apache-2.0
#include "core/net/loop/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lockhouse {
namespace {

using std::chrono::hours;

TEST(Loop, runsTasksInTheOrderPosted) {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i)
    loop.post([&order, i] { order.push_back(i); });
  ASSERT_TRUE(loop.call([] {}));
  ASSERT_EQ(order.size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(Loop, runsATaskPostedFromATaskAfterWhatIsQueued) {
  Loop loop;
  std::string order;
  loop.call([&] {
    loop.post([&] {
      loop.post([&] { order += 'c'; });
      order += 'a';
    });
    loop.post([&] { order += 'b'; });
  });
  loop.call([&] { loop.post([&] { order += 'd'; }); });
  std::promise<void> end;
  loop.post([&] { end.set_value(); });
  end.get_future().get();
  EXPECT_EQ(order, "abcd");
}

TEST(Loop, callsWaitForTheirTaskAndRunOnTheLoop) {
  Loop loop;
  bool here = false;
  ASSERT_TRUE(loop.call([&] { here = loop.isLoopThread(); }));
  EXPECT_TRUE(here);
  EXPECT_FALSE(loop.isLoopThread());
}

TEST(Loop, runsACallFromTheLoopItselfAtOnce) {
  Loop loop;
  bool ran = false;
  loop.call([&] {
    EXPECT_TRUE(loop.call([&] { ran = true; }));
    EXPECT_TRUE(ran);
  });
}

TEST(Loop, takesTasksFromManyThreads) {
  Loop loop;
  std::size_t sum = 0; // touched on the loop only
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i)
        loop.post([&sum] { ++sum; });
    });
  threads.clear();
  loop.call([&] { EXPECT_EQ(sum, 20000U); });
}

TEST(Loop, destroysWhatIsPostedAfterTheEndUnrun) {
  Loop loop;
  loop.stop();
  const auto support = std::make_shared<int>();
  loop.post([support] { FAIL() << "ran after the end"; });
  EXPECT_EQ(support.use_count(), 1);
  EXPECT_FALSE(loop.call([] { FAIL() << "ran after the end"; }));
}

TEST(Loop, endsAfterTheTaskThatRunsAndDestroysTheRest) {
  Loop loop;
  const auto support = std::make_shared<int>();
  std::promise<void> stopped;
  loop.post([&] {
    loop.post([support] { FAIL() << "ran after stop()"; });
    loop.stop();
    stopped.set_value();
  });
  stopped.get_future().get();
  loop.stop(); // joins
  EXPECT_EQ(support.use_count(), 1);
}

TEST(Loop, tellsAWaitingCallThatTheLoopEnded) {
  Loop loop;
  std::promise<void> waiting;
  std::future<bool> called;
  loop.post([&] {
    called = std::async(std::launch::async, [&] {
      waiting.set_value();
      return loop.call([] {});
    });
    waiting.get_future().get();
    loop.stop();
  });
  loop.post([] {});
  loop.call([] {});
  EXPECT_FALSE(called.get());
}

TEST(Timer, runsInTheOrderOfTheDeadlinesNotOfTheSettings) {
  Loop loop;
  std::promise<std::string> done;
  std::string order;
  std::optional<Timer> first, second, third;
  loop.call([&] {
    first.emplace(loop);
    second.emplace(loop);
    third.emplace(loop);
    third->after(milliseconds(30), [&] { done.set_value(order + 'c'); });
    second->after(milliseconds(10), [&] { order += 'b'; });
    first->after(milliseconds(0), [&] { order += 'a'; });
    EXPECT_EQ(order, "") << "never inside after()";
    EXPECT_TRUE(first->isSet());
  });
  EXPECT_EQ(done.get_future().get(), "abc");
  loop.call([&] {
    EXPECT_FALSE(third->isSet());
    first.reset();
    second.reset();
    third.reset();
  });
}

TEST(Timer, isNeverEarly) {
  Loop loop;
  std::promise<SteadyTime> fired;
  std::optional<Timer> timer;
  SteadyTime due;
  loop.call([&] {
    timer.emplace(loop);
    due = SteadyClock::now() + milliseconds(20);
    timer->after(milliseconds(20), [&] { fired.set_value(SteadyClock::now()); });
  });
  EXPECT_GE(fired.get_future().get(), due);
  loop.call([&] { timer.reset(); });
}

TEST(Timer, forgetsAnEarlierSettingCancelledOrReplacedOrDestroyed) {
  Loop loop;
  std::promise<void> done;
  std::optional<Timer> cancelled, replaced, destroyed;
  loop.call([&] {
    cancelled.emplace(loop);
    replaced.emplace(loop);
    destroyed.emplace(loop);
    cancelled->after(milliseconds(0), [] { FAIL() << "cancelled"; });
    replaced->after(milliseconds(0), [] { FAIL() << "replaced"; });
    destroyed->after(milliseconds(0), [] { FAIL() << "destroyed"; });
    cancelled->cancel();
    EXPECT_FALSE(cancelled->isSet());
    replaced->after(milliseconds(5), [&] { done.set_value(); });
    destroyed.reset();
  });
  done.get_future().get();
  loop.call([&] {
    cancelled.reset();
    replaced.reset();
  });
}

TEST(Timer, mayBeSetAgainAndDestroyedInsideItsOwnTask) {
  Loop loop;
  std::promise<void> done;
  auto timer = std::make_shared<std::optional<Timer>>();
  int runs = 0;
  std::function<void()> again = [&] {
    if (++runs < 3)
      return (*timer)->after(milliseconds(0), [&] { again(); });
    timer->reset();
    done.set_value();
  };
  loop.call([&] {
    timer->emplace(loop);
    (*timer)->after(milliseconds(0), [&] { again(); });
  });
  done.get_future().get();
  EXPECT_EQ(runs, 3);
}

TEST(Timer, movesWithItsSetting) {
  Loop loop;
  std::promise<void> done;
  std::optional<Timer> target;
  loop.call([&] {
    Timer source(loop);
    source.after(milliseconds(1), [&] { done.set_value(); });
    target.emplace(std::move(source));
    EXPECT_TRUE(target->isSet());
  });
  done.get_future().get();
  loop.call([&] { target.reset(); });
}

TEST(Timer, thatIsStillSetDoesNotHoldTheLoopUp) {
  std::optional<Timer> timer;
  {
    Loop loop;
    loop.call([&] {
      timer.emplace(loop);
      timer->after(hours(100), [] {});
    });
    loop.call([&] { timer.reset(); });
  }
}

} // namespace
} // namespace lockhouse
