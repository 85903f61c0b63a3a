// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/lock_view.h"

#include "ui/model/lock_order.h"
#include "ui/widget/lock_delegate.h"
#include "ui/widget/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QMouseEvent>
#include <QScrollBar>

namespace lockhouse::ui {

LockView::LockView(LockOrder &order, QWidget *parent) : QTableView(parent), m_order(order), m_delegate(new LockDelegate(order, this)) {
  build();
  wire();
  restyle();
  restoreColumns();
}

void LockView::build() {
  setModel(&m_order);
  setItemDelegate(m_delegate);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setWordWrap(false);
  setCornerButtonEnabled(false);
  setTabKeyNavigation(false);
  setMouseTracking(true);
  setVerticalScrollMode(ScrollPerItem);
  setHorizontalScrollMode(ScrollPerPixel);
  setAccessibleName(tr("Locks"));
  setContextMenuPolicy(Qt::ActionsContextMenu);
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

void LockView::wire() {
  connect(&m_aim, &QTimer::timeout, &m_order, [this] { m_order.setHeld(false); });
  connect(&m_order, &LockOrder::aboutToSettle, this, [this] { m_top = verticalScrollBar()->value() > 0 ? indexAt({0, 0}) : QModelIndex(); });
  connect(&m_order, &LockOrder::settled, this, [this] {
    if (m_top.isValid() && m_top.row() != verticalScrollBar()->value()) {
      updateGeometries();
      verticalScrollBar()->setValue(m_top.row());
    }
    m_top = QModelIndex();
  });
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LockView::currentLockChanged);
}

std::optional<LockId> LockView::current() const {
  const QModelIndex index = currentIndex();
  return index.isValid() ? std::optional(m_order.row(index.row()).record->id) : std::nullopt;
}

void LockView::select(const LockId &id) {
  const int row = m_order.table().rowOf(id);
  const QModelIndex here = row < 0 ? QModelIndex() : m_order.mapFromSource(m_order.table().index(row, 0));
  if (!here.isValid())
    return;
  setCurrentIndex(here);
  scrollTo(here);
}

void LockView::repaintCountdowns() {
  if (m_order.table().isFading())
    return viewport()->update();
  for (const int column : {LockTable::Expires, LockTable::HeldFor})
    viewport()->update(columnViewportPosition(column), 0, columnWidth(column), viewport()->height());
}

void LockView::restoreColumns() {
  for (int column = 0; column < LockTable::Columns; ++column) {
    const int visual = horizontalHeader()->visualIndex(column);
    if (visual != column)
      horizontalHeader()->moveSection(visual, column);
    setColumnWidth(column, m_delegate->usualWidth(column));
  }
  // The name takes what room there is.
  horizontalHeader()->setSectionResizeMode(LockTable::Lock, QHeaderView::Stretch);
}

void LockView::mouseMoveEvent(QMouseEvent *event) {
  m_order.setHeld(true);
  m_aim.start();
  QTableView::mouseMoveEvent(event);
}

void LockView::leaveEvent(QEvent *event) {
  m_aim.stop();
  m_order.setHeld(false);
  QTableView::leaveEvent(event);
}

void LockView::changeEvent(QEvent *event) {
  QTableView::changeEvent(event);
  if (m_delegate != nullptr && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    restyle();
}

void LockView::restyle() {
  m_delegate->restyle(palette(), font());
  verticalHeader()->setMinimumSectionSize(1); // or the style's own least height would count
  verticalHeader()->setDefaultSectionSize(m_delegate->rowHeight());
  horizontalHeader()->setFont(scaledFont(font(), 0.9));
  horizontalHeader()->setFixedHeight(m_delegate->rowHeight());
}

} // namespace lockhouse::ui
