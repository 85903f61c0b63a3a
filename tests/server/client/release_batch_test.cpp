// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/node_session.h"
#include "tests/server/client/client_house.h"

#include <algorithm>
#include <deque>

using namespace lockhouse;
using namespace lockhouse::test;

/// Many mutexes held through one driver, and let go of in one turn of its loop.
class ReleaseBatchTest : public testing::Test {
protected:
  static constexpr std::size_t locks = 150; // two full batches and a part of one

  void SetUp() override {
    auto started = Sandbox::start({.config = {}});
    ASSERT_TRUE(started) << started.error().sentence();
    server = std::move(*started);
    onLoop([&] {
      driver = std::make_unique<NodeDriver>(loop, server->unixUri(), NodeDriver::Options{});
      driver->open();
      stranger = std::make_unique<Connection>(loop, server->unixUri(), ConnectionOptions{});
      stranger->open();
    });
    ASSERT_TRUE(eventually([&] { return areUp(); }));
    onLoop([&] {
      for (std::size_t i = 0; i < locks; ++i) {
        auto &session = sessions.emplace_back(*driver, *Primitive::find("Mutex"), LockName(name(i)), LockOptions{});
        session.acquire([this](const AcquireOutcome &outcome) { held += std::holds_alternative<Acquired>(outcome) ? 1U : 0U; });
      }
    });
    ASSERT_TRUE(eventually([&] { return read(held) == locks; }));
  }
  void TearDown() override {
    onLoop([&] {
      sessions.clear();
      driver.reset();
      stranger.reset();
    });
  }

  static std::string name(std::size_t i) { return "lock:" + std::to_string(i); }
  template <class Task> void onLoop(Task task) { loop.call(std::move(task)); }
  template <class Value> Value read(const Value &value) {
    Value copy{};
    onLoop([&] { copy = value; });
    return copy;
  }
  bool areUp() {
    bool up = false;
    onLoop([&] { up = driver->state() == Connection::State::Ready && stranger->state() == Connection::State::Ready; });
    return up;
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    std::promise<Reply> answer;
    onLoop([&] { stranger->send(Command(words), [&](Result<Reply> reply) { answer.set_value(reply ? std::move(*reply) : Reply()); }); });
    return answer.get_future().get();
  }
  /// In one turn; returns the commands that it took once all have their outcome.
  std::uint64_t releaseAll() {
    const auto before = driver->commandsSent();
    onLoop([&] {
      outcomes.assign(locks, std::nullopt);
      for (std::size_t i = 0; i < locks; ++i)
        sessions[i].release([this, i](ReleaseOutcome outcome) { outcomes[i] = outcome; });
    });
    EXPECT_TRUE(eventually([&] { return std::ranges::none_of(read(outcomes), [](const auto &outcome) { return outcome == std::nullopt; }); }));
    return driver->commandsSent() - before;
  }
  std::size_t count(ReleaseOutcome wanted) { return static_cast<std::size_t>(std::ranges::count(read(outcomes), wanted)); }

  std::optional<Sandbox> server;
  Loop loop;
  std::unique_ptr<NodeDriver> driver; // from here on the loop's
  std::unique_ptr<Connection> stranger;
  std::deque<NodeSession> sessions;
  std::size_t held = 0;
  std::vector<std::optional<ReleaseOutcome>> outcomes;
  std::optional<AcquireOutcome> next; // of one who waits for one of the locks
};

TEST_F(ReleaseBatchTest, letsManyLocksLeaveByFewCommands) {
  EXPECT_LE(releaseAll(), 6U) << "three batches, each with the EVAL by which the server learns the script";
  EXPECT_EQ(count(ReleaseOutcome::Released), locks);
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 0);
}

TEST_F(ReleaseBatchTest, touchesNoLockThatIsSomebodyElsesByNow) {
  ask({"SET", name(0), "a stranger's token"});
  ask({"DEL", name(70)});
  ask({"DEL", name(149)});
  ask({"RPUSH", name(149), "not a mutex at all"});
  releaseAll();
  const auto told = read(outcomes);
  for (const std::size_t i : {0U, 70U, 149U})
    EXPECT_EQ(told[i], ReleaseOutcome::NotOwner) << i;
  EXPECT_EQ(count(ReleaseOutcome::Released), locks - 3);
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 2) << "the stranger's two";
}

