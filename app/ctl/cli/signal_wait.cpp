// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/cli/signal_wait.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <limits>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace lockhouse::ctl {
namespace {

sigset_t endingSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  struct sigaction hangUp{};
  if (sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN)
    sigaddset(&set, SIGHUP);
  return set;
}

int millisecondsUntil(std::optional<SteadyTime> until) {
  if (!until)
    return -1;
  const auto left = std::chrono::ceil<milliseconds>(*until - SteadyClock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

} // namespace

SignalWait::Suspended::Suspended() {
  const auto set = endingSignals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

SignalWait::Suspended::~Suspended() {
  const auto set = endingSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalWait::SignalWait() : m_told(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const auto set = endingSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  m_signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalWait::~SignalWait() {
  close(m_signals);
  close(m_told);
}

void SignalWait::tell() const { (void)eventfd_write(m_told, 1); }

SignalWait::Woken SignalWait::wait(std::optional<SteadyTime> until) const {
  std::array<pollfd, 2> sources{pollfd{m_signals, POLLIN, 0}, pollfd{m_told, POLLIN, 0}};
  while (poll(sources.data(), sources.size(), millisecondsUntil(until)) < 0) {
    // only an unrelated signal gets here
  }
  signalfd_siginfo signal{};
  if (sources[0].revents != 0 && read(m_signals, &signal, sizeof signal) > 0) {
    m_interrupted = true;
    return Woken::Interrupted;
  }
  if (sources[1].revents == 0)
    return Woken::TimedOut;
  eventfd_t unused = 0;
  (void)eventfd_read(m_told, &unused);
  return Woken::Told;
}

bool SignalWait::awaitRoom(int file) const {
  std::array<pollfd, 2> sources{pollfd{file, POLLOUT, 0}, pollfd{m_signals, POLLIN, 0}};
  while (poll(sources.data(), sources.size(), m_interrupted ? 0 : -1) < 0) {
    // only an unrelated signal gets here
  }
  return sources[0].revents != 0;
}

} // namespace lockhouse::ctl
