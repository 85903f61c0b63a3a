// SPDX-License-Identifier: Apache-2.0
// What the bytes tell of each of several holders, in their order.
#include "tests/unit/watch/corpus/lock_corpus.h"
#include "tests/unit/watch/recognise.h"

#include <algorithm>
#include <bit>
#include <gmock/gmock.h>

namespace lockhouse::test {
namespace {

std::string extraOf(const LockRecord &lock, std::string_view name) {
  const auto found = std::ranges::find(lock.extras, name, &MetadataEntry::name);
  return found == lock.extras.end() ? std::string("nothing") : found->value;
}

std::string machine(std::string_view host, int pid) { return std::string(host) + "_" + std::to_string(pid) + "_0123456789abcdef0123456789abcdef"; }

TEST(SeveralHolders, areEachNamedWithHostAndProcess) {
  const LockState state{
      "distributedlock-semaphore", ValueType::SortedSet, "pool", {{machine("web-1", 7), "1795300020000"}, {machine("web-2", 9), "1795300020001"}}, true, ""};
  const auto lock = recognise(factsOf(state));
  ASSERT_TRUE(lock);
  EXPECT_EQ(extraOf(*lock, "host"), "web-1, web-2");
  EXPECT_EQ(extraOf(*lock, "pid"), "7, 9");
}

TEST(SeveralHolders, haveEachALeaseOfTheirOwn) {
  const auto endsOf = [](const LockState &state) {
    const auto facts = factsOf(state);
    const auto lock = recognise(facts);
    std::vector<std::optional<milliseconds>> ends;
    for (const auto &holder : lock.value_or(LockRecord()).holders)
      ends.push_back(holder.expiresAt ? std::optional(duration_cast<milliseconds>(*holder.expiresAt - facts.seenAt)) : std::nullopt);
    return ends;
  };
  const auto in = [](seconds span) { return std::to_string((corpusTime + span).count()); };
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  using testing::ElementsAre;
  EXPECT_THAT(endsOf({"", ValueType::SortedSet, "pool", {{machine("w", 1), in(seconds(5))}, {machine("w", 2), in(seconds(9))}}, true, ""}),
              ElementsAre(seconds(5), seconds(9)));
  const std::string token = "itGRndUan7bU1Qm6ZMjPaAPeUNg6Ls+661NCBxpIyy0=", other = "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=";
  EXPECT_THAT(endsOf({"", ValueType::SortedSet, "lock:inf", {{token, in(seconds(5))}, {other, "inf"}}, false, ""}), ElementsAre(seconds(5), std::nullopt));
  const std::string value = "KnZL1ZlKeUJYf3sLDSpBeA", owner = uuid + ":42", expire = value + ":" + owner + ":expire_time",
                    count = value + ":" + owner + ":lock_count";
  EXPECT_THAT(endsOf({"", ValueType::Hash, "multi", {{value, owner}, {expire, in(seconds(7))}, {count, "1"}}, false, ""}), ElementsAre(seconds(7)));
}

TEST(SeveralHolders, ofMoreThanEightTheFirstAreNamed) {
  LockState state{"distributedlock-semaphore", ValueType::SortedSet, "pool", {}, true, ""};
  for (int i = 0; i < 12; ++i)
    state.parts.emplace_back(machine("w", i), "17953000200" + std::to_string(10 + i));
  EXPECT_EQ(extraOf(*recognise(factsOf(state)), "pid"), "0, 1, 2, 3, 4, 5, 6, 7, …");
}

TEST(SeveralHolders, ofRedisSemaphoreOneAloneTellsWhenHeLastRefreshed) {
  const std::string one = "16db4708-752b-4f15-84b8-35c0e719097d", two = "26db4708-752b-4f15-84b8-35c0e719097d";
  const auto ago = std::to_string((corpusTime - seconds(2)).count());
  LockState state{"redis-semaphore", ValueType::SortedSet, "semaphore:m", {{one + "_0", ago}, {one + "_1", ago}}, true, ""};
  const auto alone = recognise(factsOf(state));
  ASSERT_TRUE(alone && alone->renewedAt);
  EXPECT_EQ(*alone->renewedAt, factsOf(state).seenAt - seconds(2));
  state.parts.emplace_back(two + "_0", ago);
  EXPECT_FALSE(recognise(factsOf(state))->renewedAt);
}

TEST(SeveralHolders, ofASemaphoreOfEndsAreNotThoseOfTimesOfRefresh) {
  const std::string uuid = "16db4708-752b-4f15-84b8-35c0e719097d";
  const auto in = [](milliseconds span, int unit) { return std::to_string((corpusTime + span).count() / unit); };
  for (const auto &[id, unit] : {std::pair(uuid, 1), {std::string("web-1:231"), 1}, {uuid, 1000}}) {
    const auto ends = recognise(factsOf({"", ValueType::SortedSet, "semaphore:export", {{id, in(seconds(30), unit)}}, false, ""}));
    ASSERT_TRUE(ends) << id << unit;
    EXPECT_EQ(ends->family, "handmade-zset") << id << unit;
    EXPECT_TRUE(ends->expiresAt);
    EXPECT_GE(ends->confidence, shownConfidence);
    const auto refreshed = recognise(factsOf({"", ValueType::SortedSet, "semaphore:export", {{id, in(seconds(2), unit)}}, false, ""}));
    EXPECT_EQ(refreshed->family, unit == 1 ? "redis-semaphore" : "handmade-since") << "by a clock that is ahead";
    const std::string other = id == uuid ? "26db4708-752b-4f15-84b8-35c0e719097d" : "web-9:1";
    const auto companion =
        recognise(factsOf({"", ValueType::SortedSet, "semaphore:export", {{other, in(seconds(-1), unit)}, {id, in(seconds(9), unit)}}, false, ""}));
    EXPECT_EQ(companion->holders.size(), 2U) << "one of them by a clock that is far ahead";
    EXPECT_NE(companion->family, "handmade-zset");
    const auto leased = recognise(factsOf({"", ValueType::SortedSet, "semaphore:export", {{id, in(seconds(8), unit)}}, true, ""}));
    EXPECT_EQ(leased->family == "handmade-zset", unit == 1000) << "as its library keeps it, in milliseconds";
  }
}

TEST(SeveralHolders, ofAReadWriteLockAreTheReadersNotTheWriterWhoWaits) {
  const auto *family = FamilyRegistry::builtIn().find("distributedlock-rw");
  KeyFacts facts;
  facts.key = "acct.writer";
  facts.type = ValueType::String;
  facts.value = machine("waiter", 5) + "_WRITERWAITING";
  facts.ttl = seconds(20);
  facts.serverTime = corpusTime;
  facts.companion = {
      {.form = &family->companion.front(), .key = "acct.readers", .value = {}, .members = {{machine("r1", 1)}, {machine("r2", 2)}}, .size = 2, .ttl = {}}};
  auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(extraOf(*lock, "host"), "r1, r2");
  EXPECT_EQ(lock->expiresAt, std::nullopt);
  EXPECT_EQ(lock->queue, (std::vector<Waiter>{{machine("waiter", 5), std::nullopt}})) << "by the name that he will hold it by";
  facts.companion.front().ttl = seconds(90);
  lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->expiresAt, facts.seenAt + seconds(90)) << "the readers' lease, not the waiter's";
}

TEST(SeveralHolders, ofSidekiqAreJobsWithTheirTimes) {
  const std::string key = "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", first = "4e1f0a9b3c7d5e6f8a9b0c1d", second = "5e1f0a9b3c7d5e6f8a9b0c1d";
  const auto eight = recognise(factsOf({"", ValueType::Hash, key, {{first, "1795299990.5"}, {second, "1795299991.5"}}, false, ""}));
  ASSERT_TRUE(eight);
  EXPECT_EQ(extraOf(*eight, "job"), first + ", " + second);
  EXPECT_EQ(extraOf(*eight, "since"), "2026-11-21T22:26:30.500Z, 2026-11-21T22:26:31.500Z");
  const auto nine = recognise(factsOf(
      {"", ValueType::Hash, key, {{first, R"({"lock_args":["queue", {"queue":"no"}],"worker":"Mail\"Job","queue":"low","time":1795299990.5})"}}, false, ""}));
  ASSERT_TRUE(nine);
  EXPECT_EQ(extraOf(*nine, "queue"), "low");
  EXPECT_EQ(extraOf(*nine, "worker"), "Mail\"Job");
  EXPECT_EQ(extraOf(*nine, "since"), "2026-11-21T22:26:30.500Z");
}

TEST(SeveralHolders, ofSidekiqHaveThoseWaitWhoStandInTheQueueAndNotWhatWakesThem) {
  const auto *family = FamilyRegistry::builtIn().find("sidekiq-unique-jobs");
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", first = "4e1f0a9b3c7d5e6f8a9b0c1d", second = "5e1f0a9b3c7d5e6f8a9b0c1d";
  const LockState state{"", ValueType::Hash, digest + ":LOCKED", {{first, "1795299990.5"}}, false, ""};
  auto facts = factsOf(state);
  const auto queue = std::ranges::find(family->companion, Role::Queue, &CompanionKey::role);
  facts.companion = {{.form = &*queue, .key = digest + ":QUEUED", .value = {}, .members = {{"1"}, {second}, {"1"}}, .size = 3, .ttl = {}}};
  const auto lock = recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->queue, (std::vector<Waiter>{{second, std::nullopt}}));
  EXPECT_EQ(lock->waiters, 1U);
  facts.companion.front().members = {{"1"}};
  facts.companion.front().size = 1;
  EXPECT_EQ(recognise(facts)->waiters, 0U) << "who is blocked there would have taken it";
  EXPECT_TRUE(recognise(facts)->queue.empty());
  facts.companion.front().members.assign(1000, {second});
  facts.companion.front().members.front() = {"1"};
  facts.companion.front().size = 2500;
  EXPECT_EQ(recognise(facts)->waiters, 2499U);
  EXPECT_THAT(englishOf(recognise(facts)->evidence), testing::Contains("2499 wait, of whom 999 were read"));
}

TEST(SeveralHolders, ofSuoTellSinceWhen) {
  std::string value = "\x92";
  for (const double time : {1795299990.5, 1795299991.5}) {
    value += "\x92\xcb";
    const auto bits = std::bit_cast<std::uint64_t>(time);
    for (int shift = 56; shift >= 0; shift -= 8)
      value += static_cast<char>(bits >> shift & 0xff);
    value += "\xb8";
    value += "q83vEjRWeJCrze8SNFZ4kA==";
  }
  const auto lock = recognise(factsOf({"", ValueType::String, "lock:suo", {{value, ""}}, true, ""}));
  ASSERT_TRUE(lock);
  EXPECT_EQ(extraOf(*lock, "since"), "2026-11-21T22:26:30.500Z, 2026-11-21T22:26:31.500Z");
}

TEST(SeveralHolders, ofRedisSemaphoreAreKnownByWhateverIdTheyTook) {
  const std::string uuid = "16db4708-752b-4f15-84b8-35c0e719097d", since = "1795299999900";
  const auto holders = [&](std::vector<std::string> members) {
    LockState state{"redis-semaphore", ValueType::SortedSet, "semaphore:gpu", {}, true, ""};
    for (auto &member : members)
      state.parts.emplace_back(std::move(member), since);
    const auto lock = recognise(factsOf(state));
    std::vector<std::string> named;
    for (const auto &holder : lock ? lock->holders : std::vector<Holder>())
      named.push_back(holder.id + "=" + std::to_string(holder.count));
    return named;
  };
  EXPECT_THAT(holders({uuid + "-web1"}), testing::ElementsAre(uuid + "-web1=1"));
  EXPECT_THAT(holders({uuid + "-web1_0", uuid + "-web1_1"}), testing::ElementsAre(uuid + "-web1=2"));
  EXPECT_THAT(holders({"worker-7", "worker-8"}), testing::ElementsAre("worker-7=1", "worker-8=1"));
  EXPECT_THAT(holders({"worker-7_0", "worker-7_1", "web_2"}), testing::ElementsAre("worker-7=2", "web_2=1"));
  EXPECT_THAT(holders({uuid + "_3"}), testing::ElementsAre(uuid + "=1")) << "the rest of a list that was cut";
}

// One entry that is off does not make a lock vanish.
TEST(SeveralHolders, areShownBesideWhatIsNoTimeOrNoEntry) {
  const std::string token = "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=";
  for (const auto *odd : {"1e300", "1795300000000000"}) {
    const auto lock = recognise(factsOf({"symfony", ValueType::SortedSet, "order:lock", {{token, odd}, {"__write__", odd}}, true, ""}));
    ASSERT_TRUE(lock) << odd;
    EXPECT_EQ(lock->family, "symfony");
    EXPECT_EQ(lock->holders.at(0).mode, HoldMode::Write);
  }
  const auto pool = recognise(
      factsOf({"distributedlock-semaphore", ValueType::SortedSet, "printer", {{machine("WEB", 1), "inf"}, {machine("WEB", 2), "1795300020000"}}, true, ""}));
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->holders.size(), 2U);
  const std::string owner = "8743c9c0-0795-4907-87fd-6c719a6b4586:31", value = "RVmtDELmeXwi7EAFIXL/Jg";
  LockState group{"redisson-multilock", ValueType::Hash, "fml", {{value, owner}, {value + ":" + owner + ":expire_time", "1795300030000"}}, true, ""};
  group.parts.emplace_back(value + ":" + owner + ":lock_count", "1");
  group.parts.emplace_back("junk", "1");
  const auto locked = recognise(factsOf(group));
  ASSERT_TRUE(locked);
  EXPECT_EQ(locked->family, "redisson-multilock");
  EXPECT_EQ(locked->unexpectedEntries, 1U);
}

TEST(SeveralHolders, ofAMultiLockAreInstancesAndThreads) {
  const std::string value = "q83vEjRWeJCrze8SNFZ4kA", owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:17", first = value + ":" + owner;
  const auto lock =
      recognise(factsOf({"", ValueType::Hash, "group", {{value, owner}, {first + ":expire_time", "1795300600000"}, {first + ":lock_count", "1"}}, true, ""}));
  ASSERT_TRUE(lock);
  EXPECT_EQ(extraOf(*lock, "instance"), owner.substr(0, 36));
  EXPECT_EQ(extraOf(*lock, "thread"), "17");
}

// Whoever takes a value whose hold has lapsed leaves the end and the count of that hold; they go with the key, which may be in use for days.
TEST(SeveralHolders, ofAMultiLockAreNotThoseWhoseHoldsHaveLapsed) {
  const std::string value = "q83vEjRWeJCrze8SNFZ4kA", holder = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:17";
  LockState group{"redisson-multilock", ValueType::Hash, "group", {{value, holder}}, true, ""};
  const auto put = [&](const std::string &owner, const char *end) {
    group.parts.emplace_back(value + ":" + owner + ":expire_time", end);
    group.parts.emplace_back(value + ":" + owner + ":lock_count", "1");
  };
  put(holder, "1795300600000");
  for (int i = 1; i <= 6; ++i) {
    put(holder + std::to_string(i), "1795299990000");
    const auto lock = recognise(factsOf(group));
    ASSERT_TRUE(lock) << i;
    EXPECT_EQ(lock->family, "redisson-multilock");
    EXPECT_EQ(lock->holders.size(), 1U);
    EXPECT_EQ(lock->unexpectedEntries, 0U);
    EXPECT_THAT(englishOf(lock->evidence), testing::Contains("fields that are left of holds which have lapsed: " + std::to_string(2 * i)));
  }
}

// "web-1:1" -> when his slot ends.
TEST(SeveralHolders, ofAUsersFamilyMayEachNameTheirEnd) {
  const auto families =
      FamilyRegistry::with("[[family]]\nslug = \"acme-slots\"\nkind = \"semaphore\"\nrelease = \"D\"\n[[family.form]]\ntype = \"hash\"\n"
                           "key = \"acme:slots:{name}\"\nfield = \"{host:word}:{pid:digits}\"\nvalue = \"{until:millis}\"\nconfidence = 0.9\n"
                           "[[family.form]]\ntype = \"set\"\nkey = \"acme:seats:{name}\"\nmember = \"{host:word}@{until:seconds}\"\nconfidence = 0.9\n",
                           "my.toml");
  ASSERT_TRUE(families);
  const auto in = [](seconds span) { return std::to_string((corpusTime + span).count()); };
  const auto of = [&](std::vector<std::pair<std::string, std::string>> slots) {
    return LockState{"", ValueType::Hash, "acme:slots:7", std::move(slots), false, ""};
  };
  const auto live = of({{"web-2:2", in(seconds(-9))}, {"web-1:1", in(seconds(9))}, {"web-3:3", in(seconds(5))}});
  const auto facts = factsOf(live);
  const auto lock = (*families)->recognise(facts);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(lock->isOver) << "two live";
  EXPECT_EQ(lock->expiresAt, facts.seenAt + seconds(9));
  ASSERT_EQ(lock->holders.size(), 2U);
  EXPECT_EQ(lock->holders[0].id, "web-1:1");
  EXPECT_EQ(lock->holders[0].expiresAt, facts.seenAt + seconds(9));
  EXPECT_EQ(lock->holders[1].expiresAt, facts.seenAt + seconds(5));
  EXPECT_EQ(extraOf(*lock, "host"), "web-1, web-3");
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("holders that have lapsed and were not cleared away yet: 1"));
  const auto over = of({{"web-2:2", in(seconds(-9))}, {"web-1:1", in(seconds(-1))}});
  EXPECT_FALSE((*families)->recognise(factsOf(over))) << "as a sorted set of ends";
  const auto second = [](seconds span) { return std::to_string((corpusTime + span).count() / 1000); };
  const LockState set{"", ValueType::Set, "acme:seats:7", {{"web-1@" + second(seconds(-9)), ""}, {"web-2@" + second(seconds(4)), ""}}, false, ""};
  const auto seats = (*families)->recognise(factsOf(set));
  ASSERT_TRUE(seats);
  ASSERT_EQ(seats->holders.size(), 1U);
  EXPECT_EQ(seats->holders[0].expiresAt, factsOf(set).seenAt + seconds(4));
}

} // namespace
} // namespace lockhouse::test
