// SPDX-License-Identifier: Apache-2.0
// FairLock against what Redisson's fair lock leaves in Redis and says on its channels, and the order of its line.
#include "tests/contract/world/lock_world.h"

#include <gmock/gmock.h>

#include <charconv>
#include <regex>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::ElementsAre;

namespace {

constexpr const char *lineKey = "redisson_lock_queue:{stock}";
constexpr const char *lapsesKey = "redisson_lock_timeout:{stock}";
constexpr std::int64_t redissonWaits = 300'000; // fairLockWaitTimeout

} // namespace

class FairLine : public LockContract {
protected:
  /// A Java client with a thread, which does what RedissonFairLock does, step by step.
  class Java {
  public:
    Java(FairLine &test, std::string field) : m_test(test), m_field(std::move(field)) {}
    const std::string &field() const { return m_field; }
    /// tryLock, refused: to the end of the line, for as long as the one before it and its own time.
    void standsInLine() {
      const auto last = m_test.line().empty() ? std::string() : m_test.line().back();
      const auto before = last.empty() ? m_test.serverTime() + m_test.probe().number({"PTTL", "stock"}) : m_test.lapses(last);
      m_test.probe()({"RPUSH", lineKey, m_field});
      m_test.probe()({"ZADD", lapsesKey, std::to_string(before + redissonWaits), m_field});
    }
    /// tryLock, of a free lock and first in line: everybody's place behind it is made shorter.
    bool getsIn() {
      dropLapsed();
      const auto waiters = m_test.line();
      if (m_test.keyExists("stock") || (!waiters.empty() && waiters.front() != m_field))
        return false;
      m_test.probe()({"LPOP", lineKey});
      m_test.probe()({"ZREM", lapsesKey, m_field});
      for (const auto &waiter : m_test.line())
        m_test.probe()({"ZINCRBY", lapsesKey, std::to_string(-redissonWaits), waiter});
      m_test.probe()({"HSET", "stock", m_field, "1"});
      m_test.probe()({"PEXPIRE", "stock", "30000"});
      return true;
    }
    void unlocks() {
      dropLapsed();
      m_test.probe()({"DEL", "stock"});
      if (const auto waiters = m_test.line(); !waiters.empty())
        m_test.probe()({"PUBLISH", "redisson_lock__channel:{stock}:" + waiters.front(), "0"});
    }

  private:
    void dropLapsed() {
      for (const auto &waiter : m_test.line()) {
        if (m_test.lapses(waiter) > m_test.serverTime())
          return;
        m_test.probe()({"LPOP", lineKey});
        m_test.probe()({"ZREM", lapsesKey, waiter});
      }
    }
    FairLine &m_test;
    std::string m_field;
  };

  std::vector<std::string> line() {
    std::vector<std::string> all;
    const Reply reply = probe()({"LRANGE", lineKey, "0", "-1"});
    for (const auto &waiter : reply.array())
      all.emplace_back(waiter.text().value_or(""));
    return all;
  }
  std::int64_t lapses(std::string_view waiter) {
    const auto score = probe().text({"ZSCORE", lapsesKey, waiter});
    std::int64_t value = 0;
    std::from_chars(score.data(), score.data() + score.size(), value);
    return value;
  }
  std::int64_t serverTime() {
    const Reply now = probe()({"TIME"});
    return std::stoll(std::string(*now.array().at(0).text())) * 1000 + std::stoll(std::string(*now.array().at(1).text())) / 1000;
  }
  bool eventuallyInLine(std::size_t count) {
    return eventually([&] { return line().size() == count; });
  }
  static std::string tokenOf(const AcquireOutcome &outcome) { return std::get<Acquired>(outcome).token.bytes(); }

