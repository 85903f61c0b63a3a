// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/multi_session.h"

#include "core/base/safe_text.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

MultiSession::MultiSession(Loop &loop, std::vector<Part> parts, LockName name, LockOptions options)
    : m_parts(std::move(parts)), m_name(std::move(name)), m_options(std::move(options)), m_deferred(loop) {}

MultiSession::~MultiSession() {
  cancel();
  m_deferred.runNow();
  giveBack(); // of a release under way: each member is told InDoubt
}

void MultiSession::acquire(AcquireHandler done) { acquire(m_options.policy.value_or(defaultPolicyOf(multiLockInfo())), m_options.waitLimit, std::move(done)); }

void MultiSession::acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  if (auto refusal = whyNotAcquire())
    return refuse(std::move(*refusal), std::move(done));
  if (m_stage != Stage::Held)
    return begin(policy, waitLimit, std::move(done));
  ++m_count;
  m_deferred.post([this, handler = std::move(done)]() mutable {
    if (m_stage == Stage::Held)
      return handler(Acquired{m_token, validUntil(), std::nullopt, m_count});
    handler(Failed{Error{ErrorCode::Server, LH_ENGLISH("the hold to be entered again is lost"), safeText(m_name.bytes(), 80),
                         LH_ENGLISH("stop the work that it protects")}});
  });
}

std::optional<Error> MultiSession::whyNotAcquire() const {
  const auto where = [this] { return safeText(m_name.bytes(), 80); };
  if (m_stage == Stage::Acquiring || m_stage == Stage::Releasing)
    return Error{ErrorCode::Usage, LH_ENGLISH("an acquire or release of this handle is under way"), where(), LH_ENGLISH("wait for its outcome")};
  if (m_stage == Stage::Held && !isReentrant())
    return Error{ErrorCode::Usage, LH_ENGLISH("it is held through this handle already, and its locks are not re-entrant"), where(),
                 LH_ENGLISH("use another handle")};
  if (m_stage == Stage::Held && m_count >= m_options.countLimit)
    return Error{ErrorCode::Usage, LH_ENGLISH("the limit of re-entries is reached"), where(), LH_ENGLISH("release what is held, or raise countLimit")};
  return std::nullopt;
}

void MultiSession::refuse(Error error, AcquireHandler done) {
  m_error = error;
  m_deferred.post([outcome = AcquireOutcome(Failed{std::move(error)}), handler = std::move(done)]() mutable { handler(outcome); });
}

void MultiSession::begin(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) {
  m_stage = Stage::Acquiring;
  m_policy = policy;
  m_deadline.reset();
  if (waitLimit)
    m_deadline = SteadyClock::now() + std::clamp<milliseconds>(*waitLimit, milliseconds::zero(), longestTime);
  m_detail.clear();
  m_done = std::move(done);
  takeNext();
}

void MultiSession::takeNext() {
  const auto member = m_taken.size();
  const auto &part = m_parts[member];
  auto &session = *m_taken.emplace_back(std::make_unique<NodeSession>(*part.driver, *part.primitive, part.name, m_options));
  session.onLost([this, member](LossReason reason) { lost(member, reason); });
  session.onRenewed([this](SteadyTime) { renewed(); });
  std::optional<milliseconds> left;
  if (m_deadline)
    left = std::chrono::ceil<milliseconds>(std::max(*m_deadline - SteadyClock::now(), SteadyClock::duration::zero()));
  session.acquire(m_policy, left, [this](const AcquireOutcome &outcome) { taken(outcome); });
}

void MultiSession::taken(const AcquireOutcome &outcome) {
  if (m_stage != Stage::Acquiring) // it was given up because another one was lost
    return;
  const auto *acquired = std::get_if<Acquired>(&outcome);
  if (acquired == nullptr) {
    if (m_parts.size() > 1)
      m_detail = "it stopped at " + nameOf(m_taken.size() - 1) + ", and the others are given back";
    return conclude(outcome);
  }
  if (m_taken.size() == 1)
    m_token = acquired->token;
  if (m_taken.size() < m_parts.size())
    return takeNext();
  m_stage = Stage::Held;
  m_count = 1;
  m_toldUntil = validUntil();
  auto done = std::exchange(m_done, {});
  done(Acquired{m_token, m_toldUntil, std::nullopt, 1});
}

