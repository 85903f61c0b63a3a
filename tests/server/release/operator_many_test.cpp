// SPDX-License-Identifier: Apache-2.0
// Many locks released as one: exactly what was planned, with a verdict for each.
#include "tests/server/release/operator_house.h"

#include "tests/support/eventually.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <nlohmann/json.hpp>

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::token;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class OperatorMany : public test::OperatorHouse {
protected:
  std::string nameOf(int i) { return fmt::format("lock:{}", i); }
  std::vector<ReleaseIntent> lockMany(int count) {
    std::vector<ReleaseIntent> intents;
    for (int i = 0; i < count; ++i) {
      redis({"SET", nameOf(i), token, "PX", "600000"});
      intents.push_back({id(nameOf(i)), token, {}, "stuck"});
    }
    return intents;
  }
  std::vector<ReleaseResult> planMany(std::vector<ReleaseIntent> intents, std::stop_token stop = {}) {
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->planMany(std::move(intents), std::move(stop), {}, [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
    return answer.get_future().get();
  }
  std::vector<ReleaseResult> applyMany(std::vector<ReleaseResult> planned, std::string reason = "stuck", std::stop_token stop = {}) {
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->applyMany(
        std::move(planned), std::move(reason), std::move(stop), [this](BulkProgress progress) { m_told.push_back(progress); },
        [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
    return answer.get_future().get();
  }
  static std::vector<Verdict> verdicts(const std::vector<ReleaseResult> &results) {
    std::vector<Verdict> all;
    for (const auto &result : results)
      all.push_back(result.verdict.value_or(Verdict::Kept));
    return all;
  }
  std::vector<BulkProgress> m_told; // loop thread; read when it is done
};

TEST_F(OperatorMany, areFreedAndRecordedEachAndProgressIsTold) {
  enter();
  constexpr int count = 600; // several batches
  const auto planned = planMany(lockMany(count));
  ASSERT_EQ(planned.size(), 600U);
  EXPECT_TRUE(std::ranges::all_of(planned, [](const ReleaseResult &result) { return result.plan && !result.verdict && result.now; }));
  EXPECT_EQ(calls("del"), 0);
  const auto results = applyMany(planned);
  EXPECT_THAT(verdicts(results), Each(Verdict::Released));
  EXPECT_EQ(results[599].lock.key.bytes(), "lock:599") << "in the order of the intents";
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  const auto records = audited();
  ASSERT_GE(records.size(), 4U) << "of two batches at least";
  EXPECT_EQ(records.front().action, "release-many");
  EXPECT_EQ(records.front().holder, token);
  EXPECT_EQ(nlohmann::json::parse(records.front().before).at(0)["key"], "lock:0");
  std::int64_t intended = 0;
  for (const auto &record : records)
    intended += record.verdict == "intent" ? record.count : 0;
  EXPECT_EQ(intended, 600);
  EXPECT_EQ(records.back().verdict, "released");
  ASSERT_GE(m_told.size(), 3U);
  EXPECT_EQ(m_told.back().answered, 600U);
  EXPECT_EQ(m_told.back().released, 600U);
  EXPECT_TRUE(std::ranges::is_sorted(m_told, {}, &BulkProgress::answered));
}

TEST_F(OperatorMany, nameTheOtherKeysOfTheirHolderThatAreNotPlannedToo) {
  redis({"MSET", "lock:a", token, "lock:b", token, "lock:c", token});
  enter();
  ASSERT_TRUE(test::eventually([&] {
    const auto row = m_watcher->snapshot()->find(id("lock:a"));
    return row && row->alsoUnder.size() == 2;
  }));
  std::vector<ReleaseIntent> intents{{id("lock:a"), token, {}, "stuck"}, {id("lock:b"), token, {}, "stuck"}};
  for (const auto &planned : planMany(intents))
    EXPECT_THAT(englishOf(planned.plan->warnings),
                AllOf(Contains("its holder has other keys here too: lock:c"), Contains(HasSubstr("release --all --holder"))));
  intents.push_back({id("lock:c"), token, {}, "stuck"});
  for (const auto &planned : planMany(intents))
    EXPECT_THAT(englishOf(planned.plan->warnings), Each(Not(HasSubstr("other keys"))));
}

TEST_F(OperatorMany, ofOneLockSayWhatStaysWhenThoseBeforeHaveGone) {
  const std::string writer = std::string(owner) + ":write", digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED";
  redis({"HSET", "rw", "mode", "write", writer, "1", owner, "1"});
  redis({"HSET", digest, "4e1f0a9b3c7d5e6f8a9b0c1d", "1795300000.5", "5e1f0a9b3c7d5e6f8a9b0c1d", "1795300001.5"});
  redis({"ZADD", "uniquejobs:digests", "1", "uniquejobs:3f786850e387550fdab836ed7e6dc881"});
  enter();
  const auto planned = planMany({{id("rw"), owner, {}, "stuck"},
                                 {id("rw"), writer, {}, "stuck"},
                                 {id(digest), "4e1f0a9b3c7d5e6f8a9b0c1d", {}, "stuck"},
                                 {id(digest), "5e1f0a9b3c7d5e6f8a9b0c1d", {}, "stuck"}});
  EXPECT_THAT(englishOf(textsOf(planned[0].plan->effects)), Contains(HasSubstr("1 other hold stays")));
  EXPECT_THAT(englishOf(textsOf(planned[1].plan->effects)),
              AllOf(Contains(HasSubstr("deletes rw and with it the write hold")), Not(Contains(HasSubstr("stay")))));
  EXPECT_THAT(englishOf(textsOf(planned[2].plan->effects)), AllOf(Contains("1 other hold stays"), Not(Contains(HasSubstr("clears")))));
  EXPECT_THAT(englishOf(textsOf(planned[3].plan->effects)), AllOf(Contains(HasSubstr("clears the digest's marker")), Not(Contains(HasSubstr("stay")))));
  EXPECT_EQ(planned[3].now->holders.size(), 2U) << "as it is now";
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  EXPECT_EQ(redis({"EXISTS", "rw", digest, "uniquejobs:digests"}).integer(), 0);
}

TEST_F(OperatorMany, ofAllReadersOfALockDoNotSayThatAWriterWaitsOn) {
  const std::string three = "aaaaaaaa-6f0d-4f1a-9c58-2f4f0e7a1b01:1";
  redis({"HSET", "rw", "mode", "read", owner, "1", other, "1", three, "1"});
  redis({"PEXPIRE", "rw", "60000"});
  enter();
  std::vector<ReleaseIntent> intents;
  for (const std::string &reader : {std::string(owner), std::string(other), three})
    intents.push_back({id("rw"), reader, {}, "stuck"});
  for (const auto &planned : planMany(intents)) {
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(englishOf(planned.plan->warnings), Each(Not(HasSubstr("goes on waiting")))) << "it is free when all of them have gone";
  }
  intents.pop_back();
  for (const auto &planned : planMany(intents))
    EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("goes on waiting")));
}

TEST_F(OperatorMany, areReleasedOnlyAsTheyWereSeen) {
  enter();
  auto intents = lockMany(4);
  intents.push_back({id("missing"), token, {}, "stuck"});
  redis({"SET", "session:1", R"({"user":1})"});
  intents.push_back({id("session:1"), token, {}, "stuck"});
  const auto planned = planMany(intents);
  redis({"SET", nameOf(1), "00000000000000000000000000000000"});
  redis({"DEL", nameOf(2)});
  redis({"DEL", nameOf(3)});
  redis({"RPUSH", nameOf(3), "x"});
  const auto results = applyMany(planned);
  EXPECT_THAT(verdicts(results),
              ElementsAre(Verdict::Released, Verdict::Changed, Verdict::AlreadyFree, Verdict::NotALock, Verdict::AlreadyFree, Verdict::NotALock));
  ASSERT_TRUE(results[1].now);
  EXPECT_EQ(results[1].now->holders.at(0).id, "00000000000000000000000000000000");
  EXPECT_EQ(results[0].now, nullptr);
  const auto outcome = audited().back();
  EXPECT_EQ(outcome.verdict, "mixed");
  EXPECT_EQ(nlohmann::json::parse(outcome.before).size(), 3U) << outcome.before;
  EXPECT_EQ(m_told.back().released, 1U);
  EXPECT_EQ(m_told.back().refused, 5U);
  EXPECT_EQ(redis({"EXISTS", nameOf(1), nameOf(3), "session:1"}).integer(), 3);
}

TEST_F(OperatorMany, areLeftAloneAfterAStop) {
  enter();
  const auto planned = planMany(lockMany(10));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(verdicts(applyMany(planned, "stuck", stop.get_token())), Each(Verdict::Stopped));
  EXPECT_THAT(verdicts(planMany(lockMany(10), stop.get_token())), Each(Verdict::Stopped));
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 10);
  EXPECT_TRUE(audited().empty());
}

TEST_F(OperatorMany, areNotPlannedByHalfWhenAStopComesWhileTheyAre) {
  enter();
  std::stop_source stop;
  std::promise<std::vector<ReleaseResult>> answer;
  m_keeper->planMany(
      lockMany(3000), stop.get_token(), [&stop](BulkProgress) { stop.request_stop(); },
      [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  const auto planned = answer.get_future().get();
  EXPECT_THAT(verdicts(planned), Each(Verdict::Stopped));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Stopped));
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 3000);
}

