// SPDX-License-Identifier: Apache-2.0
#include "core/watch/scan/keyspace_scan.h"

#include "tests/unit/watch/desk.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

struct Sweeping : testing::Test {
  KeyspaceScan scan{0.02};
  ReadHeuristics heuristics{.types = {}, .probes = 0, .mayCountListeners = true, .mayWeigh = false};
  Asks asks;
  SteadyTime now{seconds(5)};

  static Reply page(std::string_view cursor, const std::vector<std::string> &keys) {
    Reply::Array names, halves;
    for (const auto &key : keys)
      names.push_back(bulk(key));
    halves.push_back(bulk(cursor));
    halves.emplace_back(std::move(names));
    return Reply(std::move(halves));
  }
  TaggedCommand take(std::string_view name) {
    const auto found = std::ranges::find(asks, name, [](const TaggedCommand &ask) { return ask.command.name(); });
    EXPECT_NE(found, asks.end()) << name;
    if (found == asks.end())
      return {};
    auto ask = std::move(*found);
    asks.erase(found);
    return ask;
  }
  void answer(const TaggedCommand &ask, Result<Reply> reply) { scan.on(restOf(ask.tag), std::move(reply), now, heuristics, asks); }
  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count(asks, name, [](const TaggedCommand &ask) { return ask.command.name(); }));
  }
};

TEST_F(Sweeping, keepsCursorsAsOpaqueText) {
  scan.start(false, now, asks);
  answer(take("SCAN"), page("18446744073709551615", {}));
  scan.advance(true, now, asks);
  EXPECT_EQ(take("SCAN").command[1], "18446744073709551615");
}

TEST_F(Sweeping, endsAtACursorThatNeverMoves) {
  scan.start(false, now, asks);
  answer(take("SCAN"), page("1", {}));
  scan.advance(true, now, asks);
  answer(take("SCAN"), page("1", {}));
  EXPECT_FALSE(scan.isRunning());
  ASSERT_TRUE(scan.error());
  EXPECT_EQ(scan.error()->code, ErrorCode::Protocol);
}

TEST_F(Sweeping, sendsTheNextPageBeforeTheLooksOfThisOneAreAnswered) {
  scan.start(false, now, asks);
  answer(take("SCAN"), page("7", {"a", "b"}));
  EXPECT_EQ(asks.at(0).command.name(), "SCAN");
  EXPECT_EQ(count("TYPE"), 2U);
}

TEST_F(Sweeping, neverHasMoreThanSixPagesInFlight) {
  scan.start(false, now, asks);
  for (int i = 1; i <= 6; ++i) {
    ASSERT_EQ(count("SCAN"), 1U) << i;
    answer(take("SCAN"), page(std::to_string(i), {"k" + std::to_string(i)}));
  }
  scan.advance(true, now, asks);
  EXPECT_EQ(count("SCAN"), 0U);
  answer(take("TYPE"), status("list"));
  scan.advance(true, now, asks);
  EXPECT_EQ(count("SCAN"), 1U);
}

TEST_F(Sweeping, stopsFetchingWhileThereIsNoRoom) {
  scan.start(false, now, asks);
  scan.advance(false, now, asks);
  answer(take("SCAN"), page("7", {}));
  scan.advance(false, now, asks);
  EXPECT_EQ(count("SCAN"), 0U);
  scan.advance(true, now, asks);
  EXPECT_EQ(count("SCAN"), 1U);
}

TEST_F(Sweeping, learnsToReadWithoutAskingTheType) {
  scan.start(false, now, asks);
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i)
    keys.push_back("page:" + std::to_string(i));
  answer(take("SCAN"), page("7", keys));
  while (count("TYPE") > 0)
    answer(take("TYPE"), status("string"));
  EXPECT_EQ(count("GETRANGE"), 0U);
  while (count("STRLEN") > 0)
    answer(take("STRLEN"), number(6));
  answer(take("SCAN"), page("0", {"page:99", "lock:1"}));
  EXPECT_EQ(count("STRLEN"), 1U);
  EXPECT_EQ(count("TYPE"), 1U);
}

TEST_F(Sweeping, readsTheHeadAtOnceWhereLengthsDoNotTell) {
  scan.start(false, now, asks);
  std::vector<std::string> keys;
  for (int i = 0; i < 400; ++i)
    keys.push_back("sess:" + std::to_string(i));
  answer(take("SCAN"), page("7", keys));
  while (count("TYPE") > 0)
    answer(take("TYPE"), status("string"));
  while (count("STRLEN") > 0)
    answer(take("STRLEN"), number(32));
  while (count("GETRANGE") > 0)
    answer(take("GETRANGE"), bulk(hex32));
  answer(take("SCAN"), page("0", {"sess:999"}));
  EXPECT_EQ(count("GETRANGE"), 1U);
  EXPECT_EQ(count("STRLEN"), 0U);
}

