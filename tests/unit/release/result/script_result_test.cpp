// SPDX-License-Identifier: Apache-2.0
#include "core/release/result/script_result.h"

#include "core/release/scripts.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::HasSubstr;

ScriptResult answered(std::vector<std::string> words) {
  Reply::Array array;
  for (auto &word : words)
    array.emplace_back(std::move(word));
  return answerOf(Reply(std::move(array)), {}, "node");
}

// A reader leaves and a writer comes while the script is on its way.
TEST(ScriptResult, thatOneOfTwoKeysIsGoneDoesNotSayThatTheLockIsFree) {
  ReleasePlan plan;
  plan.family = "distributedlock-rw";
  for (const auto &[key, others] : {std::pair("doc.readers", "a writer may hold"), std::pair("doc.writer", "readers may hold")}) {
    plan.keys = {key};
    const auto answer = answerOf(Reply(Reply::Array{Reply("already-free")}), plan, "node");
    EXPECT_EQ(answer.verdict, Verdict::Changed);
    EXPECT_THAT(answer.detail.english(), testing::AllOf(HasSubstr(key), HasSubstr(others)));
  }
}

ScriptResult failed(std::string text) { return answerOf(Reply(Reply::Failure{std::move(text)}), {}, "node"); }

ScriptResult lost(ErrorCode code) { return answerOf(fail(code, Message::verbatim("gone"), "node"), {}, "node"); }

TEST(ScriptResult, readsEveryWordOfTheScripts) {
  EXPECT_EQ(answered({"released"}).verdict, Verdict::Released);
  EXPECT_EQ(answered({"already-free"}).verdict, Verdict::AlreadyFree);
  EXPECT_EQ(answered({"not-a-lock", "zset"}).verdict, Verdict::NotALock);
  EXPECT_THAT(answered({"not-a-lock", "zset"}).detail.english(), HasSubstr("zset"));
  EXPECT_EQ(answered({"changed", "new holder", "2"}).verdict, Verdict::Changed);
  EXPECT_THAT(answered({"changed", "new holder", "2"}).detail.english(), HasSubstr("new holder, count 2"));
  EXPECT_THAT(answered({"changed"}).detail.english(), HasSubstr("no longer holds"));
  EXPECT_EQ(answered({"kept", "300586"}).detail.english(), "kept: it ends sooner anyway, in 5 min");
  EXPECT_EQ(answered({"changed", "", "1"}).detail.english(), "changed: now held by \"\", count 1") << "an empty value is one all the same";
}

TEST(ScriptResult, afterRunsThatDroppedPlacesDoesNotSayThatNothingWasChanged) {
  EXPECT_EQ(clearedBy(Reply(Reply::Array{Reply("cleared"), Reply("1000")})), 1000U);
  EXPECT_EQ(clearedBy(Reply(Reply::Array{Reply("released")})), std::nullopt);
  EXPECT_EQ(clearedBy(fail(ErrorCode::InDoubt, Message::verbatim("gone"), "node")), std::nullopt);
  for (const auto &answer : {lost(ErrorCode::Unreachable), failed("NOPERM this user may not delete the lock; nothing was changed")}) {
    const auto after = afterClearing(answer, 2000);
    EXPECT_THAT(after.detail.english(),
                testing::AllOf(HasSubstr("; 2000 places of its queue were dropped by then"), testing::Not(HasSubstr("nothing was changed"))));
    EXPECT_EQ(afterClearing(answer, 0).detail.english(), answer.detail.english());
  }
  EXPECT_EQ(afterClearing(answered({"released", "1", "head"}), 2000).detail.english(), "released; head was woken");
  EXPECT_EQ(afterClearing(answered({"released", "", "", "", "", "", "1", "7", ""}), 2000).line.value().dropped, 2007U);
}

TEST(ScriptResult, saysWhoWasListening) {
  EXPECT_THAT(answered({"released", "0", "head"}).detail.english(), HasSubstr("head was not listening"));
  EXPECT_THAT(answered({"released", "1", "head"}).detail.english(), HasSubstr("head was woken"));
  EXPECT_THAT(answered({"released", "3"}).detail.english(), HasSubstr("3 clients were told"));
}