TEST_F(OperatorMany, stopBetweenBatchesAndSayWhichWereNotTried) {
  enter();
  const auto planned = planMany(lockMany(3000));
  std::stop_source stop;
  std::promise<std::vector<ReleaseResult>> answer;
  BulkProgress last;
  m_keeper->applyMany(
      planned, "stuck", stop.get_token(),
      [&stop, &last](BulkProgress now) {
        last = now;
        stop.request_stop();
      },
      [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  const auto results = answer.get_future().get();
  const auto released = std::ranges::count(results, Verdict::Released, &ReleaseResult::verdict);
  const auto stopped = std::ranges::count(results, Verdict::Stopped, &ReleaseResult::verdict);
  EXPECT_GT(released, 0);
  EXPECT_GT(stopped, 0);
  EXPECT_EQ(released + stopped, 3000);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(last.answered), released) << "what is left alone is not among what is done";
  EXPECT_EQ(last.refused, 0U);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), stopped);
}

TEST_F(OperatorMany, needTheGateAReasonAndAnAuditLog) {
  enter();
  const auto planned = planMany(lockMany(3));
  m_keeper->lock();
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::ReadOnly));
  m_keeper->unlock();
  EXPECT_THAT(verdicts(applyMany(planned, " ")), Each(Verdict::NotAllowed));
  m_auditPath = "/proc/lockhouse/audit.sqlite";
  enter();
  const auto results = applyMany(planMany(lockMany(3)));
  EXPECT_THAT(verdicts(results), Each(Verdict::NotAllowed));
  EXPECT_THAT(results[0].detail.english(), HasSubstr("audit log"));
  EXPECT_EQ(calls("del"), 0);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 3);
}

