// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_flow.h"

#include "core/release/make_plan.h"
#include "ui/page/release/one_time_unlock.h"

#include <algorithm>

namespace lockhouse::ui {
namespace {

bool areAlike(const std::optional<PlanStaleness> &one, const std::optional<PlanStaleness> &other) {
  return one && other ? one->detail == other->detail && one->now->holders == other->now->holders : one.has_value() == other.has_value();
}

} // namespace

const FamilyRegistry &ReleaseFlow::families() const { return m_engine.families(); }

ReleaseFlow::ReleaseFlow(Engine &engine, LockRecordPtr seen, std::optional<milliseconds> shortenTo, QObject *parent)
    : QObject(parent), m_engine(engine), m_seen(std::move(seen)) {
  wire();
  m_intent.lock = m_seen->id;
  m_intent.shortenTo = shortenTo;
  m_intent.isVouchedFor = m_seen->isDoubtful(); // shown only where somebody asked for such rows
  if (m_seen->isHeld())
    intend(m_seen->holders.front());
  askForPlan();
}

void ReleaseFlow::wire() {
  connect(&m_engine, &Engine::planned, this, &ReleaseFlow::takePlan);
  connect(&m_engine, &Engine::applied, this, &ReleaseFlow::takeResult);
  connect(&m_engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) {
    m_snapshot = snapshot;
    compare();
  });
  connect(&m_engine, &Engine::unlockedChanged, this, &ReleaseFlow::moved);
}

Message ReleaseFlow::auditTrouble() const { return m_engine.auditTrouble(); }

bool ReleaseFlow::isUnlocked() const { return m_engine.isUnlocked(); }

LockRecordPtr ReleaseFlow::changedTo() const { return m_change ? m_change->now : nullptr; }

bool ReleaseFlow::isAcquiredAgain() const { return m_change && m_change->isAcquiredAgain; }

bool ReleaseFlow::isNoLockNow() const { return m_change && m_change->verdict == Verdict::NotALock; }

bool ReleaseFlow::isGone() const { return m_change && m_change->verdict == Verdict::AlreadyFree; }

bool ReleaseFlow::needsConsent() const { return !m_engine.isUnlocked() && !m_engine.isDemo(); }

void ReleaseFlow::intend(const Holder &holder) {
  m_intent.holder = holder.id;
  m_intent.count = holder.count;
}

void ReleaseFlow::chooseHolder(std::size_t index) {
  if (isSettled() || index >= m_seen->holders.size())
    return;
  intend(m_seen->holders[index]);
  m_isOfAnother = false;
  askForPlan();
}

void ReleaseFlow::chooseRelease() {
  if (isSettled())
    return;
  m_intent.shortenTo.reset();
  askForPlan();
}

void ReleaseFlow::chooseShortening(milliseconds length) {
  if (isSettled() || m_intent.shortenTo == length)
    return;
  m_intent.shortenTo = length;
  askForPlan();
}

void ReleaseFlow::planAgain() {
  if (m_phase == Phase::Applying)
    return;
  if (const LockRecordPtr newest = m_phase == Phase::Planned ? changedTo() : m_answer.now; newest && newest->isHeld())
    see(newest);
  askForPlan();
}

// Whoever was chosen is meant as long as he is there; he may be among those that were not read, too.
void ReleaseFlow::see(const LockRecordPtr &newest) {
  const auto same = std::ranges::find(newest->holders, m_intent.holder, &Holder::id);
  const bool isThere = same != newest->holders.end();
  if (!isThere && newest->unread > 0)
    return;
  m_seen = newest;
  m_isOfAnother |= !isThere;
  intend(isThere ? *same : newest->holders.front());
}

void ReleaseFlow::askForPlan() {
  m_phase = Phase::Planning;
  m_answer = {};
  m_change.reset();
  m_news = {};
  m_isUnfollowed = false;
  m_canShorten = false;
  m_whyNotShorter = {};
  m_intent.fence.reset();
  m_intent.time.reset();
  m_intent.type.reset();
  m_request = m_engine.plan(m_intent);
  emit moved();
}

void ReleaseFlow::takePlan(quint64 request, const ReleaseResult &result) {
  if (request != m_request || m_phase != Phase::Planning)
    return;
  m_answer = result;
  m_phase = result.plan && !result.verdict ? Phase::Planned : Phase::NoPlan;
  m_readAt = wallNow() - std::chrono::duration_cast<WallTime::duration>(m_answer.now ? SteadyClock::now() - m_answer.now->seenAt : SteadyTime::duration(0));
  weighShortening();
  emit moved();
  compare();
}

// What was read for this plan tells whether the softer verb is open, too.
void ReleaseFlow::weighShortening() {
  if (isShortening() || !m_answer.now)
    return;
  ReleaseIntent softer = m_intent;
  softer.shortenTo = usualLength;
  const SteadyTime now = SteadyClock::now();
  const auto plan = planRelease(*m_answer.now, softer, now, m_engine.families());
  const auto left = timeLeft(*m_answer.now, now);
  const bool endsSooner = left && *left <= usualLength;
  m_canShorten = plan && !endsSooner;
  if (!plan && plan.error().verdict == Verdict::Unreleasable)
    m_whyNotShorter = plan.error().detail;
  else if (plan && endsSooner)
    m_whyNotShorter = LH_MESSAGE("PlanWords", "it ends within 10 s anyway");
}

void ReleaseFlow::apply(const QString &reason) {
  if (m_phase != Phase::Planned || isRefused() || m_change || m_isUnfollowed || reason.trimmed().isEmpty())
    return;
  m_intent.reason = reason.trimmed().toStdString();
  m_intent.count = m_answer.plan->expectCount;
  seeAs(m_answer, m_intent);
  m_phase = Phase::Applying;
  m_request = unlockedOnce(m_engine, [this] { return m_engine.apply(m_intent); }, &Engine::applied);
  emit moved();
}

void ReleaseFlow::takeResult(quint64 request, const ReleaseResult &result) {
  if (request != m_request || m_phase != Phase::Applying)
    return;
  m_answer = result;
  m_phase = Phase::Done;
  emit moved();
}

// What the watcher tells while the operator reads the plan. The script compares again; this says so earlier, and
// tells holds apart that look the same to the script: of an owner who released it and came back.
void ReleaseFlow::compare() {
  if (m_phase != Phase::Planned || !m_snapshot)
    return;
  auto change = changeSince(*m_answer.plan, m_answer.now, m_seen, m_change && m_change->isOver, *m_snapshot);
  const bool isUnfollowed = change && change->verdict == Verdict::Unreachable;
  if (isUnfollowed)
    change = m_change;
  else if (change && !change->now)
    change->now = std::make_shared<const LockRecord>();
  else if (!change)
    hear();
  if (isUnfollowed == m_isUnfollowed && areAlike(change, m_change))
    return;
  m_isUnfollowed = isUnfollowed;
  m_change = std::move(change);
  emit moved();
}

void ReleaseFlow::hear() {
  const LockRecordPtr now = m_answer.now ? m_snapshot->find(m_intent.lock) : nullptr;
  if (const auto news = now ? newsSince(*m_answer.now, *now) : m_news; news != m_news) {
    m_news = news;
    emit heard();
  }
}

} // namespace lockhouse::ui
