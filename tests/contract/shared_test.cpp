// SPDX-License-Identifier: Apache-2.0
// What FairReadWriteLock and LeasedSemaphore promise beyond exclusion: who may be in together, in what order, and at whose price.
#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

class Sharing : public LockContract {
protected:
  static LockOptions reader(milliseconds lease = 30s) { return {.lease = lease, .mode = {.shared = true}}; }
  std::int64_t holders() { return probe().number({"ZCARD", "k"}); }
  std::int64_t queued() { return probe().number({"ZCARD", "lockhouse:queue:{k}"}); }
};
class ReadersAndWriters : public Sharing {};
class Permits : public Sharing {
protected:
  static LockOptions permits(std::int64_t wanted, std::int64_t capacity = 3, milliseconds lease = 30s) {
    return {.lease = lease, .mode = {.permits = wanted, .capacity = capacity}};
  }
};
INSTANTIATE_TEST_SUITE_P(Every, ReadersAndWriters, testing::Combine(testing::Values("FairReadWriteLock"), testing::Values(Topology::UnixSocket)), contractName);
INSTANTIATE_TEST_SUITE_P(Every, Permits, testing::Combine(testing::Values("LeasedSemaphore"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(ReadersAndWriters, readersAreInTogetherAndAWriterAlone) {
  auto &one = party().owner(primitive(), "k", reader());
  auto &two = party().owner(primitive(), "k", reader());
  auto &writer = party().owner(primitive(), "k");
  ASSERT_TRUE(one.takes());
  ASSERT_TRUE(two.takes());
  EXPECT_FALSE(writer.takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_FALSE(writer.takes());
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(writer.takes());
  EXPECT_FALSE(one.takes());
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
}

TEST_P(ReadersAndWriters, areNotLetInBesideAReaderWhomAStrangersMemberHides) {
  auto &one = party().owner(primitive(), "k", reader());
  auto &two = party().owner(primitive(), "k", reader());
  ASSERT_TRUE(one.takes());
  ASSERT_TRUE(two.takes());
  const std::string client = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02"; // whose writer waits, and does not ask again
  probe()({"ZADD", "lockhouse:queue:{k}", "1", "w/" + client + ":1"});
  probe()({"HSET", "lockhouse:deadlines:{k}", client, inAMinute()});
  probe()({"ZADD", "k", "0", "note"});
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  EXPECT_EQ(holders(), 2) << "the stranger's, and the reader who stays";
  EXPECT_EQ(queued(), 1);
  probe()({"ZREM", "k", "note"});
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_EQ(holders(), 1) << "the writer is in";
  EXPECT_EQ(queued(), 0);
  probe()({"DEL", "k", "lockhouse:deadlines:{k}"});
}

TEST_P(ReadersAndWriters, areLetInInTheirOrderAndReadersThatStandTogetherEnterTogether) {
  auto &first = party().owner(primitive(), "k");
  ASSERT_TRUE(first.takes());
  std::vector<Owner *> readers;
  std::vector<std::future<AcquireOutcome>> reading;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(&party().owner(primitive(), "k", reader()));
    reading.push_back(readers.back()->start());
    ASSERT_TRUE(eventually([&] { return queued() == i + 1; }));
  }
  auto &writer = party().owner(primitive(), "k");
  auto writing = writer.start();
  ASSERT_TRUE(eventually([&] { return queued() == 4; }));
  auto &late = party().owner(primitive(), "k", reader());
  auto lateReading = late.start();
  ASSERT_TRUE(eventually([&] { return queued() == 5; }));

  EXPECT_EQ(first.release(), ReleaseOutcome::Released);
  for (auto &waiting : reading)
    ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(holders(), 3) << "all readers before the writer, by one release";
  EXPECT_EQ(queued(), 2) << "the late reader does not overtake the writer";
  for (auto *each : readers)
    EXPECT_EQ(each->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(writing.get()));
  EXPECT_EQ(lateReading.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(lateReading.get()));
  EXPECT_EQ(late.release(), ReleaseOutcome::Released);
}

TEST_P(ReadersAndWriters, aWriterThatComesFirstStandsBeforeReadersThatWait) {
  auto &holder = party().owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  auto &patient = party().owner(primitive(), "k", reader());
  auto reading = patient.start(AcquirePolicy::writersFirst());
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  auto &writer = party().owner(primitive(), "k");
  auto writing = writer.start(AcquirePolicy::writersFirst());
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(writing.get()));
  EXPECT_EQ(reading.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(reading.get()));
  EXPECT_EQ(patient.release(), ReleaseOutcome::Released);
}

TEST_P(ReadersAndWriters, aReaderThatIsGoneIsNotKeptByTheOthersRenewals) {
  auto &alive = party().owner(primitive(), "k", reader(600ms));
  auto &gone = party().owner(primitive(), "k", {.lease = 600ms, .renew = false, .mode = {.shared = true}});
  ASSERT_TRUE(alive.takes());
  ASSERT_TRUE(gone.takes());
  auto &writer = party().owner(primitive(), "k", {.lease = 600ms});
  auto writing = writer.start();
  ASSERT_TRUE(eventually([&] { return gone.loss().has_value(); }));
  EXPECT_TRUE(alive.isHeld());
  EXPECT_EQ(alive.release(), ReleaseOutcome::Released);
  ASSERT_EQ(writing.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(writing.get()));
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
}

TEST_P(Permits, areNeverMoreThanThereAre) {
  auto &two = party().owner(primitive(), "k", permits(2));
  auto &one = party().owner(primitive(), "k", permits(1));
  auto &more = party().owner(primitive(), "k", permits(1));
  ASSERT_TRUE(two.takes());
  ASSERT_TRUE(one.takes());
  EXPECT_FALSE(more.takes());
  EXPECT_EQ(holders(), 3);
  EXPECT_EQ(two.release(), ReleaseOutcome::Released);
  EXPECT_EQ(holders(), 1);
  ASSERT_TRUE(more.takes());
  EXPECT_EQ(more.release(), ReleaseOutcome::Released);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Permits, thatComeFreeTogetherLetSeveralIn) {
  auto &all = party().owner(primitive(), "k", permits(3));
  ASSERT_TRUE(all.takes());
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 4; ++i) {
    waiters.push_back(&party().owner(primitive(), "k", permits(1)));
    waits.push_back(waiters.back()->start());
    ASSERT_TRUE(eventually([&] { return queued() == i + 1; }));
  }
  EXPECT_EQ(all.release(), ReleaseOutcome::Released);
  for (std::size_t i = 0; i < 3; ++i)
    ASSERT_TRUE(std::holds_alternative<Acquired>(waits[i].get()));
  EXPECT_EQ(waits[3].wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(waiters[0]->release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(waits[3].get()));
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
}

TEST_P(Permits, whoWantsManyIsNotOvertakenByThoseWhoWantFew) {
  auto &one = party().owner(primitive(), "k", permits(1));
  ASSERT_TRUE(one.takes());
  auto &many = party().owner(primitive(), "k", permits(3));
  auto wanting = many.start();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  EXPECT_FALSE(party().owner(primitive(), "k", permits(1)).takes());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(wanting.get()));
  EXPECT_EQ(many.release(), ReleaseOutcome::Released);
}

TEST_P(Permits, ofAVanishedHolderComeBackWithItsLease) {
  probe()({"ZADD", "k", "1", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:7/1", "1", "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:7/2"});
  auto &all = party().owner(primitive(), "k", permits(3));
  ASSERT_TRUE(all.takes()) << "their leases ended long ago";
  EXPECT_EQ(holders(), 3);
  EXPECT_EQ(all.release(), ReleaseOutcome::Released);
}

TEST_P(ReadersAndWriters, aWriterOfANewClientWhoGoesBeforeTheQueueHasAPlaceInIt) {
  auto &holder = party().owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  auto &reader = party().owner(primitive(), "k", {.lease = 1h, .mode = {.shared = true}});
  auto reading = reader.start();
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  auto &client = party();
  takeAsStranger("other", 60s);
  auto &other = client.owner(primitive(), "other"); // so that the client hears already: nobody asks a second time
  auto deaf = other.start();
  ASSERT_TRUE(eventually([&] { return probe().subscriptions() == 2 && probe().number({"ZCARD", "lockhouse:queue:{other}"}) == 1; }));
  client.turn(20);
  auto &writer = client.owner(primitive(), "k", {.lease = 1h}); // nor does a poll give it its place once more
  auto writing = writer.start(AcquirePolicy::writersFirst());
  EXPECT_TRUE(eventually([&] { return queued() == 2; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(writing.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(writer.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(reading.get()));
  EXPECT_EQ(reader.release(), ReleaseOutcome::Released);
  other.cancel();
  probe()({"DEL", "other"});
}

TEST_P(Permits, areAsManyAsTheFirstHolderSaid) {
  auto &first = party().owner(primitive(), "k", permits(1, 2));
  ASSERT_TRUE(first.takes());
  auto &greedy = party().owner(primitive(), "k", permits(2, 10));
  EXPECT_FALSE(greedy.takes());
  EXPECT_EQ(first.release(), ReleaseOutcome::Released);
  EXPECT_TRUE(greedy.takes());
  EXPECT_EQ(greedy.release(), ReleaseOutcome::Released);
}

TEST_P(Permits, whichNobodyOfTheClientWantsArePassedOnAllOfThem) {
  auto &client = party();
  auto &all = client.owner(primitive(), "k", permits(3));
  const auto outcome = all.acquire();
  ASSERT_TRUE(std::holds_alternative<Acquired>(outcome));
  const auto token = std::get<Acquired>(outcome).token.bytes();
  const auto self = token.substr(0, token.rfind(':'));
  probe()({"HSET", "lockhouse:deadlines:{k}", self, "99999999999999"}); // it is alive
  probe()({"ZADD", "lockhouse:queue:{k}", "1", "2/" + self + ":99999"});
  auto &waiter = client.owner(primitive(), "k", permits(3));
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  EXPECT_EQ(all.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the lease of the one that is nobody's";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

class Unwatched : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, Unwatched, testing::Combine(testing::Values("SetnxLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(Unwatched, aReleaseIsRefusedAndDeletesNothing) {
  probe()({"ACL", "SETUSER", "blind", "on", ">pw", "~*", "&*", "+@all", "-watch"});
  auto uri = node();
  uri.user = "blind";
  uri.password = "pw";
  auto &holder = partyAt(uri).owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  EXPECT_EQ(holder.release(), ReleaseOutcome::Failed);
  EXPECT_TRUE(keyExists("k"));
  probe()({"DEL", "k"});
}

// Of both kinds: a sorted set under the name that somebody keeps other things in.
using SharedNames = Sharing;
INSTANTIATE_TEST_SUITE_P(Every, SharedNames, testing::Combine(testing::Values("FairReadWriteLock", "LeasedSemaphore"), testing::Values(Topology::UnixSocket)),
                         contractName);

TEST_P(SharedNames, aForeignSortedSetIsRefusedAndNotTouched) {
  probe()({"ZADD", "k", "10", "ann", "20", "bob", "99999999999999", "cid"});
  auto &one = party().owner(primitive(), "k", {.lease = 500ms});
  const auto outcome = one.tryAcquire();
  const auto *failed = std::get_if<Failed>(&outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(failed->error.what.english().find("WRONGTYPE"), std::string::npos) << failed->error.sentence();
  EXPECT_EQ(one.release(), ReleaseOutcome::NotOwner);
  EXPECT_EQ(holders(), 3);
  EXPECT_EQ(probe().number({"PTTL", "k"}), -1);
  probe()({"DEL", "k"});
}
