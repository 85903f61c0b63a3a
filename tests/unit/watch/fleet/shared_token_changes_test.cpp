// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/shared_token_changes.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace lockhouse::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string hex32 = "3f786850e387550fdab836ed7e6dc881", uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";

class SharedChange : public testing::Test {
protected:
  static LockRecordPtr lock(const std::string &key, const std::string &holder = hex32) {
    auto record = std::make_shared<LockRecord>();
    record->id = {NodeId("a"), 0, LockName(key)};
    record->family = "token";
    record->mayBe = {"node-redlock", "redis-py"};
    record->type = ValueType::String;
    record->confidence = 0.88;
    record->holders = {{holder}};
    return record;
  }
  /// What may be a lock of Spring Integration, doubtful by its name or not.
  static LockRecordPtr path(const std::string &key, bool isDoubtful = true, const std::string &holder = uuid) {
    auto record = std::make_shared<LockRecord>(*lock(key, holder));
    record->mayBe = {"sherlock", "spring-integration"};
    record->confidence = isDoubtful ? 0.3 : 0.88;
    record->expiresAt = SteadyTime(std::chrono::seconds(60));
    return record;
  }
  static LockChange change(ChangeKind kind, LockRecordPtr before, LockRecordPtr after) {
    const auto id = after ? after->id : before->id;
    return {.seq = 0, .at = {}, .id = id, .kind = kind, .cause = {}, .before = std::move(before), .after = std::move(after)};
  }
  std::vector<std::string> note(std::vector<LockChange> told) {
    changes = shared.note(std::move(told), FamilyRegistry::builtIn());
    std::vector<std::string> words;
    for (const auto &one : changes) {
      EXPECT_EQ(one.seq, ++lastSeq);
      words.push_back(fmt::format("{} {} {}>{}", name(one.kind), one.id.key.bytes(), one.before ? one.before->family : "", one.after ? one.after->family : ""));
    }
    return words;
  }
  SharedTokenChanges shared;
  std::vector<LockChange> changes;
  std::uint64_t lastSeq = 0;
};

TEST_F(SharedChange, ofOneBatchAreToldAsAListTellsThem) {
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, lock("lock:a")), change(ChangeKind::Appeared, nullptr, lock("lock:b"))}),
              ElementsAre("appeared lock:a >node-redlock", "appeared lock:b >node-redlock"));
  EXPECT_THAT(changes[0].after->alsoUnder, ElementsAre(LockName("lock:b")));
  EXPECT_THAT(changes[0].after->mayBe, IsEmpty());
  EXPECT_THAT(englishOf(changes[0].after->evidence), Contains("one token under several keys, as node-redlock writes"));
}

TEST_F(SharedChange, ofALaterKeyCorrectTheOneThatWasToldAlone) {
  const auto first = lock("lock:a");
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, first)}), ElementsAre("appeared lock:a >token"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, lock("lock:b"))}), ElementsAre("appeared lock:b >node-redlock", "members lock:a token>node-redlock"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, lock("lock:c"))}), ElementsAre("appeared lock:c >node-redlock")) << "the others are known";
  EXPECT_THAT(note({change(ChangeKind::Lease, first, lock("lock:a"))}), ElementsAre("lease lock:a node-redlock>node-redlock")) << "before: as it was told";
  EXPECT_THAT(changes[0].after->alsoUnder, ElementsAre(LockName("lock:b"), LockName("lock:c")));
}

TEST_F(SharedChange, tellNothingAgainWhenAKeyGoes) {
  const auto a = lock("lock:a"), b = lock("lock:b");
  note({change(ChangeKind::Appeared, nullptr, a), change(ChangeKind::Appeared, nullptr, b)});
  EXPECT_THAT(note({change(ChangeKind::Vanished, a, nullptr)}), ElementsAre("vanished lock:a node-redlock>"));
  EXPECT_THAT(note({change(ChangeKind::Vanished, b, nullptr)}), ElementsAre("vanished lock:b node-redlock>"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, lock("lock:d"))}), ElementsAre("appeared lock:d >token")) << "nothing is left of them";
}

TEST_F(SharedChange, ofAnotherHolderLeaveTheFirst) {
  const auto a = lock("lock:a"), mine = lock("lock:a", "89e6c98d92887913cadf06b2adb97f26");
  note({change(ChangeKind::Appeared, nullptr, a), change(ChangeKind::Appeared, nullptr, lock("lock:b"))});
  EXPECT_THAT(note({change(ChangeKind::Holder, a, mine)}), ElementsAre("holder lock:a node-redlock>token"));
  EXPECT_THAT(note({change(ChangeKind::Lease, mine, lock("lock:a", "89e6c98d92887913cadf06b2adb97f26"))}), ElementsAre("lease lock:a token>token"));
}

