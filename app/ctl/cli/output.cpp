// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/output.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace lockhouse::ctl {
namespace {

void awaitRoom(int file) {
  pollfd source{file, POLLOUT, 0};
  poll(&source, 1, -1);
}

} // namespace

Output::Output() : m_colour(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a limit of file sizes is an error of the audit log, which says so
  // Where one of them is closed, the next file or socket would get its number, and our text.
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(file, F_GETFD) < 0) {
      m_error = file == STDOUT_FILENO ? EBADF : m_error;
      (void)open("/dev/null", O_RDWR);
    }
}

// A pipe that says it has room takes PIPE_BUF bytes without waiting, so only awaitRoom() waits.
bool Output::put(std::string_view text, const SignalWait *signals) const {
  while (!text.empty() && m_error == 0) {
    if (signals == nullptr)
      awaitRoom(STDOUT_FILENO);
    else if (!signals->awaitRoom(STDOUT_FILENO))
      return true; // dropped, as it was wanted
    const auto written = write(STDOUT_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR && errno != EAGAIN)
      m_error = errno;
  }
  return m_error == 0;
}

ExitCode Output::ended(ExitCode code) const {
  if (m_error == 0 || m_error == EPIPE || code != ExitCode::Done)
    return code;
  return failed(ExitCode::Refused,
                fmt::format("standard output: cannot be written: {}; what is missing there was lost, ask again", std::generic_category().message(m_error)));
}

ExitCode Output::failed(const Error &error) const { return failed(exitCodeOf(error), error.sentence()); }

ExitCode Output::failed(ExitCode code, std::string_view sentence) const {
  note(sentence);
  return code;
}

void Output::note(std::string_view sentence) const {
  std::string line = "lockhousectl: ";
  for (const char c : sentence)
    line += c == '\n' ? ' ' : c;
  line += '\n';
  std::fputs(line.c_str(), stderr);
}

} // namespace lockhouse::ctl
