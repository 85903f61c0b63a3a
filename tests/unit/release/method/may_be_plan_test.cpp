// SPDX-License-Identifier: Apache-2.0
// What a release does for the libraries that a lock only may be of.
#include "core/release/check/dry_run.h"
#include "core/release/check/required_acl.h"
#include "core/release/method/cross_slot.h"
#include "core/release/plan/remove_member.h"
#include "core/release/result/script_result.h"
#include "core/watch/record/metadata.h"
#include "tests/unit/release/planned.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using test::intent;
using test::planned;
using test::record;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";

LockRecord lockOf(const char *family, const char *key, const std::string &holder, std::vector<std::string> mayBe) {
  auto lock = record(family, LockKind::Mutex, key, {{holder, 1}});
  lock.type = ValueType::String;
  lock.confidence = 0.7;
  lock.mayBe = std::move(mayBe);
  return lock;
}

TEST(MayBePlan, tellsTheChannelsWhateverItsFamilyIs) {
  for (const auto *family : {"token", "aiocache", "redis-semaphore-mutex", "gitlab"}) {
    const auto plan = planned(lockOf(family, "orders:7-lock", uuid, {"spring-integration"}), uuid);
    EXPECT_EQ(plan.script->name, "release-told") << family;
    EXPECT_THAT(plan.args, ElementsAre(uuid, "", "orders:7-lock", "may", "1", "1000", "", "orders-channel", "orders-channel:orders:7-lock")) << family;
    EXPECT_EQ(planned(lockOf(family, "orders:7-lock", uuid, {}), uuid).script->name, "release-token") << family;
  }
}

TEST(MayBePlan, tellsNobodyElseWhereItsNameSaysWhoseItIs) {
  auto sure = lockOf("gitlab", "gitlab:exclusive_lease:a", uuid, {"spring-integration", "python-redis-lock"});
  EXPECT_EQ(planned(sure, uuid).script->name, "release-told");
  sure.confidence = 0.97;
  EXPECT_EQ(planned(sure, uuid).script->name, "release-token");
  EXPECT_THAT(planned(sure, uuid).keys, SizeIs(1));
  auto token = lockOf("token", "orders:7-lock", uuid, {"spring-integration"});
  token.confidence = 0.97; // other masters vouch for it, whosever it is
  EXPECT_EQ(planned(token, uuid).script->name, "release-told");
}

TEST(MayBePlan, wakesWhoIsBlockedOnAListAndLeavesNothingThere) {
  const auto plan = planned(lockOf("setnx-legacy", "lock:orders", "alice", {"python-redis-lock", "walrus"}), "alice");
  EXPECT_EQ(plan.script->name, "release-told");
  EXPECT_THAT(plan.keys, ElementsAre("lock:orders", "lock-signal:orders", "lock.event:orders")) << "one script does all of it";
  EXPECT_THAT(plan.args, ElementsAre("alice", "", "lock:orders", "may", "1", "1000", ""));
  EXPECT_THAT(plan.parts, IsEmpty());
  EXPECT_THAT(englishOf(textsOf(plan.effects)),
              Contains("leaves one element in lock-signal:orders for 1.0 s, once the lock is free, unless one lies there: where "
                       "it is of python-redis-lock, one waiter that is blocked there takes it"));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Not(Contains(HasSubstr("tells nobody"))));
  auto foreign = lockOf("setnx-legacy", "lock:orders", "alice", {"python-redis-lock"});
  foreign.foreign = {"lock-signal:orders"};
  EXPECT_THAT(planned(foreign, "alice").keys, SizeIs(1));
  EXPECT_THAT(planned(lockOf("setnx-legacy", "lock:orders", "1", {}), "1").keys, SizeIs(1));
}

TEST(MayBePlan, saysOfTheHarmOfLeavingWhoseLocksHaveNone) {
  constexpr auto harm = "an evicted holder deletes whatever lies there when he leaves, the next owner's lock too";
  const auto mayBe = lockOf("setnx-legacy", "lock:orders", "alice", {"python-redis-lock", "walrus"});
  EXPECT_THAT(englishOf(planned(mayBe, "alice").warnings), Contains(std::string("unless it is of python-redis-lock, walrus, ") + harm));
  EXPECT_THAT(englishOf(planned(lockOf("setnx-legacy", "lock:orders", "1", {}), "1").warnings), Contains(harm));
  auto wish = intent(mayBe, "alice");
  wish.shortenTo = seconds(1);
  const auto shorter = planRelease(mayBe, wish, at(seconds(0)));
  ASSERT_TRUE(shorter);
  EXPECT_THAT(englishOf(shorter->warnings), Contains(HasSubstr("where it is of python-redis-lock, walrus, who waits for a message hears none")));
}

