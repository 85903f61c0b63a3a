// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback_acquire.h"

#include "core/client/fallback_turn.h"
#include "core/client/lock_room.h"

#include <utility>

namespace lockhouse {

FallbackAcquire::FallbackAcquire(FallbackLock lock, FallbackLock::Ask ask, FallbackLock::Handler done)
    : m_lock(std::move(lock)), m_ask(std::move(ask)), m_done(std::move(done)) {}

FallbackAcquire::~FallbackAcquire() = default;

void FallbackAcquire::start() {
  if (!m_lock.lock().room().post([self = shared_from_this()] { self->begin(); }))
    finish(refused(Cancelled{}));
}

void FallbackAcquire::begin() {
  auto &room = m_lock.lock().room();
  if (m_ask.deadline) {
    m_timer.emplace(room.timer());
    m_timer->after(*m_ask.deadline - SteadyClock::now(), [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->end();
    });
  }
  if (m_ask.cancel.stop_possible())
    m_onCancel.emplace(m_ask.cancel, [&room, weak = weak_from_this()] {
      room.post([weak] {
        if (const auto self = weak.lock())
          self->end();
      });
    });
  m_onClose = room.onClose([self = shared_from_this()] { self->close(); }); // which keeps us until then, whoever lets us in meanwhile
  m_waiter = std::make_shared<FallbackLine::Waiter>();
  // Once the client is closed, the pass ends with the task that is not run, and lets the next one in.
  m_waiter->told = [self = shared_from_this()](std::shared_ptr<FallbackLine::Pass> pass) {
    self->m_lock.lock().room().post([self, pass = std::move(pass)]() mutable { self->admitted(std::move(pass)); });
  };
  if (auto pass = m_lock.m_line->stand(m_waiter))
    admitted(std::move(pass));
}

void FallbackAcquire::admitted(std::shared_ptr<FallbackLine::Pass> pass) {
  if (!m_done)
    return;
  m_waiter.reset(); // which keeps us
  m_turn = std::make_unique<FallbackTurn>(std::move(pass));
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
  if (m_turn) // the answer to what Redis is asked tells
    m_stop.request_stop();
  else if (m_waiter && m_lock.m_line->giveUp(m_waiter))
    finish(refused(m_ask.end()));
}

// What Redis was asked has been answered: with the end of the client at the latest.
void FallbackAcquire::close() {
  m_lock.m_line->giveUp(m_waiter);
  finish(refused(Cancelled{}));
}

void FallbackAcquire::finish(FallbackResult result) {
  const auto self = shared_from_this(); // whom the waiter keeps
  m_timer.reset();
  m_onClose.reset();
  m_onCancel.reset();
  m_waiter.reset();
  m_turn.reset();
  if (auto done = std::exchange(m_done, {}))
    done(std::move(result));
}

FallbackResult FallbackAcquire::refused(AcquireOutcome outcome) const { return std::unexpected(NotAcquired{std::move(outcome), m_lock.lock().name()}); }

} // namespace lockhouse
