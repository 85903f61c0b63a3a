// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/exit_code.h"

#include <algorithm>

namespace lockhouse::ctl {

ExitCode exitCodeOf(const Error &error) {
  switch (error.code) {
  case ErrorCode::Usage: return ExitCode::Usage;
  case ErrorCode::AuthFailed:
  case ErrorCode::NotPermitted: return ExitCode::NotAllowed;
  case ErrorCode::Unreachable:
  case ErrorCode::TlsRejected:
  case ErrorCode::Timeout:
  case ErrorCode::InDoubt:
  case ErrorCode::Protocol: return ExitCode::Unreachable;
  default: return ExitCode::Refused;
  }
}

ExitCode exitCodeOf(std::span<const ReleaseResult> results) {
  const auto count = [results](std::optional<Verdict> verdict) { return std::ranges::count(results, verdict, &ReleaseResult::verdict); };
  if (count(Verdict::NotAllowed) > 0)
    return ExitCode::NotAllowed;
  if (count(Verdict::Unreachable) > 0)
    return ExitCode::Unreachable;
  const auto done = std::ranges::count_if(results, [](const ReleaseResult &result) { return !result.verdict || isAsAsked(result.verdict); });
  const bool restIsFree = done + count(Verdict::AlreadyFree) == std::ssize(results);
  const bool isRecorded = std::ranges::all_of(results, &Message::empty, &ReleaseResult::unrecorded);
  return done > 0 && restIsFree && isRecorded ? ExitCode::Done : ExitCode::Refused;
}

} // namespace lockhouse::ctl
