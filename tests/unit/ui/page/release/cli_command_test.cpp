// SPDX-License-Identifier: Apache-2.0
#include "ui/page/release/cli_command.h"

#include <QProcess>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

// What bash makes of the words of a command line, NUL-separated.
std::vector<std::string> asBashReadsIt(const QString &words) {
  QProcess bash;
  bash.start(QStringLiteral("bash"), {QStringLiteral("-c"), QStringLiteral("printf '%s\\0' ") + words});
  EXPECT_TRUE(bash.waitForFinished(20'000)) << "bash is needed for this test";
  std::vector<std::string> read;
  const QList<QByteArray> parts = bash.readAllStandardOutput().split('\0');
  for (const QByteArray &part : parts.first(parts.size() - 1))
    read.push_back(part.toStdString());
  return read;
}

TEST(ShellWord, meansExactlyTheseBytesToAShell) {
  const std::vector<std::string> words{"plain",
                                       "with space",
                                       "it's",
                                       "\"quoted\"",
                                       "$(touch /tmp/never)",
                                       "`id`",
                                       "a;b&c|d>e",
                                       "*?[a]{1,2}",
                                       "~root",
                                       "-dash",
                                       "#hash",
                                       "!bang",
                                       "=cat",
                                       "back\\slash",
                                       "back\\x41slash",
                                       "new\nline",
                                       "tab\tand\x1b[31mescape",
                                       "\xff\xfe raw",
                                       "订单",
                                       "\xe2\x80\xae"
                                       "gnp.exe",
                                       "\x01"
                                       "1",
                                       "%s%n",
                                       ""};
  QString line;
  for (const std::string &word : words)
    line += shellWord(word) + u' ';
  EXPECT_THAT(asBashReadsIt(line), testing::ElementsAreArray(words));
}

TEST(ShellWord, neverShowsControlCharacters) {
  const QString word = shellWord("a\x1b[31m\n\xe2\x80\xae");
  for (const QChar c : word)
    EXPECT_TRUE(c >= u' ' && c < QChar(0x7f)) << word.toStdString();
}

TEST(ShellWord, leavesOrdinaryNamesReadable) {
  EXPECT_EQ(shellWord("lock:order-17"), u"lock:order-17");
  EXPECT_EQ(shellWord("订单"), u"'订单'");
}

class ReleaseCommand : public testing::Test {
protected:
  ReleaseIntent m_intent{{NodeId("127.0.0.1:7001"), 0, LockName("--odd key'")}, "5b1c:17", 2, "web-3 hung; restarting"};
};

TEST_F(ReleaseCommand, appliesWithTheReason) {
  const auto words = asBashReadsIt(releaseCommand("redis://127.0.0.1:7001", m_intent));
  EXPECT_THAT(words, testing::ElementsAre("lockhousectl", "--url", "redis://127.0.0.1:7001", "release", "--holder=5b1c:17", "--count", "2",
                                          "--reason=web-3 hung; restarting", "--apply", "--", "--odd key'"));
}

TEST_F(ReleaseCommand, onlyPlansWithoutOne) {
  m_intent.reason.clear();
  const QString command = releaseCommand("redis://127.0.0.1:7001", m_intent);
  EXPECT_TRUE(command.contains(u"--plan"));
  EXPECT_FALSE(command.contains(u"--apply"));
}

TEST_F(ReleaseCommand, shortensALeaseWhereThatIsWanted) {
  m_intent.shortenTo = milliseconds(10'000);
  const auto words = asBashReadsIt(releaseCommand("redis://127.0.0.1:7001", m_intent));
  EXPECT_THAT(words, testing::ElementsAre("lockhousectl", "--url", "redis://127.0.0.1:7001", "shorten", "--holder=5b1c:17", "--count", "2", "--to", "10000",
                                          "--reason=web-3 hung; restarting", "--apply", "--", "--odd key'"));
}

TEST_F(ReleaseCommand, namesTheFenceOrTheTimeThatWasSeen) {
  m_intent.fence = Fence{7};
  EXPECT_TRUE(releaseCommand("redis://127.0.0.1:7001", m_intent).contains(u" --count 2 --fence 7 --reason="));
  m_intent.fence.reset();
  m_intent.time = "1795549000.5";
  EXPECT_TRUE(releaseCommand("redis://127.0.0.1:7001", m_intent).contains(u" --count 2 --time 1795549000.5 --reason="));
  m_intent.type = ValueType::SortedSet;
  EXPECT_TRUE(releaseCommand("redis://127.0.0.1:7001", m_intent).contains(u" --time 1795549000.5 --type zset --reason="));
}

TEST_F(ReleaseCommand, vouchesForALockThatLooksLikeNone) {
  EXPECT_FALSE(releaseCommand("redis://127.0.0.1:7001", m_intent).contains(u"--all"));
  m_intent.isVouchedFor = true;
  const auto words = asBashReadsIt(releaseCommand("redis://127.0.0.1:7001", m_intent));
  EXPECT_THAT(words, testing::ElementsAre("lockhousectl", "--url", "redis://127.0.0.1:7001", "release", "--holder=5b1c:17", "--count", "2", "--all",
                                          "--reason=web-3 hung; restarting", "--apply", "--", "--odd key'"));
}

TEST_F(ReleaseCommand, givesBytesThatNoShellCanPassInBase64) {
  const std::string odd("a\0b", 3);
  m_intent.lock.key = LockName(odd);
  m_intent.holder = odd;
  const auto words = asBashReadsIt(releaseCommand("redis://127.0.0.1:7001", m_intent));
  EXPECT_THAT(words, testing::ElementsAre("lockhousectl", "--url", "redis://127.0.0.1:7001", "release", "--holder-b64=YQBi", "--count", "2",
                                          "--reason=web-3 hung; restarting", "--apply", "--key-b64=YQBi"));
}

TEST(ScriptText, namesScriptKeysAndExpectation) {
  constexpr Script script{"release-redisson-fair", "return 1", "0000000000000000000000000000000000000000"};
  ReleasePlan plan;
  plan.script = &script;
  plan.keys = {"f", "redisson_lock_queue:{f}"};
  plan.expectHolder = "5b1c:17";
  plan.expectCount = 1;
  EXPECT_EQ(scriptText(plan), u"EVAL release-redisson-fair 2\n  f\n  redisson_lock_queue:{f}\n  expect 5b1c:17 = 1");
  EXPECT_TRUE(scriptText(plan, milliseconds(10'000)).endsWith(u"\n  expect 5b1c:17 = 1\n  leave at most 10000 ms"));
}

TEST(ScriptText, showsLongNamesWhole) {
  constexpr Script script{"release-token", "return 1", "0000000000000000000000000000000000000000"};
  ReleasePlan plan;
  plan.script = &script;
  const std::string name = "lock:" + std::string(600, 'a') + "-middle-" + std::string(600, 'b'), holder = std::string(700, 'c');
  plan.keys = {name};
  plan.expectHolder = holder;
  plan.expectCount = 1;
  const QString text = scriptText(plan);
  EXPECT_TRUE(text.contains(QString::fromStdString(name)));
  EXPECT_TRUE(text.contains(QString::fromStdString(holder)));
  plan.keys = {std::string(100'000, 'k')};
  EXPECT_LT(scriptText(plan).size(), 6'000) << "there is a bound to it all the same";
}

} // namespace
} // namespace lockhouse::ui
