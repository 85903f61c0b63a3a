// SPDX-License-Identifier: Apache-2.0
// Who listens: on plain channels everywhere, on sharded ones at a node of a cluster.
#include "tests/unit/watch/desk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

constexpr auto clusterNode = "cluster_enabled:1\r\n";
constexpr auto lockChannel = "redisson_lock__channel:{a}";
constexpr auto numSub = "PUBSUB NUMSUB", shardNumSub = "PUBSUB SHARDNUMSUB", channels = "PUBSUB CHANNELS", shardChannels = "PUBSUB SHARDCHANNELS";

struct NodeWatchListeners : testing::Test {
  Desk desk;
  std::optional<std::uint64_t> waiters(std::string_view key) const { return desk.lock(key) ? desk.lock(key)->waiters : std::nullopt; }
  void beat() {
    desk.pass(milliseconds(1100));
    desk.pong();
    desk.serve();
  }
};

TEST_F(NodeWatchListeners, ofBothKindsOfChannelAreAddedAtANodeOfACluster) {
  desk.info = clusterNode;
  desk.hash("a", {{owner1, "1"}}, seconds(30));
  desk.hash("rw", {{"mode", "write"}, {owner1 + ":write", "1"}}, seconds(30));
  desk.shardListeners = {{lockChannel, 2}, {"redisson_rwlock:{rw}", 4}};
  desk.listeners[lockChannel] = 1;
  desk.connect();
  EXPECT_EQ(waiters("a"), 3U);
  EXPECT_EQ(waiters("rw"), 4U);
  EXPECT_EQ(stateAt(*desk.lock("a"), desk.now()), LockState::Contended);
}

TEST_F(NodeWatchListeners, whoComesOrGoesOnAShardedChannelIsNoticedAtTheNextBeat) {
  desk.info = clusterNode;
  desk.hash("a", {{owner1, "1"}}, seconds(300));
  desk.connect();
  EXPECT_EQ(waiters("a"), std::nullopt);
  desk.shardListeners[lockChannel] = 1;
  beat();
  EXPECT_EQ(waiters("a"), 1U);
  const auto reads = desk.served["HSCAN"];
  beat();
  EXPECT_EQ(desk.served["HSCAN"], reads) << "nothing is different";
  desk.shardListeners.clear();
  beat();
  EXPECT_EQ(waiters("a"), std::nullopt);
}

TEST_F(NodeWatchListeners, showSemaphoresAndLatchesThatAreListenedToOnShardedChannelsAlone) {
  desk.info = clusterNode;
  desk.string("sem:s", "2");
  desk.string("gate", "3");
  desk.string("counter", "4");
  desk.shardListeners = {{"redisson_sc:{sem:s}", 2}, {"redisson_countdownlatch__channel__{gate}", 1}};
  desk.connect();
  ASSERT_TRUE(desk.lock("sem:s") && desk.lock("gate"));
  EXPECT_EQ(desk.lock("sem:s")->family, "redisson-semaphore");
  EXPECT_EQ(waiters("sem:s"), 2U);
  EXPECT_EQ(desk.lock("gate")->family, "redisson-latch");
  EXPECT_EQ(waiters("gate"), 1U);
  EXPECT_TRUE(desk.lock("sem:s")->areMoreToWait() && desk.lock("gate")->areMoreToWait()) << "a client listens once for all who wait there";
  EXPECT_FALSE(desk.lock("counter"));
}

TEST_F(NodeWatchListeners, ofShardedChannelsAreNotAskedForAtAServerOfItsOwn) {
  desk.hash("a", {{owner1, "1"}}, seconds(30));
  desk.listeners[lockChannel] = 1;
  desk.shardListeners = {{lockChannel, 2}, {"redisson_sc:{sem:s}", 2}};
  desk.connect();
  beat();
  EXPECT_EQ(waiters("a"), 1U);
  EXPECT_EQ(desk.served.count(shardNumSub) + desk.served.count(shardChannels), 0U);
}

