// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/lock_presets.h"
#include "ui/page/locks/docked_page.h"
#include "ui/page/locks/lock_selection.h"

class QStackedWidget;

namespace lockhouse::ui {

class DetailsPane;
class EmptyPage;
class LockTableView;
class WindowActions;

/// The table of locks, with its details in a dock on the right and other docks below. It keeps the models.
class LocksPage : public DockedPage {
  Q_OBJECT

public:
  /// `families` outlive the page.
  LocksPage(WindowActions &actions, const FamilyRegistry &families, QWidget *parent = nullptr);

  void takeSnapshot(const LockSnapshotPtr &snapshot);
  void takeChanges(const std::vector<LockChange> &changes);
  void setFrozen(bool frozen);
  std::optional<quint64> pendingChanges() const; ///< while frozen
  void setShowsDoubtful(bool shows);
  void setFilter(const LockQuery &query);
  void setFilterError(const QString &sentence); ///< why the text in the filter box cannot be read; empty: it can
  void setView(std::size_t view);
  std::vector<std::size_t> counts() const; ///< of lockPresets()
  std::size_t staleCount() const;          ///< rows of nodes that are not followed
  void tick(SteadyTime now);

  LockRecordPtr current() const { return m_selection.current(); }
  std::size_t selectedCount() const { return m_selection.count(); }
  std::vector<LockRecordPtr> selected() const { return m_selection.locks(); }
  bool canRelease() const { return m_selection.canRelease(); }
  std::vector<LockRecordPtr> shown() const;                           ///< passed by the view and the filter, held, and not doubtful
  bool hasShown() const;                                              ///< shown() is not empty
  std::vector<LockRecordPtr> shownButNotReleasable() const;           ///< passed by the view and the filter, but free or doubtful
  std::vector<LockRecordPtr> heldBy(const std::string &holder) const; ///< by mayBeHeldBy(); none that are doubtful
  /// Locks with holds that were not read and cannot be asked for by name: some may be of `holder`.
  std::vector<LockRecordPtr> hidingFrom(const std::string &holder) const;
  std::vector<LockRecordPtr> doubtfulOf(const std::string &holder) const; ///< shown or not
  bool meansHold(const LockRecord &shown, const Holder &holder) const;    ///< false: the filter names other holders of it
  void select(const LockId &id);
  void copyCurrent() const;
  void restoreLayout() override;

  LockTableModel &table() { return m_table; }
  LockFilterSortModel &order() { return m_order; }
  LockTableView &view() { return *m_view; }
  DetailsPane &details() { return *m_details; }

signals:
  void showAllWanted();
  void showDoubtfulWanted();
  void currentChanged();                       ///< current(), what is known of it, selectedCount() or canRelease()
  void shownChanged();                         ///< hasShown()
  void filterDoubted(const QString &sentence); ///< what the filter may have meant instead; empty: nothing else

private:
  LockTableModel m_table;
  LockFilterSortModel m_order;
  std::vector<LockQuery> m_queries; ///< of lockPresets()
  LockSnapshotPtr m_snapshot;       ///< the newest, applied or not
  LockSnapshotPtr m_applied;
  std::optional<quint64> m_pendingChanges; ///< nothing: it is not frozen
  LockTableView *m_view;
  DetailsPane *m_details;
  QDockWidget *m_detailsDock = nullptr;
  EmptyPage *m_empty = nullptr;
  QStackedWidget *m_stack = nullptr;
  LockSelection m_selection;
  QString m_filterError;
  bool m_showsDoubtful = false;
  bool m_isByState = false; ///< the view is, see LockPreset
  bool m_hasGreeted = false;
  bool m_hadShown = false;
  std::optional<SteadyTime> m_doubtfulCountedAt;
  std::size_t m_doubtfulMatches = 0;

  void build(WindowActions &actions);
  void apply();
  void scrollToSelection(bool wasSelected);
  void showDetails();
  void emitChanges();
  void chooseCentralWidget();
  std::size_t doubtfulMatches(); ///< hidden doubtful locks that the view and the filter pass
};

} // namespace lockhouse::ui