TEST_F(OperatorMany, areToldApartWhenTheServerGoes) {
  enter();
  const auto planned = planMany(lockMany(3));
  m_server.kill();
  const auto results = applyMany(planned);
  EXPECT_THAT(verdicts(results), Each(Verdict::Unreachable));
}

// Writes wait on the server while reads go on.
TEST_F(OperatorMany, areUnknownAndNotRefusedWhereNoAnswerCame) {
  m_options.commandTimeout = milliseconds(500);
  enter();
  const auto planned = planMany(lockMany(3));
  redis({"CLIENT", "PAUSE", "600000", "WRITE"});
  const auto results = applyMany(planned);
  EXPECT_THAT(verdicts(results), Each(Verdict::Unreachable));
  EXPECT_TRUE(std::ranges::all_of(results, &ReleaseResult::inDoubt));
  ASSERT_FALSE(m_told.empty());
  EXPECT_EQ(m_told.back().answered, 3U);
  EXPECT_EQ(m_told.back().unknown, 3U);
  EXPECT_EQ(m_told.back().refused, 0U);
  EXPECT_EQ(audited().back().verdict, "in-doubt");
  redis({"CLIENT", "UNPAUSE"});
}

TEST_F(OperatorMany, thatWereNotSentWhenTheConnectionWasLostAreNotInDoubt) {
  m_options.commandTimeout = milliseconds(500);
  enter();
  const auto planned = planMany(lockMany(1600)); // more than are under way at once
  redis({"CLIENT", "PAUSE", "600000", "WRITE"});
  const auto results = applyMany(planned);
  EXPECT_THAT(verdicts(results), Each(Verdict::Unreachable));
  const auto records = audited();
  std::int64_t intended = 0;
  for (const auto &record : records)
    intended += record.verdict == "intent" ? record.count : 0;
  EXPECT_LT(intended, 1600);
  std::int64_t sent = 0;
  for (const auto &result : results) {
    sent += result.inDoubt;
    EXPECT_EQ(result.auditId.empty(), !result.inDoubt) << result.detail.english();
    EXPECT_EQ(result.detail.english().contains("may have happened"), result.inDoubt) << result.detail.english();
  }
  EXPECT_EQ(sent, intended);
  EXPECT_THAT(results.back().detail.english(), HasSubstr("not sent: "));
  EXPECT_EQ(m_told.back().unknown, static_cast<std::size_t>(intended));
  redis({"CLIENT", "UNPAUSE"});
}

