// SPDX-License-Identifier: Apache-2.0
// Servers that are watched under several of their databases: a lock is one database's, on all of its masters.
#include "tests/unit/watch/changes_fold.h"
#include "tests/unit/watch/members_fold.h"

namespace lockhouse::test {
namespace {

class DatabasesFold : public MembersFold {
protected:
  DatabasesFold() {
    for (const auto *each : {"a", "b", "c"})
      for (const int db : {0, 1})
        node(nameOf(each, db), "master", std::string("run-") + each, db);
  }
  static std::string nameOf(const std::string &server, int db) { return server + "/" + std::to_string(db); }
  LockRecord &lies(const std::string &server, int db, const std::string &holder = token) {
    auto &record = lock(nameOf(server, db), holder);
    record.id.db = db;
    return record;
  }
};

TEST_F(DatabasesFold, makesOneRowOfALockInWhicheverDatabase) {
  for (const auto *each : {"a", "b", "c"})
    lies(each, 1);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->id.db, 1);
  EXPECT_EQ(locks[0]->members.size(), 3U);
  EXPECT_EQ(locks[0]->masters, 3U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
}

TEST_F(DatabasesFold, keepsLocksOfOneNameApart) {
  for (const auto *each : {"a", "b", "c"}) {
    lies(each, 0);
    lies(each, 1, otherToken);
  }
  merge();
  ASSERT_EQ(locks.size(), 2U);
  for (const auto &row : locks) {
    EXPECT_EQ(row->members.size(), 3U);
    for (const auto &member : row->members)
      EXPECT_EQ(member.db, row->id.db);
  }
  locks.clear();
  lies("a", 0);
  lies("b", 1);
  merge();
  EXPECT_EQ(locks.size(), 2U) << "one token in two databases";
}

// Two of three masters of a majority go: what is left stays a row that nobody holds, and a lock of the other database is none of it.
TEST_F(DatabasesFold, remembersEachDatabaseByItself) {
  for (const auto *each : {"a", "b", "c"})
    lies(each, 1);
  merge();
  locks.clear();
  lies("a", 0);
  lies("a", 1);
  merge();
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(stateAt(*locks[0], start), LockState::Held);
  EXPECT_EQ(stateAt(*locks[1], start), LockState::Suspect);
}

TEST_F(DatabasesFold, countsAServerOnceThatWasNeverReached) {
  for (auto &each : nodes) {
    each.address = each.id.bytes().substr(0, 1);
    if (each.address == "c") {
      each.runId.clear();
      each.state = NodeState::Down;
    }
  }
  for (const auto *each : {"a", "b"})
    lies(each, 0);
  merge();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]->masters, 3U);
  EXPECT_TRUE(locks[0]->hasMajority());
}

class DatabaseChanges : public ChangesFold {
protected:
  DatabaseChanges() { // of two servers: a/0, b/0, a/1, b/1
    for (const int db : {0, 1})
      for (const auto *server : {"a", "b"}) {
        auto options = Desk::defaults();
        options.id = NodeId(fmt::format("{}/{}", server, db));
        options.db = db;
        desks.push_back(std::make_unique<Desk>(std::move(options)));
        desks.back()->runId = fmt::format("run-{}", server);
        desks.back()->connect();
        nodes.push_back(&desks.back()->watch);
      }
  }
};

TEST_F(DatabaseChanges, tellsOfALockOfEachDatabaseOnce) {
  set(2, "lock:a");
  EXPECT_EQ(told(), "");
  set(0, "lock:a", std::string(32, 'e'));
  set(3, "lock:a");
  EXPECT_EQ(told(), "appeared lock:a 2/2");
  EXPECT_EQ(last.id.db, 1);
  set(1, "lock:a", std::string(32, 'e'));
  EXPECT_EQ(told(), "appeared lock:a 2/2");
  EXPECT_EQ(last.id.db, 0);
  remove(2, "lock:a");
  remove(3, "lock:a");
  EXPECT_EQ(told(), "vanished lock:a");
  EXPECT_EQ(last.id.db, 1);
}

TEST_F(DatabaseChanges, tellsWhatItMeantToTellOfADatabaseThatIsWatchedNoMore) {
  set(2, "lock:a");
  EXPECT_EQ(told(), "");
  nodes.resize(2);
  pass(ChangeMerge::patience);
  EXPECT_EQ(told(), "appeared lock:a 0/2") << "by the notes that it had";
}

} // namespace
} // namespace lockhouse::test
