// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/locks_page.h"

#include "core/release/plan/hold_selection.h"
#include "ui/model/locks/lock_summary.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/page/actions/window_actions.h"
#include "ui/page/locks/details_lines.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/empty_page.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/widget/style/plain_text.h"

#include <QAction>
#include <QDockWidget>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>
#include <array>
#include <utility>

namespace lockhouse::ui {
namespace {

constexpr int detailsWidth = 330;
constexpr int pagesHeight = 318;
constexpr milliseconds lookAtManyEvery{500}; // they may be thousands

bool isHeld(const LockRow &row) { return row.record->isHeld() && !row.releasedAt; }

// Whether it goes with others.
bool goesWithMany(const LockRow &row) { return isHeld(row) && !row.record->isDoubtful(); }

} // namespace

LocksPage::LocksPage(WindowActions &actions, const FamilyRegistry &families, QWidget *parent)
    : QMainWindow(parent, Qt::Widget), m_table(families), m_order(m_table) {
  for (const LockPreset &preset : lockPresets())
    m_queries.push_back(LockQuery::parse(preset.query).value_or(LockQuery()));
  build(actions, families);
  connect(m_view, &LockTableView::currentLockChanged, this, [this] {
    m_sawMany.reset();
    showDetails();
    showHistory();
    emit currentChanged();
  });
  connect(m_empty, &EmptyPage::showAllWanted, this, &LocksPage::showAllWanted);
  connect(m_empty, &EmptyPage::showDoubtfulWanted, this, &LocksPage::showDoubtfulWanted);
  connect(actions.details, &QAction::triggered, this, [this] {
    m_detailsDock->show();
    m_details->setFocus(Qt::ShortcutFocusReason);
  });
}

void LocksPage::build(WindowActions &actions, const FamilyRegistry &families) {
  m_view = new LockTableView(m_order);
  // Keys that would be in the way elsewhere count while the table has the focus only.
  for (QAction *action : {actions.release, actions.shorten, actions.releaseSelected, actions.releaseShown, actions.releaseHolder, actions.copy, actions.details,
                          actions.freeze}) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    m_view->addAction(action);
  }
  m_empty = new EmptyPage;
  m_stack = new QStackedWidget;
  m_stack->addWidget(m_view);
  m_stack->addWidget(m_empty);
  setCentralWidget(m_stack);
  m_details = new DetailsPane(actions, families);
  m_detailsDock = makeDock(m_details, tr("Details"), QStringLiteral("details"));
  addDockWidget(Qt::RightDockWidgetArea, m_detailsDock);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  setDocumentMode(true);
  setContextMenuPolicy(Qt::NoContextMenu);
  m_empty->setState(EmptyState::of(nullptr, {}));
  chooseSurface();
}

QDockWidget *LocksPage::makeDock(QWidget *content, const QString &title, const QString &name) {
  auto *dock = new QDockWidget(withoutMnemonics(title), this);
  dock->setObjectName(name);
  dock->setWidget(content);
  dock->setFeatures(QDockWidget::DockWidgetClosable);
  dock->setTitleBarWidget(new QWidget(dock)); // the tab says what it is
  dock->installEventFilter(this);
  return dock;
}

bool LocksPage::isInSight(const QDockWidget &dock) const { return dock.isVisible() && rect().intersects(dock.geometry()); }

QTabBar *LocksPage::tabsOf(const QDockWidget &dock) const {
  for (QTabBar *tabs : findChildren<QTabBar *>(Qt::FindDirectChildrenOnly))
    if (tabs->isVisible() && tabs->count() > 0 && tabs->tabText(tabs->currentIndex()) == dock.windowTitle())
      return tabs;
  return nullptr;
}

// Behind another tab a dock lies outside, and takes no keys. That it went there is told of one that was in sight alone.
bool LocksPage::eventFilter(QObject *watched, QEvent *event) {
  static constexpr std::array moved{QEvent::Move, QEvent::Resize, QEvent::Show, QEvent::Hide};
  const bool known = QMainWindow::eventFilter(watched, event);
  if (const auto *dock = qobject_cast<QDockWidget *>(watched); dock && std::ranges::find(moved, event->type()) != moved.end())
    dock->widget()->setEnabled(isInSight(*dock));
  return known;
}

QDockWidget *LocksPage::addPage(QWidget *page, const QString &title) {
  QDockWidget *dock = makeDock(page, title, page->objectName());
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  if (!m_pages.empty())
    tabifyDockWidget(m_pages.back(), dock);
  m_pages.push_back(dock);
  m_pages.front()->raise();
  return dock;
}

void LocksPage::restoreLayout() {
  m_detailsDock->show();
  for (QDockWidget *dock : m_pages)
    dock->show();
  if (!m_pages.empty()) {
    m_pages.front()->raise();
    resizeDocks({m_pages.front()}, {pagesHeight}, Qt::Vertical);
  }
  resizeDocks({m_detailsDock}, {detailsWidth}, Qt::Horizontal);
  m_view->restoreColumns();
}