  Java java{*this, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42"};
  Java otherJava{*this, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:43"};
  const AcquirePolicy patient = AcquirePolicy::pubSub(1h);
};
INSTANTIATE_TEST_SUITE_P(Every, FairLine, testing::Combine(testing::Values("FairLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(FairLine, aHoldThatNobodyWaitsForIsOneFieldWithoutCompanions) {
  auto &one = party().owner(primitive(), "stock");
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  EXPECT_TRUE(std::regex_match(tokenOf(outcome), std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:0[0-9]+")));
  EXPECT_EQ(probe().text({"HGET", "stock", tokenOf(outcome)}), "1");
  EXPECT_EQ(probe().number({"HLEN", "stock"}), 1);
  EXPECT_EQ(probe().number({"DBSIZE"}), 1);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(FairLine, aWaiterStandsInTheListAndLapsesOneLeaseLater) {
  probe()({"HSET", "stock", java.field(), "1"});
  probe()({"PEXPIRE", "stock", "60000"});
  auto &waiter = party().owner(primitive(), "stock", {.lease = 20s});
  auto waiting = waiter.start(patient);
  ASSERT_TRUE(eventuallyInLine(1));
  const auto left = lapses(line().front()) - serverTime();
  EXPECT_TRUE(left > 15'000 && left <= 20'000) << left;
  EXPECT_EQ(probe().number({"ZCARD", lapsesKey}), 1);
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "CHANNELS"}).array().size() == 1; }));
  EXPECT_EQ(probe()({"PUBSUB", "CHANNELS"}).array().at(0).text(), "redisson_lock__channel:{stock}:" + line().front());
  waiter.cancel();
  waiting.get();
  EXPECT_TRUE(eventuallyInLine(0));
  EXPECT_EQ(probe().number({"DBSIZE"}), 1) << "who gives up leaves nothing";
  probe()({"DEL", "stock"});
}

TEST_P(FairLine, aPlaceIsKeptByPollsForManyLeases) {
  probe()({"HSET", "stock", java.field(), "1"});
  auto &waiter = party().owner(primitive(), "stock", {.lease = 150ms});
  auto waiting = waiter.start(patient, 1500ms);
  ASSERT_TRUE(eventuallyInLine(1));
  const auto before = lapses(line().front());
  EXPECT_TRUE(eventually([&] { return lapses(line().front()) >= before + 600; })) << "four leases on";
  EXPECT_TRUE(std::holds_alternative<TimedOut>(waiting.get()));
  probe()({"DEL", "stock"});
}

TEST_P(FairLine, onlyTheLastReleaseTellsTheFirstAndHimAlone) {
  auto &holder = party().owner(primitive(), "stock");
  ASSERT_TRUE(holder.takes());
  ASSERT_TRUE(holder.takes());
  java.standsInLine();
  otherJava.standsInLine();
  probe().listenToAll();
  EXPECT_EQ(holder.release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  probe()({"PUBLISH", "end", "of-test"});
  EXPECT_TRUE(eventually([&] { return probe().heard().size() >= 2; }));
  EXPECT_THAT(probe().heard(), ElementsAre("redisson_lock__channel:{stock}:" + java.field() + " 0", "end of-test"));
  EXPECT_THAT(line(), ElementsAre(java.field(), otherJava.field())) << "it leaves the line when it gets in";
  EXPECT_TRUE(java.getsIn());
  java.unlocks();
  EXPECT_TRUE(otherJava.getsIn());
  otherJava.unlocks();
}

TEST_P(FairLine, aNameWithBracesIsPutIntoKeysAndChannelAsItIs) {
  probe()({"HSET", "order:{7}:pay", java.field(), "1"});
  auto &waiter = party().owner(primitive(), "order:{7}:pay");
  auto waiting = waiter.start(patient);
  ASSERT_TRUE(eventually([&] { return keyExists("redisson_lock_queue:order:{7}:pay") && keyExists("redisson_lock_timeout:order:{7}:pay"); }));
  waiter.cancel();
  waiting.get();
  probe()({"DEL", "order:{7}:pay"});
}

TEST_P(FairLine, isOneForAllClientsAndForJava) {
  auto &holder = party().owner(primitive(), "stock");
  ASSERT_TRUE(holder.takes());
  auto &first = party().owner(primitive(), "stock");
  auto firstWaits = first.start(patient);
  ASSERT_TRUE(eventuallyInLine(1));
  java.standsInLine();
  auto &second = party().owner(primitive(), "stock");
  auto secondWaits = second.start(patient);
  ASSERT_TRUE(eventuallyInLine(3));
  auto &barger = party().owner(primitive(), "stock");

  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(firstWaits.get()));
  EXPECT_FALSE(java.getsIn());
  EXPECT_EQ(first.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(barger.takes()) << "it is free, but it is not its turn";
  ASSERT_TRUE(java.getsIn());
  EXPECT_EQ(secondWaits.wait_for(50ms), std::future_status::timeout);
  java.unlocks();
  ASSERT_EQ(secondWaits.wait_for(20s), std::future_status::ready) << "its place outlived what Redisson took off it";
  ASSERT_TRUE(std::holds_alternative<Acquired>(secondWaits.get()));
  EXPECT_EQ(second.release(), ReleaseOutcome::Released);
}

TEST_P(FairLine, keepsItsPlaceBehindManyOfRedissonThatWaitForLong) {
  probe()({"HSET", "stock", java.field(), "1"});
  probe()({"PEXPIRE", "stock", "60000"});
  std::deque<Java> crowd;
  for (int i = 100; i < 105; ++i) {
    crowd.emplace_back(*this, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:" + std::to_string(i));
    crowd.back().standsInLine();
  }
  for (const auto &thread : crowd)
    probe()({"ZINCRBY", lapsesKey, "-50000", thread.field()}); // they have stood there for long
  auto &waiter = party().owner(primitive(), "stock");
  auto waiting = waiter.start(patient);
  auto &next = party().owner(primitive(), "stock");
  ASSERT_TRUE(eventuallyInLine(6));
  auto nextWaits = next.start(patient);
  ASSERT_TRUE(eventuallyInLine(7));
  const auto ours = line()[5];
  java.unlocks();
  for (auto &thread : crowd) {
    ASSERT_TRUE(thread.getsIn());
    EXPECT_GT(lapses(ours) - serverTime(), 10'000);
    thread.unlocks();
  }
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(nextWaits.wait_for(20ms), std::future_status::timeout);
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(nextWaits.get()));
  EXPECT_EQ(next.release(), ReleaseOutcome::Released);
}

TEST_P(FairLine, neverMakesAPlaceOfRedissonLapseSooner) {
  auto &holder = party().owner(primitive(), "stock");
  ASSERT_TRUE(holder.takes());
  java.standsInLine();
  const auto before = lapses(java.field());
  auto &waiter = party().owner(primitive(), "stock");
  auto waiting = waiter.start(patient);
  ASSERT_TRUE(eventuallyInLine(2));
  otherJava.standsInLine();
  const auto otherBefore = lapses(otherJava.field());
  waiter.cancel();
  waiting.get();
  ASSERT_TRUE(eventuallyInLine(2));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  EXPECT_EQ(lapses(java.field()), before);
  EXPECT_EQ(lapses(otherJava.field()), otherBefore);
  ASSERT_TRUE(java.getsIn());
  java.unlocks();
  ASSERT_TRUE(otherJava.getsIn());
  otherJava.unlocks();
}

TEST_P(FairLine, anyNumberOfEndedWaitersCostOneLeaseInAll) {
  auto &holder = party().owner(primitive(), "stock", {.lease = 30s});
  ASSERT_TRUE(holder.takes());
  for (int i = 0; i < 20; ++i) { // as waiters with a lease of 500 ms that asked a moment ago
    const auto ended = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:0" + std::to_string(i);
    probe()({"RPUSH", lineKey, ended});
    probe()({"ZADD", lapsesKey, std::to_string(serverTime() + 480 + i), ended});
  }
  auto &waiter = party().owner(primitive(), "stock", {.lease = 3s}); // asks each second, should the release tell one that had a moment left
  auto waiting = waiter.start(patient);
  ASSERT_TRUE(eventuallyInLine(21));
  const auto began = SteadyClock::now();
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_LT(SteadyClock::now() - began, 20 * 480ms) << "not one lease for each";
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(FairLine, whoGivesUpAFreeLocksFirstPlaceTellsTheNext) {
  probe()({"HSET", "stock", java.field(), "1"});
  auto &first = party().owner(primitive(), "stock");
  auto firstWaits = first.start(patient);
  ASSERT_TRUE(eventuallyInLine(1));
  otherJava.standsInLine();
  probe().listenToAll();
  probe()({"DEL", "stock"}); // nobody is told
  first.cancel();
  firstWaits.get();
  EXPECT_TRUE(eventually([&] { return !probe().heard().empty(); }));
  EXPECT_THAT(probe().heard(), ElementsAre("redisson_lock__channel:{stock}:" + otherJava.field() + " 0"));
  ASSERT_TRUE(otherJava.getsIn());
  otherJava.unlocks();
}

TEST_P(FairLine, isMadeAnewByItsWaitersWhenItIsLost) {
  probe()({"HSET", "stock", java.field(), "1"});
  auto &client = party();
  std::deque<std::future<AcquireOutcome>> waits;
  std::deque<Owner *> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.push_back(&client.owner(primitive(), "stock", {.lease = 600ms}));
    waits.push_back(waiters.back()->start(patient));
  }
  ASSERT_TRUE(eventuallyInLine(3));
  for (const std::string_view lost : {lineKey, lapsesKey}) {
    probe()({"DEL", lost});
    EXPECT_TRUE(eventually([&] { return line().size() == 3 && probe().number({"ZCARD", lapsesKey}) == 3; })) << lost;
  }
  for (auto *waiter : waiters)
    waiter->cancel();
  EXPECT_TRUE(eventuallyInLine(0));
  EXPECT_FALSE(keyExists(lapsesKey));
  probe()({"DEL", "stock"});
}
