// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/virtual_client.h"

#include <utility>

namespace lockhouse {
namespace {

// After a failure that a retry may cure: the node is away, or busy.
constexpr milliseconds retryPause{50};

bool isTransient(ErrorCode code) { return code == ErrorCode::Unreachable || code == ErrorCode::Timeout || code == ErrorCode::InDoubt; }

} // namespace

VirtualClient::VirtualClient(StressState &state, std::vector<std::size_t> resources, bool reads, std::unique_ptr<OwnerSession> session,
                             std::optional<std::uint64_t> quota)
    : m_state(state), m_resources(std::move(resources)), m_reads(reads), m_quota(quota), m_readings(m_resources.size()), m_session(std::move(session)) {
  m_session->onLost([this](LossReason) { lost(); });
}

void VirtualClient::start() { next(); }

void VirtualClient::stop() {
  switch (m_stage) {
  case Stage::Thinking:
  case Stage::Disconnected: return finish();
  case Stage::Acquiring: return m_session->cancel();
  case Stage::Holding: m_timer->cancel(); return release();
  case Stage::Releasing:
  case Stage::Finished: return;
  }
}

void VirtualClient::acquire() {
  m_stage = Stage::Acquiring;
  ++m_state.waiting;
  m_since = SteadyClock::now();
  m_session->acquire([this](const AcquireOutcome &outcome) { acquired(outcome); });
}

void VirtualClient::acquired(const AcquireOutcome &outcome) {
  --m_state.waiting;
  if (!std::holds_alternative<Acquired>(outcome))
    return refused(outcome);
  m_state.waits.add(SteadyClock::now() - m_since);
  enter();
  if ((m_state.hold == milliseconds(0) && !m_state.leavesBeforeRelease) || m_state.isStopping)
    return release();
  m_stage = Stage::Holding;
  if (!m_timer)
    m_timer.emplace(m_state.loop);
  m_timer->after(m_state.hold, [this] { release(); });
}

void VirtualClient::refused(const AcquireOutcome &outcome) {
  if (std::holds_alternative<Cancelled>(outcome))
    return finish();
  if (std::holds_alternative<InDoubt>(outcome)) {
    ++m_state.inDoubt;
    return tryLater();
  }
  if (const auto *failed = std::get_if<Failed>(&outcome)) {
    if (!isTransient(failed->error.code) && !m_state.failure)
      m_state.failure = failed->error;
    return tryLater();
  }
  next();
}

void VirtualClient::release() {
  m_stage = Stage::Releasing;
  if (m_state.leavesBeforeRelease)
    leave();
  m_session->release([this](ReleaseOutcome outcome) { released(outcome); });
}

void VirtualClient::released(ReleaseOutcome outcome) {
  if (outcome == ReleaseOutcome::Released) {
    leave();
    ++m_state.pairs;
    ++m_pairs;
    return next();
  }
  abandon();
  if (outcome == ReleaseOutcome::InDoubt)
    ++m_state.inDoubt;
  else if (outcome == ReleaseOutcome::NotOwner)
    ++m_state.lost;
  else if (const auto *why = m_session->lastError(); why != nullptr && !isTransient(why->code) && !m_state.failure)
    m_state.failure = *why;
  next();
}

void VirtualClient::lost() {
  if (m_stage != Stage::Holding)
    return;
  m_timer->cancel();
  abandon();
  ++m_state.lost;
  next();
}

// Whether the server has run the release, so that another client may be the owner, is not known any more.
void VirtualClient::connectionLost() {
  if (m_stage == Stage::Releasing)
    abandon();
}

void VirtualClient::connectionReturned() {
  if (m_stage == Stage::Disconnected)
    next();
}

void VirtualClient::enter() {
  for (std::size_t i = 0; i < m_resources.size(); ++i)
    m_readings[i] = m_state.check.enter(m_resources[i], m_reads);
  m_inside = true;
}

void VirtualClient::leave() {
  if (!std::exchange(m_inside, false))
    return;
  for (std::size_t i = 0; i < m_resources.size(); ++i)
    m_state.check.leave(m_resources[i], m_readings[i], m_reads);
}

void VirtualClient::abandon() {
  if (!std::exchange(m_inside, false))
    return;
  for (const auto resource : m_resources)
    m_state.check.abandon(resource, m_reads);
}

void VirtualClient::next() {
  if (m_state.isStopping || m_state.failure || m_pairs >= m_quota.value_or(m_pairs + 1))
    return finish();
  if (m_state.think > milliseconds(0) && m_stage != Stage::Thinking)
    return pause(m_state.think);
  acquire();
}

void VirtualClient::pause(milliseconds length) {
  m_stage = Stage::Thinking;
  if (m_state.isStopping || m_state.failure)
    return finish();
  if (!m_timer)
    m_timer.emplace(m_state.loop);
  m_timer->after(length, [this] { next(); });
}

// Retries without a connection would keep a core busy.
void VirtualClient::tryLater() {
  if (!m_state.isDisconnected || m_state.isStopping || m_state.failure)
    return pause(retryPause);
  m_stage = Stage::Disconnected;
}

void VirtualClient::finish() {
  m_stage = Stage::Finished;
  if (m_timer)
    m_timer->cancel();
  if (--m_state.active == 0 && m_state.onFinished)
    m_state.onFinished();
}

} // namespace lockhouse