TEST(ScriptResult, saysWhoCouldNotBeToldOnlyWhereNobodyWas) {
  EXPECT_THAT(answered({"released", "0", "", "unsharded"}).detail.english(), HasSubstr("may not SPUBLISH"));
  EXPECT_THAT(answered({"released", "0", "head", "unsharded"}).detail.english(), testing::AllOf(HasSubstr("head was not told"), HasSubstr("SPUBLISH")));
  EXPECT_EQ(answered({"released", "0", "", "unspoken"}).detail.english(),
            "released; no client was told, and those of a cluster could not be told by SPUBLISH at this node")
      << "the user may";
  EXPECT_EQ(answered({"released", "0", "head", "unspoken"}).detail.english(),
            "released, but head was not told: if it is a client of a cluster, it could not be told by SPUBLISH at this node");
  EXPECT_EQ(answered({"released", "2", "", "unsharded"}).detail.english(), "released; 2 clients were told");
  EXPECT_EQ(answered({"released", "1", "head", "unsharded"}).detail.english(), "released; head was woken");
  EXPECT_EQ(answered({"released", "0", "", ""}).detail.english(), "released; no client listens at this node") << "a server without sharded channels";
}

TEST(ScriptResult, saysEachThingThatCouldNotBeDone) {
  EXPECT_EQ(answered({"released", "0", "", "unsharded unpushed"}).detail.english(),
            "released; no client was told, and those of a cluster could not be: this user may not SPUBLISH; nothing was pushed where this user may not, and "
            "it only may be that somebody is blocked there");
  EXPECT_THAT(answered({"released", "", "", "untold unpushed"}).detail.english(),
              testing::AllOf(HasSubstr("nothing was published"), HasSubstr("nothing was pushed")));
  EXPECT_THAT(answered({"released", "1", "", "unspoken old"}).detail.english(),
              testing::StartsWith("released; 1 client was told; clients of Redisson of 2016"));
  EXPECT_EQ(answered({"released", "1", "", "unasked"}).detail.english(),
            "released; 1 client was told; not all who wait for it could be told: they try again by themselves");
  EXPECT_THAT(answered({"released", "", "", "untold"}).detail.english(), testing::Not(HasSubstr("2016")));
  EXPECT_THAT(answered({"shortened", "old"}).detail.english(), HasSubstr("clients of Redisson of 2016 wait on a channel of their own"));
  EXPECT_EQ(answered({"shortened", ""}).detail.english(), answered({"shortened"}).detail.english());
}

TEST(ScriptResult, takesKeysInSeveralSlotsForARefusalOfItsOwn) {
  const auto answer = failed("CROSSSLOT Keys in request don't hash to the same slot");
  EXPECT_EQ(answer.verdict, Verdict::Unreleasable) << "no question of rights";
  EXPECT_THAT(answer.detail.english(), testing::AllOf(HasSubstr("slots"), HasSubstr("nothing was changed")));
  EXPECT_FALSE(answer.inDoubt);
}

TEST(ScriptResult, tellsRefusedRightsFromRefusedWritesFromPassingTrouble) {
  EXPECT_EQ(failed("NOPERM this user has no permissions to run the 'eval' command").verdict, Verdict::NotAllowed);
  EXPECT_EQ(failed("ERR The user executing the script can't run this command or subcommand script: 9217").verdict, Verdict::NotAllowed);
  EXPECT_EQ(failed("READONLY You can't write against a read only replica.").verdict, Verdict::ReadOnly);
  EXPECT_EQ(failed("MISCONF Errors writing to the AOF file").verdict, Verdict::ReadOnly);
  EXPECT_EQ(failed("NOREPLICAS Not enough good replicas to write.").verdict, Verdict::ReadOnly);
  EXPECT_EQ(failed("ERR Error running script (call to f_6b1c): @user_script:1: Script killed by user with SCRIPT KILL...").verdict, Verdict::Unreachable);
  EXPECT_EQ(failed("ERR Script killed by user with SCRIPT KILL. script: 6b1c, on @user_script:1.").verdict, Verdict::Unreachable);
  EXPECT_THAT(failed("ERR Script killed by user with SCRIPT KILL. script: 6b1c, on @user_script:1.").detail.english(),
              testing::EndsWith("; nothing was changed"));
  EXPECT_EQ(failed("BUSY Redis is busy running a script.").verdict, Verdict::Unreachable);
  EXPECT_EQ(failed("LOADING Redis is loading the dataset in memory").verdict, Verdict::Unreachable);
  EXPECT_EQ(failed("MASTERDOWN Link with MASTER is down").verdict, Verdict::Unreachable);
}

