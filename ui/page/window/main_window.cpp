// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/window/main_window.h"

#include "core/release/result/audit_holds.h"
#include "ui/bridge/engine.h"
#include "ui/model/locks/health_summary.h"
#include "ui/page/actions/message_boxes.h"
#include "ui/page/audit/audit_dock.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/empty_page.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/locks/release_actions.h"
#include "ui/page/monitor/charts_dock.h"
#include "ui/page/monitor/events_dock.h"
#include "ui/page/monitor/nodes_page.h"
#include "ui/page/stress/stress_page.h"
#include "ui/page/window/health_bar.h"
#include "ui/page/window/sidebar.h"
#include "ui/page/window/status_line.h"
#include "ui/page/window/tool_bar.h"
#include "ui/widget/parts/filter_box.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QShowEvent>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>
#include <utility>

namespace lockhouse::ui {
namespace {

constexpr int viewsWidth = 171;
constexpr int slowTicks = 3; ///< counts and freshness change at a third of the pace of the bars

/// The first part of a pane that takes the keyboard; null if none does.
QWidget *entranceOf(QWidget *pane) {
  const auto takes = [](const QWidget *widget) { return widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) != 0; };
  if (takes(pane))
    return pane;
  const auto children = pane->findChildren<QWidget *>();
  const auto found = std::ranges::find_if(children, takes);
  return found == children.end() ? nullptr : *found;
}

} // namespace

MainWindow::MainWindow(Engine &engine, QWidget *parent) : QMainWindow(parent), m_engine(engine), m_actions(this) {
  setWindowTitle(tr("Lockhouse"));
  resize(1440, 900);
  build();
  buildMenus();
  wireEngine();
  wireActions();
  wireParts();
  showView(0);
}

void MainWindow::build() {
  m_health = new HealthBar(m_engine.isDemo());
  m_tools = new ToolBar(m_actions);
  m_views = new Sidebar;
  m_views->setFixedWidth(viewsWidth);
  m_status = new StatusLine(this);
  setStatusBar(m_status);
  buildPages();

  auto *line = new QFrame;
  line->setFrameShape(QFrame::NoFrame);
  line->setFixedWidth(1);
  line->setAutoFillBackground(true);
  line->setBackgroundRole(QPalette::Mid);
  auto *middle = new QHBoxLayout;
  middle->setSpacing(0);
  middle->addWidget(m_views);
  middle->addWidget(line);
  middle->addWidget(m_pages, 1);
  auto *whole = new QWidget;
  auto *layout = new QVBoxLayout(whole);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_health);
  layout->addWidget(m_tools);
  layout->addLayout(middle, 1);
  whole->setMinimumSize(900, 540); // smaller than what some pages would like; they scroll or elide
  setCentralWidget(whole);
}

void MainWindow::buildPages() {
  m_locks = new LocksPage(m_actions, m_engine.families());
  m_nodes = new NodesPage;
  m_lab = new StressPage(m_engine);
  m_pages = new QStackedWidget;
  for (QWidget *page : std::initializer_list<QWidget *>{m_locks, m_nodes, m_lab})
    m_pages->addWidget(page);

  auto *charts = new ChartsDock(m_engine);
  auto *events = new EventsDock(m_engine);
  auto *audit = new AuditDock(m_engine);
  charts->setObjectName(QStringLiteral("charts"));
  events->setObjectName(QStringLiteral("events"));
  audit->setObjectName(QStringLiteral("audit"));
  m_locks->addPage(charts, tr("Charts"));
  m_locks->addPage(events, tr("Events"));
  m_locks->addPage(audit, tr("Audit"));
  connect(events, &EventsDock::lockChosen, m_locks, &LocksPage::select);
  connect(audit, &AuditDock::judged, m_status, &StatusLine::setAudit);
}

void MainWindow::buildMenus() {
  const auto menu = [this](const QString &title, std::initializer_list<QAction *> actions) {
    QMenu *made = menuBar()->addMenu(title);
    made->setToolTipsVisible(true); // of what is off they say why
    made->addActions(QList<QAction *>(actions));
    return made;
  };
  menu(tr("&File"), {m_actions.quit});
  menu(tr("&Edit"), {m_actions.copy, m_actions.filter});
  QMenu *view = menu(tr("&View"), {});
  for (QAction *action : m_actions.views)
    view->addAction(action);
  view->addActions({m_actions.nodes, m_actions.freeze, m_actions.doubtful, m_actions.nextPane, m_actions.previousPane, m_actions.restoreLayout});
  QMenu *lock = menu(tr("&Lock"), {m_actions.details, m_actions.shorten, m_actions.release});
  lock->addSeparator();
  lock->addActions({m_actions.releaseSelected, m_actions.releaseShown, m_actions.releaseHolder});
  menu(tr("L&ab"), {m_actions.lab});
  QMenu *settings = menu(tr("&Settings"), {m_actions.readOnly});
  settings->addSection(tr("Appearance"));
  settings->addActions({m_actions.followDesktop, m_actions.light, m_actions.dark});
  menu(tr("&Help"), {m_actions.keys, m_actions.about});
}

