// SPDX-License-Identifier: Apache-2.0
// Locks of Lockhouse's own whose waiters stand in a queue beside them: known by it, whether or not anybody holds them.
#include "tests/unit/watch/desk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

struct OwnQueue {
  const char *family, *kind;
  bool isLine, isList;
};
constexpr OwnQueue ownQueues[]{{"lockhouse-handoff", "", false, false},
                               {"lockhouse-list-fair", "", true, true},
                               {"lockhouse-zset-fair", "", true, false},
                               {"lockhouse-rw", "w/", false, false},
                               {"lockhouse-semaphore", "2/", false, false}};

void putQueue(Desk &desk, const OwnQueue &queue, const std::vector<std::string> &waiters) {
  const std::string key = queue.isLine ? "lockhouse:line:{desk}" : "lockhouse:queue:{desk}";
  std::vector<std::pair<std::string, double>> places;
  for (const auto &waiter : waiters)
    places.emplace_back(waiter, static_cast<double>(places.size()));
  queue.isList ? desk.list(key, waiters) : desk.zset(key, places);
}

// As a holder leaves it whose process was killed, once its lease has ended.
TEST(NodeWatchOwnQueues, showsAFreeLockOfOurOwnByThoseWhoWaitForIt) {
  for (const auto &queue : ownQueues) {
    Desk desk;
    const auto now = static_cast<double>(desk.moment().wall.time_since_epoch().count()) / 1000;
    putQueue(desk, queue, {queue.kind + owner1, queue.kind + owner2});
    desk.hash("lockhouse:deadlines:{desk}", {{uuid1, fmt::format("{:.0f}", now + 1500)}, {uuid2, fmt::format("{:.0f}", now + 9000)}});
    desk.connect();
    ASSERT_EQ(desk.watch.cache().size(), 1U) << queue.family;
    const auto lock = desk.lock("desk");
    ASSERT_TRUE(lock) << queue.family;
    EXPECT_EQ(lock->family, queue.family);
    EXPECT_EQ(stateAt(*lock, desk.now()), LockState::Waiting) << queue.family;
    EXPECT_EQ(lock->waiters, 2U) << queue.family;
    EXPECT_EQ(lock->queue.front().id, queue.kind + owner1);
    EXPECT_EQ(*lock->queue.back().leavesAt - desk.now(), seconds(9)) << queue.family;
    EXPECT_THAT(englishOf(lock->evidence), testing::Contains("nobody holds it, and a queue of it lies there"));
    desk.story();
    desk.idle();
    desk.idle();
    EXPECT_EQ(desk.lock("desk")->waiters, 1U) << queue.family;
    for (int i = 0; i < 8; ++i)
      desk.idle();
    EXPECT_EQ(desk.lock("desk"), nullptr) << queue.family << ": all places have lapsed";
    EXPECT_EQ(desk.status().divergences, 0U) << queue.family;
  }
}

TEST(NodeWatchOwnQueues, whoAreNoWaitersOfOursMakeNoLock) {
  for (const auto &queue : ownQueues) {
    Desk desk;
    putQueue(desk, queue, {queue.kind + owner1, "order-17"});
    desk.connect();
    EXPECT_EQ(desk.watch.cache().size(), 0U) << queue.family;
  }
}

TEST(NodeWatchOwnQueues, whoWaitsIsUnknownWhereTheirDeadlinesMayNotBeRead) {
  for (const auto &queue : ownQueues)
    if (queue.isLine) {
      Desk desk;
      desk.refused = {"HSCAN"};
      desk.string("desk", owner1, seconds(30));
      putQueue(desk, queue, {owner2});
      desk.hash("lockhouse:deadlines:{desk}", {{uuid2, "1900000000000"}});
      desk.connect();
      const auto lock = desk.lock("desk");
      ASSERT_TRUE(lock);
      EXPECT_EQ(lock->family, queue.family);
      EXPECT_EQ(lock->waiters, std::nullopt) << "his place may have lapsed";
      EXPECT_EQ(lock->queue.size(), 1U);
      EXPECT_THAT(lock->closed, testing::ElementsAre("lockhouse:deadlines:{desk}"));
      EXPECT_THAT(englishOf(lock->evidence), testing::Contains("how many of those in its queue have lapsed is not known: the deadlines cannot be read"));
    }
}