TEST_F(ReleaseBatchTest, isSentOneByOneWhenTheServerRefusesItForOneOfThem) {
  ask({"ACL", "SETUSER", "default", "resetkeys", "~lock:?", "~lock:??"});
  releaseAll(); // the keys with three digits are out of bounds now
  EXPECT_EQ(count(ReleaseOutcome::Released), 100U);
  EXPECT_EQ(count(ReleaseOutcome::Failed), locks - 100U);
  EXPECT_EQ(ask({"DBSIZE"}).integer(), static_cast<std::int64_t>(locks - 100));
}

TEST_F(ReleaseBatchTest, thatIsRefusedStillLetsTheNextInLineIn) {
  const auto &mutex = *Primitive::find("Mutex");
  const LockName key(name(3));
  const LockToken nobody("nobody");
  // Known to the server, so that its answers come in the order of the commands.
  for (const auto &command : {mutex.acquire({key, nobody, 30s, 1}, true), mutex.release({key, nobody, 30s, 0}, false)})
    ask({"SCRIPT", "LOAD", command.script()->body});
  const auto before = driver->commandsSent();
  onLoop([&] {
    auto &session = sessions.emplace_back(*driver, mutex, key, LockOptions{});
    session.acquire(AcquirePolicy::pubSub(1h), std::nullopt, [this](const AcquireOutcome &outcome) { next = outcome; });
  });
  ASSERT_TRUE(eventually([&] { return driver->commandsSent() >= before + 2; })) << "it listens, and has asked";
  ask({"ACL", "SETUSER", "default", "resetkeys", "~lock:[1-9]*"});
  releaseAll(); // its ask goes right behind the batch, which is refused for the first lock, and is refused too
  EXPECT_TRUE(eventually([&] {
    bool told = false;
    onLoop([&] { told = next.has_value(); });
    return told;
  })) << "before the lease of 30 s ends, and the poll";
}

TEST_F(ReleaseBatchTest, isTriedAgainWhenTheConnectionIsLostBeforeTheAnswer) {
  server->pause();
  onLoop([&] {
    outcomes.assign(locks, std::nullopt);
    for (std::size_t i = 0; i < locks; ++i)
      sessions[i].release([this, i](ReleaseOutcome outcome) { outcomes[i] = outcome; });
    // Read before the releases, so the connection is gone by the time they are.
    stranger->send({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}, [](const Result<Reply> &) {});
  });
  server->resume();
  ASSERT_TRUE(eventually([&] { return std::ranges::none_of(read(outcomes), [](const auto &outcome) { return outcome == std::nullopt; }); }));
  EXPECT_EQ(count(ReleaseOutcome::Released), locks);
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 0);
}

TEST_F(ReleaseBatchTest, arrivesBeforeTheNextInLineAsks) {
  onLoop([&] {
    auto &session = sessions.emplace_back(*driver, *Primitive::find("Mutex"), LockName(name(3)), LockOptions{.policy = AcquirePolicy::backoff()});
    session.acquire([this](const AcquireOutcome &outcome) { next = outcome; });
  });
  releaseAll();
  ASSERT_TRUE(eventually([&] {
    bool told = false;
    onLoop([&] { told = next.has_value(); });
    return told;
  }));
  EXPECT_TRUE(std::holds_alternative<Acquired>(*next));
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 1);
}

TEST_F(ReleaseBatchTest, thatNeverLeftIsToldToItsOwnersAndEndsWithItsDriver) {
  std::size_t inDoubt = 0;
  onLoop([&] {
    for (auto &session : sessions)
      session.release([&](ReleaseOutcome outcome) { inDoubt += outcome == ReleaseOutcome::InDoubt ? 1U : 0U; });
    sessions.clear();
    driver.reset();
  });
  EXPECT_EQ(read(inDoubt), locks);
}
