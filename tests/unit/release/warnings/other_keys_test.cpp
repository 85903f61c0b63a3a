// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/other_keys.h"
#include "core/watch/fleet/shared_tokens.h"

#include "tests/unit/watch/records.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::at;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto token = "3f786850e387550fdab836ed7e6dc881";

/// One holder's keys of one database, as a watcher has them.
class OtherKeysOfAHolder : public testing::Test {
protected:
  void hold(int keys) {
    auto watched = std::make_shared<LockSnapshot>();
    NodeStatus node;
    node.id = NodeId("127.0.0.1:6379");
    node.scanComplete = m_isLookedAt;
    watched->nodes = {node};
    for (int i = 0; i < keys; ++i) {
      auto lock = test::record("token", LockKind::Mutex, fmt::format("lock:{:02}", i), {{token, 1}});
      lock.mayBe = {"node-redlock", "redis-py"};
      m_intents.push_back({lock.id, token, {}, "stuck"});
      m_read.push_back(lock);
      watched->locks.push_back(std::make_shared<LockRecord>(lock));
    }
    if (m_isLookedAt)
      SharedTokens().note(watched->locks, FamilyRegistry::builtIn());
    m_watched = watched;
  }
  std::vector<std::string> risksOf(std::size_t lock, std::size_t together) {
    ReleasePlan plan;
    plan.lock = m_intents[lock].lock;
    OtherKeys(m_watched, std::span(m_intents).first(together)).tell(plan, m_read[lock], FamilyRegistry::builtIn());
    return englishOf(plan.warnings);
  }

  bool m_isLookedAt = true;
  std::vector<ReleaseIntent> m_intents;
  std::vector<LockRecord> m_read;
  LockSnapshotPtr m_watched;
};

TEST_F(OtherKeysOfAHolder, areNamedWithoutThoseThatArePlannedTogether) {
  hold(4);
  EXPECT_THAT(risksOf(0, 1), ElementsAre("its holder has other keys here too: lock:01, lock:02, lock:03", HasSubstr("release --all --holder")));
  EXPECT_THAT(risksOf(0, 3), ElementsAre("its holder has other keys here too: lock:03", HasSubstr("release --all --holder")));
  EXPECT_THAT(risksOf(2, 3), ElementsAre("its holder has other keys here too: lock:03", HasSubstr("release --all --holder")));
  EXPECT_THAT(risksOf(0, 4), IsEmpty());
}

TEST_F(OtherKeysOfAHolder, areCountedWhereARowNamesNone) {
  hold(12);
  EXPECT_THAT(risksOf(0, 1), ElementsAre("its holder has more than eight other keys here", HasSubstr("release --all --holder")));
  EXPECT_THAT(risksOf(0, 3), ElementsAre("its holder has more than eight other keys here", HasSubstr("release --all --holder")));
  EXPECT_THAT(risksOf(0, 10), ElementsAre("its holder has other keys here too: lock:10, lock:11", HasSubstr("release --all --holder")));
  EXPECT_THAT(risksOf(0, 12), IsEmpty());
}

TEST_F(OtherKeysOfAHolder, areToldOfNobodyWhoHasComeSince) {
  hold(3);
  m_read[0].holders = {{"8f786850e387050fcab836ed7e6dc881", 1}};
  m_read[0].mayBe.clear();
  EXPECT_THAT(risksOf(0, 1), IsEmpty());
}

TEST_F(OtherKeysOfAHolder, mayBeThereWhereNobodyHasLooked) {
  m_isLookedAt = false;
  hold(2);
  EXPECT_THAT(risksOf(0, 1), ElementsAre(unlookedKeys().english()));
}

// A RedLock of Redisson's: another client, and so another id, on each master, and one thread.
TEST(OtherMasters, areCountedWhereTheSameThreadHoldsTheNameByAnotherId) {
  auto watched = std::make_shared<LockSnapshot>();
  std::vector<ReleaseIntent> intents;
  const std::string ids[] = {"5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:34", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:34", "c3d2e1f0-9b8a-4776-a554-332211009f03:35"};
  for (int i = 0; i < 3; ++i) {
    NodeStatus node;
    node.id = NodeId(fmt::format("10.0.0.{}:6379", i + 1));
    node.scanComplete = true;
    watched->nodes.push_back(node);
    auto lock = test::record("redisson-lock", LockKind::Reentrant, "jobs", {{ids[i], 1}});
    lock.id.node = node.id;
    intents.push_back({lock.id, ids[i], {}, "stuck"});
    watched->locks.push_back(std::make_shared<LockRecord>(lock));
  }
  const auto risksOf = [&](std::size_t together) {
    ReleasePlan plan;
    plan.lock = intents[0].lock;
    plan.expectHolder = ids[0];
    OtherKeys(watched, std::span(intents).first(together)).tell(plan, *watched->locks[0], FamilyRegistry::builtIn());
    return englishOf(plan.warnings);
  };
  EXPECT_THAT(risksOf(1), testing::Contains(HasSubstr("the same thread holds this name by another id: 1; where they are a RedLock of Redisson's")));
  EXPECT_THAT(risksOf(2), testing::Not(testing::Contains(HasSubstr("RedLock")))) << "that one is released too";
}

TEST(OtherKeysOfRedisson, mayBeOneMultiLock) {
  auto watched = std::make_shared<LockSnapshot>();
  NodeStatus node;
  node.id = NodeId("127.0.0.1:6379");
  node.scanComplete = true;
  watched->nodes = {node};
  for (const auto *key : {"m:a", "m:b"})
    watched->locks.push_back(std::make_shared<LockRecord>(test::record("redisson-lock", LockKind::Reentrant, key, {{test::owner, 1}})));
  SharedTokens().note(watched->locks, FamilyRegistry::builtIn());
  ReleasePlan plan;
  plan.lock = watched->locks[0]->id;
  plan.expectHolder = test::owner;
  const ReleaseIntent intent{plan.lock, test::owner, {}, "stuck"};
  OtherKeys(watched, {&intent, 1}).tell(plan, *watched->locks[0], FamilyRegistry::builtIn());
  EXPECT_THAT(englishOf(plan.warnings),
              ElementsAre("its holder has other keys here too: m:b", HasSubstr("release --all --holder"), HasSubstr("one RMultiLock of Redisson's")));
}

TEST(OtherKeysOfRedisson, areNamedOnOtherMastersToo) {
  auto watched = std::make_shared<LockSnapshot>();
  for (const auto *address : {"10.0.0.1:6379", "10.0.0.2:6379"}) {
    NodeStatus node;
    node.id = NodeId(address);
    node.scanComplete = node.isCluster = true;
    watched->nodes.push_back(node);
    auto lock = test::record("redisson-lock", LockKind::Reentrant, watched->locks.empty() ? "ml:one" : "ml:two", {{test::owner, 1}});
    lock.id.node = node.id;
    watched->locks.push_back(std::make_shared<LockRecord>(lock));
  }
  ReleasePlan plan;
  plan.lock = watched->locks[0]->id;
  plan.expectHolder = test::owner;
  const ReleaseIntent intent{plan.lock, test::owner, {}, "stuck"};
  OtherKeys(watched, {&intent, 1}).tell(plan, *watched->locks[0], FamilyRegistry::builtIn());
  EXPECT_THAT(englishOf(plan.warnings),
              ElementsAre("its holder has keys on other masters too: ml:two", HasSubstr("release --all --holder"), HasSubstr("one RMultiLock")));
}

} // namespace
} // namespace lockhouse
