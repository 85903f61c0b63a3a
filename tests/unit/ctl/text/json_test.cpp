// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/json.h"

#include "tests/unit/watch/records.h"

#include <gtest/gtest.h>

namespace lockhouse::ctl {
namespace {

using test::at;

// The same text again, with the order of fields kept: what a golden text is compared with.
std::string tidy(const char *text) { return Json::parse(text).dump(1); }

NodeStatus node() {
  NodeStatus status;
  status.id = NodeId("127.0.0.1:6379");
  status.address = "127.0.0.1:6379";
  status.role = "master";
  status.runId = "0f";
  status.state = NodeState::Live;
  status.feed = FeedKind::Keyspace;
  status.scanComplete = true;
  status.keysScanned = 12;
  status.scannedAt = at(seconds(0));
  return status;
}

TEST(Json, ofListHasTheFieldsOfTheInterface) {
  const std::vector<LockRecordPtr> locks{std::make_shared<LockRecord>(test::record("token", LockKind::Mutex, "lock:a", {{"t", 1}}))};
  const auto json = listJson({node()}, locks, at(seconds(2)));
  EXPECT_EQ(json["nodes"].dump(1), tidy(R"([{"id":"127.0.0.1:6379","address":"127.0.0.1:6379","role":"master","run_id":"0f","state":"live",
    "feed":"keyspace","scan":{"complete":true,"keys_scanned":12,"keys_refused":0,"keys_cut":0,"age_ms":2000,"slots_moved":false},"error":null,"unwatched_dbs":[],"cluster_masters":null}])"));
  ASSERT_EQ(json["locks"].size(), 1U);
  EXPECT_EQ(json["locks"][0], lockJson(*locks[0], at(seconds(2))));
  EXPECT_EQ(json["left_out"], 0);
  EXPECT_EQ(listJson({node()}, locks, at(seconds(2)), 3)["left_out"], 3);
}

TEST(Json, ofANodeWhoseClusterDoesNotTellDoesNotSayThatNoSlotsMoved) {
  auto status = node();
  status.slotsTold = false;
  EXPECT_TRUE(nodeJson(status, {&status, 1}, at(seconds(0)))["scan"]["slots_moved"].is_null());
}

TEST(Json, ofADownNodeSaysWhy) {
  auto status = node();
  status.state = NodeState::Down;
  status.scannedAt.reset();
  status.error = Error{ErrorCode::Unreachable, Message::verbatim("connection refused"), "127.0.0.1:6379", Message::verbatim("start it")};
  const auto json = nodeJson(status, {&status, 1}, at(seconds(0)));
  EXPECT_EQ(json["state"], "down");
  EXPECT_EQ(json["error"], "127.0.0.1:6379: connection refused; start it");
  EXPECT_TRUE(json["scan"]["age_ms"].is_null());
}

TEST(Json, ofAChangeHasBothSidesOrNull) {
  LockChange change;
  change.seq = 9;
  change.at = WallTime(milliseconds(1'700'000'000'123));
  change.kind = ChangeKind::Vanished;
  change.cause = ChangeCause::Expired;
  change.before = std::make_shared<LockRecord>(test::record("token", LockKind::Mutex, "lock:a", {{"t", 1}}));
  change.id = change.before->id;
  auto json = changeJson(change, at(seconds(0)));
  EXPECT_EQ(json["before"]["key"], "lock:a");
  json["before"] = "…";
  EXPECT_EQ(json.dump(1), tidy(R"({"seq":9,"at_ms":1700000000123,"node":"127.0.0.1:6379","db":0,"key":"lock:a","change":"vanished","cause":"expired",
    "before":"…","after":null})"));
}

TEST(Json, ofAReleaseHasPlanAndVerdict) {
  static constexpr Script script{"release-redisson-fair", "", ""};
  ReleaseResult result;
  result.lock = {NodeId("127.0.0.1:6379"), 0, LockName("f")};
  result.family = "redisson-fair";
  result.verdict = Verdict::Released;
  result.auditId = "a-000001-00000000";
  result.detail = Message::verbatim("released");
  result.plan = ReleasePlan{result.lock,
                            "redisson-fair",
                            &script,
                            {"f", "q"},
                            {"x"},
                            "u:1",
                            2,
                            {},
                            false,
                            {{Effect::Kind::Deletes, Message::verbatim("deletes f")}},
                            {"u:2"},
                            "u:2",
                            {Message::verbatim("a risk")}};
  result.plan->expectTime = "1795549000.5";
  EXPECT_EQ(releaseJson(std::span(&result, 1), at(seconds(0))).dump(1),
            tidy(R"({"results":[{"key":"f","family":"redisson-fair","node":"127.0.0.1:6379","plan":{"script":"release-redisson-fair","keys":["f","q"],
    "expect":{"holder":"u:1","count":2,"time":"1795549000.5"},"effects":["deletes f"],"wakes":["u:2"],"next":"u:2","risks":["a risk"],"refusal":null,"parts":[],"next_unheard":false},"verdict":"released","now":null,
    "audit_id":"a-000001-00000000","db":0,"detail":"released","in_doubt":false,"holder":"u:1"}],"unread":[],"nodes":[],"warnings":[],"mark":null})"));
}

