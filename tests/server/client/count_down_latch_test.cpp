// SPDX-License-Identifier: Apache-2.0
// CountDownLatch: what it leaves in Redis and says is Redisson's.
#include "tests/server/client/client_house.h"
#include "tests/server/lab/raw_redis.h"

using namespace lockhouse;
using namespace lockhouse::test;

class CountDownLatches : public ClientHouse {
protected:
  void SetUp() override {
    ClientHouse::SetUp();
    redis.emplace(server->unixUri().path);
    latch.emplace(client->countDownLatch(LockName("parts")));
  }
  template <class T> static T valueOf(const Result<T> &result) {
    EXPECT_TRUE(result) << result.error().sentence();
    return result.value_or(T{});
  }
  std::future<Result<bool>> waiting(std::optional<milliseconds> limit = {}, std::stop_token cancel = {}) {
    return std::async(std::launch::async, [this, limit, cancel] { return latch->wait(limit, cancel); });
  }
  bool isListenedTo() {
    return eventually([&] { return (*redis)({"PUBSUB", "NUMSUB", channel}) == std::string(channel) + "\n1"; });
  }
  static constexpr const char *channel = "redisson_countdownlatch__channel__{parts}";
  std::optional<RawRedis> redis;
  std::optional<CountDownLatch> latch;
};

TEST_F(CountDownLatches, areANumberThatIsDeletedAtZero) {
  EXPECT_EQ(valueOf(latch->count()), 0);
  EXPECT_TRUE(valueOf(latch->trySetCount(3)));
  EXPECT_FALSE(valueOf(latch->trySetCount(5)));
  EXPECT_EQ((*redis)({"GET", "parts"}), "3");
  EXPECT_EQ((*redis)({"PTTL", "parts"}), "-1");
  EXPECT_EQ(valueOf(latch->countDown()), 2);
  EXPECT_EQ(valueOf(latch->count()), 2);
  EXPECT_EQ(valueOf(latch->countDown(5)), 0);
  EXPECT_EQ((*redis)({"DBSIZE"}), "0");
  EXPECT_EQ(valueOf(latch->countDown()), 0) << "an open latch stays open";
  EXPECT_EQ((*redis)({"DBSIZE"}), "0");
}

TEST_F(CountDownLatches, letEveryoneGoOnWhenTheyAreOpen) {
  EXPECT_TRUE(valueOf(latch->wait())) << "without a count it is open";
  ASSERT_TRUE(valueOf(latch->trySetCount(2)));
  std::vector<std::future<Result<bool>>> waits;
  for (int i = 0; i < 10; ++i)
    waits.push_back(waiting());
  ASSERT_TRUE(isListenedTo()) << "one subscription for all";
  EXPECT_EQ(valueOf(latch->countDown()), 1);
  EXPECT_EQ(waits.front().wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(valueOf(latch->countDown()), 0);
  for (auto &wait : waits)
    EXPECT_TRUE(valueOf(wait.get()));
}

TEST_F(CountDownLatches, areOpenedByRedisson) {
  (*redis)({"SET", "parts", "1"}); // trySetCount
  auto wait = waiting();
  ASSERT_TRUE(isListenedTo());
  (*redis)({"DEL", "parts"}); // countDown, the last one
  (*redis)({"PUBLISH", channel, "0"});
  EXPECT_TRUE(valueOf(wait.get()));
}

TEST_F(CountDownLatches, openThoughNobodyPublishes) {
  (*redis)({"SET", "parts", "1"});
  auto wait = waiting();
  ASSERT_TRUE(isListenedTo());
  (*redis)({"DEL", "parts"});
  EXPECT_TRUE(valueOf(wait.get()));
}

TEST_F(CountDownLatches, tellRedissonWhenTheyAreClosedAndOpened) {
  auto &listener = *redis;
  EXPECT_EQ(listener.lines({"SUBSCRIBE", channel}).size(), 3U);
  ASSERT_TRUE(valueOf(latch->trySetCount(1)));
  EXPECT_EQ(valueOf(latch->countDown()), 0);
  EXPECT_EQ(listener({"PING"}), std::string("message\n") + channel + "\n1");
  EXPECT_EQ(listener({"PING"}), std::string("message\n") + channel + "\n0") << "answers come behind the messages";
}

TEST_F(CountDownLatches, areWaitedForWithinALimitAndUntilCancelled) {
  ASSERT_TRUE(valueOf(latch->trySetCount(1)));
  const auto began = SteadyClock::now();
  EXPECT_FALSE(valueOf(latch->wait(0ms)));
  EXPECT_FALSE(valueOf(latch->wait(60ms)));
  EXPECT_GE(SteadyClock::now() - began, 60ms);
  std::stop_source stop;
  auto wait = waiting({}, stop.get_token());
  ASSERT_TRUE(isListenedTo());
  stop.request_stop();
  EXPECT_FALSE(valueOf(wait.get()));
  EXPECT_EQ(valueOf(latch->count()), 1);
}

TEST_F(CountDownLatches, areWaitedForByEveryPolicyOfTheirPage) {
  for (const auto policy : findPrimitive("CountDownLatch")->policies) {
    ASSERT_TRUE(valueOf(latch->trySetCount(1)));
    const auto named = AcquirePolicy::named(policy);
    ASSERT_TRUE(named) << policy;
    EXPECT_FALSE(valueOf(latch->wait(20ms, {}, *named))) << policy;
    auto wait = std::async(std::launch::async, [&] { return latch->wait({}, {}, *named); });
    if (named->waits()) {
      EXPECT_EQ(wait.wait_for(20ms), std::future_status::timeout) << policy;
    } else {
      EXPECT_FALSE(valueOf(wait.get())) << "looks once";
    }
    EXPECT_EQ(valueOf(latch->countDown()), 0);
    EXPECT_TRUE(valueOf(wait.valid() ? wait.get() : latch->wait({}, {}, *named))) << policy;
  }
  const auto refused = latch->wait({}, {}, AcquirePolicy::fair());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Usage);
}

