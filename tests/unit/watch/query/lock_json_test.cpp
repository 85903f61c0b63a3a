// SPDX-License-Identifier: Apache-2.0
#include "core/watch/query/lock_json.h"

#include "tests/unit/watch/records.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lockhouse {
namespace {

using Json = nlohmann::ordered_json;
using test::at;

TEST(LockJson, writesEveryFieldInTheDocumentedOrder) {
  auto lock = test::record("redisson-fair", LockKind::Fair, "f", {{test::owner, 3}});
  lock.queue = {{test::other, at(seconds(300))}, {test::third, std::nullopt}};
  lock.waiters = 2;
  lock.fence = Fence{7};
  lock.evidence = {Message::verbatim("a fact")};
  lock.extras = {{"host", "web-1"}};
  lock.mayBe = {"redisson-lock"};
  lock.members = {{NodeId("127.0.0.1:6379"), 0, at(seconds(4)), {}}, {NodeId("127.0.0.1:6380"), 2, {}, {}}};
  lock.masters = 3;
  const auto expected = Json::parse(R"({"node":"127.0.0.1:6379","db":0,"key":"f","family":"redisson-fair","kind":"fair","state":"contended",
    "holders":[{"id":"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1","count":3}],"ttl_ms":9000,"waiters":2,
    "queue":[{"id":"0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5","deadline_ms":299000},{"id":"c3d2e1f0-9b8a-4776-a554-332211009f03:6","deadline_ms":null}],
    "fence":7,"confidence":0.95,"evidence":["a fact"],"seen_ms_ago":1000,
    "extras":{"host":"web-1"},"may_be":["redisson-lock"],
    "members":[{"node":"127.0.0.1:6379","db":0,"ttl_ms":3000},{"node":"127.0.0.1:6380","db":2,"ttl_ms":null}],"waiters_at_least":false})");
  EXPECT_EQ(lockJson(lock, at(seconds(1))).dump(), expected.dump());
}

TEST(LockJson, tellsWhatIsLeftOfALeaseOfAHoldersOwn) {
  auto lock = test::record("redisson-permits", LockKind::Semaphore, "pool", {{test::owner, 1}, {test::other, 1}});
  lock.holders[0].expiresAt = at(seconds(4)) + milliseconds(500);
  const auto holders = lockJson(lock, at(seconds(1)))["holders"];
  EXPECT_EQ(holders[0]["ttl_ms"], 3500);
  EXPECT_FALSE(holders[1].contains("ttl_ms"));
  EXPECT_EQ(lockJson(lock, at(seconds(5)))["holders"][0]["ttl_ms"], 0);
}

TEST(LockJson, namesTheHolderOfAMemberWhoIsNotTheRowsHolder) {
  auto lock = test::record("token", LockKind::Mutex, "lock:a", {{test::owner, 1}, {test::other, 1}});
  lock.masters = 3;
  lock.members = {{.node = NodeId("a"), .db = 0, .expiresAt = {}, .staleSince = {}, .own = lock.holders[0]},
                  {.node = NodeId("b"), .db = 0, .expiresAt = {}, .staleSince = {}, .own = lock.holders[1]},
                  {.node = NodeId("c"), .db = 0, .expiresAt = {}, .staleSince = {}, .own = {}}};
  const auto members = lockJson(lock, at(seconds(1)))["members"];
  EXPECT_EQ(members[0]["holder"]["id"], test::owner);
  EXPECT_EQ(members[0]["holder"]["count"], 1);
  EXPECT_EQ(members[1]["holder"]["id"], test::other);
  EXPECT_FALSE(members[2].contains("holder"));
}

TEST(LockJson, namesTheHoldersOfAMasterThatHasOthersThanTheRow) {
  auto there = std::make_shared<LockRecord>();
  there->holders = {{"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", 1}, {test::other, 2}};
  LockRecord lock;
  lock.members = {{.node = NodeId("a"), .db = 0, .expiresAt = {}, .staleSince = {}},
                  {.node = NodeId("b"), .db = 0, .expiresAt = {}, .staleSince = {}, .own = {}, .there = there}};
  const auto members = lockJson(lock, at(seconds(1)))["members"];
  EXPECT_FALSE(members[0].contains("holders"));
  EXPECT_FALSE(members[1].contains("holder"));
  ASSERT_EQ(members[1]["holders"].size(), 2U);
  EXPECT_EQ(members[1]["holders"][1]["count"], 2);
}

TEST(LockJson, saysNullWhereSomethingIsUnknownOrWithoutEnd) {
  auto lock = test::record("token", LockKind::Mutex, "t", {{"token", 1}});
  lock.expiresAt.reset();
  const auto json = lockJson(lock, at(seconds(0)));
  EXPECT_TRUE(json["ttl_ms"].is_null());
  EXPECT_TRUE(json["waiters"].is_null());
  EXPECT_TRUE(json["fence"].is_null());
  EXPECT_EQ(json["state"], "never-expires");
  EXPECT_TRUE(json["queue"].empty());
}

TEST(LockJson, namesTheModeOfReadWriteHoldersOnly) {
  const auto readers = lockJson(test::record("redisson-rw", LockKind::ReadWrite, "rw", {{test::owner, 1, HoldMode::Read}}), at(seconds(0)));
  EXPECT_EQ(readers["holders"][0]["mode"], "read");
  const auto plain = lockJson(test::record("redisson-lock", LockKind::Reentrant, "r", {{test::owner, 1}}), at(seconds(0)));
  EXPECT_FALSE(plain["holders"][0].contains("mode"));
}

TEST(LockJson, keepsBytesThatAreNotUtf8Exactly) {
  const auto json = lockJson(test::record("token", LockKind::Mutex, "lock:\xff\xfe", {{std::string("\x00\x80", 2), 1}}), at(seconds(0)));
  EXPECT_EQ(json["key"], "lock:\\xff\\xfe");
  EXPECT_EQ(json["key_b64"], "bG9jazr//g==");
  EXPECT_EQ(json["holders"][0]["id_b64"], "AIA=");
  EXPECT_NO_THROW((void)json.dump());
}

TEST(LockJson, leavesHostileButValidTextAsItIs) {
  const std::string name = "lock:<b>\x1b[31m\u202e%s";
  const auto json = lockJson(test::record("token", LockKind::Mutex, name, {{"t", 1}}), at(seconds(0)));
  EXPECT_EQ(json["key"], name);
  EXPECT_FALSE(json.contains("key_b64"));
  EXPECT_EQ(json.dump().find('\x1b'), std::string::npos) << "control characters are escaped by JSON itself";
}

} // namespace
} // namespace lockhouse
