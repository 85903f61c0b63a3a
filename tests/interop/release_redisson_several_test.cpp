// SPDX-License-Identifier: Apache-2.0
// Redisson's locks of several holders, keys or nodes, its permits and fences, and what nobody is known to hold.
#include "tests/interop/eviction.h"
#include "tests/support/eventually.h"

#include <algorithm>
#include <sstream>

using namespace lockhouse;
using namespace lockhouse::test;
using testing::HasSubstr;

namespace {

std::string hexOf(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += digits[static_cast<unsigned char>(byte) / 16];
    hex += digits[static_cast<unsigned char>(byte) % 16];
  }
  return hex;
}

} // namespace

class ReleaseOfRedisson : public Eviction {
protected:
  /// By "two" or another of its process, who is shown to wait at this key; `more` is what stands behind the lock's name.
  std::future<Foreign::Answer> wait(const std::string &whose, const std::string &kind, const std::string &key, const std::string &more = leaseAndLimit) {
    auto waiting = ask(whose, kind + " wait orders" + more);
    EXPECT_TRUE(eventually([&] { return isWaitedFor(key); })) << listed().dump();
    return waiting;
  }
  bool isWaitedFor(const std::string &key) const {
    const auto locks = listed();
    return std::ranges::any_of(locks, [&key](const auto &lock) { return lock["key"] == key && lock["waiters"] == 1; });
  }
  void take(const std::string &whose, const std::string &kind, const std::string &length = lease) {
    const auto taken = asked(whose, kind + " take orders" + length);
    ASSERT_TRUE(taken.ok()) << taken.text;
  }
  std::string who(const std::string &whose, const std::string &kind) { return asked(whose, kind + " who orders").text; }
  bool gives(const std::string &whose, const std::string &kind) { return asked(whose, kind + " give orders 1").ok(); }
  static void expectAtOnce(std::future<Foreign::Answer> &waiting, SharedTime since) {
    const auto taken = waiting.get();
    ASSERT_TRUE(taken.ok()) << taken.text;
    EXPECT_GE(taken.at, since) << "both are inside";
    EXPECT_LT(taken.at - since, waitLimit / 2);
  }
  static bool isStillWaiting(const std::future<Foreign::Answer> &waiting) { return waiting.wait_for(std::chrono::seconds(0)) == std::future_status::timeout; }
};

TEST_F(ReleaseOfRedisson, ofAReaderLeavesTheOtherInsideAndOfTheLastOneLetsTheWriterIn) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_NO_FATAL_FAILURE(take("one", "read"));
  ASSERT_NO_FATAL_FAILURE(take("one", "read"));
  ASSERT_NO_FATAL_FAILURE(take("two", "read"));
  auto writing = wait("writer", "write", "orders");
  const auto one = who("one", "read"), two = who("two", "read");
  const auto shown = seen("orders");
  EXPECT_EQ(shown["family"], "redisson-rw");
  EXPECT_THAT((std::vector{holderOf(shown, 0), holderOf(shown, 1)}), testing::UnorderedElementsAre(one, two));
  for (const auto &holder : shown["holders"]) {
    EXPECT_EQ(holder["mode"], "read");
    EXPECT_EQ(holder["count"], holder["id"] == one ? 2 : 1);
  }
  EXPECT_THAT(risksOf(planned("orders", one)), HasSubstr("a waiting writer goes on waiting"));
  EXPECT_EQ(released("orders", one)["verdict"], "released");
  EXPECT_EQ(holderOf(seen("orders")), two);
  EXPECT_FALSE(gives("one", "read")) << "it was taken away";
  EXPECT_EQ(holderOf(seen("orders")), two) << "its unlock has harmed the other reader";
  EXPECT_TRUE(isStillWaiting(writing)) << "a writer beside a reader";
  const auto freed = SharedClock::now();
  EXPECT_EQ(released("orders", two)["verdict"], "released");
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(writing, freed));
  EXPECT_FALSE(gives("two", "read"));
  EXPECT_EQ(holderOf(seen("orders")), who("writer", "write") + ":write");
  EXPECT_TRUE(gives("writer", "write"));
}