TEST_F(Sweeping, findsCandidatesAndNothingElse) {
  scan.start(false, now, asks);
  answer(take("SCAN"), page("0", {"lock:1", "stock", "user:1", "jobs"}));
  std::map<std::string, Reply> types{{"lock:1", status("string")}, {"stock", status("hash")}, {"user:1", status("hash")}, {"jobs", status("list")}};
  for (int i = 0; i < 4; ++i) {
    const auto ask = take("TYPE");
    answer(ask, types.at(std::string(ask.command[1])));
  }
  answer(take("GETRANGE"), bulk(hex32));
  for (int i = 0; i < 2; ++i) {
    const auto ask = take("HLEN");
    answer(ask, number(ask.command[1] == "stock" ? 1 : 10));
  }
  for (int i = 0; i < 2; ++i) {
    const auto ask = take("HSCAN");
    answer(ask, ask.command[1] == "stock" ? page("0", {owner1, "1"}) : page("0", {}));
  }
  answer(take("HSTRLEN"), number(0));
  EXPECT_FALSE(scan.isRunning());
  const auto found = scan.takeFound();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].key, "lock:1");
  EXPECT_EQ(found[1].key, "stock");
  EXPECT_EQ(scan.tally().keys, 4U);
}

TEST_F(Sweeping, leadsFromAQueueToItsLockWithoutACommand) {
  scan.start(false, now, asks);
  answer(take("SCAN"), page("0", {"redisson_lock_queue:order:{7}:pay", "redisson_unlock_latch:{a}:" + std::string(hex32)}));
  EXPECT_TRUE(asks.empty());
  EXPECT_FALSE(scan.isRunning());
  const auto found = scan.takeFound();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "order:{7}:pay");
  EXPECT_TRUE(found[0].companion.queue);
}

TEST_F(Sweeping, skipsNamesThatAreTooLongAndKeysThatAreRefused) {
  scan.start(false, now, asks);
  Reply::Array names, halves;
  names.emplace_back(Reply::Elided{2'000'000});
  names.push_back(bulk("secret"));
  halves.push_back(bulk("0"));
  halves.emplace_back(std::move(names));
  answer(take("SCAN"), Reply(std::move(halves)));
  answer(take("TYPE"), failure("NOPERM no key"));
  EXPECT_FALSE(scan.isRunning());
  EXPECT_FALSE(scan.error());
  EXPECT_EQ(scan.tally().tooLong, 1U);
  EXPECT_EQ(scan.tally().refused.count(), 1U);
  EXPECT_EQ(scan.tally().refused.why(), (Refusals{.rights = true}));
}

TEST_F(Sweeping, looksAtLongNamesAFewAtATime) {
  scan.start(false, now, asks);
  answer(take("SCAN"), page("0", std::vector<std::string>(50, std::string(100'000, 'k'))));
  EXPECT_LE(count("TYPE"), 12U);
  std::size_t looked = 0;
  for (; count("TYPE") > 0; ++looked)
    answer(take("TYPE"), status("list"));
  EXPECT_EQ(looked, 50U);
  EXPECT_FALSE(scan.isRunning());
}

TEST_F(Sweeping, endsWithAnErrorWhenAPageFails) {
  for (const Result<Reply> &broken :
       {Result<Reply>(failure("LOADING Redis is loading")), Result<Reply>(bulk("x")), Result<Reply>(words({"1"})), Result<Reply>(std::unexpected(Error{}))}) {
    scan.start(false, now, asks);
    answer(take("SCAN"), broken);
    EXPECT_FALSE(scan.isRunning());
    EXPECT_TRUE(scan.error());
  }
}

TEST_F(Sweeping, ignoresAnswersOfAWalkThatWasStopped) {
  scan.start(false, now, asks);
  const auto old = take("SCAN");
  scan.start(false, now, asks);
  answer(old, page("0", {"lock:1"}));
  EXPECT_TRUE(scan.isRunning());
  EXPECT_EQ(count("TYPE"), 0U);
}

TEST_F(Sweeping, restsBetweenPagesWhenPaced) {
  scan.start(true, now, asks);
  answer(take("SCAN"), page("7", {"a"}));
  EXPECT_EQ(count("SCAN"), 0U);
  now += milliseconds(1);
  answer(take("TYPE"), status("list"));
  ASSERT_TRUE(scan.dueAt());
  EXPECT_GE(*scan.dueAt() - now, milliseconds(10)) << "a fiftieth of the time is ours";
  scan.advance(true, now, asks);
  EXPECT_EQ(count("SCAN"), 0U);
  scan.advance(true, *scan.dueAt(), asks);
  EXPECT_EQ(count("SCAN"), 1U);
}

} // namespace
} // namespace lockhouse::test
