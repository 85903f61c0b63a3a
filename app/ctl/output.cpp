// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/output.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace lockhouse::ctl {

Output::Output() : m_colour(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) { std::signal(SIGPIPE, SIG_IGN); }

bool Output::put(std::string_view text) const { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0; }

ExitCode Output::failed(const Error &error) const { return failed(exitCodeOf(error), error.sentence()); }

ExitCode Output::failed(ExitCode code, std::string_view sentence) const {
  std::string line = "lockhousectl: ";
  for (const char c : sentence)
    line += c == '\n' ? ' ' : c;
  line += '\n';
  std::fputs(line.c_str(), stderr);
  return code;
}

} // namespace lockhouse::ctl
