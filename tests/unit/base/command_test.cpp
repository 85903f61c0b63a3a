// SPDX-License-Identifier: Apache-2.0
#include "core/base/command.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace lockhouse {
namespace {

std::vector<std::string> words(const Command &command) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < command.size(); ++i)
    all.emplace_back(command[i]);
  return all;
}

constexpr Script script{"test-script", "return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"};

TEST(Command, keepsItsWordsInOrder) {
  const Command set{"SET", "lock:a", "token", "NX", "PX"};
  EXPECT_EQ(words(set), (std::vector<std::string>{"SET", "lock:a", "token", "NX", "PX"}));
  EXPECT_EQ(set.name(), "SET");
  EXPECT_EQ(set.bytes(), 18U);
}

TEST(Command, anEmptyCommandHasNoName) {
  EXPECT_EQ(Command().size(), 0U);
  EXPECT_EQ(Command().name(), "");
}

TEST(Command, keepsEmptyWordsAndEveryByte) {
  const std::string bytes("\r\n\0$3\xff", 6);
  const Command command{"SET", "", bytes, ""};
  EXPECT_EQ(words(command), (std::vector<std::string>{"SET", "", bytes, ""}));
}

TEST(Command, growsPastEightWords) {
  Command del{"DEL"};
  std::vector<std::string> expected{"DEL"};
  for (int i = 0; i < 100; ++i) {
    expected.push_back("key" + std::to_string(i));
    del.arg(expected.back());
  }
  EXPECT_EQ(words(del), expected);
}

TEST(Command, writesNumbersAsRedisReadsThem) {
  Command command{"X"};
  command.arg(std::int64_t{0}).arg(std::int64_t{-1}).arg(std::numeric_limits<std::int64_t>::max()).arg(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(words(command), (std::vector<std::string>{"X", "0", "-1", "9223372036854775807", "-9223372036854775808"}));
}

TEST(Command, evalshaNamesTheScriptTheKeysAndTheArguments) {
  const auto command = Command::evalsha(script, {"k1", "k2"}, {"a1", "a2", "a3"});
  EXPECT_EQ(words(command), (std::vector<std::string>{"EVALSHA", std::string(script.sha1), "2", "k1", "k2", "a1", "a2", "a3"}));
  EXPECT_EQ(command.script(), &script);
}

TEST(Command, evalshaWithoutKeysSaysZero) {
  EXPECT_EQ(words(Command::evalsha(script, {}, {})), (std::vector<std::string>{"EVALSHA", std::string(script.sha1), "0"}));
}

TEST(Command, onlyAnEvalshaHasAScript) {
  EXPECT_EQ((Command{"EVALSHA", script.sha1, "0"}.script()), nullptr) << "words alone do not tell which body to fall back to";
}

TEST(Command, aCopyIsAValue) {
  Command one{"GET", "a"};
  const Command two = one;
  one.arg("b");
  EXPECT_EQ(words(two), (std::vector<std::string>{"GET", "a"}));
}

RC_GTEST_PROP(Command, givesBackWhateverWasPutIn, (const std::vector<std::string> &in)) {
  Command command;
  for (const auto &word : in)
    command.arg(word);
  RC_ASSERT(words(command) == in);
}

} // namespace
} // namespace lockhouse