TEST_F(NodeWatchListeners, ofShardedChannelsAreNotAskedForAgainWhereThatIsRefused) {
  desk.info = clusterNode; // of Redis 6, or of a user without the right
  desk.refused = {shardNumSub, shardChannels};
  desk.hash("a", {{owner1, "1"}}, seconds(300));
  desk.string("sem:s", "2");
  desk.listeners = {{lockChannel, 1}, {"redisson_sc:{sem:s}", 3}};
  desk.connect();
  EXPECT_EQ(waiters("a"), 1U);
  EXPECT_EQ(waiters("sem:s"), 3U);
  const auto asked = std::pair(desk.served[shardNumSub], desk.served[shardChannels]);
  const auto listed = desk.served[channels];
  for (int i = 0; i < 40; ++i) // beyond the next sweep
    beat();
  desk.hint({"a"});
  desk.serve();
  EXPECT_EQ(std::pair(desk.served[shardNumSub], desk.served[shardChannels]), asked);
  EXPECT_GT(desk.served[channels], listed);
  EXPECT_EQ(waiters("a"), 1U);
  EXPECT_EQ(desk.status().state, NodeState::Live);
}

TEST_F(NodeWatchListeners, ofShardedChannelsAreCountedWhereThoseOfPlainOnesMayNotBe) {
  desk.info = clusterNode;
  desk.refused = {numSub, channels};
  desk.hash("a", {{owner1, "1"}}, seconds(300));
  desk.string("sem:s", "2");
  desk.listeners[lockChannel] = 1;
  desk.shardListeners = {{lockChannel, 2}, {"redisson_sc:{sem:s}", 3}};
  desk.connect();
  EXPECT_EQ(waiters("a"), 2U);
  EXPECT_EQ(waiters("sem:s"), 3U);
  desk.shardListeners[lockChannel] = 5;
  beat();
  EXPECT_EQ(waiters("a"), 5U);
}

TEST_F(NodeWatchListeners, ofAFamilyOfOnesOwnAreThoseOfItsShardedChannelToo) {
  const auto families = FamilyRegistry::with("[[family]]\nslug = \"acme-gate\"\nwaits = \"channel\"\nchannel = \"acme:free:{name}\"\n[[family.form]]\n"
                                             "type = \"string\"\nkey = \"acme:gate:{name}\"\nvalue = \"{host:word}/{pid:digits}\"\nconfidence = 0.9\n",
                                             "families.toml");
  ASSERT_TRUE(families) << families.error().sentence();
  auto options = Desk::defaults();
  options.families = *families;
  Desk own(std::move(options));
  own.info = clusterNode;
  own.string("acme:gate:7", "web-1/4711", seconds(300));
  own.listeners["acme:free:7"] = 1;
  own.shardListeners["acme:free:7"] = 2;
  own.connect();
  ASSERT_TRUE(own.lock("acme:gate:7"));
  EXPECT_EQ(own.lock("acme:gate:7")->waiters, 3U);
}

TEST_F(NodeWatchListeners, ofASemaphoreOrALatchMakeItKnownAtTheNextBeat) {
  desk.info = "pubsub_channels:5\r\n";
  desk.string("gate", "3");
  desk.connect();
  EXPECT_FALSE(desk.lock("gate"));
  desk.listeners = {{"redisson_countdownlatch__channel__{gate}", 1}, {"redisson_sc:{sem:s}", 2}};
  beat();
  EXPECT_EQ(waiters("gate"), 1U);
  const auto reads = desk.served["GETRANGE"];
  beat();
  EXPECT_EQ(desk.served["GETRANGE"], reads) << "nobody else listens";
  desk.string("sem:s", "2");
  desk.hint({"sem:s"});
  desk.serve();
  EXPECT_EQ(waiters("sem:s"), 2U) << "it was listened to before it was there";
  desk.listeners.clear();
  beat();
  EXPECT_FALSE(desk.lock("gate") || desk.lock("sem:s"));
  beat();
  desk.listeners = {{"redisson_countdownlatch__channel__{gate}", 4}};
  beat();
  EXPECT_EQ(waiters("gate"), 4U);
  beat();
  EXPECT_EQ(desk.status().divergences, 0U) << "no feed tells who listens";
}

