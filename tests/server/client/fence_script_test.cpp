// SPDX-License-Identifier: Apache-2.0
#include "core/lock/fencing/fence_check.h"
#include "core/net/connection/connection.h"
#include "tests/server/client/client_house.h"

#include <fstream>
#include <sstream>

using namespace lockhouse;
using namespace lockhouse::test;

class FenceScript : public ClientHouse {
protected:
  void SetUp() override {
    ClientHouse::SetUp();
    std::promise<void> ready;
    loop.call([&] {
      connection = std::make_unique<Connection>(loop, server->unixUri(), ConnectionOptions{});
      connection->onState([&](Connection::State state, const Error *) {
        if (state == Connection::State::Ready)
          ready.set_value();
      });
      connection->open();
    });
    ready.get_future().wait();
  }
  void TearDown() override {
    loop.call([&] { connection.reset(); });
  }
  Reply ask(Command command) {
    std::promise<Result<Reply>> answer;
    loop.call([&] { connection->send(std::move(command), [&](Result<Reply> reply) { answer.set_value(std::move(reply)); }); });
    auto reply = answer.get_future().get();
    EXPECT_TRUE(reply);
    return reply ? std::move(*reply) : Reply();
  }
  FencedAnswer set(std::uint64_t fence, std::string_view value, std::optional<milliseconds> life = {}) {
    const auto answer = readFencedSet(ask(fencedSet(keys, {fence}, value, life)));
    EXPECT_TRUE(answer) << answer.error().sentence();
    return answer.value_or(FencedAnswer{});
  }
  std::string value() { return std::string(ask({"GET", keys.value}).text().value_or("(nothing)")); }

  FencedKeys keys = FencedKeys::of("doc");
  Loop loop;
  std::unique_ptr<Connection> connection;
};

TEST_F(FenceScript, refusesTheWriterThatWokeLate) {
  EXPECT_EQ(set(33, "of 33").verdict, FenceVerdict::Admitted);
  EXPECT_EQ(set(34, "of 34").verdict, FenceVerdict::Admitted);
  const auto late = set(33, "late");
  EXPECT_EQ(late.verdict, FenceVerdict::Stale);
  EXPECT_EQ(late.highest, Fence{34});
  EXPECT_EQ(value(), "of 34");
  EXPECT_EQ(set(34, "again").verdict, FenceVerdict::Admitted);
  EXPECT_EQ(value(), "again");
}

TEST_F(FenceScript, comparesAll64BitsExactlyAndByNumberNotByText) {
  EXPECT_EQ(set(9, "nine").verdict, FenceVerdict::Admitted);
  EXPECT_EQ(set(10, "ten").verdict, FenceVerdict::Admitted);
  EXPECT_EQ(set(9, "nine").verdict, FenceVerdict::Stale);
  EXPECT_EQ(set(UINT64_MAX, "last").verdict, FenceVerdict::Admitted);
  EXPECT_EQ(set(UINT64_MAX - 1, "last but one").verdict, FenceVerdict::Stale) << "a double could not tell them apart";
}

TEST_F(FenceScript, keepsTheMarkForEverOrAsLongAsItIsTold) {
  set(1, "x");
  EXPECT_EQ(ask({"PTTL", keys.mark}).integer(), -1);
  set(2, "x", 60s);
  EXPECT_GT(ask({"PTTL", keys.mark}).integer().value_or(0), 50'000);
  set(1, "late", 1h);
  EXPECT_LE(ask({"PTTL", keys.mark}).integer().value_or(0), 60'000) << "a refused write changes nothing";
}

TEST_F(FenceScript, checksAMarkWithoutAValue) {
  keys.value.clear();
  EXPECT_EQ(set(5, "").verdict, FenceVerdict::Admitted);
  EXPECT_EQ(set(4, "").verdict, FenceVerdict::Stale);
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 1);
}

TEST_F(FenceScript, refusesAMarkThatIsNoneAndLeavesTheValue) {
  ask({"SET", keys.mark, "hello"});
  ask({"SET", keys.value, "mine"});
  const auto refused = readFencedSet(ask(fencedSet(keys, {5}, "x")));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.english().find("mark"), std::string::npos) << refused.error().sentence();
  ask({"DEL", keys.mark});
  ask({"RPUSH", keys.mark, "x"});
  EXPECT_FALSE(readFencedSet(ask(fencedSet(keys, {5}, "x"))));
  EXPECT_EQ(value(), "mine");
}

// Whoever copies the file sends what he likes.
TEST_F(FenceScript, refusesFencesThatAreNone) {
  std::ifstream file(FENCE_LUA);
  std::stringstream body;
  body << file.rdbuf();
  ASSERT_FALSE(body.str().empty());
  for (const auto *fence : {"", "-1", "007", "1.5", "1e3", "abc", "123456789012345678901"})
    EXPECT_TRUE(ask({"EVAL", body.str(), "2", keys.mark, keys.value, fence, "0", "x"}).isFailure()) << fence;
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 0);
}
