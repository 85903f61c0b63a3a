// SPDX-License-Identifier: Apache-2.0
// What a result says was done, where others came or went between the plan and its script.
#include "core/release/method/actual_effects.h"
#include "tests/server/release/operator_house.h"

#include <fmt/format.h>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string later = std::to_string(std::chrono::floor<milliseconds>(wallNow().time_since_epoch()).count() + 3'600'000); // ms since 1970
constexpr auto before = "1795300000000";
constexpr auto alice = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", bob = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", carol = "c3d2e1f0-9b8a-4776-a554-332211009f03";

class PlanDone : public test::OperatorHouse {
protected:
  std::string reader(int i) { return fmt::format("web1_{}_{:032x}", i, i); }
  std::string token(int i) { return fmt::format("{:043}=", i); }
  /// Runs it as it was planned, and has it say what it did.
  ScriptResult done(ReleasePlan &plan) {
    auto answer = run(plan);
    EXPECT_EQ(answer.verdict, Verdict::Released) << answer.detail.english();
    tellDone(plan, answer);
    return answer;
  }
  void wait(std::string_view kind, const std::string &client, int number) {
    redis({"ZADD", "lockhouse:queue:{desk}", std::to_string(number), fmt::format("{}/{}:{}", kind, client, number)});
    redis({"HSET", "lockhouse:deadlines:{desk}", client, later});
  }
};

TEST_F(PlanDone, countsThoseWhoStayInASet) {
  redis({"SADD", "doc.readers", reader(1), reader(2), reader(3)});
  auto first = planNow("doc.writer", reader(1));
  EXPECT_THAT(englishOf(textsOf(first.effects)), Contains("2 other holds stay"));
  redis({"SADD", "doc.readers", reader(4), reader(5)});
  EXPECT_THAT(done(first).detail.english(), HasSubstr("; 4 other holds stay"));
  EXPECT_THAT(englishOf(textsOf(first.effects)), ElementsAre(StartsWith("takes "), "4 other holds stay", StartsWith("tells nobody")));
  auto last = planNow("doc.writer", reader(2));
  redis({"SREM", "doc.readers", reader(3), reader(4), reader(5)});
  EXPECT_EQ(done(last).detail.english(), "released");
  EXPECT_THAT(englishOf(textsOf(last.effects)), ElementsAre(StartsWith("takes "), StartsWith("tells nobody")));
}

TEST_F(PlanDone, countsNobodyWhoseLeaseHasEnded) {
  redis({"ZADD", "lock:shared", later, token(1), later, token(2), before, token(3)});
  auto plan = planNow("lock:shared", token(1));
  done(plan);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("1 other hold stays"));
}

TEST_F(PlanDone, countsBySecondsWhereTheLeasesEndInThem) {
  const auto end = std::to_string(serverNow() / 1000 + 600);
  redis({"ZADD", "lock:pool", end, "web-1:1", end, "web-2:2", "1795300000", "web-3:3", end, "web-4:4"});
  auto plan = planNow("lock:pool", "web-1:1");
  EXPECT_THAT(done(plan).detail.english(), HasSubstr("2 other holds stay"));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("2 other holds stay"));
}

TEST_F(PlanDone, countsThoseWhoStayInEveryLockOfSeveral) {
  const auto now = std::to_string(serverNow()), end = std::to_string(serverNow() / 1000 + 600);
  const std::string first(24, 'a'), second(24, 'b'), third(24, 'c');
  const std::vector<std::pair<std::string, std::string>> digests{{"uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", "1795300000.5"},
                                                                 {"uniquejobs:0f786850e387550fdab836ed7e6dc881:LOCKED", R"({"time":1795300000.5})"}};
  for (const auto &[digest, value] : digests) {
    redis({"HSET", digest, first, value, second, value});
    auto plan = planNow(digest, first);
    redis({"HSET", digest, third, value});
    EXPECT_THAT(done(plan).detail.english(), HasSubstr("; 2 other holds stay")) << digest;
    EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("2 other holds stay"));
    auto next = planNow(digest, second);
    EXPECT_THAT(done(next).detail.english(), HasSubstr("; 1 other hold stays")) << digest;
  }
  redis({"ZADD", "{pool}:time", end, token(1), end, token(2), "1795300000", token(3)});
  redis({"ZADD", "{pool}:weight", "3", token(1), "1", token(2)});
  auto weighed = planNow("{pool}:time", token(1));
  EXPECT_EQ(done(weighed).detail.english(), "released; 1 other hold stays");
  redis({"ZADD", "semaphore:s", now, std::string(alice) + "_0", now, std::string(alice) + "_1", now, bob});
  redis({"ZADD", "semaphore:s", now, std::string(carol) + "_0", now, std::string(carol) + "_1"});
  auto permits = planNow("semaphore:s", alice);
  EXPECT_EQ(done(permits).detail.english(), "released; 2 other holds stay");
}

