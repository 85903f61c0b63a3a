// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback/fallback_acquire.h"

#include "core/client/api/client_runtime.h"
#include "core/client/fallback/fallback_ticket.h"

#include <utility>

namespace lockhouse {

FallbackAcquire::FallbackAcquire(FallbackLock lock, FallbackLock::Ask ask, FallbackLock::Handler done)
    : m_lock(std::move(lock)), m_ask(std::move(ask)), m_done(std::move(done)) {}

FallbackAcquire::~FallbackAcquire() = default;

// It waits in the queue from now on, as a blocking acquire does.
void FallbackAcquire::start() {
  auto &runtime = m_lock.lock().runtime();
  if (runtime.isForkedChild()) // before the queue: a thread that is not here may be in it
    return tell(refused(Cancelled{}));
  const auto self = shared_from_this();
  const auto waiter = std::make_shared<FallbackQueue::Waiter>();
  m_waiter = waiter;
  waiter->onAdmitted = [self](std::shared_ptr<FallbackQueue> queue) {
    if (self->m_lock.lock().runtime().post(
            [self, queue = std::move(queue)]() mutable { self->admitted(std::make_shared<FallbackQueue::Pass>(std::move(queue))); }))
      return true;
    self->tell(self->refused(Cancelled{})); // the client is closed
    return false;
  };
  auto pass = m_lock.m_queue->enqueue(waiter);
  const bool isAdmitted = pass != nullptr;
  const bool posted = runtime.post([self, pass = std::move(pass)]() mutable {
    self->begin();
    if (pass)
      self->admitted(std::move(pass));
    else if (self->m_ask.once)
      self->end();
  });
  if (!posted && (isAdmitted || m_lock.m_queue->withdraw(waiter)))
    tell(refused(Cancelled{}));
}

void FallbackAcquire::begin() {
  if (std::exchange(m_hasBegun, true) || m_isConcluded)
    return;
  auto &runtime = m_lock.lock().runtime();
  if (m_ask.deadline && !m_ask.once) {
    m_timer.emplace(runtime.timer());
    m_timer->after(*m_ask.deadline - SteadyClock::now(), [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->end();
    });
  }
  m_onClose = runtime.onClose([self = shared_from_this()] { self->close(); }); // which keeps this object until then
  if (m_ask.cancel.stop_possible())
    m_onCancel.emplace(m_ask.cancel, [&runtime, weak = weak_from_this()] {
      runtime.post([weak] {
        if (const auto self = weak.lock())
          self->end();
      });
    });
}

void FallbackAcquire::admitted(std::shared_ptr<FallbackQueue::Pass> pass) {
  if (m_isConcluded)
    return;
  begin(); // it may be admitted before that was posted
  m_waiter.reset();
  m_ticket = std::make_unique<FallbackTicket>(std::move(pass));
  if (m_ask.cancel.stop_requested() || (m_ask.isOver() && !m_ask.once))
    return finish(refused(m_ask.end()));
  askRedis();
}

void FallbackAcquire::askRedis() {
  m_lock.lock()
      .with(m_lock.askingOptions(m_ask))
      .acquire(
          [self = shared_from_this()](LockResult held) {
            if (auto result = self->m_lock.judge(self->m_ask, std::move(held), self->m_ticket))
              self->finish(std::move(*result));
            else
              self->askRedis();
          },
          m_stop.get_token());
}

void FallbackAcquire::end() {
  if (m_isConcluded)
    return;
  if (m_ticket) // the reply of Redis concludes it
    m_stop.request_stop();
  else if (m_waiter && m_lock.m_queue->withdraw(m_waiter))
    finish(refused(m_ask.end()));
}

// Redis has replied: at the latest when the client ended.
void FallbackAcquire::close() {
  if (m_waiter)
    m_lock.m_queue->withdraw(m_waiter);
  finish(refused(Cancelled{}));
}

void FallbackAcquire::finish(FallbackResult result) {
  const auto self = shared_from_this(); // the waiter and the task on closing own it
  m_timer.reset();
  m_onClose.reset();
  m_onCancel.reset();
  m_waiter.reset();
  m_ticket.reset();
  tell(std::move(result));
}

void FallbackAcquire::tell(FallbackResult result) {
  if (m_isConcluded.exchange(true))
    return;
  auto done = std::move(m_done);
  done(std::move(result));
}

FallbackResult FallbackAcquire::refused(AcquireOutcome outcome) const { return std::unexpected(NotAcquired{std::move(outcome), m_lock.lock().name()}); }

} // namespace lockhouse
