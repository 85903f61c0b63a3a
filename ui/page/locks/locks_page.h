// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/model/locks/lock_history.h"
#include "ui/model/locks/lock_presets.h"
#include "ui/model/locks/lock_table_model.h"

#include <QMainWindow>

class QDockWidget;
class QStackedWidget;
class QTabBar;

namespace lockhouse::ui {

class DetailsPane;
class EmptyPage;
class LockTableView;
class WindowActions;

/// The table with its details beside it and its docks below. Keeps the models: facts come in, rows follow.
class LocksPage : public QMainWindow {
  Q_OBJECT

public:
  /// `families` tell what their locks mean; they outlive the page.
  LocksPage(WindowActions &actions, const FamilyRegistry &families, QWidget *parent = nullptr);

  void takeSnapshot(const LockSnapshotPtr &snapshot);
  void takeChanges(const std::vector<LockChange> &changes);
  void setFrozen(bool frozen);
  std::optional<quint64> heldBack() const; ///< changes that wait while frozen
  void setShowsDoubtful(bool shows);
  void setFilter(const LockQuery &query);
  void setComplaint(const QString &sentence); ///< why what is in the filter box cannot be read; empty: it can
  void setView(std::size_t view);
  std::vector<std::size_t> counts() const; ///< of lockPresets()
  std::size_t staleCount() const;          ///< rows of nodes that are not followed
  void tick(SteadyTime now);

  LockRecordPtr current() const; ///< of the row that is selected; null if none is, or several are
  std::size_t selectedCount() const;
  std::vector<LockRecordPtr> selected() const;                        ///< as they stand, without those that have gone
  std::vector<LockRecordPtr> shown() const;                           ///< that the view and the filter let through, and are held; none that are doubtful
  std::vector<LockRecordPtr> heldBy(const std::string &holder) const; ///< of all but doubtful ones; those too that may be, by mayBeHeldBy()
  /// Those with holds that were not read and that nobody can ask for by name: some may be of `holder`.
  std::vector<LockRecordPtr> hidingFrom(const std::string &holder) const;
  std::vector<LockRecordPtr> doubtfulOf(const std::string &holder) const; ///< what he has that looks more like data than like a lock, shown or not
  std::vector<LockRecordPtr> companionShown() const;                      ///< the others of them: nobody holds them, or they are doubtful
  bool meansHold(const LockRecord &shown, const Holder &holder) const;    ///< false: the filter names other holders of it
  bool hasShown() const;                                                  ///< shown() is not empty
  bool canRelease() const;                                                ///< something selected is held, and has not gone
  void select(const LockId &id);
  void copyCurrent() const;
  void restoreLayout();
  /// A page below the table, beside the others as a tab.
  QDockWidget *addPage(QWidget *page, const QString &title);
  bool isInSight(const QDockWidget &dock) const;  ///< shown, and not behind another's tab
  QTabBar *tabsOf(const QDockWidget &dock) const; ///< in which it is the open one; null: it has none

  LockTableModel &table() { return m_table; }
  LockFilterSortModel &order() { return m_order; }
  LockTableView &view() { return *m_view; }
  DetailsPane &details() { return *m_details; }

signals:
  void showAllWanted();
  void showDoubtfulWanted();
  void currentChanged();                 ///< current(), as it stands, selectedCount() or canRelease()
  void shownChanged();                   ///< hasShown()
  void doubted(const QString &sentence); ///< what the filter may have meant instead; empty: nothing else

protected:
  bool eventFilter(QObject *watched, QEvent *event) override;
  void showEvent(QShowEvent *event) override;

private:
  LockTableModel m_table;
  LockFilterSortModel m_order;
  LockHistory m_history;
  std::vector<LockQuery> m_queries;
  LockSnapshotPtr m_snapshot; ///< the newest, applied or not
  LockSnapshotPtr m_applied;
  std::optional<quint64> m_heldBack;
  LockTableView *m_view = nullptr;
  EmptyPage *m_empty = nullptr;
  QStackedWidget *m_stack = nullptr;
  DetailsPane *m_details = nullptr;
  QDockWidget *m_detailsDock = nullptr;
  std::vector<QDockWidget *> m_pages;
  bool m_showsDoubtful = false;
  bool m_laidOut = false;
  bool m_greeted = false;
  bool m_couldRelease = false;
  LockRecordPtr m_toldOf; ///< current() when it was told last
  bool m_hadShown = false;
  std::optional<SteadyTime> m_sawMany; ///< when the details told of several that are selected
  std::optional<SteadyTime> m_sawDoubtful;
  bool m_isByState = false; ///< the view is, see LockPreset
  std::size_t m_doubtfulMatches = 0;
  std::optional<LockRow> m_last; ///< the lock that was selected last, as it was seen last
  QString m_complaint;

  void build(WindowActions &actions, const FamilyRegistry &families);
  QDockWidget *makeDock(QWidget *content, const QString &title, const QString &name);
  void apply();
  void letSelectionBeSeen(bool wasSelected);
  void showDetails();
  void tellActions();
  void showHistory();
  void chooseSurface();
  std::size_t doubtfulMatches(); ///< that the view and the filter would let through, and are hidden
};

} // namespace lockhouse::ui