TEST_F(OperatorMany, ofTwoOperatorsReleaseEachLockOnce) {
  enter();
  ReleaseService second(m_loop, *m_watcher, {m_uri}, m_options, m_auditPath);
  second.unlock();
  const auto planned = planMany(lockMany(600));
  std::array<std::promise<std::vector<ReleaseResult>>, 2> answers;
  m_keeper->applyMany(planned, "one", {}, {}, [&](std::vector<ReleaseResult> results) { answers[0].set_value(std::move(results)); });
  second.applyMany(planned, "two", {}, {}, [&](std::vector<ReleaseResult> results) { answers[1].set_value(std::move(results)); });
  const auto first = answers[0].get_future().get();
  const auto others = answers[1].get_future().get();
  for (std::size_t i = 0; i < planned.size(); ++i)
    EXPECT_EQ((first[i].verdict == Verdict::Released) + (others[i].verdict == Verdict::Released), 1) << i;
}

TEST_F(OperatorMany, planSaysWhereScriptsAreForbidden) {
  auto intents = lockMany(2);
  redis({"ACL", "SETUSER", "reader", "reset", "on", ">pw", "~*", "&*", "+@all", "-eval", "-evalsha"});
  enter("reader", "pw");
  const auto planned = planMany(intents);
  ASSERT_TRUE(planned[1].plan);
  EXPECT_THAT(englishOf(planned[1].plan->warnings).at(0), HasSubstr("may not run scripts"));
  const auto alone = plan(nameOf(0), token);
  ASSERT_TRUE(alone.plan);
  EXPECT_THAT(englishOf(alone.plan->warnings).at(0), HasSubstr("may not run scripts"));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::NotAllowed));
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 2);
}

TEST_F(OperatorMany, planSaysItWithoutTheRightToTransactions) {
  auto intents = lockMany(1);
  redis({"ACL", "SETUSER", "reader", "reset", "on", ">pw", "~*", "&*", "+@all", "-eval", "-evalsha", "-multi"});
  enter("reader", "pw");
  EXPECT_THAT(englishOf(planMany(intents).at(0).plan->warnings).at(0), HasSubstr("may not run scripts"));
  redis({"ACL", "SETUSER", "reader", "+eval", "+evalsha"});
  enter("reader", "pw");
  const auto allowed = planMany(intents);
  EXPECT_THAT(englishOf(allowed.at(0).plan->warnings), Each(testing::Not(HasSubstr("may not run"))));
  EXPECT_EQ(redis({"GET", nameOf(0)}).text(), token);
}