TEST_F(NodeWatchListeners, whoAreBlockedAreSeenAtTheMasterAlone) {
  for (const auto &[role, waiters] : {std::pair("master", std::optional<std::uint64_t>(0)), {"slave", std::nullopt}}) {
    Desk node;
    node.info = fmt::format("role:{}\r\nblocked_clients:0\r\n", role);
    node.string("lock:nightly", "Zk9xT2w3dFp1R2+YcW5K/JbQ", seconds(30)); // of python-redis-lock
    node.connect();
    ASSERT_TRUE(node.lock("lock:nightly"));
    EXPECT_EQ(node.lock("lock:nightly")->waiters, waiters) << role;
  }
}

TEST_F(NodeWatchListeners, areLookedForTheMoreSeldomTheMoreChannelsThereAre) {
  desk.info = "pubsub_channels:9000\r\npubsubshard_channels:3000\r\n";
  desk.connect();
  const auto asked = desk.served[channels];
  for (int i = 0; i < 3; ++i)
    beat();
  EXPECT_EQ(desk.served[channels], asked);
  beat();
  EXPECT_EQ(desk.served[channels], asked + 2);
}

TEST_F(NodeWatchListeners, areNotLookedForWhereTheChannelsAreOurOwn) {
  desk.info = "pubsub_channels:3\r\n";
  desk.connect();
  beat();
  const auto asked = desk.served[channels];
  beat();
  EXPECT_EQ(desk.served[channels], asked);
  desk.info = "pubsub_channels:4\r\n";
  beat();
  EXPECT_EQ(desk.served[channels], asked + 2) << "somebody came";
}

TEST_F(NodeWatchListeners, areAllCountedForWhoAsksForOneLock) {
  desk.info = clusterNode;
  desk.connect();
  desk.string("sem:s", "2");
  desk.listeners["redisson_sc:{sem:s}"] = 1;
  desk.shardListeners["redisson_sc:{sem:s}"] = 2;
  desk.event(watching::ReadWanted{LockName("sem:s"), 7});
  desk.serve();
  ASSERT_EQ(desk.readsDone.size(), 1U);
  ASSERT_TRUE(desk.readsDone[0].record && *desk.readsDone[0].record);
  EXPECT_EQ((*desk.readsDone[0].record)->waiters, 3U);
}

TEST_F(NodeWatchListeners, ofTheChannelOfClientsOf2016AreCountedForWhoAsksForOneLock) {
  desk.hash("a", {{owner1, "1"}}, seconds(30));
  desk.listeners = {{lockChannel, 2}, {"redisson_lock__channel__{a}", 3}};
  desk.connect();
  EXPECT_EQ(waiters("a"), 2U) << "a sweep does not ask for them";
  desk.event(watching::ReadWanted{LockName("a"), 7});
  desk.serve();
  ASSERT_EQ(desk.readsDone.size(), 1U);
  ASSERT_TRUE(desk.readsDone[0].record && *desk.readsDone[0].record);
  const auto &lock = **desk.readsDone[0].record;
  EXPECT_EQ(lock.waiters, 5U);
  EXPECT_THAT(lock.extras, testing::Contains(MetadataEntry{"old_clients", "3"}));
  EXPECT_TRUE(std::ranges::is_sorted(lock.extras, {}, &MetadataEntry::name));
}