TEST_F(ReleaseOfRedisson, ofAWriterLetsEveryReaderIn) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_NO_FATAL_FAILURE(take("one", "write"));
  auto first = wait("two", "read", "orders");
  auto second = wait("three", "read", "orders"); // of the same client: one subscription
  const auto freed = SharedClock::now();
  EXPECT_EQ(released("orders", who("one", "write") + ":write")["verdict"], "released");
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(first, freed));
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(second, freed));
  EXPECT_FALSE(gives("one", "write"));
  EXPECT_EQ(seen("orders")["holders"].size(), 2U);
  EXPECT_TRUE(gives("two", "read") && gives("three", "read"));
}

TEST_F(ReleaseOfRedisson, ofALeaseThatWasRenewedIsNotUndoneByTheHoldersNextRenewal) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_NO_FATAL_FAILURE(take("one", "lock", " 0"));
  auto waiting = wait("two", "lock", "orders", " 0 40000");
  EXPECT_EQ(released("orders", who("one", "lock"))["verdict"], "released");
  const auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.text;
  auto last = redis({"PTTL", "orders"}).integer().value_or(0);
  int renewals = 0;
  EXPECT_TRUE(eventually([&] {
    const auto left = redis({"PTTL", "orders"}).integer().value_or(0);
    renewals += left > last ? 1 : 0;
    last = left;
    return renewals == 3; // in each of which the evicted holder would have renewed too
  }));
  EXPECT_EQ(seen("orders")["holders"].size(), 1U);
  EXPECT_EQ(holderOf(seen("orders")), who("two", "lock"));
  EXPECT_FALSE(gives("one", "lock"));
  EXPECT_TRUE(gives("two", "lock"));
}

TEST_F(ReleaseOfRedisson, leavesTheFenceSoThatTheNextHoldersIsHigher) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  const auto first = asked("one", "fenced take orders" + lease);
  ASSERT_TRUE(first.ok()) << first.text;
  auto waiting = wait("two", "fenced", "orders");
  EXPECT_EQ(seen("orders")["fence"].dump(), first.text);
  EXPECT_EQ(released("orders", who("one", "fenced"))["verdict"], "released");
  const auto next = waiting.get();
  ASSERT_TRUE(next.ok()) << next.text;
  EXPECT_GT(std::stoll(next.text), std::stoll(first.text));
  EXPECT_EQ(seen("orders")["fence"].dump(), next.text);
  EXPECT_TRUE(gives("two", "fenced"));
}

TEST_F(ReleaseOfRedisson, ofEveryKeyOfAMultiLockLetsItsWaiterIn) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_NO_FATAL_FAILURE(take("one", "multi"));
  auto waiting = wait("two", "multi", "orders:a");
  const auto one = who("one", "multi");
  EXPECT_EQ(listed().size(), 2U) << listed().dump();
  EXPECT_EQ(holderOf(seen("orders:a")), one);
  EXPECT_EQ(holderOf(seen("orders:b")), one);
  const auto freed = SharedClock::now();
  const auto results = json({"release", "--all", "--holder", one, "--reason", "its host is gone", "--apply"})["results"];
  ASSERT_EQ(results.size(), 2U) << results.dump();
  EXPECT_EQ(results[0]["verdict"], "released");
  EXPECT_EQ(results[1]["verdict"], "released");
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(waiting, freed));
  EXPECT_FALSE(gives("one", "multi"));
  const auto two = who("two", "multi");
  EXPECT_EQ(holderOf(seen("orders:a")), two);
  EXPECT_EQ(holderOf(seen("orders:b")), two);
  EXPECT_TRUE(gives("two", "multi"));
}

