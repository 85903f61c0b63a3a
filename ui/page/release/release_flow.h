// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/page/release/plan_staleness.h"

#include <QObject>

namespace lockhouse::ui {

class Engine;

/// The steps of one release, or of shortening one lease, without a widget: plan → (the operator reads it and gives a reason) → apply
/// → result. Asks the engine and never waits; an answer to an older question is ignored. Nothing is written before apply().
class ReleaseFlow : public QObject {
  Q_OBJECT

public:
  enum class Phase { Planning, Planned, NoPlan, Applying, Done };
  static constexpr milliseconds usualLength{10'000}; ///< what a lease is shortened to unless somebody chooses otherwise

  /// `seen`: the lock as the operator saw it, held by somebody. Starts to plan for its first holder: a release, or a lease that ends
  /// in `shortenTo`.
  ReleaseFlow(Engine &engine, LockRecordPtr seen, std::optional<milliseconds> shortenTo = {}, QObject *parent = nullptr);

  Phase phase() const { return m_phase; }
  const FamilyRegistry &families() const;
  const LockRecordPtr &seen() const { return m_seen; }
  const ReleaseIntent &intent() const { return m_intent; }
  bool isShortening() const { return m_intent.shortenTo.has_value(); }
  /// The newest answer: of planning while Planned or NoPlan, of applying when Done.
  const ReleaseResult &answer() const { return m_answer; }
  /// Planned: whether the server would refuse it, as its warnings say; there is nothing to apply.
  bool isRefused() const { return m_phase == Phase::Planned && m_answer.plan->refusal; }
  /// Null, or the lock as the watcher sees it now when that is no longer what the plan expects; an empty record if it has gone.
  LockRecordPtr changedTo() const;
  /// changedTo() has the same holder and count, but it is another hold: acquired again since seen() was read.
  bool isAcquiredAgain() const;
  /// changedTo() is empty since the key holds data now that looks like no lock.
  bool isNoLockNow() const;
  /// changedTo() is empty since no lock is seen there: its key is gone, or holds something that is none.
  bool isGone() const;
  /// The plan is for another holder than the one that was chosen, who was gone when it was planned again.
  bool isOfAnother() const { return m_isOfAnother; }
  /// Planned: what else was seen of the hold since it was read at readAt(), of which spans of time in the plan are.
  const NewsSincePlan &news() const { return m_news; }
  WallTime readAt() const { return m_readAt; }
  /// Planned: whether the node has not been followed since then, so that nobody knows whether the lock is what the plan expects.
  bool isUnfollowed() const { return m_isUnfollowed; }
  /// Whether the lease could be shortened instead of the release that was planned; if not, why, as a plan says it (maybe "").
  bool canShorten() const { return m_canShorten; }
  const Message &whyNotShorter() const { return m_whyNotShorter; }
  /// Done: what is wrong with the audit log behind which this was recorded; empty: nothing.
  Message auditTrouble() const;
  bool isUnlocked() const;
  /// Whether a person has to confirm that this console may write before apply() can: it is locked, and its servers are no demo.
  bool needsConsent() const;

  void chooseHolder(std::size_t index);       ///< of seen(); plans again
  void chooseRelease();                       ///< plans again, to free it
  void chooseShortening(milliseconds length); ///< plans again, to let it end in `length`
  void planAgain();                           ///< by the newest that is known: for the same holder, or for the first where he is gone
  /// Does what the plan says. On a console that is locked this one plan alone is allowed, until it is answered, even if this object is gone
  /// by then. Ignored without a plan or a reason, or when the lock has changed or its node was lost since.
  void apply(const QString &reason);

signals:
  void moved(); ///< any of the above is another one, but for
  void heard(); ///< news() alone

private:
  Engine &m_engine;
  LockRecordPtr m_seen;
  ReleaseIntent m_intent;
  ReleaseResult m_answer;
  std::optional<PlanStaleness> m_change; ///< since it was planned; what it has now is never null
  NewsSincePlan m_news;
  WallTime m_readAt{};
  LockSnapshotPtr m_snapshot; ///< the newest
  bool m_isUnfollowed = false;
  bool m_isOfAnother = false;
  bool m_canShorten = false;
  Message m_whyNotShorter;
  Phase m_phase = Phase::Planning;
  quint64 m_request = 0;

  void wire();
  void intend(const Holder &holder);
  void see(const LockRecordPtr &newest);
  bool isSettled() const { return m_phase == Phase::Applying || m_phase == Phase::Done; }
  void askForPlan();
  void takePlan(quint64 request, const ReleaseResult &result);
  void takeResult(quint64 request, const ReleaseResult &result);
  void weighShortening();
  void compare();
  void hear();
};

} // namespace lockhouse::ui