TEST_F(NodeWatchListeners, ofAReadWriteLocksChannelOf2016AreCountedForWhoAsksForIt) {
  desk.hash("rw", {{"mode", "read"}, {owner1, "1"}}, seconds(30));
  desk.listeners = {{"redisson_rwlock:{rw}", 2}, {"redisson_rwlock__{rw}", 3}, {"redisson_lock__channel__{rw}", 9}};
  desk.connect();
  EXPECT_EQ(waiters("rw"), 2U) << "a sweep does not ask for them";
  desk.event(watching::ReadWanted{LockName("rw"), 7});
  desk.serve();
  ASSERT_EQ(desk.readsDone.size(), 1U);
  ASSERT_TRUE(desk.readsDone[0].record && *desk.readsDone[0].record);
  const auto &lock = **desk.readsDone[0].record;
  EXPECT_EQ(lock.waiters, 5U);
  EXPECT_THAT(lock.extras, testing::Contains(MetadataEntry{"old_clients", "3"}));
}

TEST_F(NodeWatchListeners, atOtherNodesOfTheClusterAreAddedToThoseHere) {
  desk.info = clusterNode;
  desk.hash("a", {{owner1, "1"}}, seconds(300));
  desk.hash("rw", {{"mode", "read"}, {owner1, "1"}}, seconds(300));
  desk.hash("b", {{owner1, "1"}}, seconds(300));
  desk.listeners[lockChannel] = 1;
  desk.elsewhere = {{lockChannel, 2}, {"redisson_rwlock:{rw}", 4}};
  desk.connect();
  EXPECT_EQ(waiters("a"), 3U);
  EXPECT_THAT(englishOf(desk.lock("a")->evidence), testing::Contains("clients that listen for its release at other nodes of the cluster: 2"));
  EXPECT_EQ(waiters("rw"), 4U);
  EXPECT_EQ(waiters("b"), std::nullopt);
  EXPECT_EQ(desk.story(), "appeared rw, waiters rw, appeared a, appeared b");
  desk.event(watching::ReadWanted{LockName("a"), 7});
  desk.serve();
  ASSERT_TRUE(desk.readsDone.size() == 1U && desk.readsDone[0].record);
  EXPECT_EQ((*desk.readsDone[0].record)->waiters, 3U);
}

TEST_F(NodeWatchListeners, whoComesOrGoesAtAnotherNodeIsNoticedAtTheNextBeat) {
  desk.info = clusterNode;
  desk.hash("a", {{owner1, "1"}}, seconds(300));
  desk.connect();
  desk.elsewhere[lockChannel] = 1;
  beat();
  EXPECT_EQ(waiters("a"), 1U);
  const auto reads = desk.served["HSCAN"];
  beat();
  EXPECT_EQ(desk.served["HSCAN"], reads) << "nothing is different";
  desk.elsewhere.clear();
  beat();
  EXPECT_EQ(waiters("a"), std::nullopt);
  beat();
  EXPECT_EQ(desk.status().divergences, 0U) << "no feed tells who listens";
}

TEST_F(NodeWatchListeners, ofAGroupOfValuesAreCountedAtOtherNodesTooAndAtTheNextBeat) {
  desk.info = clusterNode;
  const std::string value(22, 'A'), hold = value + ":" + owner1;
  desk.hash("group", {{value, owner1}, {hold + ":expire_time", "99999999999999"}, {hold + ":lock_count", "1"}}, seconds(300));
  desk.listeners["redisson_lock__channel:{group}"] = 1;
  desk.connect();
  ASSERT_TRUE(desk.lock("group"));
  EXPECT_EQ(desk.lock("group")->family, "redisson-multilock");
  EXPECT_EQ(waiters("group"), 1U);
  desk.elsewhere["redisson_lock__channel:{group}"] = 2;
  beat();
  EXPECT_EQ(waiters("group"), 3U);
}

