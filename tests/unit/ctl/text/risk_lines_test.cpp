// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/risk_lines.h"

#include "tests/unit/watch/records.h"

#include <gmock/gmock.h>

namespace lockhouse::ctl {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ReleaseResult planned(const std::string &key, std::vector<Message> warnings) {
  static constexpr Script script{"release-token", "", ""};
  ReleaseResult result;
  result.lock = test::record("token", LockKind::Mutex, key, {}).id;
  result.plan = ReleasePlan{result.lock, "token", &script, {key}, {}, "t", 1, {}, false, {}, {}, {}, std::move(warnings)};
  return result;
}

constexpr auto renewed = LH_ENGLISH("renewed %1 ago");
constexpr auto mayComeBack = LH_ENGLISH("%1 may come back");

std::vector<Message> all(std::initializer_list<const char *> words) {
  std::vector<Message> messages;
  for (const auto *each : words)
    messages.push_back(Message::verbatim(each));
  return messages;
}

TEST(RiskLines, sayOnceWhatDiffersInFiguresOrTheLocksNameOnly) {
  std::vector<ReleaseResult> results;
  for (int i = 0; i < 40; ++i)
    results.push_back(planned("lock:" + std::to_string(i), {renewed(milliseconds(1000 + 100 * i)), mayComeBack("lock:" + std::to_string(i))}));
  results.push_back(planned("lock:last", all({"grave"})));
  EXPECT_EQ(riskLines(results), "  risk     renewed 1.0 s ago (40 of 41 lock names, with other figures or names; lock:0 first)\n"
                                "  risk     grave (lock:last)\n"
                                "  risk     lock:0 may come back (40 of 41 lock names, with other figures or names; lock:0 first)\n");
}

TEST(RiskLines, putFirstWhatStandsFirstInItsPlan) {
  const std::vector results{planned("a", all({"one", "two"})), planned("b", all({"three", "two"})), planned("c", all({"three"}))};
  EXPECT_EQ(riskLines(results), "  risk     three (b, c)\n  risk     one (a)\n  risk     two (a, b)\n");
}

TEST(RiskLines, nameNobodyWhereAllHaveIt) {
  EXPECT_EQ(riskLines(std::vector{planned("a", all({"one"})), planned("b", all({"one"}))}), "  risk     one (all of them)\n");
  EXPECT_EQ(riskLines(std::vector{planned("a", all({"one"})), planned("a", all({"one"}))}), "  risk     one\n") << "several holds of one lock";
}

TEST(RiskLines, areCutAndSayHowMany) {
  std::vector<ReleaseResult> results;
  for (char c = 'a'; c < 'a' + 25; ++c)
    results.push_back(planned("lock", {Message::verbatim(std::string(3, c))}));
  EXPECT_THAT(riskLines(results), HasSubstr("  risk     and 5 others: --json has all of them\n"));
}

TEST(RiskLines, leaveOutWhatTheLinesOfTheLocksSay) {
  std::vector results{planned("a", all({"refused", "other"})), planned("b", all({"gone"}))};
  results[0].plan->refusal = Message::verbatim("refused");
  results[1].verdict = Verdict::Changed;
  EXPECT_EQ(riskLines(results), "  risk     other\n");
}

} // namespace
} // namespace lockhouse::ctl
