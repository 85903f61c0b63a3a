// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/locks_page.h"

#include "core/release/plan/hold_selection.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/page/actions/window_actions.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/empty_page.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/widget/style/plain_text.h"

#include <QAction>
#include <QDockWidget>
#include <QStackedWidget>

#include <algorithm>
#include <array>
#include <utility>

namespace lockhouse::ui {
namespace {

constexpr milliseconds countDoubtfulEvery{500}; // there may be thousands

// Whether it is released together with others: a doubtful lock is released alone.
bool isReleasable(const LockRow &row) { return row.record->isHeld() && !row.releasedAt && !row.record->isDoubtful(); }

} // namespace

LocksPage::LocksPage(WindowActions &actions, const FamilyRegistry &families, QWidget *parent)
    : DockedPage(parent), m_table(families), m_order(m_table), m_view(new LockTableView(m_order)), m_details(new DetailsPane(actions, families)),
      m_selection(m_table, m_order, *m_view, *m_details) {
  for (const LockPreset &preset : lockPresets())
    m_queries.push_back(LockQuery::parse(preset.query).value_or(LockQuery()));
  build(actions);
  connect(m_view, &LockTableView::currentLockChanged, this, [this] {
    emitChanges();
    m_selection.change();
    emit currentChanged();
  });
  connect(m_empty, &EmptyPage::showAllWanted, this, &LocksPage::showAllWanted);
  connect(m_empty, &EmptyPage::showDoubtfulWanted, this, &LocksPage::showDoubtfulWanted);
  connect(actions.details, &QAction::triggered, this, [this] {
    m_detailsDock->show();
    m_details->setFocus(Qt::ShortcutFocusReason);
  });
}

void LocksPage::build(WindowActions &actions) {
  // These keys have another meaning elsewhere: they work only while the table has the focus.
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
  m_detailsDock = addSideDock(m_details, tr("Details"), QStringLiteral("details"));
  m_empty->setState(EmptyState::of(nullptr, {}));
  chooseCentralWidget();
}

void LocksPage::restoreLayout() {
  DockedPage::restoreLayout();
  m_view->restoreColumns();
}

void LocksPage::takeSnapshot(const LockSnapshotPtr &snapshot) {
  m_snapshot = snapshot;
  if (!m_pendingChanges)
    apply();
}

void LocksPage::takeChanges(const std::vector<LockChange> &changes) {
  m_table.note(changes);
  m_selection.addHistory(changes, m_pendingChanges.has_value());
  if (m_pendingChanges)
    *m_pendingChanges += changes.size();
}

void LocksPage::setFrozen(bool frozen) {
  if (frozen == m_pendingChanges.has_value())
    return;
  m_pendingChanges = frozen ? std::optional<quint64>(0) : std::nullopt;
  if (!frozen && m_snapshot)
    apply();
}

void LocksPage::setShowsDoubtful(bool shows) {
  m_showsDoubtful = shows;
  m_doubtfulCountedAt.reset();
  m_table.setShowsDoubtful(shows);
  if (m_applied)
    m_table.apply(m_applied, SteadyClock::now());
  chooseCentralWidget();
  showDetails();
}

std::optional<quint64> LocksPage::pendingChanges() const { return m_pendingChanges; }

void LocksPage::setFilter(const LockQuery &query) {
  const bool wasSelected = m_view->current().has_value();
  m_doubtfulCountedAt.reset();
  m_order.setFilter(query);
  emit filterDoubted(m_order.doubt());
  chooseCentralWidget();
  scrollToSelection(wasSelected);
}

void LocksPage::setFilterError(const QString &sentence) {
  m_filterError = sentence;
  chooseCentralWidget();
  emitChanges();
}

void LocksPage::setView(std::size_t view) {
  const LockPreset preset = lockPresets().at(view);
  const bool wasSelected = m_view->current().has_value();
  m_doubtfulCountedAt.reset();
  m_isByState = preset.byState;
  m_order.setView(m_queries.at(view));
  m_view->sortByColumn(preset.sortColumn, preset.order);
  chooseCentralWidget();
  scrollToSelection(wasSelected);
}

// The filter or the view had hidden the selected lock: it must not come back out of sight.
void LocksPage::scrollToSelection(bool wasSelected) {
  if (!wasSelected && m_view->current())
    m_view->scrollTo(m_view->currentIndex());
  showDetails();
  m_selection.showHistory();
}

std::vector<std::size_t> LocksPage::counts() const { return countPresets(m_table, m_queries); }

std::size_t LocksPage::staleCount() const { return countStale(m_table); }

void LocksPage::apply() {
  m_applied = m_snapshot;
  m_details->setNodes(m_applied->nodes);
  m_table.apply(m_applied, SteadyClock::now());
  emit filterDoubted(m_order.doubt());
  chooseCentralWidget();
  if (m_order.rowCount() > 0 && !std::exchange(m_hasGreeted, true)) {
    m_view->setCurrentIndex(m_order.index(0, 0)); // only once; later only a person selects
    m_view->setFocus();
  }
  showDetails();
}

void LocksPage::tick(SteadyTime now) {
  if (m_pendingChanges)
    return;
  m_table.tick(now);
  m_view->repaintCountdowns();
  showDetails();
  chooseCentralWidget();
}

std::vector<LockRecordPtr> LocksPage::shown() const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_order.rowCount(); ++row)
    if (isReleasable(m_order.row(row)))
      locks.push_back(m_order.row(row).record);
  return locks;
}

