// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/multi/multi_mutex.h"

#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

std::vector<std::string> words(const Command &command) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < command.size(); ++i)
    all.emplace_back(command[i]);
  return all;
}

const MultiMutex &multi = multiMutex();

} // namespace

TEST(MultiMutexNames, comeBackFromOneWhateverTheirBytes) {
  const std::vector<LockName> names{LockName("a"), LockName("3:abc,"), LockName(std::string("\0,:\n", 4)), LockName(std::string(300, 'x'))};
  const auto joined = MultiMutex::joined(names);
  const auto parts = MultiMutex::parts(joined);
  ASSERT_EQ(parts.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(parts[i], names[i].bytes());
}

TEST(MultiMutexNames, neverReadOverTheEndOfWhatIsNoList) {
  for (const auto *bytes : {"", ":", "5", "5:", "5:ab", "99999999999999999999:a", "x", ",,,", "0:,0:,"})
    EXPECT_LE(MultiMutex::parts(LockName(bytes)).size(), 4U) << bytes;
}

TEST(MultiMutexNames, areOfOneSlotAsAClusterCounts) {
  EXPECT_TRUE(MultiMutex::sameSlot(std::vector{LockName("a")}));
  EXPECT_TRUE(MultiMutex::sameSlot(std::vector{LockName("a{user}"), LockName("{user}b"), LockName("user")}));
  EXPECT_FALSE(MultiMutex::sameSlot(std::vector{LockName("a"), LockName("b")}));
  EXPECT_FALSE(MultiMutex::sameSlot(std::vector{LockName("{}a"), LockName("{}b")})) << "an empty tag is none";
  EXPECT_TRUE(MultiMutex::sameSlot(std::vector{LockName("foo{{bar}}zap"), LockName("{{bar}")})) << "from the first brace to the first end";
}

TEST(MultiMutexCommands, areOneScriptWithAllNamesAsKeys) {
  const auto name = MultiMutex::joined(std::vector{LockName("{s}a"), LockName("{s}b")});
  const LockToken token("t");
  const Primitive::Ask ask{name, token, 30s, 1};
  EXPECT_EQ(words(multi.acquire(ask, false)),
            (std::vector<std::string>{"EVALSHA", std::string(multi.acquire(ask, false).script()->sha1), "2", "{s}a", "{s}b", "t", "30000"}));
  EXPECT_EQ(words(multi.renew(ask)).back(), "30000");
  EXPECT_EQ(words(multi.release(ask, false)).back(), "t");
}

TEST(MultiMutexAnswers, meanWhatAMutexMeans) {
  EXPECT_EQ(multi.readAcquire(Reply(std::int64_t{1})).kind, AcquireAnswer::Kind::Granted);
  const auto refused = multi.readAcquire(Reply(Reply::Array{Reply(std::int64_t{70}), Reply(std::string("other"))}));
  EXPECT_EQ(refused.kind, AcquireAnswer::Kind::Refused);
  EXPECT_EQ(refused.holder, "other");
  EXPECT_EQ(refused.timeLeft, 70ms);
  EXPECT_EQ(multi.readAcquire(Reply(Reply::Failure{"CROSSSLOT x"})).kind, AcquireAnswer::Kind::Rejected);
  EXPECT_EQ(multi.readRenew(Reply(std::int64_t{-1})), RenewAnswer::Gone);
  EXPECT_EQ(multi.readRelease(Reply(std::int64_t{0})), ReleaseAnswer::NotOwner);
  EXPECT_EQ(multi.readRelease(Reply(Reply::Failure{"LOADING x"})), ReleaseAnswer::Busy);
}
