// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/signal_watch.h"

#include <QSocketNotifier>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace lockhouse::ui {
namespace {

int pipeEnds[2] = {-1, -1};

// Async-signal-safe: one write, its result of no use here.
extern "C" void onSignal(int) {
  const char byte = 1;
  [[maybe_unused]] const auto written = ::write(pipeEnds[1], &byte, 1);
}

} // namespace

SignalWatch::SignalWatch(QObject *parent) : QObject(parent) {
  if (::pipe2(pipeEnds, O_CLOEXEC | O_NONBLOCK) != 0)
    return;
  m_notifier = new QSocketNotifier(pipeEnds[0], QSocketNotifier::Read, this);
  connect(m_notifier, &QSocketNotifier::activated, this, [this] {
    char byte = 0;
    while (::read(pipeEnds[0], &byte, 1) == 1) {}
    emit asked();
  });
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM})
    ::sigaction(number, &action, nullptr);
}

SignalWatch::~SignalWatch() {
  for (const int number : {SIGINT, SIGTERM})
    std::signal(number, SIG_DFL);
  delete m_notifier;
  for (int &end : pipeEnds)
    ::close(std::exchange(end, -1));
}

} // namespace lockhouse::ui
