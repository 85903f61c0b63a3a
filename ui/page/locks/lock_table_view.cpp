// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/lock_table_view.h"

#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/widget/cells/lock_delegate.h"
#include "ui/widget/cells/row_focus.h"
#include "ui/widget/style/theme.h"

#include <QContextMenuEvent>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>
#include <map>
#include <utility>

namespace lockhouse::ui {

LockTableView::LockTableView(LockFilterSortModel &order, QWidget *parent) : QTableView(parent), m_order(order), m_delegate(new LockDelegate(order, this)) {
  build();
  wire();
  restyle();
  restoreColumns();
}

void LockTableView::build() {
  setModel(&m_order);
  setItemDelegate(m_delegate);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setWordWrap(false);
  setCornerButtonEnabled(false);
  setTabKeyNavigation(false);
  setMouseTracking(true);
  setVerticalScrollMode(ScrollPerItem);
  setHorizontalScrollMode(ScrollPerPixel);
  setAccessibleName(tr("Locks"));
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(40);
  horizontalHeader()->setSectionsMovable(true);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setSortIndicator(m_order.sortColumn(), Qt::AscendingOrder);
  setSortingEnabled(true);
  m_aim.setSingleShot(true);
  m_aim.setInterval(aimLasts);
}

void LockTableView::wire() {
  connect(&m_aim, &QTimer::timeout, &m_order, [this] { m_order.setHeld(false); });
  connect(&m_order, &LockFilterSortModel::aboutToSettle, this, [this] {
    m_settling = true;
    const int top = verticalScrollBar()->value(); // at the end a part of the row before it is visible too
    m_top = top > 0 ? m_order.index(top, 0) : QModelIndex();
  });
  connect(&m_order, &LockFilterSortModel::aboutToScatter, this, &LockTableView::setSelectionAside);
  connect(&m_order, &LockFilterSortModel::settled, this, [this] {
    selectAgain();
    m_settling = false;
    tellSelection();
    keepInSight();
    follow();
    if (std::exchange(m_families, m_order.table().familyNames().size()) != m_order.table().familyNames().size())
      fitColumns();
  });
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    m_choiceMoved |= !m_following;
    m_selectionMoved = true;
    if (!m_settling)
      tellSelection();
  });
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
    m_ownWidths |= !m_fitting && (column != LockTableModel::Lock || horizontalHeader()->sectionResizeMode(column) == QHeaderView::Interactive);
  });
}

// Ranges, not rows: ten thousand may be selected.
std::size_t LockTableView::selectedCount() const {
  std::size_t rows = 0;
  for (const QItemSelectionRange &range : selectionModel()->selection())
    rows += static_cast<std::size_t>(range.height());
  return rows;
}

std::vector<int> LockTableView::selectedRows() const {
  std::vector<int> rows;
  for (const QItemSelectionRange &range : selectionModel()->selection())
    for (int row = range.top(); row <= range.bottom(); ++row)
      rows.push_back(row);
  std::ranges::sort(rows);
  return rows;
}

std::optional<LockId> LockTableView::current() const {
  const QItemSelection ranges = selectionModel()->selection();
  const bool isOne = ranges.size() == 1 && ranges.first().height() == 1;
  return isOne ? std::optional(m_order.row(ranges.first().top()).record->id) : std::nullopt;
}

void LockTableView::choose(const QModelIndex &row) { selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows); }

void LockTableView::select(const LockId &id) {
  const int row = m_order.table().rowOf(id);
  const QModelIndex here = row < 0 ? QModelIndex() : m_order.mapFromSource(m_order.table().index(row, 0));
  if (!here.isValid())
    return;
  choose(here);
  scrollTo(here);
}

void LockTableView::keepInSight() {
  if (m_top.isValid() && m_top.row() != verticalScrollBar()->value()) {
    updateGeometries();
    verticalScrollBar()->setValue(m_top.row());
  }
  m_top = QModelIndex();
}

// The lock that was selected is back, or is now merged over several masters: it is selected again.
void LockTableView::follow() {
  const int row = m_chosen ? m_order.table().rowNow(*m_chosen) : -1;
  const QModelIndex here = row < 0 ? QModelIndex() : m_order.mapFromSource(m_order.table().index(row, 0));
  if (!here.isValid())
    return;
  const auto &now = m_order.table().row(row).record->id;
  if (selectionModel()->hasSelection() && (now == *m_chosen || current() != m_chosen))
    return;
  m_chosen = now;
  const QScopedValueRollback following(m_following, true);
  setAutoScroll(false);
  choose(here);
  setAutoScroll(true);
}

