// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release_flow.h"

#include "core/release/plan_release.h"
#include "ui/page/unlocked_once.h"

#include <algorithm>

namespace lockhouse::ui {
namespace {

bool isHeldAs(const LockRecord &lock, const std::string &holder, std::int64_t count) {
  return std::ranges::any_of(lock.holders, [&](const Holder &other) { return other.id == holder && other.count == count; });
}

// A hold that looks like the one that was seen, but whose beginning was watched after that.
bool beganAfter(const LockRecord &lock, SteadyTime seen) { return lock.heldSinceExact && lock.heldSince > seen; }

} // namespace

const Families &ReleaseFlow::families() const { return m_engine.families(); }

ReleaseFlow::ReleaseFlow(Engine &engine, LockRecordPtr seen, std::optional<milliseconds> shortenTo, QObject *parent)
    : QObject(parent), m_engine(engine), m_seen(std::move(seen)) {
  wire();
  m_intent.lock = m_seen->id;
  m_intent.shortenTo = shortenTo;
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

std::string ReleaseFlow::auditTrouble() const { return m_engine.auditTrouble(); }

bool ReleaseFlow::isUnlocked() const { return m_engine.isUnlocked(); }

bool ReleaseFlow::isAcquiredAgain() const { return m_changedTo && isHeldAs(*m_changedTo, m_answer.plan->expectHolder, m_answer.plan->expectCount); }

bool ReleaseFlow::needsConsent() const { return !m_engine.isUnlocked() && !m_engine.isDemo(); }

void ReleaseFlow::intend(const Holder &holder) {
  m_intent.holder = holder.id;
  m_intent.count = holder.count;
}

void ReleaseFlow::chooseHolder(std::size_t index) {
  if (isSettled() || index >= m_seen->holders.size())
    return;
  intend(m_seen->holders[index]);
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
  const LockRecordPtr newest = m_phase == Phase::Planned ? m_changedTo : m_answer.now;
  if (newest && newest->isHeld()) {
    m_seen = newest;
    intend(m_seen->holders.front());
  }
  askForPlan();
}

void ReleaseFlow::askForPlan() {
  m_phase = Phase::Planning;
  m_answer = {};
  m_changedTo = nullptr;
  m_news = {};
  m_isUnfollowed = false;
  m_canShorten = false;
  m_whyNotShorter.clear();
  m_intent.fence.reset();
  m_intent.time.reset();
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
    m_whyNotShorter = "it ends within 10 s anyway";
}

void ReleaseFlow::apply(const QString &reason) {
  if (m_phase != Phase::Planned || m_changedTo || m_isUnfollowed || reason.trimmed().isEmpty())
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
  const auto lost = unfollowedSince(*m_snapshot, m_intent.lock);
  const bool isUnfollowed = lost && (!m_answer.now || *lost > m_answer.now->seenAt);
  const LockRecordPtr changed = lost ? m_changedTo : changeIn(*m_snapshot);
  if (!lost && !changed)
    hear();
  if (isUnfollowed == m_isUnfollowed && static_cast<bool>(changed) == static_cast<bool>(m_changedTo) && (!changed || changed->holders == m_changedTo->holders))
    return;
  m_isUnfollowed = isUnfollowed;
  m_changedTo = changed;
  emit moved();
}

void ReleaseFlow::hear() {
  const LockRecordPtr now = m_answer.now ? m_snapshot->find(m_intent.lock) : nullptr;
  if (const auto news = now ? newsSince(*m_answer.now, *now) : m_news; news != m_news) {
    m_news = news;
    emit heard();
  }
}

LockRecordPtr ReleaseFlow::changeIn(const LockSnapshot &snapshot) const {
  const SteadyTime planned = m_answer.now ? m_answer.now->seenAt : SteadyTime{}; // what was seen before that is known to the plan
  LockRecordPtr now = snapshot.find(m_intent.lock);
  if (!now)
    return snapshot.at < planned ? nullptr : std::make_shared<const LockRecord>();
  const bool isSame = isHeldAs(*now, m_answer.plan->expectHolder, m_answer.plan->expectCount);
  if (isSame)
    return beganAfter(*now, m_seen->seenAt) ? now : nullptr;
  return now->seenAt < planned ? nullptr : now;
}

} // namespace lockhouse::ui