void MainWindow::wireEngine() {
  connect(&m_engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) {
    m_snapshot = snapshot;
    m_locks->takeSnapshot(snapshot);
    const SteadyTime now = SteadyClock::now();
    m_locks->tick(now);
    refresh(now); // whatever is painted next comes from one snapshot
    lookForMasters();
  });
  connect(&m_engine, &Engine::changesReady, m_locks, &LocksPage::takeChanges);
  connect(&m_engine, &Engine::unlockedChanged, this, [this](bool unlocked) {
    m_health->setUnlocked(unlocked);
    m_actions.readOnly->setChecked(!unlocked);
  });
  connect(&m_engine, &Engine::unwatchedFound, m_nodes, &NodesPage::setUnwatched);
  connect(&m_engine, &Engine::unwatchedFound, this, [this](const std::vector<std::string> &masters) { m_unwatched = masters.size(); });
  connect(&m_engine, &Engine::applied, this, [this](quint64, const ReleaseResult &result) { countWritten({&result, 1}); });
  connect(&m_engine, &Engine::manyApplied, this, [this](quint64, const std::vector<ReleaseResult> &results) { countWritten(results); });
}

void MainWindow::wireActions() {
  for (std::size_t view = 0; view < m_actions.views.size(); ++view)
    connect(m_actions.views[view], &QAction::triggered, this, [this, view] { showView(static_cast<int>(view)); });
  connect(m_actions.nodes, &QAction::triggered, this, [this] { showView(Sidebar::nodes); });
  connect(m_actions.lab, &QAction::triggered, this, [this] { showView(Sidebar::lab); });
  connect(m_actions.quit, &QAction::triggered, this, &QWidget::close);
  connect(m_actions.copy, &QAction::triggered, m_locks, &LocksPage::copyCurrent);
  connect(m_actions.freeze, &QAction::toggled, m_locks, &LocksPage::setFrozen);
  connect(m_actions.freeze, &QAction::toggled, this, [this] { m_tools->setHeldStill(m_locks->pendingChanges()); });
  connect(m_actions.doubtful, &QAction::toggled, m_locks, &LocksPage::setShowsDoubtful);
  connect(m_actions.doubtful, &QAction::toggled, m_health, &HealthBar::setShowsDoubtful);
  connect(m_actions.readOnly, &QAction::triggered, this, &MainWindow::setReadOnly);
  connect(m_actions.restoreLayout, &QAction::triggered, m_locks, &LocksPage::restoreLayout);
  connect(m_actions.nextPane, &QAction::triggered, this, [this] { movePane(1); });
  connect(m_actions.previousPane, &QAction::triggered, this, [this] { movePane(-1); });
  connect(m_actions.keys, &QAction::triggered, this, [this] { tellKeys(m_actions, *this); });
  connect(m_actions.about, &QAction::triggered, this, [this] { tellAbout(*this); });
  connect(m_actions.followDesktop, &QAction::triggered, this, [this] { emit appearanceChosen({}); });
  connect(m_actions.light, &QAction::triggered, this, [this] { emit appearanceChosen(QStringLiteral("light")); });
  connect(m_actions.dark, &QAction::triggered, this, [this] { emit appearanceChosen(QStringLiteral("dark")); });
  connect(m_actions.filter, &QAction::triggered, this, [this] {
    showView(std::min(m_views->chosen(), Sidebar::nodes - 1));
    m_tools->filter().setFocus(Qt::ShortcutFocusReason);
    m_tools->filter().selectAll();
  });
}

void MainWindow::wireParts() {
  connect(m_views, &Sidebar::viewChosen, this, &MainWindow::showView);
  connect(&m_tools->filter(), &FilterBox::queryChanged, m_locks, &LocksPage::setFilter);
  connect(&m_tools->filter(), &FilterBox::complained, m_locks, &LocksPage::setFilterError);
  connect(m_locks, &LocksPage::filterDoubted, &m_tools->filter(), &FilterBox::setDoubt);
  connect(&m_tools->filter(), &FilterBox::left, this, [this] { m_locks->view().setFocus(); });
  connect(m_locks, &LocksPage::showAllWanted, this, [this] {
    m_tools->filter().clear();
    showView(0);
  });
  connect(m_locks, &LocksPage::showDoubtfulWanted, m_actions.doubtful, &QAction::trigger);
  const auto *empty = m_locks->findChild<EmptyPage *>();
  connect(empty, &EmptyPage::nodesWanted, this, [this] { showView(Sidebar::nodes); });
  connect(empty, &EmptyPage::labWanted, this, [this] { showView(Sidebar::lab); });
  m_releaseActions = new ReleaseActions(m_engine, m_actions, *m_locks, *this);
  connect(&m_clock, &QTimer::timeout, this, &MainWindow::tick);
  m_clock.start(refreshEvery);
}

