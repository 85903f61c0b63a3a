// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/connection.h"
#include "core/net/connection/outbox.h"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace lockhouse {
namespace {

std::string formatted(const Command &command) {
  std::string out;
  appendCommand(out, command);
  return out;
}

std::string formattedByHiredis(const std::vector<std::string> &words) {
  std::vector<const char *> starts;
  std::vector<std::size_t> sizes;
  for (const auto &word : words) {
    starts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char *bytes = nullptr;
  const auto size = redisFormatCommandArgv(&bytes, static_cast<int>(words.size()), starts.data(), sizes.data());
  std::string out(bytes, static_cast<std::size_t>(size));
  redisFreeCommand(bytes);
  return out;
}

TEST(CommandFormat, writesAnArrayOfBulkStrings) { EXPECT_EQ(formatted({"SET", "key", ""}), "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n"); }

TEST(CommandFormat, appendsToWhatIsThere) {
  std::string out = "before";
  appendCommand(out, {"PING"});
  EXPECT_EQ(out, "before*1\r\n$4\r\nPING\r\n");
}

TEST(CommandFormat, keepsBytesThatWouldEndACommandInside) {
  const std::string word("a\r\n*1\r\n$8\r\nFLUSHALL\r\n\0b", 23);
  EXPECT_EQ(formatted({"GET", word}), "*2\r\n$3\r\nGET\r\n$23\r\n" + word + "\r\n");
}

TEST(CommandFormat, turnsAnEvalshaIntoTheEvalOfTheSameScript) {
  constexpr Script script{"release", "return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"};
  const auto command = Command::evalsha(script, {"key"}, {"token"});
  EXPECT_EQ(formatted(evalOf(command)), formatted({"EVAL", "return 1", "1", "key", "token"}));
  EXPECT_EQ(evalOf(command).script(), nullptr) << "a second NOSCRIPT must not be answered with a third try";
}

RC_GTEST_PROP(CommandFormat, writesTheSameBytesAsHiredis, (const std::vector<std::string> &some)) {
  std::vector<std::string> words = some;
  words.emplace_back("last");
  Command command;
  for (const auto &word : words)
    command.arg(word);
  RC_ASSERT(formatted(command) == formattedByHiredis(words));
}

} // namespace
} // namespace lockhouse
