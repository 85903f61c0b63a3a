// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/fallback/fallback_lock.h"

#include <algorithm>

namespace lockhouse {

/// What one acquire of a FallbackLock wants.
struct FallbackLock::Ask {
  bool once = false;
  bool tries = false; // once, and not within a limit that leaves no time for more
  std::optional<SteadyTime> deadline = {};
  std::stop_token cancel = {};

  static Ask within(std::optional<milliseconds> limit, std::stop_token cancel) {
    Ask ask{.once = limit && *limit <= milliseconds::zero(), .cancel = std::move(cancel)};
    if (limit)
      ask.deadline = SteadyClock::now() + std::clamp<milliseconds>(*limit, milliseconds::zero(), longestTime);
    return ask;
  }
  bool isOver() const { return deadline && SteadyClock::now() >= *deadline; }
  /// What to say when the time is over, or the caller does not want it any more.
  AcquireOutcome end() const {
    if (cancel.stop_requested())
      return Cancelled{};
    return tries ? AcquireOutcome(Contended{}) : AcquireOutcome(TimedOut{});
  }
  /// Who had it last is not known here.
  std::string detail() const { return cancel.stop_requested() || tries ? std::string() : "another owner has it, or Redis has not answered"; }
};

} // namespace lockhouse
