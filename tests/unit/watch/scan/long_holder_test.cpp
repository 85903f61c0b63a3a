// SPDX-License-Identifier: Apache-2.0
// Holders that are longer than any library's own token, under names that say that a lock is there.
#include "core/watch/text/token_format.h"
#include "tests/unit/watch/read_desk.h"
#include "tests/unit/watch/recognise.h"

namespace lockhouse::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct LongHolder : ReadDesk {
  LongHolder() { heuristics.mayWeigh = false; }
  // What is made of a string of this name and value: each command is answered as Redis would.
  std::optional<LockRecord> read(const std::string &key, const std::string &value, std::optional<milliseconds> ttl = seconds(30)) {
    m_read.emplace(key, Companion(), FamilyRegistry::builtIn());
    m_read->start(ValueType::Unknown, heuristics, now, asks);
    auto end = KeyReader::End::Pending;
    while (end == KeyReader::End::Pending && !asks.empty()) {
      std::vector<Result<Reply>> replies;
      for (const auto &ask : asks)
        replies.emplace_back(answerTo(ask.command, value, ttl));
      end = answer(*m_read, std::move(replies));
    }
    return end == KeyReader::End::Lock ? recognise(m_read->facts()) : std::nullopt;
  }
  std::size_t fetched = 0;

private:
  std::optional<KeyReader> m_read;
  Reply answerTo(const Command &command, const std::string &value, std::optional<milliseconds> ttl) {
    if (command.name() == "TYPE")
      return status("string");
    if (command.name() == "STRLEN")
      return number(static_cast<std::int64_t>(value.size()));
    if (command.name() == "PTTL")
      return number(ttl ? ttl->count() : -1);
    const auto part = value.substr(0, std::stoul(std::string(command[3])) + 1);
    fetched += part.size();
    return bulk(part);
  }
};

TEST_F(LongHolder, ofAFamilysNameIsReadWhole) {
  const std::string owner = "orders-api-7d9c5b6f4-" + std::string(200, 'x') + "-worker-3";
  const auto lock = read("lock||shop||stock", owner);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "dapr");
  EXPECT_THAT(lock->holders, ElementsAre(Holder{owner}));
  EXPECT_GE(lock->confidence, 0.9);
}

TEST_F(LongHolder, underANameOfLocksHasARow) {
  for (const auto &owner : {"ip-10-0-0-7." + std::string(140, 'a') + ".example.internal:4711:http-nio-8080-exec-3",
                            "{\"owner\":\"" + std::string(150, 'b') + "\",\"ts\":1795300000}", std::string(400, 'c')})
    for (const auto *key : {"lock:order:7", "order_7_lock", "distributed_lock:stock"}) {
      const auto lock = read(key, owner);
      ASSERT_TRUE(lock) << key;
      EXPECT_GE(lock->confidence, shownConfidence) << key << " " << owner;
      EXPECT_THAT(lock->holders, ElementsAre(Holder{owner}));
      const auto unleased = read(key, owner, std::nullopt);
      ASSERT_TRUE(unleased) << key;
      EXPECT_LT(unleased->confidence, shownConfidence) << "a setting, as likely";
    }
}

TEST_F(LongHolder, ofTenMegabytesIsNeverFetchedWhole) {
  const std::string token(10'000'000, 'k');
  const auto lock = read("lock:huge", token);
  ASSERT_TRUE(lock);
  ASSERT_EQ(lock->holders.size(), 1U);
  EXPECT_EQ(lock->holders[0].id, token.substr(0, longestHolder));
  EXPECT_EQ(lock->holders[0].bytes, token.size());
  EXPECT_THAT(englishOf(lock->evidence), testing::Contains("value is cut: it has 10000000 bytes, of which the first 1024 were read"));
  EXPECT_LE(fetched, 2 * longestHolder + 300);
}

TEST_F(LongHolder, isAnotherThanOneOfAnotherLength) {
  const auto one = read("lock:huge", std::string(5000, 'k')), other = read("lock:huge", std::string(5001, 'k'));
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->holders, other->holders);
}

TEST_F(LongHolder, underOtherNamesIsOrdinaryData) {
  for (const auto *key : {"session:7", "page:home", "block:7", "cache:user:1"}) {
    const auto lock = read(key, std::string(5000, 'x'));
    EXPECT_FALSE(lock) << key;
  }
  for (const auto *key : {"lock:config", "lock:history:7"}) {
    const auto lock = read(key, std::string(5000, 'x'));
    EXPECT_TRUE(lock && lock->confidence < shownConfidence) << key;
  }
  for (const auto &value : {"<html>" + std::string(5000, 'x'), std::string(300, '\x01'), "[" + std::string(300, '1') + "]", std::string(300, ' ')}) {
    const auto lock = read("lock:page", value);
    EXPECT_FALSE(lock && lock->confidence >= shownConfidence) << value.substr(0, 20);
  }
}

TEST_F(LongHolder, thatGoesMeanwhileIsAbsent) {
  KeyReader read("lock:a", {}, FamilyRegistry::builtIn());
  read.start(ValueType::String, heuristics, now, asks);
  EXPECT_EQ(answer(read, {bulk(std::string(129, 'a')), number(-1)}), KeyReader::End::Pending);
  EXPECT_EQ(asked(), (std::vector<std::string>{"GETRANGE", "STRLEN"}));
  EXPECT_EQ(answer(read, {bulk(""), number(0)}), KeyReader::End::Absent);
}

TEST_F(LongHolder, ofTheValueOfAFieldKeepsItsEnds) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", json = "{\"worker\":\"Import\",\"args\":\"" + std::string(20'000, 'a') + "\"}";
  KeyReader read(digest + ":LOCKED", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("0", {"507f1f77bcf86cd799439011", json}), number(-1)}), KeyReader::End::Lock);
  const auto lock = recognise(read.facts());
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "sidekiq-unique-jobs-9");
  EXPECT_LE(read.facts().fields.at(0).second.size(), longestHolder);
}

TEST_F(LongHolder, ofFieldsOfAHundredKilobytesIsReadUnderANameOfLocksAlone) {
  heuristics.mayWeigh = true;
  const std::string job = "507f1f77bcf86cd799439011", json = "{\"lock_args\":\"" + std::string(100'000, 'a') + "\"}";
  for (const std::string key : {"uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", "order:7"})
    for (const std::int64_t weight : {131'000, 1'100'000}) {
      KeyReader read(key, {}, FamilyRegistry::builtIn());
      read.start(ValueType::Hash, heuristics, now, asks);
      answer(read, {number(weight)});
      answer(read, {number(1)});
      if (key == "order:7" || weight > 1'048'576) {
        EXPECT_EQ(asked(), std::vector<std::string>{"PTTL"}) << key << " " << weight;
        asks.clear();
        continue;
      }
      EXPECT_EQ(answer(read, {fields("0", {job, json}), number(-1)}), KeyReader::End::Lock);
      const auto lock = recognise(read.facts());
      ASSERT_TRUE(lock);
      EXPECT_EQ(lock->holders, (std::vector<Holder>{{job, 1, HoldMode::Exclusive}}));
      EXPECT_GE(lock->confidence, shownConfidence);
      EXPECT_FALSE(read.companion().light) << "it is weighed again before it is fetched again";
    }
}

} // namespace
} // namespace lockhouse::test
