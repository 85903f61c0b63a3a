// SPDX-License-Identifier: Apache-2.0
#include "tests/server/release/operator_house.h"

#include "tests/support/eventually.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>

namespace lockhouse {
namespace {

using test::eventually;
using test::other;
using test::owner;
using test::third;
using test::token;
using testing::Contains;
using testing::HasSubstr;

using OperatorTest = test::OperatorHouse;

TEST_F(OperatorTest, plansWithoutWriting) {
  fairLock("f", {other, third});
  const auto before = *redis({"DUMP", "f"}).bulk();
  test::Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other);
  const auto result = plan("f", owner);
  ASSERT_TRUE(result.plan);
  EXPECT_EQ(result.verdict, std::nullopt);
  EXPECT_EQ(result.plan->next, other);
  EXPECT_EQ(*redis({"DUMP", "f"}).bulk(), before);
  EXPECT_EQ(calls("del") + calls("publish"), 0);
  EXPECT_FALSE(std::filesystem::exists(m_auditPath));
}

TEST_F(OperatorTest, releasesAndRecordsBeforeAndAfter) {
  redis({"HSET", "stock", owner, "3"});
  const auto result = apply("stock", owner, 3);
  EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
  EXPECT_EQ(result.now, nullptr);
  EXPECT_EQ(redis({"EXISTS", "stock"}).integer(), 0);
  const auto records = audited();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].verdict, "intent");
  EXPECT_EQ(records[0].id, result.auditId);
  EXPECT_EQ(records[0].reason, "stuck");
  EXPECT_EQ(records[0].holder, owner);
  EXPECT_EQ(records[0].count, 3);
  EXPECT_EQ(nlohmann::json::parse(records[0].before)["key"], "stock");
  EXPECT_THAT(records[0].script, HasSubstr("release-redisson-lock "));
  EXPECT_EQ(records[1].verdict, "released");
  EXPECT_EQ(records[1].subject, records[0].id);
}

