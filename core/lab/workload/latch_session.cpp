// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/latch_session.h"

#include "core/base/safe_text.h"
#include "core/lab/workload/latch_backend.h"

#include <utility>

namespace lockhouse {

LatchSession::LatchSession(LatchBackend &backend, LatchRounds &rounds, LockName key) : m_backend(backend), m_rounds(rounds), m_key(std::move(key)) {
  m_backend.add(*this);
}

LatchSession::~LatchSession() {
  cancel();
  forget();
  m_backend.remove(*this);
  if (m_released)
    std::exchange(m_released, {})(ReleaseOutcome::InDoubt);
}

void LatchSession::acquire(AcquireHandler done) {
  m_done = std::move(done);
  m_ticket = std::make_shared<Ticket>(this);
  go();
}

void LatchSession::acquire(AcquirePolicy, std::optional<milliseconds>, AcquireHandler done) { acquire(std::move(done)); }

void LatchSession::go() {
  if (!m_round || m_round->isGivenUp()) {
    m_round = m_rounds.round(m_roundsDone);
    m_step = Step::Close;
  }
  const auto &server = m_backend.server();
  switch (m_step) {
  case Step::Close: return ask(LatchBackend::latch.setCount(m_round->name(), m_round->parties(), server));
  case Step::CountDown: return ask(LatchBackend::latch.countDown(m_round->name(), 1, server));
  case Step::Wait: return wait();
  }
}

// The round gets every answer, also one that this client does not wait for any more: the answers of the others are checked against it.
void LatchSession::ask(Command command) {
  m_backend.send(std::move(command), [ticket = m_ticket, round = m_round, step = m_step](const Result<std::int64_t> &count) {
    const bool closes = count && step == Step::Close && round->closed(*count == 1);
    if (count && step == Step::CountDown)
      round->counted(*count);
    if (ticket->session != nullptr && closes)
      ticket->session->countDownLast();
    else if (ticket->session != nullptr)
      ticket->session->answered(count);
  });
}

void LatchSession::answered(const Result<std::int64_t> &count) {
  if (count) {
    m_step = m_step == Step::Close ? Step::CountDown : Step::Wait;
    return go();
  }
  const auto &code = count.error().code;
  if (code != ErrorCode::InDoubt && code != ErrorCode::Timeout) // it was not run
    return conclude(Failed{count.error()});
  m_backend.lost(count.error()); // this client too
}

// Otherwise all would count down at once and hardly a client would wait. One turn of the loop later the last of the others has asked.
void LatchSession::countDownLast() {
  m_step = Step::CountDown;
  m_round->whenOneIsMissing([&loop = m_backend.loop(), ticket = m_ticket] {
    loop.post([ticket] {
      if (ticket->session != nullptr)
        ticket->session->go();
    });
  });
}

void LatchSession::wait() {
  m_wait = m_backend.waiter(m_round->name());
  m_wait->acquire([this, ticket = m_ticket](const AcquireOutcome &outcome) {
    if (ticket->session != nullptr)
      waited(outcome);
  });
}

void LatchSession::waited(const AcquireOutcome &outcome) {
  if (std::holds_alternative<Acquired>(outcome))
    pass();
  conclude(outcome);
}

void LatchSession::pass() {
  m_isThrough = true;
  ++m_roundsDone;
  m_step = Step::Close;
  const auto round = std::exchange(m_round, nullptr);
  round->passed();
  if (round->isOver())
    m_backend.send({"EXISTS", round->name().bytes()}, [round](const Result<std::int64_t> &keys) {
      if (keys && *keys != 0)
        round->leftBehind();
    });
}

void LatchSession::roundGivenUp(const Error &why) {
  if (m_done && m_round && m_round->isGivenUp())
    conclude(InDoubt{why});
}

void LatchSession::release(ReleaseHandler done) {
  if (!std::exchange(m_isThrough, false))
    return m_backend.loop().post([handler = std::move(done)]() mutable { handler(ReleaseOutcome::NotOwner); });
  m_released = std::move(done);
  m_ticket = std::make_shared<Ticket>(this);
  m_backend.loop().post([ticket = m_ticket] {
    if (ticket->session != nullptr)
      std::exchange(ticket->session->m_released, {})(ReleaseOutcome::Released);
  });
}

void LatchSession::becomeWriter(std::optional<milliseconds>, AcquireHandler done) {
  m_error = Error{ErrorCode::Usage, LH_MESSAGE("ErrorWords", "a latch has no writer"), safeText(m_key.bytes(), 80),
                  LH_MESSAGE("ErrorWords", "acquire a FairReadWriteLock")};
  m_backend.loop().post([handler = std::move(done), outcome = AcquireOutcome(Failed{*m_error})]() mutable { handler(outcome); });
}

void LatchSession::cancel() {
  if (m_done)
    conclude(Cancelled{});
}

void LatchSession::conclude(const AcquireOutcome &outcome) {
  forget();
  m_wait.reset(); // its handler is not called any more; its last acquire is released later
  if (const auto *failed = std::get_if<Failed>(&outcome))
    m_error = failed->error;
  auto done = std::exchange(m_done, {});
  done(outcome);
}

void LatchSession::forget() {
  if (m_ticket)
    m_ticket->session = nullptr;
}

} // namespace lockhouse