TEST_F(SharedChange, ofVeryManyNameNone) {
  std::vector<LockChange> all;
  for (int i = 10; i < 22; ++i)
    all.push_back(change(ChangeKind::Appeared, nullptr, lock(fmt::format("lock:{}", i))));
  note(std::move(all));
  EXPECT_TRUE(changes[0].after->areManyUnder);
  EXPECT_TRUE(changes[6].after->areManyUnder);
  EXPECT_THAT(changes[6].after->alsoUnder, IsEmpty());
}

TEST_F(SharedChange, ofARegistryProveItsLocksWhateverTheirPathsSpeakOf) {
  const auto session = path("my-locks:session:7"), order = path("my-locks:order:7", false);
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, session)}), ElementsAre("appeared my-locks:session:7 >token"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, path("other-locks:token"))}), ElementsAre("appeared other-locks:token >token"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, order)}),
              ElementsAre("appeared my-locks:order:7 >spring-integration", "members my-locks:session:7 token>spring-integration"));
  EXPECT_THAT(changes[0].after->alsoUnder, ElementsAre(LockName("my-locks:session:7"))) << "the doubtful one is none of its keys";
  ASSERT_TRUE(asShown(changes[1]));
  EXPECT_EQ(asShown(changes[1])->kind, ChangeKind::Appeared);
  EXPECT_THAT(note({change(ChangeKind::Lease, session, path("my-locks:session:7"))}),
              ElementsAre("lease my-locks:session:7 spring-integration>spring-integration"));
  EXPECT_THAT(note({change(ChangeKind::Vanished, order, nullptr)}), ElementsAre("vanished my-locks:order:7 spring-integration>"));
  EXPECT_THAT(note({change(ChangeKind::Lease, session, path("my-locks:session:7"))}), ElementsAre("lease my-locks:session:7 spring-integration>token"));
  EXPECT_EQ(asShown(changes[0])->kind, ChangeKind::Vanished) << "as a list has it";
}

TEST_F(SharedChange, ofALockOfSeveralResourcesProveThoseWhoseNamesTellOfNoLock) {
  const auto leased = [](const std::string &key, double confidence) {
    auto record = std::make_shared<LockRecord>(*lock(key));
    record->confidence = confidence;
    record->expiresAt = SteadyTime(std::chrono::seconds(60));
    return LockRecordPtr(std::move(record));
  };
  const auto order = leased("order:7", 0.4), a = leased("lock:a", 0.88);
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, order)}), ElementsAre("appeared order:7 >token"));
  EXPECT_FALSE(asShown(changes[0]));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, a)}), ElementsAre("appeared lock:a >node-redlock", "members order:7 token>node-redlock"));
  EXPECT_THAT(changes[0].after->alsoUnder, ElementsAre(LockName("order:7")));
  ASSERT_TRUE(asShown(changes[1]));
  EXPECT_EQ(asShown(changes[1])->kind, ChangeKind::Appeared);
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, leased("user:7", 0.3))}), ElementsAre("appeared user:7 >node-redlock"));
  EXPECT_THAT(note({change(ChangeKind::Vanished, order, nullptr), change(ChangeKind::Vanished, a, nullptr)}),
              ElementsAre("vanished order:7 node-redlock>", "vanished lock:a node-redlock>"));
}

TEST_F(SharedChange, ofTwoDoubtfulKeysProveEachOtherAndTellWhoseTheHoldersOtherKeyIs) {
  const std::string other = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, path("jobs:lock", false))}), ElementsAre("appeared jobs:lock >token"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, path("RedisLockRegistry:status:7"))}), ElementsAre("appeared RedisLockRegistry:status:7 >token"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, path("RedisLockRegistry:status:8", true, other))}),
              ElementsAre("appeared RedisLockRegistry:status:8 >token"));
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, path("cache:token"))}), ElementsAre("appeared cache:token >token")) << "no registry of locks";
  const auto token = path("RedisLockRegistry:token"), again = path("RedisLockRegistry:token");
  EXPECT_THAT(note({change(ChangeKind::Appeared, nullptr, token), change(ChangeKind::Lease, token, again)}),
              ElementsAre("appeared RedisLockRegistry:token >spring-integration", "lease RedisLockRegistry:token spring-integration>spring-integration",
                          "members RedisLockRegistry:status:7 token>spring-integration", "members jobs:lock token>token"));
  EXPECT_THAT(changes[3].after->alsoUnder, ElementsAre(LockName("RedisLockRegistry:status:7"), LockName("RedisLockRegistry:token")));
}

} // namespace
} // namespace lockhouse::test