TEST_F(OperatorTest, saysWhoHoldsItNowWhenItChanged) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  const auto result = apply("lock:a", "00000000000000000000000000000000");
  EXPECT_EQ(result.verdict, Verdict::Changed);
  ASSERT_TRUE(result.now);
  EXPECT_EQ(result.now->holders.at(0).id, token);
  EXPECT_TRUE(result.auditId.empty()) << "nothing was sent";
  EXPECT_EQ(apply("lock:a", token, 2).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(OperatorTest, tellsAMissingKeyFromDataThatIsNoLock) {
  redis({"SET", "session:1", R"({"user":1})"});
  redis({"RPUSH", "jobs", "1"});
  EXPECT_EQ(apply("nothing", token).verdict, Verdict::AlreadyFree);
  const auto data = apply("session:1", R"({"user":1})");
  EXPECT_EQ(data.verdict, Verdict::NotALock);
  EXPECT_EQ(plan("jobs", "1").verdict, Verdict::NotALock);
  EXPECT_THAT(plan("jobs", "1").detail.english(), HasSubstr("list"));
  EXPECT_EQ(redis({"EXISTS", "session:1", "jobs"}).integer(), 2);
}

TEST_F(OperatorTest, findsAFreeLockWithAQueueFree) {
  fairLock("f", {other});
  redis({"DEL", "f"});
  EXPECT_EQ(apply("f", owner).verdict, Verdict::AlreadyFree);
  EXPECT_EQ(redis({"LLEN", "redisson_lock_queue:{f}"}).integer(), 1);
}

TEST_F(OperatorTest, sendsNothingWhileLocked) {
  redis({"SET", "lock:a", token});
  enter();
  m_keeper->lock();
  const auto connections = calls("client|setname");
  EXPECT_EQ(apply("lock:a", token).verdict, Verdict::ReadOnly);
  EXPECT_EQ(calls("eval") + calls("evalsha"), 0);
  EXPECT_EQ(calls("client|setname"), connections) << "not even a connection was made";
  EXPECT_FALSE(std::filesystem::exists(m_auditPath));
  EXPECT_EQ(plan("lock:a", token).verdict, std::nullopt) << "a plan is always allowed";
  m_keeper->unlock();
  EXPECT_TRUE(m_keeper->isUnlocked());
  EXPECT_EQ(apply("lock:a", token).verdict, Verdict::Released);
}

TEST_F(OperatorTest, knowsAHoldOnSeveralMastersThatEachHasInItsOwnOrder) {
  auto second = Sandbox::start({});
  ASSERT_TRUE(second);
  test::RawRedis there(second->unixUri());
  const std::string one = "q0vbVkVm3kGzUQdFz1yXo9m2nJtB6c8ErT5wLhAaKs0=", two = "A0vbVkVm3kGzUQdFz1yXo9m2nJtB6c8ErT5wLhAaKs0=";
  const auto lease = [&, now = serverNow()](std::int64_t left) {
    const auto early = std::to_string(now + left), late = std::to_string(now + left + 1);
    redis({"ZADD", "php", early, one, late, two});
    there({"ZADD", "php", early, two, late, one});
    redis({"PEXPIRE", "php", std::to_string(left)});
    there({"PEXPIRE", "php", std::to_string(left)});
  };
  lease(60'000);
  const std::vector<Uri> both{m_uri, second->unixUri()};
  Watcher watcher(m_loop, both, {});
  watcher.start();
  ReleaseService keeper(m_loop, watcher, both, m_options, m_auditPath);
  const auto row = [&] {
    const auto found = watcher.snapshot()->find(id("php"));
    return found && found->members.size() == 2 ? found : nullptr;
  };
  ASSERT_TRUE(eventually([&] { return row() != nullptr; }));
  ASSERT_TRUE(eventually([&] { return std::ranges::all_of(watcher.snapshot()->nodes, [](const NodeStatus &node) { return node.state == NodeState::Live; }); }));
  lease(90'000);
  ASSERT_TRUE(eventually([&] { return row() && row()->renewals > 0; }));
  for (const auto &uri : both) {
    std::promise<ReleaseResult> answer;
    keeper.plan({{NodeId(uri.address()), 0, LockName("php")}, one, {}, "stuck"}, [&answer](ReleaseResult result) { answer.set_value(std::move(result)); });
    const auto planned = answer.get_future().get();
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_GT(planned.now->renewals, 0U) << uri.address();
  }
}

TEST_F(OperatorTest, wantsAReason) {
  redis({"SET", "lock:a", token});
  enter();
  std::promise<ReleaseResult> answer;
  m_keeper->apply({id("lock:a"), token, {}, " \n"}, [&answer](ReleaseResult result) { answer.set_value(std::move(result)); });
  EXPECT_EQ(answer.get_future().get().verdict, Verdict::NotAllowed);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(OperatorTest, sendsNothingWhenTheAuditLogCannotBeWritten) {
  redis({"SET", "lock:a", token});
  m_auditPath = "/proc/lockhouse/audit.sqlite";
  const auto result = apply("lock:a", token);
  EXPECT_EQ(result.verdict, Verdict::NotAllowed);
  EXPECT_THAT(result.detail.english(), HasSubstr("audit log"));
  EXPECT_TRUE(result.auditId.empty());
  EXPECT_EQ(calls("eval") + calls("evalsha"), 0);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(OperatorTest, letsExactlyOneOfTwoOperatorsRelease) {
  enter();
  ReleaseService second(m_loop, *m_watcher, {m_uri}, m_options, m_auditPath);
  second.unlock();
  for (int round = 0; round < 20; ++round) {
    redis({"HSET", "stock", owner, "1"});
    std::array<std::promise<ReleaseResult>, 2> answers;
    m_keeper->apply({id("stock"), owner, 1, "one"}, [&](ReleaseResult result) { answers[0].set_value(std::move(result)); });
    second.apply({id("stock"), owner, 1, "two"}, [&](ReleaseResult result) { answers[1].set_value(std::move(result)); });
    const std::array results{answers[0].get_future().get(), answers[1].get_future().get()};
    const std::vector verdicts{*results[0].verdict, *results[1].verdict};
    EXPECT_THAT(verdicts, testing::UnorderedElementsAre(Verdict::Released, Verdict::AlreadyFree))
        << results[0].detail.english() << "; " << results[1].detail.english();
  }
}

TEST_F(OperatorTest, tellsTheWatcherWhyTheLockVanished) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  WatcherOptions options;
  std::mutex mutex;
  std::vector<LockChange> changes;
  Watcher watcher(m_loop, {m_uri}, options);
  watcher.onChanges([&](std::span<const LockChange> news) {
    const std::scoped_lock guard(mutex);
    changes.insert(changes.end(), news.begin(), news.end());
  });
  watcher.start();
  ASSERT_TRUE(eventually([&] { return watcher.snapshot()->find(id("lock:a")) != nullptr; }));
  ReleaseService keeper(m_loop, watcher, {m_uri}, m_options, m_auditPath);
  keeper.unlock();
  std::promise<ReleaseResult> answer;
  keeper.apply({id("lock:a"), token, {}, "stuck"}, [&](ReleaseResult result) { answer.set_value(std::move(result)); });
  EXPECT_EQ(answer.get_future().get().verdict, Verdict::Released);
  ASSERT_TRUE(eventually([&] {
    const std::scoped_lock guard(mutex);
    return !changes.empty() && changes.back().kind == ChangeKind::Vanished;
  }));
  EXPECT_EQ(changes.back().cause, ChangeCause::Released);
}

TEST_F(OperatorTest, namesWhatElseTheHolderHas) {
  redis({"MSET", "lock:a", token, "lock:b", token, "lock:c", token});
  Watcher watcher(m_loop, {m_uri}, {});
  watcher.start();
  ASSERT_TRUE(eventually([&] {
    const auto row = watcher.snapshot()->find(id("lock:a"));
    return row && row->alsoUnder.size() == 2;
  }));
  EXPECT_EQ(watcher.snapshot()->find(id("lock:a"))->family, "node-redlock");
  ReleaseService keeper(m_loop, watcher, {m_uri}, m_options, m_auditPath);
  std::promise<ReleaseResult> answer;
  keeper.plan({id("lock:a"), token, {}, ""}, [&](ReleaseResult result) { answer.set_value(std::move(result)); });
  const auto planned = answer.get_future().get();
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(planned.plan->warnings), testing::Contains("its holder has other keys here too: lock:b, lock:c"));
  EXPECT_THAT(englishOf(planned.plan->warnings), testing::Contains(HasSubstr("release --all --holder")));
  EXPECT_EQ(planned.family, "node-redlock");
}

TEST_F(OperatorTest, dropsWhatIsUnderWayWhenItGoes) {
  redis({"SET", "lock:a", token});
  enter();
  for (int round = 0; round < 30; ++round) {
    auto gone = std::make_shared<std::atomic<bool>>(false);
    const auto done = [gone](const ReleaseResult &) { EXPECT_FALSE(*gone) << "an answer came after the operator had gone"; };
    {
      ReleaseService keeper(m_loop, *m_watcher, {m_uri}, m_options, m_auditPath);
      keeper.unlock();
      keeper.apply({id("lock:a"), "somebody else", {}, "stuck"}, done);
      keeper.plan({id("lock:a"), token, {}, {}}, done);
    }
    *gone = true;
  }
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(OperatorTest, onePlanSaysSinceWhenARedissonLockWasTakenOrRenewed) {
  redis({"HSET", "stock", owner, "1"});
  redis({"PEXPIRE", "stock", "28500"});
  const auto alive = plan("stock", owner);
  ASSERT_TRUE(alive.plan);
  EXPECT_THAT(englishOf(alive.plan->warnings).front(), testing::AllOf(HasSubstr("usual 30.0 s"), HasSubstr("looks alive")));
  EXPECT_THAT(englishOf(alive.plan->warnings).front(), testing::ContainsRegex("renewed [0-9.]+ s ago"));
  redis({"PEXPIRE", "stock", "4000"});
  const auto quiet = plan("stock", owner);
  ASSERT_TRUE(quiet.plan);
  EXPECT_THAT(englishOf(quiet.plan->warnings).front(), HasSubstr("is overdue"));
}

// It was the operator who cut it: what is left of it looked as if its holder had renewed it just now.
TEST_F(OperatorTest, noPlanTakesAShortenedLeaseForALifeSign) {
  redis({"HSET", "stock", owner, "1"});
  redis({"PEXPIRE", "stock", "2580000"});
  enter();
  const auto row = [this] { return m_watcher->snapshot()->find(id("stock")); };
  ASSERT_TRUE(eventually([&] { return row() && row()->lease; }));
  redis({"PEXPIRE", "stock", "28500"});
  ASSERT_TRUE(eventually([&] { return row()->isShortened; }));
  const auto cut = plan("stock", owner);
  ASSERT_TRUE(cut.plan);
  EXPECT_THAT(englishOf(cut.plan->warnings).front(), HasSubstr("the lease still runs for 28."));
  redis({"PEXPIRE", "stock", "30000"});
  ASSERT_TRUE(eventually([&] { return row()->renewals > 0; }));
  const auto renewed = plan("stock", owner);
  ASSERT_TRUE(renewed.plan);
  EXPECT_THAT(englishOf(renewed.plan->warnings).front(), HasSubstr("looks alive: it renewed"));
}

} // namespace
} // namespace lockhouse