// A process that was killed with two of its threads in the queue: who was let in between them dropped the first, and its client's deadline.
TEST(NodeWatchOwnQueues, whoseClientHasNoDeadlineAnyMoreWaitsNoMore) {
  for (const auto &queue : ownQueues) {
    Desk desk;
    const std::string holder = queue.isLine ? owner1 : std::string(owner1) + ":1795300000000007";
    if (queue.isLine || queue.family == std::string("lockhouse-handoff"))
      desk.string("desk", holder, seconds(30));
    else
      desk.zset("desk",
                {{std::string(queue.kind == std::string("w/") ? "w/" : "") + owner1 + (queue.kind == std::string("w/") ? "" : "/1"), 1'900'000'000'000}});
    putQueue(desk, queue, {queue.kind + owner2});
    desk.hash("lockhouse:deadlines:{desk}", {{uuid1, "1900000000000"}});
    desk.connect();
    const auto lock = desk.lock("desk");
    ASSERT_TRUE(lock) << queue.family;
    EXPECT_EQ(lock->family, queue.family);
    EXPECT_EQ(lock->waiters, 0U) << queue.family;
    EXPECT_EQ(stateAt(*lock, desk.now()), LockState::Held) << queue.family;
    EXPECT_THAT(englishOf(lock->evidence), testing::Contains("places in its queue that have lapsed, and were not cleared away yet: 1")) << queue.family;
    const auto asked = desk.pending();
    desk.idle();
    EXPECT_EQ(desk.pending(), asked) << "nothing is to be looked at again";
    desk.hash("lockhouse:deadlines:{desk}", {{uuid1, "1900000000000"}, {uuid2, "1900000000000"}});
    desk.hint({"lockhouse:deadlines:{desk}"});
    desk.serve();
    EXPECT_EQ(desk.lock("desk")->waiters, 1U) << queue.family;
  }
}

// Of a queue that was met while no lock lay there no feed tells when one comes.
TEST(NodeWatchOwnQueues, whoStoodThereBeforeTheLockCameWaitsForIt) {
  for (const std::string before : {"", "hello world"})
    for (const bool isTold : {false, true})
      for (const auto &queue : ownQueues)
        if (queue.isLine) {
          Desk desk;
          const auto come = [&] {
            if (!before.empty())
              desk.string("desk", before);
            putQueue(desk, queue, {owner2, "order-17"});
            desk.hash("lockhouse:deadlines:{desk}", {{uuid2, "1900000000000"}});
          };
          if (!isTold)
            come();
          desk.connect();
          if (isTold) {
            come();
            desk.hint({"desk", queue.isLine ? "lockhouse:line:{desk}" : "lockhouse:queue:{desk}", "lockhouse:deadlines:{desk}"});
            desk.serve();
          }
          ASSERT_EQ(desk.lock("desk"), nullptr) << queue.family;
          desk.string("desk", owner1, seconds(30));
          desk.hint({"desk"});
          desk.serve();
          ASSERT_TRUE(desk.lock("desk")) << queue.family;
          EXPECT_EQ(desk.lock("desk")->family, queue.family) << before;
          EXPECT_EQ(desk.lock("desk")->queue.size(), 2U) << queue.family;
          desk.remove("desk");
          desk.remove("lockhouse:line:{desk}");
          desk.remove("lockhouse:deadlines:{desk}");
          desk.hint({"desk", "lockhouse:line:{desk}", "lockhouse:deadlines:{desk}"});
          desk.serve();
          EXPECT_EQ(desk.lock("desk"), nullptr);
        }
}

