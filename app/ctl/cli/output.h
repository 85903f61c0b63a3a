// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/cli/exit_code.h"
#include "app/ctl/cli/signal_wait.h"

#include <string>
#include <string_view>

namespace lockhouse::ctl {

/// Standard output and standard error of one run. Used by one thread.
class Output {
public:
  Output(); ///< a reader that goes away is seen by put(), not by a signal; what is closed stays so for us, whatever is opened later

  bool colour() const { return m_colour; } ///< a terminal is read by a person who did not set NO_COLOR
  /// Writes at once; false if that failed, now or before. While the reader does not read, it waits: for the reader, or for a signal,
  /// where these go to `signals`; then the rest is dropped.
  bool put(std::string_view text, const SignalWait *signals = nullptr) const;
  /// The exit code of a run that came to `code`: another one, and a line on standard error, if standard output could not be written.
  /// A reader that has gone is no failure.
  ExitCode ended(ExitCode code) const;
  /// One line on standard error, and its exit code.
  ExitCode failed(const Error &error) const;
  ExitCode failed(ExitCode code, std::string_view sentence) const;
  void note(std::string_view sentence) const; ///< the same line, of something that is no failure

private:
  bool m_colour;
  mutable int m_error = 0; // errno of the first write that failed
};

} // namespace lockhouse::ctl
