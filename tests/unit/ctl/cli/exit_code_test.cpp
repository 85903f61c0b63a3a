// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/exit_code.h"

#include <gtest/gtest.h>

namespace lockhouse::ctl {
namespace {

ExitCode of(std::vector<std::optional<Verdict>> verdicts) {
  std::vector<ReleaseResult> results;
  for (const auto verdict : verdicts)
    results.emplace_back().verdict = verdict;
  return exitCodeOf(results);
}

TEST(ExitCode, tellsWhatKindOfErrorItWas) {
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::Usage, {}, {}, {}}), ExitCode::Usage);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::Unreachable, {}, {}, {}}), ExitCode::Unreachable);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::Timeout, {}, {}, {}}), ExitCode::Unreachable);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::TlsRejected, {}, {}, {}}), ExitCode::Unreachable);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::AuthFailed, {}, {}, {}}), ExitCode::NotAllowed);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::NotPermitted, {}, {}, {}}), ExitCode::NotAllowed);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::Storage, {}, {}, {}}), ExitCode::Refused);
  EXPECT_EQ(exitCodeOf(Error{ErrorCode::ReadOnly, {}, {}, {}}), ExitCode::Refused);
}

TEST(ExitCode, ofAPlanOrAReleaseIsZero) {
  EXPECT_EQ(of({std::nullopt}), ExitCode::Done);
  EXPECT_EQ(of({Verdict::Released}), ExitCode::Done);
  EXPECT_EQ(of({Verdict::Released, Verdict::AlreadyFree}), ExitCode::Done);
}

TEST(ExitCode, ofARefusalIsFive) {
  for (const auto verdict : {Verdict::Changed, Verdict::AlreadyFree, Verdict::NotALock, Verdict::ReadOnly})
    EXPECT_EQ(of({verdict}), ExitCode::Refused);
  EXPECT_EQ(of({Verdict::Released, Verdict::Changed}), ExitCode::Refused);
}

TEST(ExitCode, ofWhatWasDoneAndCouldNotBeRecordedIsFive) {
  std::vector<ReleaseResult> results(2);
  results[0].verdict = results[1].verdict = Verdict::Released;
  results[1].unrecorded = Message::verbatim("the disk is full");
  EXPECT_EQ(exitCodeOf(results), ExitCode::Refused);
}

TEST(ExitCode, ofSeveralIsTheGravest) {
  EXPECT_EQ(of({Verdict::Released, Verdict::Unreachable}), ExitCode::Unreachable);
  EXPECT_EQ(of({Verdict::Changed, Verdict::Unreachable, Verdict::NotAllowed}), ExitCode::NotAllowed);
}

} // namespace
} // namespace lockhouse::ctl
