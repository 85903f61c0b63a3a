// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <optional>

namespace lockhouse::ctl {

/// Lets one thread wait for a word from another, for SIGINT, SIGTERM or SIGHUP, or for a deadline. While it lives these signals no
/// longer end the process; a SIGHUP that was ignored (nohup) stays so. Make it before any other thread is started.
class SignalWait {
public:
  enum class Woken { Told, Interrupted, TimedOut };

  /// While it lives, these signals end the process again, if this thread is the one that made the SignalWait: for what may be broken off anywhere.
  class Suspended {
  public:
    Suspended();
    ~Suspended();
    Suspended(const Suspended &) = delete;
    Suspended &operator=(const Suspended &) = delete;
  };

  SignalWait();
  ~SignalWait();
  SignalWait(const SignalWait &) = delete;
  SignalWait &operator=(const SignalWait &) = delete;

  void tell() const; ///< any thread; words told before wait() are not lost, several count as one
  /// Each signal is told once.
  Woken wait(std::optional<SteadyTime> until = std::nullopt) const;
  /// Waits until `file` takes bytes or a signal comes; true whenever it takes some. Leaves the signal to wait(), and waits no more once
  /// that has told one.
  bool awaitRoom(int file) const;

  /// What was told has been heeded: awaitRoom() waits again, until another signal comes.
  void heeded() const { m_interrupted = false; }

private:
  int m_signals = -1;
  mutable bool m_interrupted = false; // of the waiting thread
  int m_told;
};

} // namespace lockhouse::ctl
