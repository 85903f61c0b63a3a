// SPDX-License-Identifier: Apache-2.0
// Waiting for a message: what every primitive promises that has a policy of that kind.
#include "tests/contract/world/lock_world.h"

#include <algorithm>
#include <sstream>

using namespace lockhouse;
using namespace lockhouse::test;

class Listening : public LockContract {
protected:
  AcquirePolicy listening() const { return listeningPolicy(primitive()).value(); }
  bool blocks() const { return primitive().word() == Primitive::Word::OnList; }
  /// Channels that are listened to, or clients that block.
  std::size_t subscriptions() { return blocks() ? blocked().size() : probe().subscriptions(); }
  void cutWakeups() {
    if (!blocks())
      probe()({"CLIENT", "KILL", "TYPE", "pubsub"});
    for (const auto &id : blocked())
      probe()({"CLIENT", "KILL", "ID", id});
  }

private:
  std::vector<std::string> blocked() {
    std::vector<std::string> ids;
    std::istringstream lines(probe().text({"CLIENT", "LIST"}));
    for (std::string line; std::getline(lines, line);)
      if (line.find(" flags=b") != std::string::npos)
        ids.push_back(line.substr(3, line.find(' ') - 3));
    return ids;
  }
};
// A RedLock listens to nobody: a waiter would have to listen to every node. Nor does a MultiLock.
INSTANTIATE_TEST_SUITE_P(Every, Listening,
                         testing::ValuesIn(worlds(
                             "Listening", oneServer, [](const Primitive &primitive) { return listeningPolicy(primitive).has_value(); }, std::not_fn(isMulti))),
                         contractName);

/// Where another one of the client asks while one waits: a FallbackLock's stands in line behind it.
class ListeningBesideOthers : public Listening {};
INSTANTIATE_TEST_SUITE_P(Every, ListeningBesideOthers,
                         testing::ValuesIn(worlds(
                             "ListeningBesideOthers", oneServer, [](const Primitive &primitive) { return listeningPolicy(primitive).has_value(); },
                             [](Making making) { return !isMulti(making) && making != Making::Fallback; })),
                         contractName);