TEST(MayBePlan, tellsWhatHasToBeWeighedOfEachThatItMayBe) {
  const auto warnings =
      englishOf(planned(lockOf("aiocache", "acme:job:77:state-lock", uuid, {"hangfire", "async-redis-lock", "bsm-redislock"}), uuid).warnings);
  EXPECT_THAT(warnings, Contains("where it is of hangfire, weigh this too; a running job whose lock cannot be extended moves to Failed"));
  EXPECT_THAT(
      warnings,
      Contains("where it is of async-redis-lock, bsm-redislock, weigh this too; a lock of several resources lies under several keys with this same value: "
               "free each of them"));
  const auto ofRegistry = planned(lockOf("token", "a:lock", uuid, {"redsync", "spring-integration"}), uuid);
  EXPECT_THAT(englishOf(ofRegistry.warnings),
              Contains(HasSubstr("where it is of spring-integration, weigh this too; nothing tells this hold from the holder's next one")));
  EXPECT_TRUE(ofRegistry.mayRepeat);
  EXPECT_FALSE(planned(lockOf("token", "a:lock", uuid, {"redsync"}), uuid).mayRepeat);
  EXPECT_THAT(englishOf(planned(lockOf("token", "a-lock", uuid, {"celery-once"}), uuid).warnings),
              Contains("where it is of celery-once, weigh this too; an evicted holder deletes whatever lies there when he leaves, the next owner's lock too"));
  for (const auto &risk : englishOf(planned(lockOf("token", "a-lock", uuid, {"redlock-rb"}), uuid).warnings))
    EXPECT_THAT(risk, Not(HasSubstr("weigh this too"))) << "how it comes back is told";
}

TEST(MayBePlan, pushesWhereTheListsLieInACluster) {
  auto plan = planned(lockOf("setnx-legacy", "lock:orders", "alice", {"python-redis-lock", "walrus"}), "alice");
  ASSERT_FALSE(isOfOneSlot(plan));
  const auto lists = keysToFind(plan);
  ASSERT_THAT(lists, ElementsAre("lock-signal:orders", "lock.event:orders"));
  const LockId other{NodeId("other"), 0, LockName(lists[0])}, home{NodeId("home"), 0, LockName(lists[1])};
  takeApart(plan, std::vector<KeyPlace>{{lists[0], other, Reply(std::string("none"))}, {lists[1], home, Reply(Reply::Failure{"MOVED 7 10.0.0.7:7001"})}});
  ASSERT_THAT(plan.parts, SizeIs(1));
  EXPECT_EQ(plan.parts[0].lock.node, NodeId("other"));
  EXPECT_EQ(plan.parts[0].script->name, "wake-list");
  EXPECT_THAT(plan.parts[0].args, ElementsAre("1", "1000", "may"));
  EXPECT_FALSE(isDue(plan.parts[0], {Verdict::Changed, {}}));
  EXPECT_TRUE(mayWakeApart(plan));
  EXPECT_THAT(plan.keys, ElementsAre("lock:orders"));
  EXPECT_FALSE(plan.refusal);
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains("pushes nothing to lock.event:orders, which lies on 10.0.0.7:7001, a node of this cluster that is not "
                                                         "watched or not reached: wakes nobody"));
}

TEST(MayBePlan, keepsTheListsOfTheLocksOwnSlotInItsScript) {
  auto plan = planned(lockOf("setnx-legacy", "lock:{orders}", "alice", {"python-redis-lock", "walrus"}), "alice");
  EXPECT_TRUE(isOfOneSlot(plan)) << "nothing is taken apart";
  EXPECT_THAT(plan.keys, ElementsAre("lock:{orders}", "lock-signal:{orders}", "lock.event:{orders}"));
}

TEST(MayBePlan, leavesOutWhatThisUserMayNotReachAndSaysSo) {
  auto plan = planned(lockOf("setnx-legacy", "lock:orders", "alice", {"python-redis-lock", "walrus"}), "alice");
  EXPECT_FALSE(isRefusedWithLists(plan, Reply(Reply::Failure{"WRONGTYPE x"})));
  EXPECT_TRUE(isRefusedWithLists(plan, Reply(Reply::Failure{"NOPERM No permissions to access a key"})));
  leaveUnpushed(plan, "lock-signal:orders");
  EXPECT_THAT(plan.keys, ElementsAre("lock:orders", "lock.event:orders"));
  leaveUnpushed(plan, "lock.event:orders");
  EXPECT_THAT(plan.keys, ElementsAre("lock:orders"));
  EXPECT_FALSE(isRefusedWithLists(plan, Reply(Reply::Failure{"NOPERM No permissions to access a key"}))) << "what is needed is refused";
  constexpr auto unpushed = "pushes nothing to lock-signal:orders: this user may not, and it only may be that somebody is blocked there";
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(unpushed));
  const auto answer = answerOf(Reply(Reply::Array{Reply(std::string("released"))}), plan, "node");
  EXPECT_THAT(answer.detail.english(), testing::StartsWith(std::string("released; ") + unpushed + "; pushes nothing to lock.event:orders: "));
}

