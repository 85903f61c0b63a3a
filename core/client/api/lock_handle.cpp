// SPDX-License-Identifier: Apache-2.0
#include "core/base/safe_text.h"
#include "core/client/api/lock_hold.h"

#include <future>
#include <utility>

namespace lockhouse {
namespace {

std::string holderText(const std::optional<std::string> &holder, const std::optional<milliseconds> &firstSeen) {
  if (!holder)
    return "somebody else holds it";
  const auto since = firstSeen && *firstSeen > milliseconds::zero() ? ", first seen so " + std::to_string(firstSeen->count()) + " ms ago" : std::string();
  return "it is held by " + safeText(*holder, 80) + since;
}

template <class... Cases> struct Match : Cases... {
  using Cases::operator()...;
};

/// A call on its way to the session: what to tell, and the caller's wish to cancel it.
struct PendingCall {
  explicit PendingCall(std::move_only_function<void(const AcquireOutcome &)> handler) : done(std::move(handler)) {}

  void conclude(const AcquireOutcome &outcome) {
    onCancel.reset();
    std::exchange(done, {})(outcome);
  }

  std::move_only_function<void(const AcquireOutcome &)> done;
  std::optional<std::stop_callback<std::function<void()>>> onCancel;
};

AcquireOutcome usage(Message what, Message next) { return Failed{Error{ErrorCode::Usage, std::move(what), {}, std::move(next)}}; }

// A re-entry asks once. It has no limit of zero, which would be over before the reply.
void acquireOnceMore(LockHold &hold, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) {
  const auto limit = waitLimit && *waitLimit > milliseconds::zero() ? waitLimit : std::nullopt;
  hold.acquire(AcquirePolicy::tryOnce(), limit, std::move(done));
}

void upgrade(LockHold &hold, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) { hold.becomeWriter(waitLimit, std::move(done)); }

} // namespace

std::string NotAcquired::sentence() const {
  const auto say = [this](std::string_view what) { return "lock " + safeText(lock.bytes(), 80) + ": " + std::string(what); };
  auto text = std::visit(Match{
                             [&](const Acquired &) { return say("acquired"); },
                             [&](const Contended &busy) {
                               const auto left = busy.timeLeft ? ", for " + std::to_string(busy.timeLeft->count()) + " ms yet unless renewed" : std::string();
                               return say(holderText(busy.holder, busy.firstSeen) + left);
                             },
                             [&](const TimedOut &late) {
                               if (late.unanswered)
                                 return say("not acquired within the wait limit; " + late.unanswered->sentence());
                               return say("not acquired within the wait limit" +
                                          (late.holder || detail.empty() ? "; " + holderText(late.holder, late.firstSeen) : std::string()));
                             },
                             [&](const Cancelled &) { return say("the acquire was cancelled"); },
                             [&](const InDoubt &doubt) { return say("asked and not answered, it is being given back; " + doubt.why.sentence()); },
                             [&](const Failed &failed) { return say(failed.error.sentence()); },
                         },
                         outcome);
  if (!detail.empty())
    text.append("; ").append(detail);
  return text;
}

LockHandle::LockHandle(std::shared_ptr<LockHold> hold) : m_hold(std::move(hold)) {}

LockHandle::~LockHandle() {
  if (m_hold && !m_hold->isForkedChild())
    m_hold->runtime().post([hold = m_hold] { hold->end(); });
}

LockHandle::LockHandle(LockHandle &&) noexcept = default;

LockHandle &LockHandle::operator=(LockHandle &&other) noexcept {
  LockHandle old(std::exchange(m_hold, std::exchange(other.m_hold, {})));
  return *this;
}

bool LockHandle::isHeld() const { return m_hold && m_hold->isHeld(); }

SteadyTime LockHandle::validUntil() const { return m_hold ? m_hold->validUntil() : SteadyTime{}; }

std::int64_t LockHandle::count() const { return m_hold ? m_hold->count() : 0; }

const LockToken &LockHandle::token() const {
  static const LockToken none;
  return m_hold ? m_hold->token() : none;
}

std::optional<Fence> LockHandle::fence() const { return m_hold ? m_hold->fence() : std::nullopt; }

std::optional<Acknowledged> LockHandle::acknowledged() const { return m_hold ? m_hold->acknowledged() : std::nullopt; }

std::stop_token LockHandle::stopToken() const { return m_hold ? m_hold->stopToken() : std::stop_token{}; }

std::optional<LossReason> LockHandle::lossReason() const { return m_hold ? m_hold->lossReason() : std::nullopt; }

void LockHandle::onLost(std::move_only_function<void(LossReason)> handler) {
  if (m_hold)
    m_hold->onLost(std::move(handler));
}

/// What is asked of the hold, for how long, until when.
struct LockHandle::Request {
  void (*send)(LockHold &hold, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done);
  bool isUsualWait = true; ///< as the lock's options say, in place of:
  std::optional<milliseconds> waitLimit = {};
  std::stop_token cancel = {};
};

AcquireOutcome LockHandle::wait(Request request) {
  if (m_hold && m_hold->runtime().isLoopThread())
    return usage(LH_ENGLISH("a blocking call on the client's own thread would never end"), LH_ENGLISH("use the callback or co_await"));
  std::promise<AcquireOutcome> answer;
  start(std::move(request), [&answer](const AcquireOutcome &outcome) { answer.set_value(outcome); });
  return answer.get_future().get();
}

void LockHandle::start(Request request, std::move_only_function<void(const AcquireOutcome &)> done) {
  if (!m_hold || m_hold->isForkedChild())
    return done(usage(LH_ENGLISH("this handle holds nothing"), LH_ENGLISH("acquire the lock anew")));
  auto call = std::make_shared<PendingCall>(std::move(done));
  const bool posted = m_hold->runtime().post([call, request = std::move(request), hold = m_hold] {
    const auto limit = request.isUsualWait ? hold->usualWait() : request.waitLimit;
    request.send(*hold, limit, [call](const AcquireOutcome &outcome) { call->conclude(outcome); });
    if (!request.cancel.stop_possible() || !call->done)
      return;
    // Last, and by the loop's inbox: a call that was concluded meanwhile cancels nothing that came after it.
    call->onCancel.emplace(request.cancel, [runtime = &hold->runtime(), weakCall = std::weak_ptr(call), weakHold = std::weak_ptr(hold)] {
      runtime->post([weakCall, weakHold] {
        const auto waiting = weakCall.lock();
        if (const auto waits = weakHold.lock(); waits && waiting && waiting->done)
          waits->cancel();
      });
    });
  });
  if (!posted)
    std::exchange(call->done, {})(Cancelled{});
}

AcquireOutcome LockHandle::acquireAgain(std::stop_token cancel) { return wait({.send = acquireOnceMore, .cancel = std::move(cancel)}); }

AcquireOutcome LockHandle::acquireAgainFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) {
  return wait({.send = acquireOnceMore, .isUsualWait = false, .waitLimit = waitLimit, .cancel = std::move(cancel)});
}

