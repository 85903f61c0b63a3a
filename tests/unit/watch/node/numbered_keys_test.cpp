// SPDX-License-Identifier: Apache-2.0
// rueidislock under a prefix of its users': no name tells its keys from others, but one random token under several of them does.
#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

namespace lockhouse {
namespace {

using test::Desk;
using testing::Contains;
using testing::IsEmpty;

const std::string token("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
const std::string others("\x02\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x91", 24);

void take(Desk &desk, const std::string &prefix, std::initializer_list<int> keys, const std::string &by = token) {
  for (const int i : keys)
    desk.string(prefix + ":" + std::to_string(i) + ":orders", by, seconds(5));
}

TEST(NumberedKeys, withOneTokenAreOneLock) {
  for (const std::string prefix : {"rl", "locks", "my-app:lk"}) {
    Desk desk;
    take(desk, prefix, {0, 1, 2});
    desk.connect();
    EXPECT_EQ(desk.story(), "appeared " + prefix + ":0:orders") << "and none of a key by itself";
    const auto lock = desk.lock(prefix + ":0:orders");
    ASSERT_TRUE(lock) << prefix;
    EXPECT_EQ(lock->family, "rueidislock");
    EXPECT_GE(lock->confidence, 0.9);
    EXPECT_THAT(lock->mayBe, IsEmpty());
    EXPECT_EQ(lock->votes, 3U);
    EXPECT_TRUE(lock->hasMajority());
    EXPECT_EQ(lock->holders, (std::vector<Holder>{{token, 1, HoldMode::Exclusive}}));
  }
}

TEST(NumberedKeys, ofWhichSomeMayNotBeReadAreOneLockWhoseHolderIsNotKnownForSure) {
  for (const std::string prefix : {"lock", "rueidislock"})
    for (const auto *open : {"0", "1"}) {
      Desk desk;
      take(desk, prefix, {0, 1, 2});
      for (const auto *each : {"0", "1", "2", "3", "4", "5", "6", "7", "8"})
        if (std::string(each) != open)
          desk.refusedKeys.insert(prefix + ":" + each + ":orders");
      desk.connect();
      const auto lock = desk.lock(prefix + ":0:orders");
      ASSERT_TRUE(lock) << prefix << " " << open;
      EXPECT_EQ(lock->family, "rueidislock") << "and no token, which one key alone would free";
      EXPECT_EQ(lock->votes, 1U);
      EXPECT_EQ(lock->unfollowed, 1U);
      EXPECT_NE(stateAt(*lock, desk.now()), LockState::Suspect) << "nothing says that nobody holds it";
      EXPECT_THAT(englishOf(lock->evidence), Contains(testing::HasSubstr("its other keys may lie where nothing is seen of them")));
    }
}

// By its name it is no lock of its own, and is not looked at by itself.
TEST(NumberedKeys, ofWhichNoneMayBeReadCountAsOneThatIsRefused) {
  Desk desk;
  take(desk, "rueidislock", {1});
  for (const auto *each : {"0", "1", "2", "3", "4", "5", "6", "7", "8"})
    desk.refusedKeys.insert(std::string("rueidislock:") + each + ":orders");
  desk.connect();
  EXPECT_FALSE(desk.lock("rueidislock:0:orders"));
  EXPECT_EQ(desk.status().keysRefused, 1U);
  EXPECT_TRUE(mayHaveUnseen(desk.status(), "rueidislock:0:orders"));
}

TEST(NumberedKeys, areCountedAsTheyComeAndGo) {
  Desk desk;
  take(desk, "locks", {0, 1});
  desk.connect();
  desk.story();
  EXPECT_EQ(desk.lock("locks:0:orders")->votes, 2U);
  take(desk, "locks", {2});
  desk.hint({"locks:2:orders"});
  desk.serve();
  EXPECT_EQ(desk.lock("locks:0:orders")->votes, 3U);
  desk.remove("locks:0:orders");
  desk.hint({"locks:0:orders"});
  desk.serve();
  ASSERT_TRUE(desk.lock("locks:0:orders")) << "most of them are there still";
  EXPECT_EQ(desk.lock("locks:0:orders")->votes, 2U);
  EXPECT_FALSE(desk.lock("locks:1:orders"));
  take(desk, "locks", {0}, others);
  desk.hint({"locks:0:orders"});
  desk.serve();
  EXPECT_EQ(desk.lock("locks:0:orders")->holders.at(0).id, token);
  EXPECT_THAT(englishOf(desk.lock("locks:0:orders")->evidence), Contains("clients that have some of its keys: 2"));
  desk.clear();
  desk.hint({"locks:0:orders", "locks:1:orders", "locks:2:orders"});
  desk.serve();
  EXPECT_FALSE(desk.lock("locks:0:orders"));
  EXPECT_THAT(desk.story(), testing::HasSubstr("vanished locks:0:orders"));
}

TEST(NumberedKeys, areHeldForAsLongAsTheMajorityOfTheirHoldersAndNoOtherOnes) {
  const auto left = [](std::initializer_list<std::pair<std::string, milliseconds>> keys) {
    Desk desk;
    int i = 0;
    for (const auto &[by, ttl] : keys)
      if (const auto key = "rueidislock:" + std::to_string(i++) + ":orders"; !by.empty())
        desk.string(key, by, ttl);
    desk.connect();
    const auto lock = desk.lock("rueidislock:0:orders");
    return lock ? std::chrono::ceil<milliseconds>(lock->expiresAt.value_or(lock->seenAt) - lock->seenAt) : milliseconds(0);
  };
  EXPECT_EQ(left({{token, seconds(1)}, {token, seconds(5)}, {token, seconds(4)}}), seconds(4)) << "two are there until then";
  EXPECT_EQ(left({{others, seconds(60)}, {token, seconds(5)}, {token, seconds(4)}}), seconds(4)) << "the first is somebody else's";
  EXPECT_EQ(left({{"", seconds(1)}, {token, seconds(5)}, {token, seconds(4)}, {others, seconds(60)}}), seconds(4));
  EXPECT_EQ(left({{token, seconds(3)}}), seconds(3));
}

// Each read of them takes another time, and nobody writes.
TEST(NumberedKeys, areNotRenewedByAnAnswerThatCameLate) {
  Desk desk;
  take(desk, "rueidislock", {1, 2});
  desk.pexpire("rueidislock:1:orders", seconds(4)); // which is asked for first
  desk.connect();
  desk.story();
  for (const auto late : {milliseconds(60), milliseconds(0), milliseconds(90), milliseconds(0)}) {
    desk.hint({"rueidislock:1:orders"});
    while (desk.answerOne())
      desk.pass(late / 10);
  }
  EXPECT_EQ(desk.story(), "");
  EXPECT_EQ(desk.lock("rueidislock:0:orders")->renewals, 0U);
}

TEST(NumberedKeys, ofALockThatLosesItsMajorityAreRowsOfTheirOwn) {
  for (const std::string left : {"locks:0:orders", "locks:2:orders"}) {
    Desk desk;
    take(desk, "locks", {0, 1, 2});
    desk.connect();
    desk.story();
    for (const std::string key : {"locks:0:orders", "locks:1:orders", "locks:2:orders"})
      if (key != left) {
        desk.remove(key);
        desk.hint({key});
      }
    desk.serve();
    ASSERT_TRUE(desk.lock(left)) << left;
    EXPECT_EQ(desk.lock(left)->family, "token");
    EXPECT_THAT(desk.story(), testing::HasSubstr("vanished locks:0:orders")) << left;
  }
}

TEST(NumberedKeys, ofWhichOneIsThereProveNothing) {
  Desk desk;
  take(desk, "locks", {0});
  take(desk, "rooms", {1}, others);
  desk.string("keys:0:a", token);
  desk.string("keys:1:a", token); // without a lease
  desk.connect();
  EXPECT_EQ(desk.lock("locks:0:orders")->family, "token");
  EXPECT_THAT(desk.lock("locks:0:orders")->mayBe, Contains("rueidislock"));
  ASSERT_TRUE(desk.lock("rooms:1:orders")) << "shown where all is asked for";
  EXPECT_EQ(desk.lock("rooms:1:orders")->family, "token");
  for (const auto *key : {"keys:0:a", "keys:1:a"})
    EXPECT_TRUE(!desk.lock(key) || desk.lock(key)->family == "token") << key;
}

TEST(NumberedKeys, ofSeveralHoldersWithoutAMajorityAreRowsOfTheirOwn) {
  Desk desk;
  take(desk, "locks", {0});
  take(desk, "locks", {1}, others);
  desk.connect();
  for (const auto *key : {"locks:0:orders", "locks:1:orders"}) {
    ASSERT_TRUE(desk.lock(key)) << key;
    EXPECT_EQ(desk.lock(key)->family, "token");
  }
}

TEST(NumberedKeys, leadToTheirLockWhoeverAsksForOneOfThem) {
  Desk desk;
  take(desk, "rl", {0, 1, 2});
  take(desk, "locks", {1}, others);
  desk.connect();
  desk.event(watching::ReadWanted{LockName("rl:2:orders"), 7});
  desk.event(watching::ReadWanted{LockName("locks:1:orders"), 8});
  desk.serve();
  ASSERT_EQ(desk.readsDone.size(), 2U);
  for (const auto &done : desk.readsDone) {
    ASSERT_TRUE(done.record && *done.record);
    EXPECT_EQ((*done.record)->id.key.bytes(), done.request == 7 ? "rl:0:orders" : "locks:1:orders");
    EXPECT_EQ((*done.record)->family, done.request == 7 ? "rueidislock" : "token");
  }
}

TEST(NumberedKeys, ofOrdinaryDataAreReadOnce) {
  Desk desk;
  for (int i = 0; i < 9; ++i)
    desk.string("user:" + std::to_string(i) + ":name", "somebody whose name has 24+");
  desk.connect();
  EXPECT_LE(desk.served["PTTL"], 9U);
  EXPECT_FALSE(desk.lock("user:0:name"));
}

} // namespace
} // namespace lockhouse