TEST_F(ReleaseOfRedisson, onEveryNodeOfARedLockLetsItsWaiterIn) {
  const auto second = startServer(), third = startServer();
  ASSERT_NO_FATAL_FAILURE(start("redisson", {second.tcpUri().port, third.tcpUri().port}));
  const std::vector<std::string> addresses{address(), second.tcpUri().address(), third.tcpUri().address()};
  std::vector<std::string> nodes;
  for (const auto &other : {addresses[1], addresses[2]})
    nodes.insert(nodes.end(), {"--url", "redis://" + other});
  const auto held = [&] {
    auto words = nodes;
    words.emplace_back("list");
    return json(words)["locks"];
  };
  ASSERT_NO_FATAL_FAILURE(take("one", "red"));
  auto waiting = wait("two", "red", "orders");
  std::istringstream owners(who("one", "red")); // one client for each node, each with a name of its own
  EXPECT_EQ(held().size(), 3U) << held().dump();
  const auto freed = SharedClock::now();
  for (const auto &address : addresses) {
    std::string holder;
    owners >> holder;
    auto words = nodes;
    words.insert(words.end(), {"release", "orders", "--node", address, "--holder", holder, "--reason", "its host is gone", "--apply"});
    const auto results = json(words)["results"];
    ASSERT_EQ(results.size(), 1U) << results.dump();
    EXPECT_EQ(results[0]["verdict"], "released") << results.dump();
  }
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(waiting, freed));
  EXPECT_TRUE(gives("one", "red")) << "a RedLock's unlock says nothing of whose it was";
  const auto after = held();
  EXPECT_EQ(after.size(), 3U);
  const auto two = who("two", "red");
  for (const auto &lock : after)
    EXPECT_THAT(two, HasSubstr(holderOf(lock))) << "the evicted holder's unlock has harmed the next one";
  EXPECT_TRUE(gives("two", "red"));
  EXPECT_TRUE(held().empty()) << held().dump();
}

TEST_F(ReleaseOfRedisson, ofAPermitLetsAWaiterInAndIsNotCountedTwice) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_TRUE(asked("one", "permits set orders 1").ok());
  ASSERT_TRUE(asked("one", "permits wait orders" + leaseAndLimit).ok());
  auto waiting = wait("two", "permits", "orders");
  const auto shown = seen("orders");
  EXPECT_EQ(shown["family"], "redisson-permits");
  EXPECT_EQ(shown["kind"], "semaphore");
  EXPECT_EQ(hexOf(holderOf(shown)), who("one", "permits"));
  const auto freed = SharedClock::now();
  EXPECT_EQ(released("orders", holderOf(shown))["verdict"], "released");
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(waiting, freed));
  EXPECT_EQ(hexOf(holderOf(seen("orders"))), who("two", "permits"));
  EXPECT_FALSE(gives("one", "permits"));
  EXPECT_EQ(text("orders"), "0") << "the evicted holder has given back a permit that was not its own";
  EXPECT_TRUE(gives("two", "permits"));
  EXPECT_EQ(text("orders"), "1");
}

TEST_F(ReleaseOfRedisson, ofASemaphoreIsRefusedAndWhatIsSaidInsteadLetsAWaiterIn) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_TRUE(asked("one", "semaphore set orders 1").ok());
  ASSERT_TRUE(asked("one", "semaphore wait orders 1 0").ok());
  auto waiting = wait("two", "semaphore", "orders", " 1 40000");
  const auto shown = seen("orders");
  EXPECT_EQ(shown["family"], "redisson-semaphore");
  EXPECT_EQ(shown["kind"], "semaphore");
  const auto refused = released("orders", holderOf(shown));
  EXPECT_EQ(refused["verdict"], "unreleasable");
  EXPECT_THAT(refused["detail"].get<std::string>(), HasSubstr("release() in any of its clients gives one back"));
  EXPECT_TRUE(isStillWaiting(waiting));
  EXPECT_EQ(text("orders"), "0");
  const auto freed = SharedClock::now();
  EXPECT_TRUE(gives("another", "semaphore"));
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(waiting, freed));
}

TEST_F(ReleaseOfRedisson, ofALatchIsRefusedAndWhatIsSaidInsteadOpensIt) {
  ASSERT_NO_FATAL_FAILURE(start("redisson"));
  ASSERT_TRUE(asked("one", "latch set orders 1").ok());
  auto waiting = wait("two", "latch", "orders", " 40000");
  const auto shown = seen("orders");
  EXPECT_EQ(shown["family"], "redisson-latch");
  EXPECT_EQ(shown["kind"], "latch");
  const auto refused = released("orders", holderOf(shown));
  EXPECT_EQ(refused["verdict"], "unreleasable");
  EXPECT_THAT(refused["detail"].get<std::string>(), HasSubstr("countDown() in any of its clients"));
  EXPECT_TRUE(isStillWaiting(waiting));
  const auto freed = SharedClock::now();
  EXPECT_TRUE(gives("another", "latch"));
  ASSERT_NO_FATAL_FAILURE(expectAtOnce(waiting, freed));
}