// Without waiters the two textbook queues look like each other, and soon like a mere token.
TEST(NodeWatchOwnQueues, aLockOfOurOwnStaysWhatItIsWhenItsLineRunsEmpty) {
  for (const auto &queue : ownQueues)
    if (queue.isLine) {
      Desk desk;
      desk.string("desk", owner1, seconds(30));
      desk.connect();
      ASSERT_TRUE(desk.lock("desk"));
      EXPECT_EQ(desk.lock("desk")->family, "token");
      desk.story();
      putQueue(desk, queue, {owner2});
      desk.hash("lockhouse:deadlines:{desk}", {{uuid2, "1900000000000"}});
      desk.hint({"lockhouse:line:{desk}", "lockhouse:deadlines:{desk}"});
      desk.serve();
      EXPECT_EQ(desk.lock("desk")->family, queue.family);
      EXPECT_EQ(desk.story(), "waiters desk") << "the same holder has it";
      desk.remove("desk");
      desk.hint({"desk"});
      desk.serve();
      EXPECT_EQ(stateAt(*desk.lock("desk"), desk.now()), LockState::Waiting);
      desk.string("desk", owner2, seconds(30));
      desk.remove("lockhouse:line:{desk}");
      desk.hint({"desk", "lockhouse:line:{desk}"});
      desk.serve();
      EXPECT_EQ(desk.lock("desk")->family, queue.family);
      EXPECT_TRUE(desk.lock("desk")->mayBe.empty());
      EXPECT_EQ(desk.story(), "holder desk, holder desk");
      desk.remove("lockhouse:deadlines:{desk}");
      desk.hint({"lockhouse:deadlines:{desk}"});
      desk.serve();
      EXPECT_EQ(desk.lock("desk")->family, queue.family);
      EXPECT_GE(desk.lock("desk")->confidence, 0.9);
      EXPECT_EQ(desk.story(), "");
    }
}

// Between two reads the lock was released, and the next one in its line has it.
TEST(NodeWatchOwnQueues, aLineStaysWhatItIsWhenItsOnlyWaiterHasTheLock) {
  for (const std::string key : {"desk", "lock:desk"})
    for (const bool isTold : {false, true}) // of the deadlines
      for (const auto &queue : ownQueues)
        if (queue.isLine) {
          Desk desk;
          desk.string(key, owner1, seconds(30));
          desk.connect();
          const auto line = "lockhouse:line:{" + key + "}", deadlines = "lockhouse:deadlines:{" + key + "}";
          queue.isList ? desk.list(line, {owner2}) : desk.zset(line, {{owner2, 1}});
          desk.hash(deadlines, {{uuid2, "1900000000000"}});
          desk.hint({line});
          desk.serve();
          if (isTold) {
            desk.hint({deadlines});
            desk.serve();
          }
          ASSERT_EQ(desk.lock(key)->family, queue.family);
          desk.story();
          desk.string(key, owner2, seconds(30));
          desk.remove(line);
          desk.hint({key, line});
          desk.serve();
          EXPECT_EQ(desk.story(), "holder " + key) << queue.family;
          ASSERT_TRUE(desk.lock(key)) << queue.family;
          EXPECT_EQ(desk.lock(key)->family, queue.family);
          desk.string(key, owner1, seconds(30)); // who came to wait, and was let in, between two reads
          desk.hint({key, line});
          desk.serve();
          EXPECT_EQ(desk.story(), "holder " + key) << queue.family;
          EXPECT_EQ(desk.lock(key)->family, queue.family);
        }
}

TEST(NodeWatchOwnQueues, ofTheTwoTextbookQueuesWithoutALineEachMayBeTheOther) {
  Desk desk;
  desk.string("desk", owner1, seconds(30));
  desk.hash("lockhouse:deadlines:{desk}", {{uuid2, "1900000000000"}});
  desk.connect();
  ASSERT_TRUE(desk.lock("desk"));
  EXPECT_EQ(desk.lock("desk")->family, "lockhouse-list-fair");
  EXPECT_THAT(desk.lock("desk")->mayBe, testing::ElementsAre("lockhouse-zset-fair"));
}

} // namespace
} // namespace lockhouse::test
