// SPDX-License-Identifier: Apache-2.0
// Locks that lie on several servers, and what a watcher makes one row of.
#include "core/watch/fleet/redlock_holders.h"
#include "tests/server/watch/watch_house.h"

#include <algorithm>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class WatchMembers : public WatchHouse {
protected:
  WatchMembers() : WatchHouse({.tcp = true, .config = {}}) {}
  std::vector<LockRecordPtr> rows(const Watched &watched, std::string_view key) const {
    auto locks = watched.snapshot()->locks;
    std::erase_if(locks, [key](const LockRecordPtr &lock) { return lock->id.key.bytes() != key; });
    return locks;
  }
  Sandbox second = startServer({.tcp = true, .config = {}}), third = startServer();
  RawRedis other{second.unixUri()}, another{third.unixUri()};
  std::vector<Uri> all() const { return {uri(), second.unixUri(), third.unixUri()}; }
};

TEST_F(WatchMembers, ARedlockOfWhichOneMemberIsLeftStaysOne) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  for (auto *server : {&other, &another})
    (*server)({"SET", "lock:a", hex32, "PX", "60000"});
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(eventually([&] { return rows(watched, "lock:a").size() == 1; }));
  EXPECT_EQ(stateAt(*watched.lock("lock:a"), SteadyClock::now()), LockState::Held);
  other({"DEL", "lock:a"});
  redis({"DEL", "lock:a"});
  EXPECT_TRUE(eventually([&] { return rows(watched, "lock:a").at(0)->members.size() == 1; }));
  const auto left = rows(watched, "lock:a");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(stateAt(*left[0], SteadyClock::now()), LockState::Suspect);
  EXPECT_THAT(englishOf(left[0]->evidence), Contains(HasSubstr("1 of 3 masters: a Redlock without a majority")));
}

