// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/user_session.h"

#include "core/lab/workload/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

using namespace lockhouse;

namespace {

/// What a user's lock was asked and has not answered yet.
struct Desk {
  UserLock::TakenHandler taken;
  UserLock::Hold::ReleaseHandler released;
  UserLock::Hold::LostHandler lost;
  std::stop_token cancel;
  int given = 0, holds = 0;
};

struct DeskHold final : UserLock::Hold {
  explicit DeskHold(Desk &theDesk) : desk(theDesk) { ++desk.holds; }
  ~DeskHold() override { --desk.holds; }
  const LockHandle &handle() const override { return empty; }
  void onLost(LostHandler handler) override { desk.lost = std::move(handler); }
  void giveBack(ReleaseHandler done) override {
    ++desk.given;
    desk.released = std::move(done);
  }
  Desk &desk;
  LockHandle empty;
};

struct DeskLock final : UserLock {
  explicit DeskLock(Desk &theDesk) : desk(theDesk) {}
  void take(std::stop_token cancel, TakenHandler done) override {
    desk.cancel = std::move(cancel);
    desk.taken = std::move(done);
  }
  Desk &desk;
};

} // namespace

/// The loop's turns are taken by hand: call() runs behind what was posted.
class UserSessionTest : public testing::Test {
protected:
  UserSessionTest() {
    onLoop([this] {
      session = std::make_unique<UserSession>(loop, std::make_unique<DeskLock>(desk), LockName("k"), unanswered);
      session->onLost([this](LossReason) { told += "lost; "; });
    });
  }
  ~UserSessionTest() override {
    onLoop([this] {
      session.reset();
      desk = {};
    });
    onLoop([] {});
  }
  void onLoop(Loop::Task task) { loop.call(std::move(task)); }
  void acquire() {
    onLoop([this] { session->acquire([this](const AcquireOutcome &outcome) { told += std::holds_alternative<Acquired>(outcome) ? "acquired; " : "not; "; }); });
  }
  void grant() { desk.taken(std::make_shared<DeskHold>(desk)); } // on this thread, as a user's locks do
  void release() {
    onLoop([this] { session->release([this](ReleaseOutcome outcome) { told += std::string(name(outcome)) + "; "; }); });
  }
  bool isNone() {
    bool none = false;
    onLoop([&] { none = unanswered->isNone(); });
    return none;
  }

  Loop loop;
  Desk desk;
  std::string told;
  std::shared_ptr<Unanswered> unanswered = std::make_shared<Unanswered>();
  std::unique_ptr<UserSession> session;
};

TEST_F(UserSessionTest, tellsWhatAUsersLockAnswers) {
  acquire();
  EXPECT_FALSE(isNone());
  grant();
  EXPECT_TRUE(isNone());
  EXPECT_EQ(told, "acquired; ");
  release();
  EXPECT_FALSE(isNone());
  desk.released(ReleaseOutcome::Released);
  EXPECT_TRUE(isNone());
  EXPECT_EQ(told, "acquired; released; ");
  EXPECT_EQ(desk.given, 1);
  desk.released = {};
  onLoop([] {});
  EXPECT_EQ(desk.holds, 0) << "a hold is let go of";
}

TEST_F(UserSessionTest, givesBackWhatComesAfterACancel) {
  acquire();
  onLoop([this] { session->cancel(); });
  EXPECT_EQ(told, "not; ");
  EXPECT_TRUE(desk.cancel.stop_requested());
  grant();
  EXPECT_FALSE(isNone()) << "it is to be given back";
  EXPECT_EQ(desk.given, 1);
  desk.released(ReleaseOutcome::Released);
  EXPECT_TRUE(isNone());
  EXPECT_EQ(told, "not; ") << "once";
}

TEST_F(UserSessionTest, thatEndsGivesBackWhatItHasOrIsGiven) {
  acquire();
  grant();
  onLoop([this] { session.reset(); });
  EXPECT_EQ(desk.given, 1);
  EXPECT_FALSE(isNone());
  desk.released(ReleaseOutcome::Released);
  EXPECT_TRUE(isNone());
}

TEST_F(UserSessionTest, thatEndsWhileItGivesBackSaysInDoubtAndGivesBackOnce) {
  acquire();
  grant();
  onLoop([] {});
  release();
  onLoop([this] { session.reset(); });
  EXPECT_EQ(told, "acquired; in doubt; ");
  desk.released(ReleaseOutcome::Released);
  EXPECT_TRUE(isNone());
  EXPECT_EQ(desk.given, 1);
  EXPECT_EQ(told, "acquired; in doubt; ");
}

TEST_F(UserSessionTest, tellsALossOnlyUntilItIsReleased) {
  acquire();
  grant();
  onLoop([] {});
  desk.lost(LossReason::LeaseEnded);
  onLoop([] {});
  EXPECT_EQ(told, "acquired; lost; ");
  acquire();
  grant();
  onLoop([] {});
  release();
  desk.lost(LossReason::LeaseEnded);
  desk.released(ReleaseOutcome::NotOwner);
  onLoop([] {});
  EXPECT_EQ(told, "acquired; lost; acquired; not the owner; ");
}

TEST(Workers, runAllTasksOnNoMoreThreadsThanTheyMay) {
  std::atomic<int> running = 0, most = 0, done = 0;
  std::promise<void> all;
  {
    Workers workers(3);
    for (int i = 0; i < 50; ++i)
      workers.run([&] {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
        --running;
        if (++done == 50)
          all.set_value();
      });
    all.get_future().wait();
  }
  EXPECT_LE(most, 3);
  EXPECT_EQ(done, 50);
}

TEST(Workers, endWithTheTaskThatRunsAndDropTheOthers) {
  std::promise<void> began, go;
  std::atomic<int> ran = 0;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr gone = held;
  std::thread opener;
  {
    Workers workers(1);
    workers.run([&] {
      began.set_value();
      go.get_future().wait();
      ++ran;
    });
    began.get_future().wait();
    workers.run([&ran, held = std::move(held)] { ++ran; });
    opener = std::thread([&] {
      while (!gone.expired()) // dropped before the one that runs has ended
        std::this_thread::yield();
      go.set_value();
    });
  }
  opener.join();
  EXPECT_EQ(ran, 1);
}