TEST_P(Listening, isWokenLongBeforeThePollAndTheLeaseEnd) {
  const auto policy = listening();
  auto &holder = party().owner(primitive(), "k", {.policy = policy});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  auto &waiter = party().owner(primitive(), "k", {.policy = policy});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return subscriptions() == 1; }));
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "only a message can have woken it";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Listening, getsInThoughNobodyPublishes) {
  takeAsStranger("k", 300ms);
  auto &waiter = party().owner(primitive(), "k");
  auto waiting = waiter.start(listening());
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "an expired lock tells nobody; the time left does";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Listening, survivesTheLossOfItsSubscription) {
  const auto policy = listening();
  auto &holder = party().owner(primitive(), "k", {.policy = policy});
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  auto &waiter = party().owner(primitive(), "k", {.policy = policy});
  auto waiting = waiter.start();
  ASSERT_TRUE(eventually([&] { return subscriptions() == 1; }));
  cutWakeups();
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Listening, fallsBackToPollingWithoutTheRightToListen) {
  probe()({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all"});
  auto uri = node();
  uri.user = "deaf";
  uri.password = "pw";
  auto &deaf = partyAt(uri);
  auto &holder = deaf.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  auto &waiter = partyAt(uri).owner(primitive(), "k");
  auto waiting = waiter.start(*listeningPolicy(primitive()));
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released) << "who may not publish has released it all the same";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(Listening, leavesNoSubscriptionThoughTheLineWasLostBeforeItStood) {
  takeAsStranger("k", 60s);
  auto &client = party();
  const auto clients = [&] {
    const auto info = probe().text({"INFO", "clients"});
    return info.substr(info.find("connected_clients:"), info.find("cluster_connections:") - info.find("connected_clients:"));
  };
  const auto before = clients();
  const auto lines = probe().text({"CLIENT", "LIST"});
  const auto there = std::ranges::count(lines, '\n');              // of the probe, the party and perhaps a replica
  probe()({"CONFIG", "SET", "maxclients", std::to_string(there)}); // the subscriber is turned away
  auto &waiter = client.owner(primitive(), "k");
  auto waiting = waiter.start(*listeningPolicy(primitive()));
  ASSERT_TRUE(eventually([&] { return probe().text({"INFO", "stats"}).find("rejected_connections:0") == std::string::npos; }));
  probe()({"CONFIG", "SET", "maxclients", "100"});
  ASSERT_TRUE(eventually([&] { return clients() != before; })) << "the subscriber's line is up";
  waiter.cancel();
  waiting.get();
  auto again = waiter.start(listening()); // listens as if for the first time
  ASSERT_TRUE(eventually([&] { return subscriptions() == 1; }));
  waiter.cancel();
  again.get();
  probe()({"DEL", keyOf("k")});
  expectNothingLeft();
}

TEST_P(ListeningBesideOthers, getsInWhenWhatWasGrantedTooLateIsGivenBack) {
  takeAsStranger("k", 1h);
  auto &client = party();
  auto &waiter = client.owner(primitive(), "k");
  auto &late = client.owner(primitive(), "k");
  auto waiting = waiter.start(listening());
  ASSERT_TRUE(eventually([&] { return subscriptions() == 1; }));
  ASSERT_TRUE(eventually([&] { return probe().calls("evalsha") + probe().calls("eval") >= 2; })) << "asked again, and asleep now";
  probe()({"DEL", keyOf("k")}); // nobody is told
  server->pause();
  auto asking = late.start(AcquirePolicy::tryOnce());
  late.cancel();
  EXPECT_TRUE(std::holds_alternative<Cancelled>(asking.get()));
  server->resume();
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the poll";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

TEST_P(ListeningBesideOthers, getsInThoughTheServerHadToBeTaughtTheRelease) {
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  auto &waiter = client.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  const auto asks = [&] { return probe().calls("set") + probe().calls("evalsha"); };
  const auto before = asks();
  auto waiting = waiter.start(listening());
  ASSERT_TRUE(eventually([&] { return asks() > before; })) << "it listens, and has asked";
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released); // the server's first: it arrives as EVAL, behind the ask of the next in line
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready) << "long before the poll and the lease end";
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

/// Of primitives that tell all waiters of a client at once.
class ListeningTogether : public Listening {};
INSTANTIATE_TEST_SUITE_P(Every, ListeningTogether,
                         testing::ValuesIn(worlds(
                             "ListeningTogether", oneServer,
                             [](const Primitive &primitive) { return listeningPolicy(primitive) && primitive.word() != Primitive::Word::OnOwner; },
                             std::not_fn(isMulti))),
                         contractName);

TEST_P(ListeningTogether, hasOneSubscriptionForAllWaitersOfAClient) {
  takeAsStranger("k", 60s);
  auto &client = party();
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 20; ++i)
    waits.push_back(client.owner(primitive(), "k").start(*listeningPolicy(primitive()), 400ms));
  EXPECT_TRUE(eventually([&] { return subscriptions() == 1; }));
  for (auto &wait : waits)
    EXPECT_TRUE(std::holds_alternative<TimedOut>(wait.get()));
  probe()({"DEL", keyOf("k")});
}

/// Of primitives that tell a client by its inbox.
class ListeningByInbox : public Listening {};
INSTANTIATE_TEST_SUITE_P(Every, ListeningByInbox,
                         testing::ValuesIn(worlds(
                             "ListeningByInbox", {Topology::UnixSocket},
                             [](const Primitive &primitive) {
                               return listeningPolicy(primitive) && (primitive.word() == Primitive::Word::OnInbox || primitive.word() == Primitive::Word::Hint);
                             },
                             std::not_fn(isMulti))),
                         contractName);

TEST_P(ListeningByInbox, hasOneSubscriptionForAllLocksOfAClient) {
  constexpr int locks = 100;
  const auto policy = listening();
  auto &holding = party();
  auto &waiting = party();
  std::vector<Owner *> holders, waiters;
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < locks; ++i) {
    const auto name = "k" + std::to_string(i);
    holders.push_back(&holding.owner(primitive(), name, {.policy = policy}));
    ASSERT_TRUE(holders.back()->takes());
    waiters.push_back(&waiting.owner(primitive(), name, {.policy = policy}));
    waits.push_back(waiters.back()->start());
  }
  ASSERT_TRUE(eventually([&] { return subscriptions() == 1; }));
  for (auto *holder : holders)
    EXPECT_EQ(holder->release(), ReleaseOutcome::Released);
  for (auto &wait : waits) {
    ASSERT_EQ(wait.wait_for(20s), std::future_status::ready) << "only a message can have woken it";
    EXPECT_TRUE(std::holds_alternative<Acquired>(wait.get()));
  }
  EXPECT_LE(subscriptions(), 1U) << "it may end when nobody waits any more";
  for (auto *waiter : waiters)
    EXPECT_EQ(waiter->release(), ReleaseOutcome::Released);
}