TEST_F(WatchMembers, ARedlockIsShownWhereItsNameSpeaksOfNothingElse) {
  RawRedis here(uri());
  const std::vector<std::string> data{"session:7", "cache:page:7", "csrf:7", "product:88:uid"};
  for (const auto &key : {"my_resource_name", "resource", "order:7"})
    for (auto *server : {&here, &other, &another})
      (*server)({"SET", key, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "PX", "60000"});
  for (const auto &key : data)
    for (auto *server : {&here, &other, &another})
      (*server)({"SET", key, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", "PX", "60000"});
  here({"SET", "your_resource", hex32, "PX", "60000"});
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  for (const auto *key : {"my_resource_name", "resource", "order:7"}) {
    ASSERT_TRUE(eventually([&] { return rows(watched, key).size() == 1 && rows(watched, key)[0]->members.size() == 3; })) << key;
    EXPECT_GE(rows(watched, key)[0]->confidence, shownConfidence) << key;
    EXPECT_THAT(englishOf(rows(watched, key)[0]->evidence), Contains(HasSubstr("3 of 3 masters: a Redlock, held by its majority"))) << key;
  }
  for (const auto &key : data) {
    ASSERT_EQ(rows(watched, key).size(), 1U) << key << ": for who asks for all";
    EXPECT_LT(rows(watched, key)[0]->confidence, shownConfidence) << key;
  }
  ASSERT_EQ(rows(watched, "your_resource").size(), 1U) << "for who asks for all";
  EXPECT_LT(rows(watched, "your_resource")[0]->confidence, shownConfidence);
}

TEST_F(WatchMembers, aReaderWhoComesMasterByMasterLeavesNobodySuspect) {
  RawRedis here(uri());
  const std::string one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", two = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:5";
  for (auto *server : {&here, &other, &another}) {
    (*server)({"HSET", "rw", "mode", "read", one, "1"});
    (*server)({"PEXPIRE", "rw", "60000"});
  }
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(eventually([&] { return rows(watched, "rw").size() == 1 && rows(watched, "rw")[0]->members.size() == 3; }));
  for (auto *server : {&here, &other, &another}) {
    (*server)({"HSET", "rw", two, "1"});
    const auto isSeen = [&] {
      const auto found = rows(watched, "rw");
      return found.size() == 1 && found[0]->holders.size() + lesserHolders(*found[0]).size() == 2;
    };
    EXPECT_TRUE(eventually(isSeen)) << "one row, whichever masters have him";
    for (const auto &row : rows(watched, "rw"))
      EXPECT_EQ(stateAt(*row, SteadyClock::now()), LockState::Held);
  }
  EXPECT_TRUE(eventually([&] { return rows(watched, "rw").at(0)->holders.size() == 2; }));
  EXPECT_TRUE(eventually([&] { return rows(watched, "rw").size() == 1 && rows(watched, "rw")[0]->members.size() == 3; }));
}

TEST_F(WatchMembers, aHolderWhoGainsMostMastersOfASharedLockIsToldOnce) {
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(watched.catchesUp());
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", two = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", score = std::to_string(now);
  RawRedis here(uri());
  for (auto *server : {&here, &other, &another})
    (*server)({"ZADD", "semaphore:x", score, one});
  ASSERT_TRUE(eventually([&] { return rows(watched, "semaphore:x").size() == 1 && rows(watched, "semaphore:x")[0]->members.size() == 3; }));
  ASSERT_TRUE(eventually([&] { return watched.changes().back().after && watched.changes().back().after->members.size() == 3; }));
  const auto before = watched.story("semaphore:x");
  here({"ZADD", "semaphore:x", score, two});
  EXPECT_TRUE(watched.tells("semaphore:x", before + ", members")) << "on one of three masters he is none of its holders: " << watched.story("semaphore:x");
  EXPECT_EQ(watched.changes().back().after->holders.size(), 1U);
  other({"ZADD", "semaphore:x", score, two});
  EXPECT_TRUE(watched.tells("semaphore:x", before + ", members, holder")) << watched.story("semaphore:x");
  EXPECT_EQ(watched.changes().back().after->holders.size(), 2U);
  another({"ZADD", "semaphore:x", score, two});
  EXPECT_TRUE(watched.tells("semaphore:x", before + ", members, holder, members")) << watched.story("semaphore:x");
  other({"ZREM", "semaphore:x", two});
  another({"ZREM", "semaphore:x", two});
  EXPECT_TRUE(eventually([&] { return rows(watched, "semaphore:x")[0]->holders.size() == 1; })) << "on one master again";
  EXPECT_EQ(rows(watched, "semaphore:x").size(), 1U);
}

TEST_F(WatchMembers, theKeysOfOneLockOnSeveralMastersAreOneRow) {
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  another({"SET", "rueidislock:2:job", votes, "PX", "60000"});
  const auto state = [&] {
    const auto found = rows(watched, "rueidislock:0:job");
    return found.size() == 1 ? std::optional(stateAt(*found[0], SteadyClock::now())) : std::nullopt;
  };
  EXPECT_TRUE(eventually([&] { return state() == LockState::Suspect; })) << "one key of three";
  other({"SET", "rueidislock:1:job", votes, "PX", "60000"});
  redis({"SET", "rueidislock:0:job", votes, "PX", "60000"});
  EXPECT_TRUE(eventually([&] { return state() == LockState::Held && rows(watched, "rueidislock:0:job")[0]->votes == 3; }));
  EXPECT_EQ(rows(watched, "rueidislock:0:job")[0]->members.size(), 3U);
}

TEST_F(WatchMembers, whatHappensToARedlockIsToldOnceAndNotByEachMaster) {
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(watched.catchesUp());
  const auto onAll = [&](std::initializer_list<std::string_view> words) {
    redis(words);
    other(words);
    another(words);
  };
  // A machine that halts between the masters lets each of them be told as a member that came or went.
  const auto tells = [&](std::string_view wanted) {
    return eventually([&] {
      auto story = watched.story("lock:a");
      for (std::size_t at = 0; (at = story.find(", members")) != std::string::npos;)
        story.erase(at, std::string_view(", members").size());
      return story == wanted;
    });
  };
  const auto hasMembers = [&](std::size_t wanted) {
    return eventually([&] { return rows(watched, "lock:a").size() == 1 && rows(watched, "lock:a")[0]->members.size() == wanted; });
  };
  onAll({"SET", "lock:a", hex32, "PX", "60000"});
  EXPECT_TRUE(tells("appeared")) << watched.story("lock:a");
  EXPECT_TRUE(hasMembers(3));
  EXPECT_EQ(stateAt(*rows(watched, "lock:a")[0], SteadyClock::now()), LockState::Held);
  onAll({"PEXPIRE", "lock:a", "120000"});
  EXPECT_TRUE(tells("appeared, lease")) << watched.story("lock:a");
  other({"DEL", "lock:a"});
  EXPECT_TRUE(hasMembers(2));
  EXPECT_TRUE(eventually([&] { return watched.story("lock:a").ends_with(", members"); })) << watched.story("lock:a");
  EXPECT_TRUE(tells("appeared, lease")) << watched.story("lock:a");
  onAll({"DEL", "lock:a"});
  EXPECT_TRUE(tells("appeared, lease, vanished")) << watched.story("lock:a");
  redis({"HSET", "job", owner1, "1"});
  EXPECT_TRUE(watched.tells("job", "appeared")) << "of one master alone";
  EXPECT_EQ(watched.changes().back().after->members.size(), 0U);
  for (std::size_t i = 0; i < watched.changes().size(); ++i)
    EXPECT_EQ(watched.changes()[i].seq, i + 1);
}

TEST_F(WatchMembers, aVoteThatNobodyWonIsOneSuspectRow) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  other({"SET", "lock:a", "89e6c98d92887913cadf06b2adb97f26", "PX", "60000"});
  another({"SET", "lock:a", "aaf4c61ddcc5e8a2dabede0f3b482cd9", "PX", "60000"});
  Watched watched(all());
  ASSERT_TRUE(watched.becomesLive());
  ASSERT_TRUE(eventually([&] { return rows(watched, "lock:a").size() == 1 && rows(watched, "lock:a")[0]->holders.size() == 3; }));
  const auto row = rows(watched, "lock:a").at(0);
  EXPECT_EQ(stateAt(*row, SteadyClock::now()), LockState::Suspect);
  for (const auto &member : row->members)
    EXPECT_TRUE(member.own);
}

TEST_F(WatchMembers, aMastersLocksAreNotShownAgainAtItsReplica) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  other({"REPLICAOF", "127.0.0.1", std::to_string(m_server.tcpUri().port)});
  Watched watched({uri(), second.unixUri()});
  EXPECT_TRUE(eventually([&] {
    const auto now = watched.snapshot();
    return now->nodes.size() == 2 && now->nodes[1].role == "replica" && now->nodes[1].scanComplete &&
           now->nodes[1].replicationId == now->nodes[0].replicationId;
  }));
  EXPECT_TRUE(eventually([&] { return rows(watched, "lock:a").size() == 1; }));
  EXPECT_EQ(rows(watched, "lock:a").at(0)->id.node, watched.status(0).id);
  other({"CONFIG", "SET", "replica-read-only", "no"});
  other({"SET", "lock:b", hex32, "PX", "60000"});
  EXPECT_TRUE(eventually([&] { return !rows(watched, "lock:b").empty() && !rows(watched, "lock:b")[0]->evidence.empty(); }));
  EXPECT_THAT(englishOf(rows(watched, "lock:b").at(0)->evidence), Contains(HasSubstr("only a replica shows it")));
}