void LocksPage::takeSnapshot(const LockSnapshotPtr &snapshot) {
  m_snapshot = snapshot;
  if (!m_heldBack)
    apply();
}

void LocksPage::takeChanges(const std::vector<LockChange> &changes) {
  m_history.add(changes);
  m_table.note(changes);
  if (m_heldBack)
    *m_heldBack += changes.size();
  else if (const auto &lock = m_view->chosen(); lock && std::ranges::find(changes, *lock, &LockChange::id) != changes.end())
    showHistory();
}

void LocksPage::setFrozen(bool frozen) {
  if (frozen == m_heldBack.has_value())
    return;
  m_heldBack = frozen ? std::optional<quint64>(0) : std::nullopt;
  if (!frozen && m_snapshot)
    apply();
}

void LocksPage::setShowsDoubtful(bool shows) {
  m_showsDoubtful = shows;
  m_sawDoubtful.reset();
  m_table.setShowsDoubtful(shows);
  if (m_applied)
    m_table.apply(m_applied, SteadyClock::now());
  chooseSurface();
  showDetails();
}

std::optional<quint64> LocksPage::heldBack() const { return m_heldBack; }

void LocksPage::setFilter(const LockQuery &query) {
  const bool wasSelected = m_view->current().has_value();
  m_sawDoubtful.reset();
  m_order.setFilter(query);
  emit doubted(m_order.doubt());
  chooseSurface();
  letSelectionBeSeen(wasSelected);
}

void LocksPage::setComplaint(const QString &sentence) {
  m_complaint = sentence;
  chooseSurface();
  tellActions();
}

void LocksPage::setView(std::size_t view) {
  const LockPreset preset = lockPresets().at(view);
  const bool wasSelected = m_view->current().has_value();
  m_sawDoubtful.reset();
  m_isByState = preset.byState;
  m_order.setView(m_queries.at(view));
  m_view->sortByColumn(preset.sortColumn, preset.order);
  chooseSurface();
  letSelectionBeSeen(wasSelected);
}

// What the filter or the view had hidden is selected again: not out of sight.
void LocksPage::letSelectionBeSeen(bool wasSelected) {
  if (!wasSelected && m_view->current())
    m_view->scrollTo(m_view->currentIndex());
  showDetails();
  showHistory();
}

std::vector<std::size_t> LocksPage::counts() const { return countPresets(m_table, m_queries); }

std::size_t LocksPage::staleCount() const { return countStale(m_table); }

void LocksPage::apply() {
  m_applied = m_snapshot;
  m_details->setNodes(m_applied->nodes);
  m_table.apply(m_applied, SteadyClock::now());
  emit doubted(m_order.doubt());
  chooseSurface();
  if (m_order.rowCount() > 0 && !std::exchange(m_greeted, true)) {
    m_view->setCurrentIndex(m_order.index(0, 0)); // this once; afterwards only a person chooses
    m_view->setFocus();                           // there was nothing to give it to before
  }
  showDetails();
}

void LocksPage::tick(SteadyTime now) {
  if (m_heldBack)
    return;
  m_table.tick(now);
  m_view->repaintCountdowns();
  showDetails();
  chooseSurface();
}

LockRecordPtr LocksPage::current() const {
  const auto id = m_view->current();
  const int row = id ? m_table.rowOf(*id) : -1;
  return row < 0 ? nullptr : m_table.row(row).record;
}

std::size_t LocksPage::selectedCount() const { return m_view->selectedCount(); }

std::vector<LockRecordPtr> LocksPage::selected() const {
  std::vector<LockRecordPtr> locks;
  for (const int row : m_view->selectedRows())
    if (!m_order.row(row).releasedAt)
      locks.push_back(m_order.row(row).record);
  return locks;
}

std::vector<LockRecordPtr> LocksPage::shown() const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_order.rowCount(); ++row)
    if (goesWithMany(m_order.row(row)))
      locks.push_back(m_order.row(row).record);
  return locks;
}

std::vector<LockRecordPtr> LocksPage::companionShown() const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_order.rowCount(); ++row)
    if (!m_order.row(row).releasedAt && !goesWithMany(m_order.row(row)))
      locks.push_back(m_order.row(row).record);
  return locks;
}

bool LocksPage::meansHold(const LockRecord &shown, const Holder &holder) const {
  const int row = m_table.rowOf(shown.id);
  return row < 0 || m_order.means(m_table.row(row), holder);
}

std::vector<LockRecordPtr> LocksPage::heldBy(const std::string &holder) const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_table.rowCount(); ++row) {
    const auto &record = m_table.row(row).record;
    if (goesWithMany(m_table.row(row)) && mayBeHeldBy(*record, holder))
      locks.push_back(record);
  }
  return locks;
}