TEST(ScriptResult, ofARightThatLacksInsideTheScriptNamesWhatTheScriptNeeds) {
  ReleasePlan plan;
  plan.script = &release_scripts::releaseToken;
  plan.keys = {"lock:a"};
  const auto saidOf = [&plan](const char *failure) { return answerOf(Reply(Reply::Failure{failure}), plan, "node").detail.english(); };
  constexpr auto all = "node: this user lacks rights inside the script, which needs all of these: STRLEN lock:a, GET lock:a, DEL lock:a; "
                       "ask for an ACL rule that allows it";
  EXPECT_EQ(saidOf("ERR The user executing the script can't run this command or subcommand script: 2700, on @user_script:30."), all);
  EXPECT_EQ(saidOf("ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: 2700"), all);
  EXPECT_EQ(saidOf("ERR Error running script (call to f_2700): @user_script:30: The user executing the script can't run this command or subcommand"), all)
      << "before Redis 7";
  EXPECT_EQ(saidOf("ERR ACL failure in script: User op has no permissions to run the 'del' command script: 2700, on @user_script:30."),
            "node: this user lacks rights inside the script, which needs all of these: DEL lock:a; ask for an ACL rule that allows it")
      << "since Redis 7.2";
  EXPECT_THAT(saidOf("NOPERM this user may not delete the lock; nothing was changed"), HasSubstr("may not delete the lock")) << "our own words";
}

TEST(ScriptResult, ofAReplicaSaysWhereToReleaseIt) {
  for (const auto *words :
       {"READONLY You can't write against a read only replica.", "READONLY You can't write against a read only replica. script: 6b1c, on @user_script:40."}) {
    EXPECT_EQ(failed(words).verdict, Verdict::ReadOnly);
    EXPECT_EQ(failed(words).detail.english(), "this node is a replica that takes no writes, so this was refused: the lock has to be released at its master; "
                                              "nothing was changed");
  }
  EXPECT_THAT(failed("MISCONF Errors writing to the AOF file").detail.english(), testing::AllOf(HasSubstr("AOF"), HasSubstr("; nothing was changed")));
}

TEST(ScriptResult, isInDoubtOnlyWhenItWasSent) {
  EXPECT_EQ(lost(ErrorCode::Unreachable).verdict, Verdict::Unreachable);
  EXPECT_FALSE(lost(ErrorCode::Unreachable).inDoubt);
  EXPECT_THAT(lost(ErrorCode::Unreachable).detail.english(), HasSubstr("nothing was changed"));
  for (const auto code : {ErrorCode::InDoubt, ErrorCode::Timeout, ErrorCode::Protocol}) {
    EXPECT_EQ(lost(code).verdict, Verdict::Unreachable);
    EXPECT_TRUE(lost(code).inDoubt);
    EXPECT_THAT(lost(code).detail.english(),
                testing::AllOf(HasSubstr("may have happened"), HasSubstr("look again"), HasSubstr("the plan says whether another's could be taken for it")));
  }
  EXPECT_EQ(lost(ErrorCode::AuthFailed).verdict, Verdict::NotAllowed);
  EXPECT_EQ(lost(ErrorCode::ReadOnly).verdict, Verdict::ReadOnly);
}

TEST(ScriptResult, takesAnAnswerOfAnUnknownFormForDoubt) {
  for (const auto &reply : {Reply(), Reply(std::int64_t{1}), Reply(Reply::Array{}), Reply(Reply::Array{Reply(Reply::Array{})})}) {
    const auto answer = answerOf(reply, {}, "node");
    EXPECT_EQ(answer.verdict, Verdict::Unreachable);
    EXPECT_TRUE(answer.inDoubt);
    EXPECT_THAT(answer.detail.english(), HasSubstr("may have happened"));
  }
}

TEST(ScriptResult, escapesWhatTheServerSays) {
  EXPECT_EQ(answered({"changed", "\x1b[31m", "1"}).detail.english().find('\x1b'), std::string::npos);
  EXPECT_EQ(failed("ERR \x1b[31m").detail.english().find('\x1b'), std::string::npos);
}

TEST(Verdict, hasTheNamesOfTheInterface) {
  EXPECT_EQ(name(Verdict::Released), "released");
  EXPECT_EQ(name(Verdict::Changed), "changed");
  EXPECT_EQ(name(Verdict::AlreadyFree), "already-free");
  EXPECT_EQ(name(Verdict::NotALock), "not-a-lock");
  EXPECT_EQ(name(Verdict::ReadOnly), "read-only");
  EXPECT_EQ(name(Verdict::NotAllowed), "not-allowed");
  EXPECT_EQ(name(Verdict::Unreachable), "unreachable");
}

} // namespace
} // namespace lockhouse