TEST(MayBePlan, tellsThoseWhoWaitForAWordByTheirInboxes) {
  const std::string token = "3f786850e387550fdab836ed7e6dc881";
  auto lock = lockOf("token", "lock:orders", token, {"python-redis-lock"});
  lock.queue = {{uuid + ":7", {}}, {uuid + ":8", {}}};
  lock.waiters = 2;
  auto plan = planned(lock, token);
  EXPECT_EQ(plan.script->name, "release-told");
  EXPECT_THAT(plan.keys, ElementsAre("lock:orders", "lockhouse:listeners:{lock:orders}", "lock-signal:orders"));
  EXPECT_THAT(plan.args, ElementsAre(token, "", "lock:orders", "may", "1", "1000", "lockhouse:listeners:{lock:orders}"));
  EXPECT_THAT(plan.wakes, ElementsAre(uuid + ":7", uuid + ":8"));
  EXPECT_FALSE(plan.next) << "each of them tries";
  EXPECT_THAT(englishOf(textsOf(plan.effects)),
              Contains("tells those in lockhouse:listeners:{lock:orders} by the inbox of each one's client (PUBLISH): they try again at once"));
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Not(Contains(HasSubstr("tells nobody"))));
  std::vector<std::string> wished;
  for (const auto &command : optionalAclOf(plan))
    wished.push_back(shortly(command));
  EXPECT_THAT(wished, ElementsAre("ZPOPMAX lockhouse:listeners:{lock:orders}", "PUBLISH lockhouse:inbox:" + uuid, "LPUSH lock-signal:orders",
                                  "PEXPIRE lock-signal:orders"));

  leaveUnpushed(plan, "lockhouse:listeners:{lock:orders}");
  EXPECT_THAT(plan.keys, ElementsAre("lock:orders", "lock-signal:orders"));
  EXPECT_THAT(plan.wakes, IsEmpty());
  constexpr auto untold = "tells nobody in lockhouse:listeners:{lock:orders}: this user may not, and they try again by themselves";
  EXPECT_THAT(englishOf(textsOf(plan.effects)), Contains(untold));
  EXPECT_EQ(answerOf(Reply(Reply::Array{Reply(std::string("released"))}), plan, "node").detail.english(), std::string("released; ") + untold);
}

TEST(MayBePlan, tellsNoInboxWhereNobodyWaitsOrSomethingElseLiesThere) {
  const std::string token = "3f786850e387550fdab836ed7e6dc881";
  auto lock = lockOf("token", "order:7:lock", token, {});
  lock.waiters = 0;
  EXPECT_EQ(planned(lock, token).script->name, "release-token");
  lock.queue = {{uuid + ":7", {}}};
  lock.waiters = 1;
  EXPECT_EQ(planned(lock, token).script->name, "release-told");
  lock.foreign = {"lockhouse:listeners:{order:7:lock}"};
  EXPECT_EQ(planned(lock, token).script->name, "release-token");
  lock.foreign.clear();
  lock.id.key = LockName("a}b");
  EXPECT_THAT(planned(lock, token).keys, SizeIs(1)) << "in a cluster no script reaches both";
}

TEST(MayBePlan, saysOnlyWhatCouldNotBePushedInAnotherSlot) {
  auto plan = planned(lockOf("setnx-legacy", "lock:orders", "alice", {"python-redis-lock"}), "alice");
  const LockId other{NodeId("other"), 0, LockName("lock-signal:orders")};
  takeApart(plan, std::vector<KeyPlace>{{"lock-signal:orders", other, Reply(std::string("none"))}});
  ASSERT_THAT(plan.parts, SizeIs(1));
  const ScriptResult released{Verdict::Released, Message::verbatim("released")};
  EXPECT_EQ(withPart(released, plan.parts[0], {Verdict::Released, Message::verbatim("released")}).detail.english(), "released");
  EXPECT_EQ(withPart(released, plan.parts[0], {Verdict::NotAllowed, Message::verbatim("NOPERM")}).detail.english(),
            "released; nothing could be pushed to lock-signal:orders: NOPERM");
  EXPECT_EQ(withPart(released, plan.parts[0], {Verdict::NotALock, Message::verbatim("a string")}).detail.english(),
            "released; nothing was pushed to lock-signal:orders, which is no list");
}

TEST(OddCount, ofZeroOrLessIsFreedByItsOwnClient) {
  auto lock = record("redisson-lock", LockKind::Reentrant, "stock", {{test::owner, 0}});
  lock.type = ValueType::Hash;
  constexpr auto stuck = "its count is no number: none of its library's clients can free it";
  for (const auto &fact : {unwrittenCount(0), unwrittenCount(-1)}) {
    lock.evidence = {fact};
    EXPECT_THAT(englishOf(planned(lock, test::owner).warnings), Not(Contains(stuck))) << fact.english();
  }
  lock.evidence.emplace_back(noCount);
  EXPECT_THAT(englishOf(planned(lock, test::owner).warnings), Contains(stuck)) << "it may be that of this holder";
  lock.evidence = {tooLargeCount("99999999999999999999")};
  EXPECT_THAT(englishOf(planned(lock, test::owner).warnings), Contains(stuck));
}

} // namespace
} // namespace lockhouse