TEST(Json, ofManyHoldersOfOneLockIsNotAsLongForEachOfThem) {
  std::vector<Holder> holders;
  for (int i = 0; i < 40; ++i)
    holders.push_back({std::to_string(i), 1});
  auto lock = test::record("redisson-rw", LockKind::ReadWrite, "rw", holders);
  lock.queue = {{"w", {}}};
  static constexpr Script script{"release-redisson-rw", "", ""};
  std::vector<ReleaseResult> results(3);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].lock = lock.id;
    results[i].now = std::make_shared<LockRecord>(lock);
    if (i < 2)
      results[i].plan = ReleasePlan{lock.id, lock.family, &script, {"rw"}, {}, std::to_string(10 * i), 1, {}, false, {}, {}, {}, {}};
  }
  const std::vector<UnreadHolds> unread{{lock.id, 7}};
  const auto json = releaseJson(results, at(seconds(0)), unread);
  EXPECT_EQ(json["results"][0]["now"]["holders"].size(), 40U);
  EXPECT_FALSE(json["results"][0]["now"].contains("holders_left_out"));
  const auto &second = json["results"][1]["now"];
  ASSERT_EQ(second["holders"].size(), 1U);
  EXPECT_EQ(second["holders"][0]["id"], "10") << "its own";
  EXPECT_EQ(second["holders_left_out"], 39);
  EXPECT_EQ(second["queue_left_out"], 1);
  EXPECT_EQ(second["state"], "held");
  EXPECT_EQ(json["results"][2]["now"]["holders"].size(), 1U);
  EXPECT_EQ(json["unread"].dump(), R"([{"key":"rw","node":"127.0.0.1:6379","db":0,"holds":7}])");
}

TEST(Json, ofARefusedReleaseHasNulls) {
  ReleaseResult result;
  result.lock = {NodeId("n"), 0, LockName("\xff")};
  result.verdict = Verdict::AlreadyFree;
  const auto json = releaseJson(std::span(&result, 1), at(seconds(0)))["results"][0];
  EXPECT_TRUE(json["plan"].is_null());
  EXPECT_TRUE(json["family"].is_null());
  EXPECT_TRUE(json["audit_id"].is_null());
  EXPECT_EQ(json["verdict"], "already-free");
  EXPECT_EQ(json["key_b64"], "/w==");
}

TEST(Json, ofAPlanKeepsBytesOfKeysExactly) {
  static constexpr Script script{"release-token", "", ""};
  ReleaseResult result;
  result.plan = ReleasePlan{{}, "token", &script, {"plain", "\xff"}, {}, "\xfe", 1, {}, false, {}, {}, {}, {}};
  const auto plan = releaseJson(std::span(&result, 1), at(seconds(0)))["results"][0]["plan"];
  EXPECT_EQ(plan["keys"], Json({"plain", "\\xff"}));
  EXPECT_EQ(plan["keys_b64"], Json({"cGxhaW4=", "/w=="}));
  EXPECT_EQ(plan["expect"]["holder_b64"], "/g==");
  EXPECT_FALSE(plan.contains("wakes_b64"));
}

TEST(Json, ofStressHasTheFieldsOfTheInterface) {
  StressReport report;
  report.options.primitive = "Mutex";
  report.options.policy = "backoff";
  report.options.clients = 4;
  report.options.keys = 0;
  report.seconds = 2;
  report.pairs = 100;
  report.acquireP50 = std::chrono::nanoseconds(1500);
  report.acquireP99 = std::chrono::microseconds(20);
  report.acquireMax = std::chrono::milliseconds(1);
  report.commandsPerPair = 2.5;
  report.perClientMin = 24;
  report.perClientMax = 26;
  EXPECT_EQ(stressJson(report).dump(1),
            tidy(R"({"primitive":"Mutex","policy":"backoff","nodes":1,"clients":4,"keys":"own","stripes":null,"stripes_used":null,"acks":null,
    "seconds":2.0,"pairs":100,"pairs_per_s":50.0,
    "acquire_us":{"p50":1.5,"p99":20.0,"max":1000.0},"commands_per_pair":2.5,"server_calls_per_pair":null,"per_client":{"min":24,"max":26},
    "violations":0,"in_doubt":0,"lost":0,"stopped":false,"failure":null,"away_s":0.0})"));
}

TEST(Json, ofStressDividesByNothing) { EXPECT_EQ(stressJson(StressReport{})["pairs_per_s"], 0.0); }

TEST(Json, ofAuditKeepsTheLockAsAnObject) {
  AuditRecord record;
  record.seq = 1;
  record.id = "a-000001-00";
  record.before = R"({"key":"lock:a"})";
  record.at = WallTime(milliseconds(5));
  auto json = auditJson(std::span(&record, 1), AuditLog::End{1, "ab"});
  EXPECT_EQ(json["verified"], 1);
  EXPECT_EQ(json["last_hash"], "ab");
  EXPECT_EQ(json["records"][0]["before"]["key"], "lock:a");
  EXPECT_EQ(json["records"][0]["at_ms"], 5);
  EXPECT_TRUE(json["records"][0]["subject"].is_null());
  record.before = "{broken";
  json = auditJson(std::span(&record, 1), std::nullopt);
  EXPECT_TRUE(json["records"][0]["before"].is_null());
  EXPECT_TRUE(json["verified"].is_null());
}

TEST(Json, isOneLineWhateverIsInIt) {
  EXPECT_EQ(oneLine(Json{{"a", "x\ny\x1b"}}), "{\"a\":\"x\\ny\\u001b\"}\n");
  EXPECT_NO_THROW((void)oneLine(Json("\xff")));
}

} // namespace
} // namespace lockhouse::ctl
