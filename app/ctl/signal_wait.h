// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <optional>

namespace lockhouse::ctl {

/// Lets one thread wait for a word from another, for SIGINT or SIGTERM, or for a deadline. While it lives these signals no longer
/// end the process. Make it before any other thread is started.
class SignalWait {
public:
  enum class Woken { Told, Interrupted, TimedOut };

  SignalWait();
  ~SignalWait();
  SignalWait(const SignalWait &) = delete;
  SignalWait &operator=(const SignalWait &) = delete;

  void tell() const; ///< any thread; words told before wait() are not lost, several count as one
  /// Each signal is told once.
  Woken wait(std::optional<SteadyTime> until = std::nullopt) const;

private:
  int m_signals = -1;
  int m_told;
};

} // namespace lockhouse::ctl
