// SPDX-License-Identifier: Apache-2.0
// The leases of a Redisson lock's readers, which lie in keys of their own.
#include "tests/unit/watch/read_desk.h"

namespace lockhouse::test {
namespace {

struct ReaderLeases : ReadDesk {
  ReaderLeases() { heuristics.mayWeigh = false; } // weighing has tests of its own
};

TEST_F(ReaderLeases, ofSeveralReadersEachHasTheLongestOfHisLeases) {
  KeyReader read("rw", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("0", {"mode", "read", owner1, "2", owner2, "1"}), number(30'000)}), KeyReader::End::Pending);
  ASSERT_EQ(asked(), (std::vector<std::string>{"PTTL", "PTTL", "PTTL"}));
  EXPECT_EQ(asks[1].command[1], "{rw}:" + owner1 + ":rwlock_timeout:2");
  EXPECT_EQ(answer(read, {number(5'000), number(20'000), number(-2)}), KeyReader::End::Lock);
  ASSERT_EQ(read.facts().readerLeases.size(), 2U);
  EXPECT_EQ(read.facts().readerLeases[0].reader, owner1);
  EXPECT_EQ(read.facts().readerLeases[0].left, seconds(20));
  EXPECT_EQ(read.facts().readerLeases[1].left, seconds(0)) << "it is over";
}

TEST_F(ReaderLeases, aReadersLeaseThatIsRefusedOrEndlessOrNobodysIsNotKnown) {
  for (const auto &[lease, other] : std::vector<std::pair<Reply, std::int64_t>>{{failure("NOPERM x"), 20'000}, {number(-1), 20'000}, {number(-2), -2}}) {
    KeyReader read("rw", {}, FamilyRegistry::builtIn());
    read.start(ValueType::Hash, heuristics, now, asks);
    EXPECT_EQ(answer(read, {fields("0", {"mode", "read", owner1, "1", owner2, "1"}), number(30'000)}), KeyReader::End::Pending);
    std::vector<Result<Reply>> replies;
    replies.emplace_back(lease.isFailure() ? failure("NOPERM x") : number(*lease.integer()));
    replies.emplace_back(number(other));
    EXPECT_EQ(answer(read, std::move(replies)), KeyReader::End::Lock);
    EXPECT_EQ(read.facts().readerLeases.size(), other > 0 ? 1U : 0U);
  }
}

TEST_F(ReaderLeases, ofManyReadersTheLeasesOfAHundredAreReadAndOfOneAllOrNone) {
  KeyReader read("rw", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  Reply::Array flat;
  for (const auto *word : {"mode", "read", owner1.c_str(), "1000000", owner2.c_str(), "60"})
    flat.push_back(bulk(word));
  for (int thread = 10; thread < 70; ++thread) {
    flat.push_back(bulk(std::string(uuid1) + ":" + std::to_string(thread)));
    flat.push_back(bulk("1"));
  }
  EXPECT_EQ(answer(read, {page("0", Reply(std::move(flat))), number(30'000)}), KeyReader::End::Pending);
  EXPECT_EQ(asks.size(), 100U);
  EXPECT_EQ(asks[0].command[1], "{rw}:" + owner2 + ":rwlock_timeout:1") << "of whose lock there are too many";
}

TEST_F(ReaderLeases, ofOneReaderHisLeaseIsTheLocks) {
  KeyReader read("rw", {}, FamilyRegistry::builtIn());
  read.start(ValueType::Hash, heuristics, now, asks);
  EXPECT_EQ(answer(read, {fields("0", {"mode", "read", owner1, "2"}), number(30'000)}), KeyReader::End::Lock);
}

} // namespace
} // namespace lockhouse::test