void MainWindow::showView(int view) {
  if (m_views->chosen() != view || m_views->currentItem() == nullptr)
    return m_views->choose(view); // comes back by its signal
  if (view == Sidebar::nodes)
    m_engine.findUnwatched(); // a cluster may have grown
  if (view == Sidebar::nodes)
    return m_pages->setCurrentWidget(m_nodes);
  if (view == Sidebar::lab)
    return m_pages->setCurrentWidget(m_lab);
  m_locks->setView(static_cast<std::size_t>(view));
  m_pages->setCurrentWidget(m_locks);
}

void MainWindow::fitInto(const QRect &room) {
  constexpr QSize frame(8, 40); // which is not known before the window is shown
  resize(size().boundedTo(room.size() - frame));
}

void MainWindow::openRelease() { m_releaseActions->openSelected(); }

void MainWindow::countWritten(std::span<const ReleaseResult> results) {
  std::vector<AuditHold> written;
  for (const ReleaseResult &result : results) {
    if (result.verdict != Verdict::Released && result.verdict != Verdict::Shortened)
      continue;
    written.push_back({result.lock.key.bytes(), result.lock.node.bytes(), result.holder, result.lock.db, {}});
    m_writtenNodes.insert(result.lock.node);
  }
  m_writtenLocks += locksAmong(written).size();
  m_status->setWrites(m_writtenLocks, m_writtenNodes.size());
}

void MainWindow::tick() {
  const SteadyTime now = SteadyClock::now();
  m_locks->tick(now);
  if (m_ticks++ % slowTicks == 0 && m_snapshot)
    refresh(now);
}

void MainWindow::refresh(SteadyTime now) {
  m_health->setHealth(HealthSummary::of(*m_snapshot, now, m_unwatched));
  m_status->setNodes(m_snapshot->nodes);
  const bool trouble = std::ranges::any_of(
      m_snapshot->nodes, [](const NodeStatus &node) { return !node.twin && (node.state == NodeState::Down || node.state == NodeState::Stale); });
  m_views->setCounts(m_locks->counts(), m_locks->staleCount(), m_snapshot->nodes.size(), trouble);
  if (m_locks->pendingChanges())
    m_tools->setHeldStill(m_locks->pendingChanges());
  if (m_pages->currentWidget() == m_nodes)
    m_nodes->apply(*m_snapshot, now);
}

void MainWindow::lookForMasters() {
  std::set<NodeId> live;
  for (const NodeStatus &node : m_snapshot->nodes)
    if (node.isCluster && node.state == NodeState::Live)
      live.insert(node.id);
  if (std::exchange(m_ofCluster, live) != live)
    m_engine.findUnwatched();
}

void MainWindow::setReadOnly(bool readOnly) {
  if (readOnly)
    return m_engine.lock();
  m_actions.readOnly->setChecked(true); // until it is so
  if (m_engine.isDemo())
    return m_engine.unlock();
  confirmChanges(*this, [this] { m_engine.unlock(); });
}

std::vector<QWidget *> MainWindow::panes() const {
  std::vector<QWidget *> found{&m_tools->filter(), m_views};
  const auto add = [&found](QWidget *pane) {
    if (QWidget *entrance = entranceOf(pane))
      found.push_back(entrance);
  };
  if (m_pages->currentWidget() != m_locks) {
    add(m_pages->currentWidget());
    return found;
  }
  add(m_locks->centralWidget());
  for (const QDockWidget *dock : m_locks->findChildren<QDockWidget *>()) {
    if (!m_locks->isInSight(*dock))
      continue;
    if (QWidget *entrance = entranceOf(dock->widget()))
      found.push_back(entrance);
    else if (QTabBar *tabs = m_locks->tabsOf(*dock)) // what it shows is only looked at
      found.push_back(tabs);
  }
  return found;
}

void MainWindow::movePane(int step) {
  const std::vector<QWidget *> stops = panes();
  const auto count = static_cast<int>(stops.size());
  const auto at = std::ranges::find(stops, QApplication::focusWidget());
  // Focus deeper inside a pane counts as being in the pane that holds it.
  const auto inside = at != stops.end() ? at : std::ranges::find_if(stops, [](const QWidget *stop) {
    const QWidget *focus = QApplication::focusWidget();
    return focus != nullptr && stop->parentWidget() != nullptr && stop->parentWidget()->isAncestorOf(focus);
  });
  const int here = inside == stops.end() ? 0 : static_cast<int>(inside - stops.begin());
  stops[static_cast<std::size_t>((here + step + count) % count)]->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::showEvent(QShowEvent *event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous())
    m_locks->view().setFocus();
}

// A click beside an open dialog: some window managers give the keyboard to this window then, which may not have it.
bool MainWindow::event(QEvent *event) {
  if (QWidget *modal = event->type() == QEvent::WindowActivate ? QApplication::activeModalWidget() : nullptr; modal && modal != this) {
    modal->raise();
    modal->activateWindow();
  }
  return QMainWindow::event(event);
}

} // namespace lockhouse::ui