TEST_F(WatchMembers, aFailoverMakesNoRedlockOfALockOfOneMaster) {
  redis({"SET", "lock:a", hex32, "PX", "60000"});
  other({"REPLICAOF", "127.0.0.1", std::to_string(m_server.tcpUri().port)});
  Watched watched({uri(), second.unixUri()});
  ASSERT_TRUE(eventually([&] { return watched.snapshot()->nodes.size() == 2 && watched.status(1).role == "replica" && watched.status(1).scanComplete; }));
  ASSERT_TRUE(eventually([&] { return watched.status(1).replicationId == watched.status(0).replicationId && rows(watched, "lock:a").size() == 1; }));
  m_server.kill();
  other({"REPLICAOF", "NO", "ONE"});
  const auto isAtPromoted = [&] {
    const auto now = rows(watched, "lock:a");
    return now.size() == 1 && now[0]->id.node == watched.status(1).id && now[0]->members.empty() && stateAt(*now[0], SteadyClock::now()) == LockState::Held;
  };
  EXPECT_TRUE(eventually(isAtPromoted));
  ASSERT_TRUE(m_server.restart());
  EXPECT_TRUE(eventually([&] { return watched.status(0).state == NodeState::Live; }));
  RawRedis back(uri());
  back({"REPLICAOF", "127.0.0.1", std::to_string(second.tcpUri().port)});
  EXPECT_TRUE(eventually([&] { return watched.status(0).role == "replica" && watched.status(0).state == NodeState::Live && isAtPromoted(); }));
  for (const auto &change : watched.changes())
    EXPECT_TRUE(!change.after || change.after->members.empty()) << name(change.kind);
}

} // namespace
} // namespace lockhouse::test
