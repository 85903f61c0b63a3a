// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release_flow.h"

#include "ui/bridge/engine.h"

#include <algorithm>

namespace lockhouse::ui {
namespace {

bool isHeldAs(const LockRecord &lock, const std::string &holder, std::int64_t count) {
  return std::ranges::any_of(lock.holders, [&](const Holder &other) { return other.id == holder && other.count == count; });
}

} // namespace

ReleaseFlow::ReleaseFlow(Engine &engine, LockRecordPtr seen, QObject *parent) : QObject(parent), m_engine(engine), m_seen(std::move(seen)) {
  wire();
  m_intent.lock = m_seen->id;
  if (m_seen->isHeld())
    intend(m_seen->holders.front());
  askForPlan();
}

void ReleaseFlow::wire() {
  connect(&m_engine, &Engine::planned, this, &ReleaseFlow::takePlan);
  connect(&m_engine, &Engine::applied, this, &ReleaseFlow::takeResult);
  connect(&m_engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) { compare(*snapshot); });
  connect(&m_engine, &Engine::unlockedChanged, this, &ReleaseFlow::moved);
}

bool ReleaseFlow::isUnlocked() const { return m_engine.isUnlocked(); }

bool ReleaseFlow::needsConsent() const { return !m_engine.isUnlocked() && !m_engine.isDemo(); }

void ReleaseFlow::intend(const Holder &holder) {
  m_intent.holder = holder.id;
  m_intent.count = holder.count;
}

void ReleaseFlow::chooseHolder(std::size_t index) {
  if (m_phase == Phase::Applying || m_phase == Phase::Done || index >= m_seen->holders.size())
    return;
  intend(m_seen->holders[index]);
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
  m_request = m_engine.plan(m_intent);
  emit moved();
}

void ReleaseFlow::takePlan(quint64 request, const ReleaseResult &result) {
  if (request != m_request || m_phase != Phase::Planning)
    return;
  m_answer = result;
  m_phase = result.plan && !result.verdict ? Phase::Planned : Phase::NoPlan;
  emit moved();
}

void ReleaseFlow::release(const QString &reason) {
  if (m_phase != Phase::Planned || m_changedTo || reason.trimmed().isEmpty())
    return;
  m_intent.reason = reason.trimmed().toStdString();
  m_intent.count = m_answer.plan->expectCount;
  m_phase = Phase::Applying;
  const bool wasLocked = !m_engine.isUnlocked();
  if (wasLocked)
    m_engine.unlock();
  m_request = m_engine.apply(m_intent);
  if (wasLocked)
    lockWhenAnswered();
  emit moved();
}

void ReleaseFlow::lockWhenAnswered() {
  auto *patience = new QObject(&m_engine); // outlives this flow, whose window may be closed before
  connect(&m_engine, &Engine::applied, patience, [engine = &m_engine, request = m_request, patience](quint64 answered) {
    if (answered != request)
      return;
    patience->deleteLater();
    engine->lock();
  });
}

void ReleaseFlow::takeResult(quint64 request, const ReleaseResult &result) {
  if (request != m_request || m_phase != Phase::Applying)
    return;
  m_answer = result;
  m_phase = Phase::Done;
  emit moved();
}

// What the watcher tells while the operator reads the plan. The script compares again; this only says so earlier.
void ReleaseFlow::compare(const LockSnapshot &snapshot) {
  if (m_phase != Phase::Planned)
    return;
  const LockRecordPtr now = snapshot.find(m_intent.lock);
  const bool same = now && isHeldAs(*now, m_answer.plan->expectHolder, m_answer.plan->expectCount);
  const LockRecordPtr changed = same ? nullptr : now ? now : std::make_shared<const LockRecord>();
  if (static_cast<bool>(changed) == static_cast<bool>(m_changedTo) && (!changed || changed->holders == m_changedTo->holders))
    return;
  m_changedTo = changed;
  emit moved();
}

} // namespace lockhouse::ui