TEST_F(PlanDone, countsNoResultsThatLieBesideALock) {
  redis({"HSET", "huey.results.app", "app.lock.a", "1", "app.lock.b", "1", "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "x"});
  auto plan = planNow("huey.results.app", "app.lock.a");
  EXPECT_EQ(done(plan).detail.english(), "released");
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("1 other hold stays"));
}

TEST_F(PlanDone, saysWhoKeepsTheFirstInTheQueueOut) {
  redis({"ZADD", "desk", later, fmt::format("r/{}:1", alice)});
  wait("w", bob, 1);
  auto plan = planNow("desk", fmt::format("r/{}:1", alice));
  EXPECT_TRUE(has(plan.effects, Effect::Kind::HandsOn));
  redis({"ZADD", "desk", later, fmt::format("r/{}:1", carol)});
  EXPECT_THAT(done(plan).detail.english(), HasSubstr("1 other hold stays"));
  EXPECT_THAT(englishOf(textsOf(plan.effects)),
              ElementsAre(StartsWith("takes r/"), "1 other hold stays",
                          fmt::format("lets nobody in yet: w/{}:1, who is first in the queue, waits for those who stay", bob)));
  EXPECT_FALSE(plan.next);
}

TEST_F(PlanDone, namesThoseWhoWereLetIn) {
  redis({"ZADD", "desk", later, fmt::format("w/{}:1", alice)});
  auto plan = planNow("desk", fmt::format("w/{}:1", alice));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("tells nobody: the queue is empty"));
  redis({"ZADD", "lockhouse:queue:{desk}", "0", fmt::format("r/{}:7", alice)}); // whose client told no deadline
  wait("r", bob, 1);
  wait("r", carol, 2);
  done(plan);
  EXPECT_THAT(englishOf(textsOf(plan.effects)),
              ElementsAre(StartsWith("takes w/"), "drops 1 lapsed place at the head of the queue", fmt::format("lets r/{}:1 in, and 1 more who wait", bob),
                          StartsWith("publishes to the inbox of each one's client")));
  EXPECT_EQ(plan.next, fmt::format("r/{}:1", bob));
  EXPECT_THAT(plan.wakes, ElementsAre(fmt::format("r/{}:1", bob), fmt::format("r/{}:2", carol)));
}

// More than are named: whoever was not looked at may have been let in as well as dropped.
TEST_F(PlanDone, takesNobodyForDroppedWhoWasLetIn) {
  redis({"ZADD", "desk", later, fmt::format("w/{}:1", alice)});
  auto plan = planNow("desk", fmt::format("w/{}:1", alice));
  redis({"HSET", "lockhouse:deadlines:{desk}", bob, later});
  redis({"EVAL", "for i = 1, 1500 do redis.call('ZADD', KEYS[1], i, 'r/' .. ARGV[1] .. ':' .. i) end", "1", "lockhouse:queue:{desk}", bob});
  done(plan);
  EXPECT_EQ(redis({"ZCARD", "desk"}).integer(), 1500);
  EXPECT_FALSE(has(plan.effects, Effect::Kind::Drops)) << testing::PrintToString(englishOf(textsOf(plan.effects)));
}

TEST_F(PlanDone, countsHoldsAndNotPermits) {
  redis({"ZADD", "desk", later, fmt::format("{}:1/1", alice), later, fmt::format("{}:1/2", alice), later, fmt::format("{}:1/1", bob)});
  auto plan = planNow("desk", fmt::format("{}:1", bob));
  redis({"ZADD", "desk", later, fmt::format("{}:1/1", carol), later, fmt::format("{}:1/2", carol)});
  done(plan);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), ElementsAre(StartsWith("takes "), "2 other holds stay", "tells nobody: the queue is empty"));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Not(Contains(HasSubstr("permits"))));
}

} // namespace
} // namespace lockhouse
