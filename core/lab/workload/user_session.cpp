// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/user_session.h"

#include "core/base/safe_text.h"

#include <utility>

namespace lockhouse {

void Unanswered::take() {
  if (--m_count == 0 && m_task)
    std::exchange(m_task, {})();
}

void Unanswered::whenNone(Loop::Task task) {
  if (isNone())
    task();
  else
    m_task = std::move(task);
}

UserSession::UserSession(Loop &loop, std::unique_ptr<UserLock> lock, LockName name, std::shared_ptr<Unanswered> unanswered)
    : m_loop(loop), m_name(std::move(name)), m_unanswered(std::move(unanswered)), m_lock(std::move(lock)) {}

UserSession::~UserSession() {
  cancel();
  forget();
  if (m_hold && !m_released)
    giveBack(m_loop, m_hold, m_unanswered);
  if (m_released)
    std::exchange(m_released, {})(ReleaseOutcome::InDoubt);
}

void UserSession::acquire(AcquireHandler done) {
  m_acquired = std::move(done);
  m_cancel = std::stop_source();
  m_ticket = std::make_shared<Ticket>(this);
  m_unanswered->add();
  m_lock->take(m_cancel.get_token(), [&loop = m_loop, ticket = m_ticket, unanswered = m_unanswered](UserLock::Taken answer) mutable {
    loop.post([&loop, ticket = std::move(ticket), unanswered = std::move(unanswered), answer = std::move(answer)]() mutable {
      if (ticket->session != nullptr)
        ticket->session->taken(std::move(answer));
      else if (answer)
        giveBack(loop, *answer, unanswered);
      unanswered->take();
    });
  });
}

void UserSession::acquire(AcquirePolicy, std::optional<milliseconds>, AcquireHandler done) { acquire(std::move(done)); }

void UserSession::taken(UserLock::Taken taken) {
  auto done = std::exchange(m_acquired, {});
  if (!taken) {
    const auto &outcome = taken.error().outcome;
    if (const auto *failed = std::get_if<Failed>(&outcome))
      m_error = failed->error;
    return done(outcome);
  }
  m_hold = std::move(*taken);
  m_hold->onLost([&loop = m_loop, ticket = m_ticket](LossReason reason) {
    loop.post([ticket, reason] {
      if (ticket->session != nullptr)
        ticket->session->lost(reason);
    });
  });
  const auto &handle = m_hold->handle();
  done(Acquired{handle.token(), handle.validUntil(), handle.fence(), handle.count()});
}

void UserSession::release(ReleaseHandler done) {
  if (!m_hold)
    return m_loop.post([handler = std::move(done)]() mutable { handler(ReleaseOutcome::NotOwner); });
  forget();
  m_released = std::move(done);
  m_ticket = std::make_shared<Ticket>(this);
  m_unanswered->add();
  m_hold->giveBack([&loop = m_loop, ticket = m_ticket, hold = m_hold, unanswered = m_unanswered](ReleaseOutcome outcome) mutable {
    loop.post([ticket = std::move(ticket), hold = std::move(hold), unanswered = std::move(unanswered), outcome] {
      if (ticket->session != nullptr)
        ticket->session->released(outcome);
      unanswered->take();
    });
  });
}

void UserSession::released(ReleaseOutcome outcome) {
  const auto hold = std::exchange(m_hold, nullptr);
  if (outcome == ReleaseOutcome::Failed)
    m_error = hold->handle().releaseError().value_or(Error{ErrorCode::Server, LH_MESSAGE("ErrorWords", "the server refused a release"),
                                                           safeText(m_name.bytes(), 80), LH_MESSAGE("ErrorWords", "look at the rights of this user")});
  auto done = std::exchange(m_released, {});
  done(outcome);
}

void UserSession::becomeWriter(std::optional<milliseconds>, AcquireHandler done) {
  m_error = Error{ErrorCode::Usage, LH_MESSAGE("ErrorWords", "what a user's lock holds here is made no writer"), safeText(m_name.bytes(), 80),
                  LH_MESSAGE("ErrorWords", "acquire a FairReadWriteLock alone")};
  m_loop.post([handler = std::move(done), outcome = AcquireOutcome(Failed{*m_error})]() mutable { handler(outcome); });
}

void UserSession::cancel() {
  if (!m_acquired)
    return;
  forget();
  m_cancel.request_stop();
  auto done = std::exchange(m_acquired, {});
  done(Cancelled{});
}

void UserSession::lost(LossReason reason) {
  m_hold.reset();
  if (m_onLost)
    m_onLost(reason);
}

void UserSession::forget() {
  if (m_ticket)
    m_ticket->session = nullptr;
}

void UserSession::giveBack(Loop &loop, const std::shared_ptr<UserLock::Hold> &hold, const std::shared_ptr<Unanswered> &unanswered) {
  unanswered->add();
  hold->giveBack(
      [&loop, hold, unanswered](ReleaseOutcome) mutable { loop.post([hold = std::move(hold), unanswered = std::move(unanswered)] { unanswered->take(); }); });
}

} // namespace lockhouse