/// Of an acquire that failed.
void MultiSession::conclude(AcquireOutcome outcome) {
  m_stage = Stage::Free;
  if (const auto *failed = std::get_if<Failed>(&outcome))
    m_error = failed->error;
  else if (const auto *doubt = std::get_if<InDoubt>(&outcome))
    m_error = doubt->why;
  giveBack();
  auto done = std::exchange(m_done, {});
  done(outcome);
}

// The sessions end, and release behind what they hold; the last taken first, so that nobody gets in by half.
void MultiSession::giveBack() {
  auto taken = std::exchange(m_taken, {});
  while (!taken.empty())
    taken.pop_back();
}

void MultiSession::lost(std::size_t member, LossReason reason) {
  if (m_stage == Stage::Acquiring) {
    m_detail.clear();
    return conclude(Failed{Error{ErrorCode::Timeout, LH_ENGLISH("%1 was lost (%2) while the others were waited for")(nameOf(member), lockhouse::name(reason)),
                                 safeText(m_name.bytes(), 80), LH_ENGLISH("take a longer lease or let it be renewed")}});
  }
  if (m_stage != Stage::Held)
    return;
  m_stage = Stage::Lost;
  m_count = 0;
  giveBack();
  if (const auto handler = m_lost) // kept alive here: it may destroy this session, and with it the handler
    (*handler)(reason);
}

void MultiSession::renewed() {
  if (m_stage != Stage::Held || validUntil() <= m_toldUntil)
    return;
  m_toldUntil = validUntil();
  if (m_renewed)
    m_renewed(m_toldUntil);
}

SteadyTime MultiSession::validUntil() const {
  auto until = m_taken.empty() ? SteadyTime{} : SteadyTime::max();
  for (const auto &session : m_taken)
    until = std::min(until, session->validUntil());
  return until;
}

void MultiSession::becomeWriter(std::optional<milliseconds>, AcquireHandler done) {
  refuse({ErrorCode::Usage, LH_ENGLISH("several locks held as one make no writer of a reader"), safeText(m_name.bytes(), 80),
          LH_ENGLISH("acquire a FairReadWriteLock alone")},
         std::move(done));
}

void MultiSession::release(ReleaseHandler done) {
  if (m_stage == Stage::Held && m_count > 1) {
    --m_count;
    return m_deferred.post([handler = std::move(done)]() mutable { handler(ReleaseOutcome::StillHeld); });
  }
  if (m_stage != Stage::Held) {
    const bool busy = isAcquiring() || isReleasing();
    if (busy)
      m_error = Error{ErrorCode::Usage, LH_ENGLISH("an acquire or release of this handle is under way"), safeText(m_name.bytes(), 80),
                      LH_ENGLISH("wait for its outcome")};
    else
      m_stage = Stage::Free;
    return m_deferred.post([outcome = busy ? ReleaseOutcome::Failed : ReleaseOutcome::NotOwner, handler = std::move(done)]() mutable { handler(outcome); });
  }
  m_stage = Stage::Releasing;
  m_count = 0;
  m_outcome = ReleaseOutcome::Released;
  m_releasing = m_taken.size();
  m_released = std::move(done);
  for (const auto &session : m_taken)
    session->release([this, member = session.get()](ReleaseOutcome outcome) {
      if (const auto *why = member->lastError(); why != nullptr && (outcome == ReleaseOutcome::Failed || outcome == ReleaseOutcome::InDoubt))
        m_error = *why;
      released(outcome);
    });
}

// Of several outcomes the one that says the least good: Failed before InDoubt before NotOwner before Released.
void MultiSession::released(ReleaseOutcome outcome) {
  const auto weight = [](ReleaseOutcome one) {
    return one == ReleaseOutcome::Failed ? 3 : one == ReleaseOutcome::InDoubt ? 2 : one == ReleaseOutcome::NotOwner ? 1 : 0;
  };
  if (weight(outcome) > weight(m_outcome))
    m_outcome = outcome;
  if (--m_releasing > 0)
    return;
  m_stage = Stage::Free;
  giveBack();
  auto done = std::exchange(m_released, {});
  done(m_outcome);
}

void MultiSession::cancel() {
  if (m_stage == Stage::Acquiring)
    m_taken.back()->cancel();
}

void MultiSession::onLost(LostHandler handler) { m_lost = std::make_shared<LostHandler>(std::move(handler)); }
void MultiSession::onRenewed(RenewedHandler handler) { m_renewed = std::move(handler); }

std::string MultiSession::nameOf(std::size_t part) const { return safeText(m_parts[part].name.bytes(), 80); }

} // namespace lockhouse
