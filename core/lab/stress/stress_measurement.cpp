// SPDX-License-Identifier: Apache-2.0
#include "core/lab/stress/stress_measurement.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace lockhouse {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

double secondsOf(std::chrono::nanoseconds length) { return std::chrono::duration<double>(length).count(); }

} // namespace

StressMeasurement::StressMeasurement(StressState &state, const std::deque<VirtualClient> &clients, const StressBackend &backend)
    : m_state(state), m_clients(clients), m_backend(backend) {}

void StressMeasurement::begin() {
  m_commandsBefore = m_backend.commandsSent();
  m_began = m_lastProgress = SteadyClock::now();
}

void StressMeasurement::noteConnection(bool isDisconnected) {
  if (isDisconnected == m_disconnectedSince.has_value())
    return;
  const auto now = SteadyClock::now();
  m_timeDisconnected += now - m_disconnectedSince.value_or(now);
  m_disconnectedSince = isDisconnected ? std::optional(now) : std::nullopt;
}

StressProgress StressMeasurement::progress() {
  const auto now = SteadyClock::now();
  StressProgress out;
  out.seconds = secondsOf(now - m_began);
  out.pairs = m_state.pairs;
  out.pairsPerSecond = static_cast<double>(m_state.pairs - m_pairsAtLastProgress) / std::max(secondsOf(now - m_lastProgress), 1e-9);
  out.waitP50 = m_state.waits.quantile(0.5);
  out.waitP99 = m_state.waits.quantile(0.99);
  out.waiting = m_state.waiting;
  out.perClientMin = std::ranges::min(m_clients | std::views::transform(&VirtualClient::pairs));
  out.violations = violations();
  out.inDoubt = m_state.inDoubt;
  out.lost = m_state.lost;
  m_waits.merge(std::exchange(m_state.waits, {}));
  m_lastProgress = now;
  m_pairsAtLastProgress = m_state.pairs;
  return out;
}

void StressMeasurement::finish() {
  if (m_finished == SteadyTime{})
    m_finished = SteadyClock::now();
}

void StressMeasurement::countCommands() { m_commands = m_backend.commandsSent() - m_commandsBefore; }

std::uint64_t StressMeasurement::violations() const { return m_state.check.violations() + m_backend.violations(); }

void StressMeasurement::fill(StressReport &report, std::optional<std::uint64_t> callsBefore, std::optional<std::uint64_t> callsAfter) {
  m_waits.merge(std::exchange(m_state.waits, {}));
  const auto [least, most] = std::ranges::minmax(m_clients | std::views::transform(&VirtualClient::pairs));
  report.seconds = secondsOf(m_finished - m_began);
  report.secondsAway = secondsOf(m_timeDisconnected);
  report.pairs = m_state.pairs;
  report.acquireP50 = m_waits.quantile(0.5);
  report.acquireP99 = m_waits.quantile(0.99);
  report.acquireMax = m_waits.max();
  report.commandsPerPair = ratio(m_commands, report.pairs);
  // Fewer calls than commands: the server's counters were reset during the run.
  if (callsBefore && callsAfter && *callsAfter >= *callsBefore && (*callsAfter - *callsBefore) * 100 >= m_commands * 99)
    report.serverCallsPerPair = ratio(*callsAfter - *callsBefore, report.pairs);
  report.perClientMin = least;
  report.perClientMax = most;
  report.violations = violations();
  report.inDoubt = m_state.inDoubt;
  report.lost = m_state.lost;
}

} // namespace lockhouse