void LockTableView::tellSelection() {
  if (std::exchange(m_choiceMoved, false))
    m_chosen = current();
  if (std::exchange(m_selectionMoved, false))
    emit currentLockChanged();
}

// Each gap in a selection costs two persistent indexes, and every removal checks them.
void LockTableView::setSelectionAside() {
  if (selectedCount() < 2)
    return;
  for (const int row : selectedRows())
    m_setAside.push_back(m_order.row(row).record->id);
  const QScopedValueRollback following(m_following, true);
  selectionModel()->clearSelection();
}

void LockTableView::selectAgain() {
  if (m_setAside.empty())
    return;
  m_choiceMoved = true; // one of them may be left
  std::vector<int> rows;
  for (const LockId &id : std::exchange(m_setAside, {}))
    if (const int row = m_order.table().rowOf(id); row >= 0)
      if (const QModelIndex here = m_order.mapFromSource(m_order.table().index(row, 0)); here.isValid())
        rows.push_back(here.row());
  std::ranges::sort(rows);
  QItemSelection ranges;
  for (std::size_t first = 0, next = 1; first < rows.size(); first = next++) {
    while (next < rows.size() && rows[next] == rows[next - 1] + 1)
      ++next;
    ranges.append(QItemSelectionRange(m_order.index(rows[first], 0), m_order.index(rows[next - 1], LockTableModel::Columns - 1)));
  }
  const QScopedValueRollback following(m_following, true);
  selectionModel()->select(ranges, QItemSelectionModel::Select);
}

QModelIndex LockTableView::survivorOf(int first, int last) const { return m_order.index(last + 1 < m_order.rowCount() ? last + 1 : first - 1, 0); }

void LockTableView::rowsAboutToBeRemoved(const QModelIndex &parent, int first, int last) {
  const auto goes = [&](const QModelIndex &index) { return index.isValid() && index.row() >= first && index.row() <= last; };
  if (goes(m_top))
    m_top = survivorOf(first, last);
  if (goes(m_next))
    m_next = survivorOf(first, last);
  if (goes(currentIndex())) { // or the base class would select the next row
    m_next = survivorOf(first, last);
    const QScopedValueRollback following(m_following, true);
    if (selectedCount() > 1)
      selectionModel()->clearCurrentIndex();
    else
      selectionModel()->clear();
  }
  QTableView::rowsAboutToBeRemoved(parent, first, last);
}

// Home and End move between rows: whole rows are selected.
QModelIndex LockTableView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
  if (action == MoveHome || action == MoveEnd)
    return m_order.index(action == MoveHome ? 0 : m_order.rowCount() - 1, std::max(currentIndex().column(), 0));
  return currentIndex().isValid() || !m_next.isValid() ? QTableView::moveCursor(action, modifiers) : QModelIndex(m_next);
}

// With Ctrl the base class would move only the focus frame, away from the rows on which keys act.
QItemSelectionModel::SelectionFlags LockTableView::selectionCommand(const QModelIndex &index, const QEvent *event) const {
  const auto *key = event && event->type() == QEvent::KeyPress ? static_cast<const QKeyEvent *>(event) : nullptr;
  const bool jumps = key && key->modifiers() == Qt::ControlModifier && (key->key() == Qt::Key_Home || key->key() == Qt::Key_End);
  return jumps ? QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows : QTableView::selectionCommand(index, event);
}

void LockTableView::currentChanged(const QModelIndex &current, const QModelIndex &previous) {
  QTableView::currentChanged(current, previous);
  if (current.row() != previous.row()) // the frame is around another row, or around all
    viewport()->update();
}

void LockTableView::paintEvent(QPaintEvent *event) {
  QTableView::paintEvent(event);
  paintTableFocus(*this);
}

void LockTableView::repaintCountdowns() {
  if (m_order.table().isFading())
    return viewport()->update();
  for (const int column : {LockTableModel::Expires, LockTableModel::HeldFor})
    viewport()->update(columnViewportPosition(column), 0, columnWidth(column), viewport()->height());
}

void LockTableView::restoreColumns() {
  const QScopedValueRollback fitting(m_fitting, true);
  for (int column = 0; column < LockTableModel::Columns; ++column) {
    const int visual = horizontalHeader()->visualIndex(column);
    if (visual != column)
      horizontalHeader()->moveSection(visual, column);
    setColumnWidth(column, m_delegate->usualWidth(column));
  }
  // The name takes the remaining width.
  horizontalHeader()->setSectionResizeMode(LockTableModel::Lock, QHeaderView::Stretch);
  m_ownWidths = false;
  fitColumns();
}