void LockHandle::acquireAgain(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel) {
  start({.send = acquireOnceMore, .cancel = std::move(cancel)}, std::move(done));
}

AcquireOutcome LockHandle::becomeWriter(std::stop_token cancel) { return wait({.send = upgrade, .cancel = std::move(cancel)}); }

AcquireOutcome LockHandle::becomeWriterFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) {
  return wait({.send = upgrade, .isUsualWait = false, .waitLimit = waitLimit, .cancel = std::move(cancel)});
}

void LockHandle::becomeWriter(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel) {
  start({.send = upgrade, .cancel = std::move(cancel)}, std::move(done));
}

void LockHandle::becomeReader() {
  if (m_hold && !m_hold->isForkedChild())
    m_hold->runtime().post([hold = m_hold] { hold->becomeReader(); });
}

ReleaseOutcome LockHandle::release() {
  if (m_hold && m_hold->runtime().isLoopThread()) {
    release([](ReleaseOutcome) {});
    return ReleaseOutcome::InDoubt;
  }
  std::promise<ReleaseOutcome> answer;
  release([&answer](ReleaseOutcome outcome) { answer.set_value(outcome); });
  return answer.get_future().get();
}

std::optional<Error> LockHandle::releaseError() const { return m_hold ? m_hold->releaseError() : std::nullopt; }

void LockHandle::release(std::move_only_function<void(ReleaseOutcome)> done) {
  if (!m_hold || m_hold->isForkedChild()) {
    done(ReleaseOutcome::NotOwner);
    return;
  }
  auto shared = std::make_shared<std::move_only_function<void(ReleaseOutcome)>>(std::move(done));
  const bool posted = m_hold->runtime().post([hold = m_hold, shared] {
    hold->release([hold, shared](ReleaseOutcome outcome) {
      if (outcome != ReleaseOutcome::StillHeld && hold->count() == 0 && !hold->isBusy())
        hold->end();
      (*shared)(outcome);
    });
  });
  if (!posted)
    (*shared)(ReleaseOutcome::NotOwner);
}

} // namespace lockhouse
