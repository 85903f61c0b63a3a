// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/page/actions/window_actions.h"

#include <QMainWindow>
#include <QTimer>

#include <set>
#include <span>

class QStackedWidget;

namespace lockhouse::ui {

class Engine;
class LocksPage;
class NodesPage;
class ReleaseActions;
class StatusLine;
class ToolBar;
class HealthBar;
class Sidebar;

/// The one window: truth line and tools above, views on the left, a page beside them, the nodes at the foot.
class MainWindow : public QMainWindow {
  Q_OBJECT

public:
  static constexpr int refreshEvery = 100; ///< ms between two steps of what counts down

  explicit MainWindow(Engine &engine, QWidget *parent = nullptr);

  LocksPage &locks() { return *m_locks; }
  WindowActions &actions() { return m_actions; }
  void showView(int view);         ///< a lock view by number, Sidebar::nodes or ::lab
  void fitInto(const QRect &room); ///< makes it no larger than this part of a screen
  void openRelease();              ///< for what is selected; writes nothing
  const LockSnapshotPtr &snapshot() const { return m_snapshot; }

signals:
  void appearanceChosen(const QString &name); ///< "light", "dark", "" = the desktop's
  void snapshotShown();

protected:
  void showEvent(QShowEvent *event) override;
  bool event(QEvent *event) override;

private:
  Engine &m_engine;
  WindowActions m_actions;
  LockSnapshotPtr m_snapshot;
  std::size_t m_unwatched = 0; ///< masters of its cluster
  QTimer m_clock;
  int m_ticks = 0;
  std::set<NodeId> m_ofCluster; ///< the nodes of one that are live
  quint64 m_writtenLocks = 0;
  std::set<NodeId> m_writtenNodes;
  HealthBar *m_health = nullptr;
  ToolBar *m_tools = nullptr;
  Sidebar *m_views = nullptr;
  QStackedWidget *m_pages = nullptr;
  LocksPage *m_locks = nullptr;
  NodesPage *m_nodes = nullptr;
  QWidget *m_lab = nullptr;
  StatusLine *m_status = nullptr;
  ReleaseActions *m_releaseActions = nullptr;

  void build();
  void buildPages();
  void buildMenus();
  void wireEngine();
  void wireActions();
  void wireParts();
  void tick();
  void refresh(SteadyTime now);
  void lookForMasters();
  void countWritten(std::span<const ReleaseResult> results);
  void setReadOnly(bool readOnly);
  std::vector<QWidget *> panes() const;
  void movePane(int step);
};

} // namespace lockhouse::ui