std::vector<LockRecordPtr> LocksPage::hidingFrom(const std::string &holder) const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_table.rowCount(); ++row)
    if (goesWithMany(m_table.row(row)) && mayHideHoldsOf(*m_table.row(row).record, holder))
      locks.push_back(m_table.row(row).record);
  return locks;
}

std::vector<LockRecordPtr> LocksPage::doubtfulOf(const std::string &holder) const {
  std::vector<LockRecordPtr> locks;
  if (m_applied) // the table has them only where they are shown
    std::ranges::copy_if(m_applied->locks, std::back_inserter(locks),
                         [&](const LockRecordPtr &lock) { return lock->isDoubtful() && lock->isHeld() && mayBeHeldBy(*lock, holder); });
  return locks;
}

bool LocksPage::hasShown() const {
  if (!m_complaint.isEmpty()) // what is shown is not what the filter says
    return false;
  for (int row = 0; row < m_order.rowCount(); ++row)
    if (goesWithMany(m_order.row(row)))
      return true;
  return false;
}

bool LocksPage::canRelease() const {
  return std::ranges::any_of(m_view->selectedRows(), [this](int row) { return isHeld(m_order.row(row)); });
}

void LocksPage::select(const LockId &id) { m_view->select(id); }

void LocksPage::copyCurrent() const {
  QStringList texts;
  for (const int row : m_view->selectedRows())
    texts << lockAsText(m_order.row(row), m_table.now());
  if (!texts.isEmpty())
    copyPlain(texts.join(QStringLiteral("\n\n")));
}

void LocksPage::showEvent(QShowEvent *event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous() && !m_laidOut) {
    m_laidOut = true;
    restoreLayout();
  }
}

void LocksPage::showDetails() {
  tellActions();
  const SteadyTime now = m_table.now();
  if (m_view->selectedCount() > 1) {
    if (m_sawMany && now - *m_sawMany < lookAtManyEvery)
      return;
    m_sawMany = now;
    const auto live = selected();
    return m_details->setMany(live, m_view->selectedCount() - live.size());
  }
  const auto &id = m_view->chosen();
  const int row = id ? m_table.rowOf(*id) : -1;
  if (row >= 0)
    m_last = m_table.row(row);
  else if (!id || !m_last || m_last->record->id != *id)
    m_last.reset();
  else if (!m_last->releasedAt)
    m_last->releasedAt = now;
  if (row >= 0 && !m_view->current())
    m_details->setHidden(shownName(m_last->record->id.key.bytes()));
  else
    m_details->setLock(m_last ? &*m_last : nullptr, now);
}

void LocksPage::tellActions() {
  const bool isOther = std::exchange(m_couldRelease, canRelease()) != m_couldRelease;
  if (const auto lock = current(); std::exchange(m_toldOf, lock) != lock || isOther)
    emit currentChanged();
  if (std::exchange(m_hadShown, hasShown()) != m_hadShown)
    emit shownChanged();
}

void LocksPage::showHistory() {
  const auto &id = m_view->chosen();
  const bool hidden = id && m_table.rowOf(*id) >= 0 && !m_view->current();
  const bool isOne = m_view->selectedCount() < 2;
  m_details->setHistory(m_last && !hidden && isOne ? m_history.of(m_last->record->id, mostDetailLines) : std::vector<LockChange>{});
}

std::size_t LocksPage::doubtfulMatches() {
  if (m_showsDoubtful || !m_applied)
    return 0;
  if (m_sawDoubtful && m_table.now() - *m_sawDoubtful < lookAtManyEvery)
    return m_doubtfulMatches;
  m_sawDoubtful = m_table.now();
  const auto matches = [this](const LockRecordPtr &record) { return record->isDoubtful() && m_order.accepts(m_table.describe(record)); };
  m_doubtfulMatches = static_cast<std::size_t>(std::ranges::count_if(m_applied->locks, matches));
  return m_doubtfulMatches;
}

void LocksPage::chooseSurface() {
  if (m_order.rowCount() > 0)
    return m_stack->setCurrentWidget(m_view);
  if (m_table.rowCount() > 0 && !m_complaint.isEmpty())
    m_empty->setState(
        {tr("The filter cannot be read"), m_complaint, tr("Until it can be, the last filter that could be read counts; it lets nothing through.")});
  else if (m_table.rowCount() > 0) // those that fade are gone
    m_empty->setFilteredOut(static_cast<std::size_t>(std::ranges::count_if(m_table.rows(), [](const auto &row) { return !row->releasedAt; })),
                            doubtfulMatches(), m_isByState ? staleCount() : 0);
  else
    m_empty->setState(EmptyState::of(m_snapshot.get(), SteadyClock::now()));
  m_stack->setCurrentWidget(m_empty);
}

} // namespace lockhouse::ui
