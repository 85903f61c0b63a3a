// SPDX-License-Identifier: Apache-2.0
// ReadWriteLock against what Redisson's RReadWriteLock leaves in Redis and says on its channel; readers and writers.
#include "tests/contract/world/lock_world.h"

#include <gmock/gmock.h>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

namespace {

constexpr const char *javaReader = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42";
constexpr const char *javaLease = "{stock}:5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42:rwlock_timeout:1";
constexpr const char *channel = "redisson_rwlock:{stock}";

} // namespace

class ReadWrite : public LockContract {
protected:
  Owner &reader(Party &client, LockOptions options = {}) {
    options.mode.shared = true;
    return client.owner(primitive(), "stock", options);
  }
  Owner &writer(Party &client, LockOptions options = {}) { return client.owner(primitive(), "stock", options); }
  std::vector<std::string> hash() {
    std::vector<std::string> all;
    const Reply reply = probe()({"HGETALL", "stock"});
    for (const auto &part : reply.array())
      all.emplace_back(part.text().value_or(""));
    return all;
  }
  void javaReads(milliseconds lease = 30s) {
    probe()({"HSET", "stock", "mode", "read", javaReader, "1"});
    probe()({"SET", javaLease, "1", "PX", std::to_string(lease.count())});
    probe()({"PEXPIRE", "stock", std::to_string(std::max<std::int64_t>(lease.count(), probe().number({"PTTL", "stock"})))});
  }
  static std::string tokenOf(const AcquireOutcome &outcome) { return std::get<Acquired>(outcome).token.bytes(); }
  const AcquirePolicy patient = AcquirePolicy::pubSub(1h);
};
INSTANTIATE_TEST_SUITE_P(Every, ReadWrite, testing::Combine(testing::Values("ReadWriteLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(ReadWrite, aReaderIsAFieldAndALeaseForEachEntry) {
  auto &one = reader(party());
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto token = tokenOf(outcome);
  EXPECT_THAT(hash(), UnorderedElementsAre("mode", "read", token, "1"));
  const auto lease = [&](int entry) { return probe().number({"PTTL", "{stock}:" + token + ":rwlock_timeout:" + std::to_string(entry)}); };
  EXPECT_TRUE(lease(1) > 20'000 && lease(1) <= 30'000) << lease(1);
  EXPECT_EQ(probe().text({"GET", "{stock}:" + token + ":rwlock_timeout:1"}), "1");
  EXPECT_EQ(probe().number({"DBSIZE"}), 2);
  ASSERT_TRUE(one.takes());
  EXPECT_THAT(hash(), UnorderedElementsAre("mode", "read", token, "2"));
  EXPECT_GT(lease(2), 20'000);
  EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(lease(2), -2);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(probe().number({"DBSIZE"}), 0);
}

TEST_P(ReadWrite, aWriterIsAFieldWithItsMode) {
  auto &one = writer(party());
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  EXPECT_THAT(hash(), UnorderedElementsAre("mode", "write", tokenOf(outcome) + ":write", "1"));
  EXPECT_EQ(probe().number({"DBSIZE"}), 1);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(ReadWrite, readersAreInTogetherAndExcludeWriters) {
  auto &one = reader(party());
  auto &two = reader(party());
  auto &other = writer(party());
  EXPECT_TRUE(one.takes());
  EXPECT_TRUE(two.takes());
  EXPECT_FALSE(other.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(other.takes());
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(other.takes());
  EXPECT_FALSE(one.takes());
  EXPECT_EQ(other.release(), ReleaseOutcome::Released);
}

TEST_P(ReadWrite, onlyTheLastReaderAndTheWriterTellTheWaiters) {
  probe().listenToAll();
  auto &one = reader(party());
  auto &two = reader(party());
  auto &other = writer(party());
  ASSERT_TRUE(one.takes() && two.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(other.takes());
  EXPECT_EQ(other.release(), ReleaseOutcome::Released);
  probe()({"PUBLISH", "end", "of-test"});
  EXPECT_TRUE(eventually([&] { return probe().heard().size() >= 4; }));
  const auto word = [](std::string_view number) { return std::string(channel) + " " + std::string(number); };
  EXPECT_THAT(probe().heard(), ElementsAre(word("0"), word("1"), word("0"), "end of-test")) << "a reader's, and both of the writer's";
}

TEST_P(ReadWrite, aWriterOfOursWaitsForAReaderOfRedisson) {
  javaReads();
  auto &one = writer(party());
  const auto tried = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Contended>(tried));
  EXPECT_EQ(std::get<Contended>(tried).holder, javaReader);
  auto waiting = one.start(patient);
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 1; }));
  EXPECT_TRUE(reader(party()).takes()) << "readers of ours join Redisson's";
  probe()({"HDEL", "stock", javaReader}); // what its unlock leaves, with another reader there
  probe()({"DEL", javaLease});
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  probe()({"DEL", "stock"}); // and what the last one does
  probe()({"PUBLISH", channel, "0"});
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  probe()({"FLUSHALL"}); // the lease of the reader that was put out
}

TEST_P(ReadWrite, aReaderThatEndedDelaysWritersByItsLeaseThoughOthersRead) {
  auto &live = reader(party(), {.lease = 300ms});
  ASSERT_TRUE(live.takes());
  javaReads(600ms);
  std::vector<Owner *> others;
  auto &one = writer(party());
  auto waiting = one.start(AcquirePolicy::spin(5ms));
  ASSERT_TRUE(eventually([&] { return !keyExists(javaLease); })) << "nobody keeps it but the reader itself";
  EXPECT_TRUE(live.isHeld());
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_FALSE(probe().number({"HEXISTS", "stock", javaReader}));
  EXPECT_EQ(live.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(ReadWrite, aReadersRenewalKeepsItsOwnLeasesOnly) {
  auto &live = reader(party(), {.lease = 300ms});
  ASSERT_TRUE(live.takes());
  ASSERT_TRUE(live.takes());
  javaReads(30s);
  const auto before = live.validUntil();
  ASSERT_TRUE(eventually([&] { return live.validUntil() > before + 600ms; }));
  EXPECT_LT(probe().number({"PTTL", javaLease}), 29'500);
  EXPECT_GT(probe().number({"PTTL", "stock"}), 20'000) << "the lock outlives every lease";
  EXPECT_FALSE(live.loss());
  EXPECT_EQ(live.release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(live.release(), ReleaseOutcome::Released);
  probe()({"DEL", "stock", javaLease});
}

TEST_P(ReadWrite, aReaderThatAWriterPutOutIsTold) {
  auto &paused = reader(party(), {.lease = 600ms});
  const auto outcome = paused.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  probe()({"HDEL", "stock", tokenOf(outcome)}); // as a writer's ask does once its leases have ended
  ASSERT_TRUE(eventually([&] { return paused.loss().has_value(); }));
  EXPECT_EQ(paused.loss(), LossReason::TakenOver);
  EXPECT_EQ(paused.release(), ReleaseOutcome::NotOwner);
  probe()({"FLUSHALL"});
}

TEST_P(ReadWrite, aWriterGoesOnAsAReaderAndLetsReadersInButNoWriter) {
  auto &one = writer(party());
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  auto &joining = reader(party());
  auto waiting = joining.start(patient);
  auto &other = writer(party());
  auto otherWaits = other.start(patient);
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 2; }));
  EXPECT_TRUE(one.becomesReader());
  EXPECT_FALSE(one.becomesReader()) << "it is one";
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "only a message can have woken it";
  ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(probe().text({"HGET", "stock", "mode"}), "read");
  EXPECT_EQ(probe().text({"HGET", "stock", tokenOf(outcome)}), "1");
  EXPECT_EQ(probe().number({"HLEN", "stock"}), 3);
  EXPECT_EQ(otherWaits.wait_for(50ms), std::future_status::timeout);
  EXPECT_TRUE(one.isHeld());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(joining.release(), ReleaseOutcome::Released);
  other.cancel();
  if (std::holds_alternative<Acquired>(otherWaits.get())) { // it heard of the last release before it was cancelled
    EXPECT_EQ(other.release(), ReleaseOutcome::Released);
  }
}

TEST_P(ReadWrite, aWriterThatReleasesBeforeTheServerHeardThatItReadsLeavesNothing) {
  auto &one = writer(party());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(one.takes());
    if (i % 2 == 0) {
      ASSERT_TRUE(one.takes());
    }
    EXPECT_TRUE(one.becomesReader());
    if (i % 2 == 0) {
      EXPECT_EQ(one.release(), ReleaseOutcome::StillHeld);
    }
    EXPECT_EQ(one.release(), ReleaseOutcome::Released);
    EXPECT_FALSE(keyExists("stock"));
  }
}

TEST_P(ReadWrite, allReadersOfAClientGetInWhenTheWriterLeaves) {
  auto &other = writer(party());
  ASSERT_TRUE(other.takes());
  auto &client = party();
  std::vector<Owner *> readers;
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 50; ++i) {
    readers.push_back(&reader(client));
    waits.push_back(readers.back()->start(patient));
  }
  ASSERT_TRUE(eventually([&] { return probe()({"PUBSUB", "NUMSUB", channel}).array().at(1).integer() == 1; }));
  EXPECT_EQ(other.release(), ReleaseOutcome::Released);
  for (auto &wait : waits) {
    ASSERT_EQ(wait.wait_for(20s), std::future_status::ready);
    ASSERT_TRUE(std::holds_alternative<Acquired>(wait.get()));
  }
  EXPECT_EQ(probe().number({"HLEN", "stock"}), 51);
  for (auto *one : readers)
    EXPECT_EQ(one->release(), ReleaseOutcome::Released);
}

TEST_P(ReadWrite, aReplayedReadCountsOnce) {
  const LockName key("stock");
  const LockToken owner(javaReader);
  const auto run = [&](const Command &command) {
    std::vector<std::string_view> words{"EVAL", command.script()->body};
    for (std::size_t i = 2; i < command.size(); ++i)
      words.push_back(command[i]);
    return probe()(words);
  };
  const auto ask = [&](std::int64_t count) { return Primitive::Ask{.name = key, .owner = owner, .lease = 30s, .count = count, .mode = {.shared = true}}; };
  for (const int count : {1, 1, 2, 2, 1})
    EXPECT_EQ(primitive().readAcquire(run(primitive().acquire(ask(count), true))).kind, AcquireAnswer::Kind::Granted);
  EXPECT_EQ(probe().text({"HGET", "stock", owner.bytes()}), "2");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(primitive().readRelease(run(primitive().release(ask(1), false))), ReleaseAnswer::StillHeld);
  EXPECT_EQ(primitive().readRelease(run(primitive().release(ask(0), false))), ReleaseAnswer::Released);
  EXPECT_EQ(primitive().readRelease(run(primitive().release(ask(0), false))), ReleaseAnswer::NotOwner);
  EXPECT_EQ(primitive().readAcquire(run(primitive().acquire(ask(2), true))).kind, AcquireAnswer::Kind::HoldLost);
}
