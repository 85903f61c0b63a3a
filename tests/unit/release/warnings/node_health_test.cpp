// SPDX-License-Identifier: Apache-2.0
#include "core/release/result/script_result.h"
#include "core/release/scripts.h"
#include "core/release/warnings/node_health.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Reply config(std::string value) { return Reply(Reply::Array{Reply("min-replicas-to-write"), Reply(std::move(value))}); }

std::pair<Verdict, std::string> toldBy(const char *info, Verdict verdict = Verdict::AlreadyFree, const Message &said = noSuchKey) {
  auto detail = said;
  tellReplica(verdict, detail, info ? NodeHealth::of(Reply(info)) : NodeHealth::of(fail(ErrorCode::NotPermitted, Message::verbatim("NOPERM"))));
  return {verdict, detail.english()};
}

ReleasePlan toldOf(const char *info, std::optional<std::string> least = {}) {
  ReleasePlan plan;
  plan.warnings = {Message::verbatim("the holder may still be working")};
  auto standing = NodeHealth::of(Reply(info));
  if (least)
    standing.add(config(*least));
  tellStanding(plan, standing);
  return plan;
}

constexpr auto inSync = "role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_status:up\r\n";
constexpr auto cutOff = "role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_status:down\r\nmaster_link_down_since_seconds:185\r\n";
constexpr auto neverUp = "role:slave\r\nmaster_host:10.0.0.1\r\nmaster_port:6379\r\nmaster_link_status:down\r\nmaster_link_down_since_seconds:-1\r\n";

TEST(NodeHealth, whatAReplicaDoesNotHaveIsNotFree) {
  constexpr auto lookThere = "; look for the lock at its master instead";
  const auto expected = [&](const std::string &words) {
    return std::pair(Verdict::ReadOnly, "there is no such key; this node is a replica" + words + lookThere);
  };
  EXPECT_EQ(toldBy(inSync), expected(" of 10.0.0.1:6379: what that has may still be on its way here"));
  EXPECT_EQ(toldBy(cutOff), expected(" of 10.0.0.1:6379, cut off from it for 3 min 5 s: what that has had since is not here"));
  EXPECT_EQ(toldBy(neverUp), expected(" of 10.0.0.1:6379, cut off from it: what that has may not be here"));
  EXPECT_EQ(toldBy(nullptr), expected(": what its master has may not be here"));
}

TEST(NodeHealth, whatAReplicaHasInsteadIsToldOfItAlone) {
  const auto [verdict, detail] = toldBy(inSync, Verdict::Changed, nowHeldWithCount("web-1", 1));
  EXPECT_EQ(verdict, Verdict::Changed);
  EXPECT_THAT(detail, testing::AllOf(testing::StartsWith("changed: now held by web-1, count 1; this node is a replica of"), HasSubstr("at its master")));
}

TEST(NodeHealth, ofAMasterWithTooFewReplicasThePlanSaysSo) {
  const auto none = toldOf("role:master\r\nmin_slaves_good_slaves:0\r\n");
  ASSERT_TRUE(none.refusal);
  EXPECT_THAT(none.refusal->english(),
              testing::AllOf(HasSubstr("good replicas of this master: 0"), HasSubstr("so this would be refused: bring its replicas back")));
  EXPECT_THAT(englishOf(none.warnings), ElementsAre(none.refusal->english(), "the holder may still be working"));
  EXPECT_TRUE(isForFewReplicas(none));
  EXPECT_TRUE(toldOf("min_slaves_good_slaves:1\r\n", "2").refusal);
}

TEST(NodeHealth, ofAMasterWithEnoughReplicasThePlanSaysNothing) {
  for (const auto &plan :
       {toldOf("role:master\r\nconnected_slaves:0\r\n"), toldOf("min_slaves_good_slaves:2\r\n", "2"), toldOf("min_slaves_good_slaves:1\r\n")}) {
    EXPECT_FALSE(plan.refusal);
    EXPECT_FALSE(isForFewReplicas(plan));
    EXPECT_THAT(englishOf(plan.warnings), ElementsAre("the holder may still be working"));
  }
}

// Whoever set min-replicas-to-write did so at every node, for whichever becomes the master: a replica counts none, and does not ask for them.
TEST(NodeHealth, ofAReplicaThatTakesWritesThePlanSaysNothingOfItsOwn) {
  EXPECT_FALSE(toldOf((std::string(inSync) + "min_slaves_good_slaves:0\r\n").c_str()).refusal);
}

TEST(NodeHealth, isAskedForTheLeastOnlyWhereThatIsOpen) {
  EXPECT_FALSE(NodeHealth::of(Reply("role:master\r\n")).more());
  EXPECT_FALSE(NodeHealth::of(Reply("min_slaves_good_slaves:0\r\n")).more());
  EXPECT_TRUE(NodeHealth::of(Reply("min_slaves_good_slaves:1\r\n")).more());
}

TEST(NodeHealth, ofAServerThatCannotSaveThePlanWarns) {
  EXPECT_THAT(
      englishOf(toldOf("role:master\r\nrdb_last_bgsave_status:err\r\n").warnings),
      ElementsAre(testing::AllOf(HasSubstr("last save to its disk failed"), HasSubstr("stop-writes-on-bgsave-error")), "the holder may still be working"));
  EXPECT_THAT(englishOf(toldOf("role:master\r\naof_last_write_status:err\r\nrdb_last_bgsave_status:ok\r\n").warnings),
              ElementsAre(HasSubstr("append-only file failed: this is refused"), "the holder may still be working"));
  EXPECT_THAT(englishOf(toldOf("role:master\r\nrdb_last_bgsave_status:ok\r\naof_last_write_status:ok\r\n").warnings), testing::SizeIs(1));
}

TEST(NodeHealth, ofAServerWithoutMemoryThePlanWarnsWhereItsScriptNeedsSome) {
  const auto risksOf = [](const Script &script, std::vector<std::string> args, const char *info) {
    ReleasePlan plan;
    plan.script = &script;
    plan.keys = {"a"};
    plan.args = std::move(args);
    tellStanding(plan, NodeHealth::of(Reply(info)));
    return englishOf(plan.warnings);
  };
  constexpr auto full = "used_memory:1001\r\nmaxmemory:1000\r\nmaxmemory_policy:noeviction\r\n";
  const std::vector<std::string> ofScore{"zset", "web-1", "1", "5000", "1"};
  EXPECT_THAT(risksOf(release_scripts::shortenLease, ofScore, full), ElementsAre(HasSubstr("uses all of its maxmemory")));
  EXPECT_THAT(risksOf(release_scripts::shortenLease, {"string", "web-1", "1", "5000", ""}, full), testing::IsEmpty()) << "a time to live needs none";
  EXPECT_THAT(risksOf(release_scripts::releaseToken, {"web-1"}, full), testing::IsEmpty());
  for (const auto *script : {&release_scripts::releaseLeasedPermits, &release_scripts::releaseLockhouseRw, &release_scripts::releaseRedissonPermit})
    EXPECT_THAT(risksOf(*script, {"web-1"}, full), testing::IsEmpty()) << "what it writes first needs none, and Redis runs the rest";
  for (const auto *info : {"used_memory:1001\r\nmaxmemory:0\r\n", "used_memory:999\r\nmaxmemory:1000\r\n", ""})
    EXPECT_THAT(risksOf(release_scripts::shortenLease, ofScore, info), testing::IsEmpty()) << info;
}

} // namespace
} // namespace lockhouse
