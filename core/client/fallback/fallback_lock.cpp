// SPDX-License-Identifier: Apache-2.0
#include "core/client/fallback/fallback_lock.h"

#include "core/base/safe_text.h"
#include "core/client/api/lock_hold.h"
#include "core/client/fallback/fallback_acquire.h"
#include "core/client/fallback/fallback_ticket.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

NotAcquired usage(const LockName &lock, Message what) {
  return {Failed{Error{ErrorCode::Usage, std::move(what), safeText(lock.bytes(), 80), LH_ENGLISH("call it on a thread of your own")}}, lock};
}

} // namespace

FallbackLock::FallbackLock(Lock lock, FallbackOptions options)
    : m_lock(std::move(lock)), m_options(std::move(options)), m_queue(m_lock.runtime().fallbackQueue(m_lock.fallbackQueueName())) {
  if (!m_options.alarm)
    return;
  m_alarm = std::make_shared<const FallbackQueue::Alarm>(std::exchange(m_options.alarm, {}));
  m_queue->add(m_alarm);
}

const PrimitiveInfo &FallbackLock::info() { return fallbackLockInfo(); }

bool FallbackLock::isFallenBack() const { return m_queue->isFallenBack(); }

FallbackResult FallbackLock::tryAcquire() const {
  auto ask = Ask::within(milliseconds::zero(), {});
  ask.tries = true;
  return take(ask);
}

FallbackLock::Ask FallbackLock::usualAsk(std::stop_token cancel) const {
  const auto &options = m_lock.options();
  const bool waits = !options.policy || options.policy->waits();
  auto ask = Ask::within(waits ? options.waitLimit : std::optional(milliseconds::zero()), std::move(cancel));
  ask.tries = !waits;
  return ask;
}

FallbackResult FallbackLock::acquire(std::stop_token cancel) const { return take(usualAsk(std::move(cancel))); }

void FallbackLock::acquire(Handler done, std::stop_token cancel) const {
  std::make_shared<FallbackAcquire>(*this, usualAsk(std::move(cancel)), std::move(done))->start();
}

FallbackResult FallbackLock::acquireFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) const {
  return take(Ask::within(waitLimit, std::move(cancel)));
}

FallbackResult FallbackLock::take(const Ask &ask) const {
  if (m_lock.runtime().isForkedChild()) // before the queue: a thread that is not here may be in it
    return std::unexpected(NotAcquired{Cancelled{}, m_lock.name()});
  if (m_lock.runtime().isLoopThread())
    return std::unexpected(usage(m_lock.name(), LH_ENGLISH("a blocking call on the client's own thread would never end")));
  auto pass = m_queue->enter(ask.deadline, ask.cancel);
  if (!pass)
    return std::unexpected(NotAcquired{ask.end(), m_lock.name()});
  auto ticket = std::make_unique<FallbackTicket>(std::move(*pass));
  while (true)
    if (auto result = judge(ask, ask.once ? m_lock.tryAcquire() : askWithPatience(ask), ticket))
      return std::move(*result);
}

std::optional<FallbackResult> FallbackLock::judge(const Ask &ask, LockResult held, std::unique_ptr<FallbackTicket> &ticket) const {
  if (held) {
    leaveFallback();
    ticket->endWith(held->stopToken());
    return FallbackHandle(std::move(*held), std::move(ticket));
  }
  const auto &why = held.error();
  const auto *failed = std::get_if<Failed>(&why.outcome);
  if (failed != nullptr && failed->error.code != ErrorCode::Unreachable) {
    if (failed->error.code == ErrorCode::Server)
      leaveFallback(); // it is there, whatever it lacks
    return std::unexpected(why);
  }
  if (failed != nullptr && left() == milliseconds::zero() && !ask.cancel.stop_requested()) {
    enterFallback(failed->error);
    return FallbackHandle({}, std::move(ticket));
  }
  if (why.is<Cancelled>() && m_lock.outage() == SteadyClock::duration::zero())
    leaveFallback(); // somebody else has it, or no time was left to hear so; but the connection is back
  if (why.is<Cancelled>())
    return std::unexpected(NotAcquired{ask.isOver() ? ask.end() : AcquireOutcome(Cancelled{}), m_lock.name(), ask.detail()});
  if (why.is<Contended>())
    leaveFallback();
  if (ask.once || ask.isOver() || ask.cancel.stop_requested())
    return std::unexpected(failed != nullptr || why.is<InDoubt>() || ask.tries ? why : NotAcquired{ask.end(), m_lock.name(), ask.detail()});
  return std::nullopt;
}

/// Waits while somebody else has it, but bears a Redis out of reach only as long as the fallback allows, whatever the wait limit.
LockOptions FallbackLock::askingOptions(const Ask &ask) const {
  auto options = m_lock.options();
  options.waitLimit.reset();
  options.patience = left();
  if (ask.once)
    options.policy = AcquirePolicy::tryOnce();
  else if (options.policy && !options.policy->waits())
    options.policy.reset();
  return options;
}

LockResult FallbackLock::askWithPatience(const Ask &ask) const {
  auto answer = std::make_shared<std::promise<LockResult>>();
  auto result = answer->get_future();
  std::stop_source stop;
  const std::stop_callback passOn(ask.cancel, [&stop] { stop.request_stop(); });
  m_lock.with(askingOptions(ask)).acquire([answer](LockResult held) { answer->set_value(std::move(held)); }, stop.get_token());
  if (ask.deadline && result.wait_for(std::max(*ask.deadline - SteadyClock::now(), SteadyClock::duration::zero())) != std::future_status::ready)
    stop.request_stop();
  return result.get();
}

/// How long Redis has to be out of reach yet.
milliseconds FallbackLock::left() const {
  const auto gone = std::chrono::floor<milliseconds>(m_lock.outage());
  return std::max(m_options.after - gone, milliseconds::zero());
}

void FallbackLock::enterFallback(const Error &why) const {
  if (!m_queue->setFallenBack(true))
    return;
  auto text = "lock " + safeText(m_lock.name().bytes(), 80) + ": holds bind this process only; " + why.sentence();
  m_lock.runtime().log({LogEvent::Level::Error, LogEvent::Kind::FallbackEntered, std::move(text), m_lock.name(), {}});
  tell({.entered = true, .lock = m_lock.name(), .why = why.sentence()});
}

void FallbackLock::leaveFallback() const {
  if (!m_queue->setFallenBack(false))
    return;
  auto text = "lock " + safeText(m_lock.name().bytes(), 80) + ": holds are kept in Redis again";
  m_lock.runtime().log({LogEvent::Level::Info, LogEvent::Kind::FallbackLeft, std::move(text), m_lock.name(), {}});
  tell({.entered = false, .lock = m_lock.name(), .why = {}});
}

void FallbackLock::tell(const FallbackAlarm &alarm) const {
  for (const auto &hear : m_queue->alarms()) {
    try {
      (*hear)(alarm);
    } catch (...) { // a pager that fails takes nobody's lock away
    }
  }
}

} // namespace lockhouse