TEST_F(NodeWatchListeners, atOtherNodesAreAskedForByTheHundredBeforeTheLocksAreKnown) {
  desk.info = clusterNode;
  for (int i = 1000; i < 2200; ++i)
    desk.hash(fmt::format("lock:{}", i), {{owner1, "1"}}, seconds(3000));
  desk.elsewhere["redisson_lock__channel:{lock:2199}"] = 1;
  desk.event(watching::CommandsUp{});
  desk.serve();
  desk.event(watching::FeedUp{});
  while (desk.subscriberQuestions.empty())
    ASSERT_TRUE(desk.answerOne());
  EXPECT_FALSE(desk.status().scanComplete);
  EXPECT_EQ(desk.subscriberQuestions.front().channels.size(), 500U);
  desk.serve();
  EXPECT_TRUE(desk.status().scanComplete);
  EXPECT_EQ(desk.served["hearing"], 3U);
  EXPECT_EQ(waiters("lock:2199"), 1U);
  beat();
  ASSERT_EQ(desk.served["hearing"], 4U);
  desk.pass(milliseconds(1100));
  ASSERT_EQ(desk.subscriberQuestions.size(), 1U);
  EXPECT_EQ(desk.subscriberQuestions.front().channels.size(), 250U) << "of two other nodes, each of which two others ask";
}

TEST_F(NodeWatchListeners, ofALockThatIsNewAreAskedForFirst) {
  desk.info = clusterNode;
  for (int i = 1000; i < 2200; ++i)
    desk.hash(fmt::format("lock:{}", i), {{owner1, "1"}}, seconds(3000));
  desk.connect();
  desk.hash("zz", {{owner1, "1"}}, seconds(3000));
  desk.elsewhere["redisson_lock__channel:{zz}"] = 1;
  desk.hint({"zz"});
  desk.serve();
  beat();
  EXPECT_EQ(waiters("zz"), 1U);
}

TEST_F(NodeWatchListeners, areALowerBoundWhereNotAllMastersAreWatched) {
  constexpr auto words = "clients that listen for its release at masters of the cluster that are not watched or not reached are not counted";
  desk.info = clusterNode;
  desk.areAllMastersWatched = false;
  desk.hash("a", {{owner1, "1"}}, seconds(300));
  desk.hash("b", {{owner1, "1"}}, seconds(300));
  desk.listeners[lockChannel] = 1;
  desk.connect();
  EXPECT_THAT(englishOf(desk.lock("a")->evidence), testing::Contains(words));
  EXPECT_TRUE(desk.lock("a")->areMoreToWait());
  EXPECT_EQ(waiters("b"), std::nullopt) << "unknown, with nothing to be a bound of";
  desk.areAllMastersWatched = true;
  beat();
  EXPECT_THAT(englishOf(desk.lock("a")->evidence), testing::Not(testing::Contains(words)));
  EXPECT_TRUE(desk.lock("a")->areMoreToWait()) << "each client may have several who wait";
}

TEST_F(NodeWatchListeners, areToldToAnotherNodeThatAsks) {
  desk.info = clusterNode;
  desk.listeners = {{"one", 2}};
  desk.event(watching::SubscribersWanted{1, {"one"}});
  ASSERT_EQ(desk.subscriberAnswers.size(), 1U);
  EXPECT_FALSE(desk.subscriberAnswers[0].clients) << "it is not connected";
  desk.connect();
  desk.event(watching::SubscribersWanted{2, {"none", "one"}});
  desk.serve();
  ASSERT_EQ(desk.subscriberAnswers.size(), 2U);
  EXPECT_EQ(desk.subscriberAnswers[1].request, 2U);
  EXPECT_EQ(desk.subscriberAnswers[1].clients, (std::vector<std::uint64_t>{0, 2}));
  desk.refused = {numSub};
  desk.event(watching::SubscribersWanted{3, {"one"}});
  desk.serve();
  ASSERT_EQ(desk.subscriberAnswers.size(), 3U);
  EXPECT_FALSE(desk.subscriberAnswers[2].clients);
  EXPECT_EQ(desk.watch.subscriberCounting(), NodeWatcher::SubscriberCounting::Away);
}

} // namespace
} // namespace lockhouse::test
