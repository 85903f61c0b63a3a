// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/virtual_client.h"

#include <utility>

namespace lockhouse {
namespace {

// After a failure that a later try may cure: the node is away, or busy.
constexpr milliseconds retryPause{50};

bool mayPass(ErrorCode code) { return code == ErrorCode::Unreachable || code == ErrorCode::Timeout || code == ErrorCode::InDoubt; }

} // namespace

VirtualClient::VirtualClient(StressFloor &floor, std::vector<std::size_t> cells, bool reads, std::unique_ptr<OwnerSession> session,
                             std::optional<std::uint64_t> quota)
    : m_floor(floor), m_cells(std::move(cells)), m_reads(reads), m_quota(quota), m_readings(m_cells.size()), m_session(std::move(session)) {
  m_session->onLost([this](LossReason) { lost(); });
}

void VirtualClient::start() { next(); }

void VirtualClient::stop() {
  switch (m_stage) {
  case Stage::Thinking:
  case Stage::Away: return finish();
  case Stage::Acquiring: return m_session->cancel();
  case Stage::Holding: m_timer->cancel(); return release();
  case Stage::Releasing:
  case Stage::Finished: return;
  }
}

void VirtualClient::acquire() {
  m_stage = Stage::Acquiring;
  ++m_floor.waiting;
  m_since = SteadyClock::now();
  m_session->acquire([this](const AcquireOutcome &outcome) { acquired(outcome); });
}

void VirtualClient::acquired(const AcquireOutcome &outcome) {
  --m_floor.waiting;
  if (!std::holds_alternative<Acquired>(outcome))
    return refused(outcome);
  m_floor.waits.add(SteadyClock::now() - m_since);
  enter();
  if ((m_floor.hold == milliseconds(0) && !m_floor.leftFirst) || m_floor.stopping)
    return release();
  m_stage = Stage::Holding;
  if (!m_timer)
    m_timer.emplace(m_floor.loop);
  m_timer->after(m_floor.hold, [this] { release(); });
}

void VirtualClient::refused(const AcquireOutcome &outcome) {
  if (std::holds_alternative<Cancelled>(outcome))
    return finish();
  if (std::holds_alternative<InDoubt>(outcome)) {
    ++m_floor.inDoubt;
    return tryLater();
  }
  if (const auto *failed = std::get_if<Failed>(&outcome)) {
    if (!mayPass(failed->error.code) && !m_floor.failure)
      m_floor.failure = failed->error;
    return tryLater();
  }
  next();
}

void VirtualClient::release() {
  m_stage = Stage::Releasing;
  if (m_floor.leftFirst)
    leave();
  m_session->release([this](ReleaseOutcome outcome) { released(outcome); });
}

void VirtualClient::released(ReleaseOutcome outcome) {
  if (outcome == ReleaseOutcome::Released) {
    leave();
    ++m_floor.pairs;
    ++m_pairs;
    return next();
  }
  abandon();
  if (outcome == ReleaseOutcome::InDoubt)
    ++m_floor.inDoubt;
  else if (outcome == ReleaseOutcome::NotOwner)
    ++m_floor.lost;
  else if (const auto *why = m_session->lastError(); why != nullptr && !mayPass(why->code) && !m_floor.failure)
    m_floor.failure = *why;
  next();
}

void VirtualClient::lost() {
  if (m_stage != Stage::Holding)
    return;
  m_timer->cancel();
  abandon();
  ++m_floor.lost;
  next();
}

// Who was giving back has left its work; whether the server still takes it for the owner is no longer known.
void VirtualClient::connectionLost() {
  if (m_stage == Stage::Releasing)
    abandon();
}

void VirtualClient::connectionReturned() {
  if (m_stage == Stage::Away)
    next();
}

void VirtualClient::enter() {
  for (std::size_t i = 0; i < m_cells.size(); ++i)
    m_readings[i] = m_floor.check.enter(m_cells[i], m_reads);
  m_inside = true;
}

void VirtualClient::leave() {
  if (!std::exchange(m_inside, false))
    return;
  for (std::size_t i = 0; i < m_cells.size(); ++i)
    m_floor.check.leave(m_cells[i], m_readings[i], m_reads);
}

void VirtualClient::abandon() {
  if (!std::exchange(m_inside, false))
    return;
  for (const auto cell : m_cells)
    m_floor.check.abandon(cell, m_reads);
}

void VirtualClient::next() {
  if (m_floor.stopping || m_floor.failure || m_pairs >= m_quota.value_or(m_pairs + 1))
    return finish();
  if (m_floor.think > milliseconds(0) && m_stage != Stage::Thinking)
    return pause(m_floor.think);
  acquire();
}

void VirtualClient::pause(milliseconds length) {
  m_stage = Stage::Thinking;
  if (m_floor.stopping || m_floor.failure)
    return finish();
  if (!m_timer)
    m_timer.emplace(m_floor.loop);
  m_timer->after(length, [this] { next(); });
}

// Asking again and again while the connection is away would keep a core busy, the more so the more clients there are.
void VirtualClient::tryLater() {
  if (!m_floor.away || m_floor.stopping || m_floor.failure)
    return pause(retryPause);
  m_stage = Stage::Away;
}

void VirtualClient::finish() {
  m_stage = Stage::Finished;
  if (m_timer)
    m_timer->cancel();
  if (--m_floor.active == 0 && m_floor.idle)
    m_floor.idle();
}

} // namespace lockhouse