// If the name has too little width, other columns shrink first: half of the lease's bar, a letter of the holder, the end of a long family. Then the
// name shrinks a little, then the rest of the bar and the part of the family behind its library. If that is not enough the table scrolls sideways:
// a row without a readable name is useless.
void LockTableView::fitColumns() {
  if (m_ownWidths)
    return;
  const QScopedValueRollback fitting(m_fitting, true);
  int missing = m_delegate->usualWidth(LockTableModel::Lock) - viewport()->width();
  for (int column = 0; column < LockTableModel::Columns; ++column)
    missing += column == LockTableModel::Lock ? 0 : m_delegate->usualWidth(column);
  std::map<int, int> widths;
  const auto give = [&](int column, int least) {
    int &width = widths.try_emplace(column, m_delegate->usualWidth(column)).first->second;
    const int given = std::clamp(missing, 0, width - least);
    width -= given;
    missing -= given;
  };
  if (missing < 0) // half of the surplus goes to the name
    widths[LockTableModel::HolderColumn] =
        std::min(m_delegate->mostWidth(LockTableModel::HolderColumn), m_delegate->usualWidth(LockTableModel::HolderColumn) - missing / 2);
  give(LockTableModel::Expires, m_delegate->readWidth(LockTableModel::Expires));
  give(LockTableModel::HolderColumn, m_delegate->leastWidth(LockTableModel::HolderColumn));
  give(LockTableModel::Family, m_delegate->readWidth(LockTableModel::Family));
  missing -= m_delegate->usualWidth(LockTableModel::Lock) - m_delegate->readWidth(LockTableModel::Lock);
  for (const int column : {LockTableModel::Expires, LockTableModel::Family})
    give(column, m_delegate->leastWidth(column));
  for (const auto &[column, width] : widths)
    setColumnWidth(column, width);
  const int least = m_delegate->leastWidth(LockTableModel::Lock);
  const bool scrolls = missing > m_delegate->readWidth(LockTableModel::Lock) - least;
  horizontalHeader()->setSectionResizeMode(LockTableModel::Lock, scrolls ? QHeaderView::Interactive : QHeaderView::Stretch);
  if (scrolls)
    setColumnWidth(LockTableModel::Lock, least);
}

// A click outside of the rows clears the selection. The current row must go with it, or keys would act on a row that looks unselected.
void LockTableView::dropUnselected() {
  if (currentIndex().isValid() && !selectionModel()->hasSelection())
    selectionModel()->clearCurrentIndex();
}

void LockTableView::mousePressEvent(QMouseEvent *event) {
  QTableView::mousePressEvent(event);
  if (!indexAt(event->position().toPoint()).isValid())
    selectionModel()->clear();
  dropUnselected();
}

void LockTableView::focusInEvent(QFocusEvent *event) {
  QTableView::focusInEvent(event);
  dropUnselected(); // the base class makes the first row current
}

void LockTableView::resizeEvent(QResizeEvent *event) {
  QTableView::resizeEvent(event);
  fitColumns();
}

// The window's actions for the selected lock. A disabled action says why in its tip.
void LockTableView::contextMenuEvent(QContextMenuEvent *event) {
  if (actions().isEmpty())
    return;
  auto *menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  menu->addActions(actions());
  menu->popup(event->globalPos());
}

void LockTableView::mouseMoveEvent(QMouseEvent *event) {
  m_order.setHeld(true);
  m_aim.start();
  QTableView::mouseMoveEvent(event);
}

void LockTableView::leaveEvent(QEvent *event) {
  m_aim.stop();
  m_order.setHeld(false);
  QTableView::leaveEvent(event);
}

void LockTableView::changeEvent(QEvent *event) {
  QTableView::changeEvent(event);
  if (m_delegate != nullptr && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    restyle();
}

void LockTableView::restyle() {
  m_delegate->restyle(palette(), font());
  verticalHeader()->setMinimumSectionSize(1); // or the minimum height of the style would count
  verticalHeader()->setDefaultSectionSize(m_delegate->rowHeight());
  horizontalHeader()->setFont(scaledFont(font(), 0.9));
  horizontalHeader()->setFixedHeight(m_delegate->rowHeight());
}

} // namespace lockhouse::ui
