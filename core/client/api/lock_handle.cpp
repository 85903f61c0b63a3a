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
  if (m_hold && !m_hold->isForeign())
    m_hold->room().post([hold = m_hold] { hold->end(); });
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

ReleaseOutcome LockHandle::release() {
  if (m_hold && m_hold->room().isLoopThread()) {
    release([](ReleaseOutcome) {});
    return ReleaseOutcome::InDoubt;
  }
  std::promise<ReleaseOutcome> answer;
  release([&answer](ReleaseOutcome outcome) { answer.set_value(outcome); });
  return answer.get_future().get();
}

std::optional<Error> LockHandle::releaseError() const { return m_hold ? m_hold->releaseError() : std::nullopt; }

void LockHandle::release(std::move_only_function<void(ReleaseOutcome)> done) {
  if (!m_hold || m_hold->isForeign()) {
    done(ReleaseOutcome::NotOwner);
    return;
  }
  auto shared = std::make_shared<std::move_only_function<void(ReleaseOutcome)>>(std::move(done));
  const bool posted = m_hold->room().post([hold = m_hold, shared] {
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
