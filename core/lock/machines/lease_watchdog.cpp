// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/lease_watchdog.h"

#include "core/lock/options/lock_options.h"

#include <algorithm>
#include <cmath>

namespace lockhouse {
namespace {

std::chrono::nanoseconds early(std::chrono::nanoseconds interval, Jitter &jitter) {
  return std::chrono::nanoseconds(std::llround(static_cast<double>(interval.count()) * (0.95 - 0.05 * jitter.unit())));
}

} // namespace

using Kind = LeaseEvent::Kind;

LeaseActions LeaseWatchdog::start(SteadyTime now, SteadyTime validUntil, milliseconds lease, Renewals renewals, std::uint64_t seed) {
  m_renew = renewals == Renewals::On;
  m_restarted = false;
  m_lease = lease;
  m_validUntil = validUntil;
  m_jitter = Jitter(seed);
  if (renewals == Renewals::Once)
    return ask(now);
  // A hold that was passed on may have less than its lease.
  return rest(now + std::min(early(renewalInterval(lease), m_jitter), std::chrono::nanoseconds(validUntil - now) / 2));
}

LeaseActions LeaseWatchdog::extend(SteadyTime validUntil, milliseconds lease) {
  if (m_state != State::Resting && m_state != State::Asking)
    return {};
  m_lease = std::max(m_lease, lease);
  m_validUntil = std::max(m_validUntil, validUntil);
  return stay();
}

LeaseActions LeaseWatchdog::on(LeaseEvent event, SteadyTime now) {
  if (m_state == State::Off || m_state == State::Lost)
    return {};
  if (event.kind == Kind::Stop) {
    m_state = State::Off;
    return {};
  }
  if (event.kind == Kind::Verify && event.restarted)
    m_restarted = true;
  if (event.kind == Kind::Alarm && now >= m_validUntil)
    return lose(LossReason::LeaseEnded);
  return m_state == State::Resting ? onResting(event, now) : onAsking(event, now);
}

LeaseActions LeaseWatchdog::onResting(const LeaseEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Alarm: return m_renew && now >= m_next ? ask(now) : stay();
  case Kind::Verify: return m_renew ? ask(now) : stay();
  default: return stay();
  }
}

LeaseActions LeaseWatchdog::onAsking(const LeaseEvent &event, SteadyTime now) {
  switch (event.kind) {
  case Kind::Renewed: return renewed(now);
  case Kind::Gone: return lose(m_restarted ? LossReason::ServerRestarted : LossReason::Deleted);
  case Kind::TakenOver: return lose(LossReason::TakenOver);
  case Kind::Refused:
  case Kind::Unsent:
  case Kind::Unanswered: return rest(now + early(renewalRetry(m_lease), m_jitter));
  default: return stay();
  }
}

LeaseActions LeaseWatchdog::renewed(SteadyTime now) {
  m_restarted = false;
  m_validUntil = std::max(m_validUntil, m_askedAt + m_lease - driftOf(m_lease));
  if (now >= m_validUntil)
    return lose(LossReason::LeaseEnded);
  return rest(m_askedAt + early(renewalInterval(m_lease), m_jitter));
}

LeaseActions LeaseWatchdog::ask(SteadyTime now) {
  m_state = State::Asking;
  m_askedAt = now;
  m_next = LeaseActions::never;
  auto actions = stay();
  actions.send = true;
  return actions;
}

LeaseActions LeaseWatchdog::rest(SteadyTime until) {
  m_state = State::Resting;
  m_next = m_renew ? until : LeaseActions::never;
  return stay();
}

LeaseActions LeaseWatchdog::lose(LossReason reason) {
  m_state = State::Lost;
  m_reason = reason;
  LeaseActions actions;
  actions.lost = true;
  return actions;
}

LeaseActions LeaseWatchdog::stay() const {
  LeaseActions actions;
  actions.alarm = std::min(m_next, m_validUntil);
  return actions;
}

} // namespace lockhouse
