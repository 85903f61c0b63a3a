// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/hold_selection.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/bridge/many_releases.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/page/release/plan_staleness.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <unordered_map>

namespace lockhouse::ui {

class Engine;

/// The steps of many releases at once, or of many leases shortened, without a widget: plan → (the operator reads the preview and gives
/// a reason) → apply → results. Asks the engine and never waits. Nothing is written before apply(). While the preview is read, holds
/// that the watcher sees changed drop out of it, told as they are by then; an old preview has to be made anew.
class ReleaseManyFlow : public QObject {
  Q_OBJECT

public:
  enum class Phase { Planning, Planned, Applying, Done };
  static constexpr milliseconds longestPreview{100'000}; ///< the engine itself refuses one of two minutes
  static constexpr milliseconds reviewEvery{1'000};

  /// Whose holds alone are meant, by the name under which he was chosen.
  struct OfHolder {
    std::string id;                    ///< bytes
    std::vector<LockRecordPtr> hiding; ///< locks of which it is not known whether he has more there, since not all was read
  };
  /// `of`: nothing: all holds of these locks are meant.
  ReleaseManyFlow(Engine &engine, std::vector<HoldToRelease> holds, QObject *parent = nullptr, std::optional<OfHolder> of = {});

  Phase phase() const { return m_phase; }
  const std::vector<HoldToRelease> &holds() const { return m_holds; }
  /// One for each of holds(), in their order: of planning, once Done of applying. Empty while Planning.
  const std::vector<ReleaseResult> &results() const { return m_results; }
  const std::vector<LockRecordPtr> &hiding() const { return m_of.hiding; }
  /// Rows that were meant too, and are in no plan: nobody holds them, or they are doubtful.
  const std::vector<LockRecordPtr> &leftOut() const { return m_leftOut; }
  void setLeftOut(std::vector<LockRecordPtr> rows);
  /// From Planned on: which locks have more holds that are meant than were read.
  const std::vector<UnreadHolds> &unread() const { return m_unread; }
  /// Masters of a cluster that no node is: what lies there is in none of the plans.
  const std::vector<std::string> &unwatched() const { return m_unwatched; }
  WallTime readAt() const { return m_readAt; } ///< of which spans of time in the plans are
  /// Planned: of how many locks holders were seen to renew since then.
  std::size_t renewedSince() const { return m_renewed; }
  const ManyProgress &progress() const { return m_progress; }
  /// Whether one holder's holds alone are meant: a lock that others hold too stays theirs.
  bool isOfOneHolder() const { return m_areOfOneHolder; }
  const std::string &holder() const { return m_of.id; } ///< who that is
  bool isShortening() const { return !m_holds.empty() && m_holds.front().intent.shortenTo.has_value(); }
  milliseconds length() const { return isShortening() ? *m_holds.front().intent.shortenTo : milliseconds(0); } ///< in which leases are to end
  bool isStopping() const { return m_isStopping; }
  bool isTooOld() const { return m_isTooOld; }
  Message auditTrouble() const; ///< Done: what is wrong with the audit log behind which these were recorded; empty: nothing
  bool isUnlocked() const;
  bool needsConsent() const;

  std::size_t locks() const;     ///< how many there are
  std::size_t openLocks() const; ///< Planned: of which some hold would be ended; Done: of which every hold that was meant is, or of a Redlock most
  /// Planned: how many would be free, of a Redlock on most of its masters; of one holder: of how many he would have nothing left that is meant.
  std::size_t wholeLocks() const;
  /// A lock that is done, or would be, although some of its masters have it still, too few to keep anybody out.
  struct DoneOnMost {
    std::size_t place;        ///< of one of its holds
    std::vector<NodeId> left; ///< where it stays
    std::size_t masters;      ///< how many it has
  };
  std::vector<DoneOnMost> doneOnMost() const;
  /// Whether the hold at this place would be ended, or is.
  bool isOpen(std::size_t place) const;
  /// Of those that were not: whether planning them again may help. Someone else's hold by now is not planned again.
  bool hasRest() const;

  void planAgain(); ///< Planned: all; Done: the rest
  /// Planned: plans all again, their leases to end in `shortenTo`; nothing: to free them.
  void choose(std::optional<milliseconds> shortenTo);
  /// Does what the plans say; on a console that is locked these alone are allowed, as by ReleaseFlow. Ignored without a reason, or a preview that is new enough.
  void apply(const QString &reason);
  void stop(); ///< leaves out what was not begun

signals:
  void moved();      ///< another phase, or other results
  void progressed(); ///< progress() alone
  void heard();      ///< renewedSince() alone

private:
  Engine &m_engine;
  std::vector<HoldToRelease> m_holds;
  bool m_areOfOneHolder;
  OfHolder m_of;
  std::vector<LockRecordPtr> m_leftOut;
  std::vector<UnreadHolds> m_unread;
  std::vector<std::string> m_unwatched;
  std::vector<ReleaseResult> m_results;
  struct Dropped {
    LockRecordPtr read; ///< the lock as its plan read it
    bool isOver = false;
  };
  std::unordered_map<std::size_t, Dropped> m_dropped; ///< by their places: those that the watcher sees changed
  ManyProgress m_progress;
  LockSnapshotPtr m_snapshot; ///< the newest
  SteadyTime m_reviewed{};
  WallTime m_readAt{};
  std::size_t m_renewed = 0;
  QTimer m_old, m_later; ///< m_later: what came too soon after the last review
  Phase m_phase = Phase::Planning;
  bool m_isStopping = false;
  bool m_isTooOld = false;
  quint64 m_request = 0;

  void wire();
  void askForPlans();
  void takePlans(quint64 request, const std::vector<ReleaseResult> &results);
  void takeResults(quint64 request, const std::vector<ReleaseResult> &results);
  void dropAbsent();
  bool staysInPart(const LockId &lock) const;
  using Places = std::vector<std::size_t>;
  std::map<std::size_t, Places> placesByLock() const;
  bool isDone(const Places &places) const;
  std::optional<DoneOnMost> onMost(const Places &places) const;
  void reviewSoon();
  bool review();
  void hear();
  bool reviewOne(std::size_t place);
};

} // namespace lockhouse::ui
