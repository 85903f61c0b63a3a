// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/lock_hold.h"
#include "core/client/fallback/fallback_ticket.h"

#include <future>
#include <utility>

namespace lockhouse {

std::string_view name(HoldScope scope) {
  switch (scope) {
  case HoldScope::None: return "none";
  case HoldScope::Redis: return "redis";
  case HoldScope::Process: return "process";
  }
  return "";
}

FallbackHandle::FallbackHandle() = default;
FallbackHandle::FallbackHandle(LockHandle redis, std::unique_ptr<FallbackTicket> ticket) : m_ticket(std::move(ticket)), m_redis(std::move(redis)) {}
FallbackHandle::~FallbackHandle() = default;
FallbackHandle::FallbackHandle(FallbackHandle &&) noexcept = default;

FallbackHandle &FallbackHandle::operator=(FallbackHandle &&other) noexcept {
  const FallbackHandle old(std::move(*this)); // ends in the right order
  m_redis = std::move(other.m_redis);
  m_ticket = std::move(other.m_ticket);
  return *this;
}

HoldScope FallbackHandle::scope() const {
  if (!m_ticket)
    return HoldScope::None;
  return m_redis.hold() ? HoldScope::Redis : HoldScope::Process;
}

bool FallbackHandle::isHeld() const {
  if (scope() == HoldScope::Redis)
    return m_redis.isHeld();
  return m_ticket && m_ticket->isValid();
}

std::stop_token FallbackHandle::stopToken() const { return m_redis.stopToken(); }

std::optional<LossReason> FallbackHandle::lossReason() const { return m_redis.lossReason(); }

void FallbackHandle::onLost(std::move_only_function<void(LossReason)> handler) { m_redis.onLost(std::move(handler)); }

ReleaseOutcome FallbackHandle::release() {
  if (scope() != HoldScope::Redis) {
    const bool held = m_ticket && m_ticket->isValid();
    m_ticket.reset();
    return held ? ReleaseOutcome::Released : ReleaseOutcome::NotOwner;
  }
  const auto &hold = *m_redis.hold();
  if (hold.isForkedChild() || hold.runtime().isLoopThread()) {
    const auto outcome = m_redis.release();
    m_ticket.reset();
    return outcome;
  }
  std::promise<ReleaseOutcome> answer;
  m_redis.release([&answer](ReleaseOutcome outcome) { answer.set_value(outcome); });
  m_ticket->leave(); // the next acquire asks right behind the release
  return answer.get_future().get();
}

void FallbackHandle::release(std::move_only_function<void(ReleaseOutcome)> done) {
  if (scope() != HoldScope::Redis)
    return done(release());
  const auto ticket = std::move(m_ticket); // `done` may end this handle
  m_redis.release(std::move(done));
  ticket->leave(); // the next acquire asks right behind the release
}

} // namespace lockhouse
