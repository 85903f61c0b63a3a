// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback/fallback_acquire.h"

#include "core/client/api/client_runtime.h"
#include "core/client/fallback/fallback_ticket.h"

#include <utility>

namespace lockhouse {

FallbackAcquire::FallbackAcquire(FallbackLock lock, FallbackLock::Ask ask, FallbackLock::Handler done)
    : m_lock(std::move(lock)), m_ask(std::move(ask)), m_done(std::move(done)) {}

FallbackAcquire::~FallbackAcquire() = default;

// It stands in line from now on, as one that blocks would.
void FallbackAcquire::start() {
  auto &room = m_lock.lock().room();
  if (room.isForeign()) // before the line: a thread that is not here may be in it
    return tell(refused(Cancelled{}));
  const auto self = shared_from_this();
  const auto waiter = std::make_shared<FallbackQueue::Waiter>();
  m_waiter = waiter;
  waiter->told = [self](std::shared_ptr<FallbackQueue> line) {
    if (self->m_lock.lock().room().post([self, line = std::move(line)]() mutable { self->admitted(std::make_shared<FallbackQueue::Pass>(std::move(line))); }))
      return true;
    self->tell(self->refused(Cancelled{})); // the client is closed
    return false;
  };
  auto pass = m_lock.m_line->stand(waiter);
  const bool isInside = pass != nullptr;
  const bool posted = room.post([self, pass = std::move(pass)]() mutable {
    self->begin();
    if (pass)
      self->admitted(std::move(pass));
    else if (self->m_ask.once)
      self->end();
  });
  if (!posted && (isInside || m_lock.m_line->giveUp(waiter)))
    tell(refused(Cancelled{}));
}

void FallbackAcquire::begin() {
  if (std::exchange(m_begun, true) || m_told)
    return;
  auto &room = m_lock.lock().room();
  if (m_ask.deadline && !m_ask.once) {
    m_timer.emplace(room.timer());
    m_timer->after(*m_ask.deadline - SteadyClock::now(), [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->end();
    });
  }
  m_onClose = room.onClose([self = shared_from_this()] { self->close(); }); // which keeps us until then, whoever lets us in meanwhile
  if (m_ask.cancel.stop_possible())
    m_onCancel.emplace(m_ask.cancel, [&room, weak = weak_from_this()] {
      room.post([weak] {
        if (const auto self = weak.lock())
          self->end();
      });
    });
}

void FallbackAcquire::admitted(std::shared_ptr<FallbackQueue::Pass> pass) {
  if (m_told)
    return;
  begin(); // he may be told before that was posted
  m_waiter.reset();
  m_turn = std::make_unique<FallbackTicket>(std::move(pass));
  if (m_ask.cancel.stop_requested() || (m_ask.isOver() && !m_ask.once))
    return finish(refused(m_ask.end()));
  askRedis();
}

void FallbackAcquire::askRedis() {
  m_lock.lock()
      .with(m_lock.askingOptions(m_ask))
      .acquire(
          [self = shared_from_this()](LockResult held) {
            if (auto result = self->m_lock.judge(self->m_ask, std::move(held), self->m_turn))
              self->finish(std::move(*result));
            else
              self->askRedis();
          },
          m_stop.get_token());
}

void FallbackAcquire::end() {
  if (m_told)
    return;
  if (m_turn) // the answer to what Redis is asked tells
    m_stop.request_stop();
  else if (m_waiter && m_lock.m_line->giveUp(m_waiter))
    finish(refused(m_ask.end()));
}

// What Redis was asked has been answered: with the end of the client at the latest.
void FallbackAcquire::close() {
  if (m_waiter)
    m_lock.m_line->giveUp(m_waiter);
  finish(refused(Cancelled{}));
}

void FallbackAcquire::finish(FallbackResult result) {
  const auto self = shared_from_this(); // whom the waiter and what is done on closing keep
  m_timer.reset();
  m_onClose.reset();
  m_onCancel.reset();
  m_waiter.reset();
  m_turn.reset();
  tell(std::move(result));
}

void FallbackAcquire::tell(FallbackResult result) {
  if (m_told.exchange(true))
    return;
  auto done = std::move(m_done);
  done(std::move(result));
}

FallbackResult FallbackAcquire::refused(AcquireOutcome outcome) const { return std::unexpected(NotAcquired{std::move(outcome), m_lock.lock().name()}); }

} // namespace lockhouse
