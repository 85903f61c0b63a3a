// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/exit_code.h"

#include <string>
#include <string_view>

namespace lockhouse::ctl {

/// Standard output and standard error of one run.
class Output {
public:
  Output(); ///< a reader that goes away is seen by put(), not by a signal

  bool colour() const { return m_colour; } ///< a terminal is read by a person who did not set NO_COLOR
  /// Writes and flushes; false once nobody reads any more.
  bool put(std::string_view text) const;
  /// One line on standard error, and its exit code.
  ExitCode failed(const Error &error) const;
  ExitCode failed(ExitCode code, std::string_view sentence) const;

private:
  bool m_colour;
};

} // namespace lockhouse::ctl