TEST_F(CountDownLatches, refuseWhatCannotBe) {
  EXPECT_EQ(latch->trySetCount(0).error().code, ErrorCode::Usage);
  EXPECT_EQ(latch->countDown(0).error().code, ErrorCode::Usage);
  (*redis)({"SET", "parts", "precious"});
  EXPECT_FALSE(latch->count());
  EXPECT_FALSE(latch->countDown());
  EXPECT_FALSE(latch->wait(1s));
  (*redis)({"DEL", "parts"});
  (*redis)({"RPUSH", "parts", "precious"});
  EXPECT_FALSE(latch->count());
  EXPECT_FALSE(latch->countDown());
  EXPECT_FALSE(latch->wait(1s));
  EXPECT_EQ((*redis)({"LINDEX", "parts", "0"}), "precious");
}

TEST_F(CountDownLatches, areForClientsWithOwnersOfAnyFormat) {
  for (const auto format : {OwnerFormat::Token, OwnerFormat::UuidNumber, OwnerFormat::Snowflake}) {
    ClientOptions options;
    options.owners = {.format = format, .worker = 1};
    const auto other = Client::connect(server->unixUri(), options);
    ASSERT_TRUE(other);
    EXPECT_TRUE(valueOf(other->countDownLatch(LockName("parts")).wait(1s))) << name(format);
  }
}

TEST_F(CountDownLatches, endTheirWaitsWithTheClient) {
  ASSERT_TRUE(valueOf(latch->trySetCount(1)));
  auto wait = waiting();
  ASSERT_TRUE(isListenedTo());
  client.reset();
  const auto ended = wait.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(latch->count().error().code, ErrorCode::Cancelled);
}

TEST_F(CountDownLatches, tellHandlersInsteadOfBlocking) {
  ASSERT_TRUE(valueOf(latch->trySetCount(2)));
  std::promise<Result<bool>> opened;
  auto isOpen = opened.get_future();
  latch->wait([&](Result<bool> result) { opened.set_value(std::move(result)); });
  std::promise<Result<std::int64_t>> counted;
  latch->countDown([&](Result<std::int64_t> left) {
    EXPECT_FALSE(latch->wait(milliseconds(0))) << "which would block the loop";
    counted.set_value(std::move(left));
  });
  EXPECT_EQ(valueOf(counted.get_future().get()), 1);
  EXPECT_EQ(isOpen.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(valueOf(latch->countDown()), 0);
  ASSERT_EQ(isOpen.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(valueOf(isOpen.get()));

  ASSERT_TRUE(valueOf(latch->trySetCount(1)));
  std::stop_source cancel;
  std::promise<Result<bool>> given;
  latch->wait([&](Result<bool> result) { given.set_value(std::move(result)); }, {}, cancel.get_token());
  cancel.request_stop();
  EXPECT_FALSE(valueOf(given.get_future().get()));
  std::promise<ErrorCode> wrong;
  latch->countDown([&](const Result<std::int64_t> &result) { wrong.set_value(result.error().code); }, 0);
  EXPECT_EQ(wrong.get_future().get(), ErrorCode::Usage);
  client.reset();
  std::promise<ErrorCode> closed;
  latch->wait([&](const Result<bool> &result) { closed.set_value(result.error().code); });
  EXPECT_EQ(closed.get_future().get(), ErrorCode::Cancelled);
}