// What comes after its script may be left undone: nothing keeps the script from being tried.
TEST_F(OperatorMany, doNotTryWhatTheirPlanSaysWouldBeRefused) {
  redis({"SET", "lock:stock", "alice", "PX", "600000"});
  redis({"ACL", "SETUSER", "keeper", "on", ">pw", "~*", "&*", "+@all", "-del", "(+@all ~lock-signal:* ~lock.event:*)"});
  enter("keeper", "pw");
  const auto planned = planMany({{id("lock:stock"), "alice", {}, "stuck"}});
  ASSERT_TRUE(planned.at(0).plan && planned[0].plan->refusal) << planned[0].detail.english();
  ASSERT_GT(planned[0].plan->keys.size(), 1U);
  redis({"ACL", "SETUSER", "keeper", "+del"});
  const auto left = applyMany(planned);
  EXPECT_THAT(verdicts(left), ElementsAre(Verdict::NotAllowed));
  EXPECT_EQ(left[0].detail.english(), planned[0].plan->refusal->english() + "; nothing was changed");
  EXPECT_TRUE(left[0].auditId.empty());
  EXPECT_EQ(redis({"EXISTS", "lock:stock"}).integer(), 1) << "as the preview said, whatever it may do by now";
}

// What is told to hold a lock afterwards is read afterwards, once for each lock.
TEST_F(OperatorMany, tellWhatHoldsEachLockNow) {
  enter();
  const auto later = std::to_string(serverNow() + 600'000);
  redis({"ZADD", "slots", later, "web-1_4711_3f786850e387550fdab836ed7e6dc881", later, "web-2_4711_4f786850e387550fdab836ed7e6dc881"});
  auto intents = lockMany(2);
  intents.push_back({id("slots"), "web-1_4711_3f786850e387550fdab836ed7e6dc881", {}, "stuck"});
  const auto released = applyMany(planMany(intents));
  EXPECT_THAT(verdicts(released), Each(Verdict::Released));
  EXPECT_FALSE(released[0].now || released[1].now);
  ASSERT_TRUE(released[2].now) << "another holder stays";
  EXPECT_THAT(released[2].now->holders, ElementsAre(testing::Field(&Holder::id, "web-2_4711_4f786850e387550fdab836ed7e6dc881")));
  EXPECT_FALSE(applyMany(planMany({{id("slots"), "web-2_4711_4f786850e387550fdab836ed7e6dc881", {}, "stuck"}})).at(0).now);

  auto shorter = lockMany(2);
  for (auto &intent : shorter)
    intent.shortenTo = seconds(30);
  redis({"PEXPIRE", nameOf(1), "20000"});
  const auto shortened = applyMany(planMany(shorter));
  EXPECT_THAT(verdicts(shortened), ElementsAre(Verdict::Shortened, Verdict::Kept));
  for (const auto &result : shortened) {
    ASSERT_TRUE(result.now && result.now->expiresAt);
    EXPECT_LE(*result.now->expiresAt - SteadyClock::now(), seconds(30)) << "as it is now";
  }
}

TEST_F(OperatorMany, planSpeaksOfSlotsOnlyWhereThereIsACluster) {
  redis({"SET", "lock:jobs", "Zk9xT2w3dFp1R2hYc0pLbWJ2"}); // python-redis-lock's, whose signal lies beside it
  enter();
  const auto result = plan("lock:jobs", "Zk9xT2w3dFp1R2hYc0pLbWJ2");
  ASSERT_TRUE(result.plan) << result.detail.english();
  ASSERT_GT(result.plan->keys.size(), 1U);
  EXPECT_THAT(englishOf(result.plan->warnings), Each(testing::Not(HasSubstr("slots"))));
}

} // namespace
} // namespace lockhouse