std::vector<LockRecordPtr> LocksPage::shownButNotReleasable() const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_order.rowCount(); ++row)
    if (!m_order.row(row).releasedAt && !isReleasable(m_order.row(row)))
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
    if (isReleasable(m_table.row(row)) && mayBeHeldBy(*record, holder))
      locks.push_back(record);
  }
  return locks;
}

std::vector<LockRecordPtr> LocksPage::hidingFrom(const std::string &holder) const {
  std::vector<LockRecordPtr> locks;
  for (int row = 0; row < m_table.rowCount(); ++row)
    if (isReleasable(m_table.row(row)) && mayHideHoldsOf(*m_table.row(row).record, holder))
      locks.push_back(m_table.row(row).record);
  return locks;
}

std::vector<LockRecordPtr> LocksPage::doubtfulOf(const std::string &holder) const {
  std::vector<LockRecordPtr> locks;
  if (m_applied) // the table has only those that are shown
    std::ranges::copy_if(m_applied->locks, std::back_inserter(locks),
                         [&](const LockRecordPtr &lock) { return lock->isDoubtful() && lock->isHeld() && mayBeHeldBy(*lock, holder); });
  return locks;
}

bool LocksPage::hasShown() const {
  if (!m_filterError.isEmpty()) // the rows are not those of the text in the filter box
    return false;
  for (int row = 0; row < m_order.rowCount(); ++row)
    if (isReleasable(m_order.row(row)))
      return true;
  return false;
}

void LocksPage::select(const LockId &id) { m_view->select(id); }

void LocksPage::copyCurrent() const {
  if (const QString text = m_selection.asText(); !text.isEmpty())
    copyPlain(text);
}

void LocksPage::showDetails() {
  emitChanges();
  m_selection.showDetails();
}

void LocksPage::emitChanges() {
  if (m_selection.hasChanged())
    emit currentChanged();
  if (const bool hadShown = std::exchange(m_hadShown, hasShown()); hadShown != m_hadShown)
    emit shownChanged();
}

std::size_t LocksPage::doubtfulMatches() {
  if (m_showsDoubtful || !m_applied)
    return 0;
  if (m_doubtfulCountedAt && m_table.now() - *m_doubtfulCountedAt < countDoubtfulEvery)
    return m_doubtfulMatches;
  m_doubtfulCountedAt = m_table.now();
  const auto matches = [this](const LockRecordPtr &record) { return record->isDoubtful() && m_order.accepts(m_table.describe(record)); };
  m_doubtfulMatches = static_cast<std::size_t>(std::ranges::count_if(m_applied->locks, matches));
  return m_doubtfulMatches;
}

void LocksPage::chooseCentralWidget() {
  if (m_order.rowCount() > 0)
    return m_stack->setCurrentWidget(m_view);
  if (m_table.rowCount() > 0 && !m_filterError.isEmpty())
    m_empty->setState(
        {tr("The filter cannot be read"), m_filterError, tr("Until it can be, the last filter that could be read counts; it lets nothing through.")});
  else if (m_table.rowCount() > 0) // rows that fade out do not count
    m_empty->setFilteredOut(static_cast<std::size_t>(std::ranges::count_if(m_table.rows(), [](const auto &row) { return !row->releasedAt; })),
                            doubtfulMatches(), m_isByState ? staleCount() : 0);
  else
    m_empty->setState(EmptyState::of(m_snapshot.get(), SteadyClock::now()));
  m_stack->setCurrentWidget(m_empty);
}

} // namespace lockhouse::ui
