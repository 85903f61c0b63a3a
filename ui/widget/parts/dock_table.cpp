// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/dock_table.h"

#include "ui/model/locks/cell_roles.h"
#include "ui/model/text/holder_names.h"
#include "ui/widget/cells/row_focus.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockhouse::ui {
namespace {

constexpr int margin = 8;
constexpr int rowsMeasured = 100; // beyond those in sight: what is far below may be elided

// Qt centres each font's own line, which puts names and words of one row at different heights.
class DockDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const Theme theme = Theme::of(item.palette);
    const bool selected = item.state.testFlag(QStyle::State_Selected);
    painter->save();
    const QColor ground = index.data(amissRole).toBool() ? theme.danger.ground : theme.base;
    painter->fillRect(item.rect, selected ? theme.selection : ground);
    painter->fillRect(QRect(item.rect.left(), item.rect.bottom(), item.rect.width(), 1), theme.line);
    const QFontMetrics metrics(item.font);
    const QRect cell = item.rect.adjusted(margin, 0, -margin, 0);
    const QString end = index.data(wholeEndRole).toString();
    const QString text = index.data(namesHolderRole).toBool()
                             ? fittingHolder(item.text.chopped(end.size()), metrics, cell.width() - metrics.horizontalAdvance(end)) + end
                             : elidedBefore(end, item.text, metrics, item.textElideMode, cell.width());
    const bool right = item.displayAlignment.testFlag(Qt::AlignRight);
    const int start = right ? cell.right() + 1 - metrics.horizontalAdvance(text) : cell.left();
    painter->setFont(item.font);
    painter->setPen(index.data(needsPersonRole).toBool() ? theme.danger.ink : theme.text);
    painter->drawText(QPoint(start, cell.center().y() + (option.fontMetrics.capHeight() + 1) / 2), text);
    paintRowFocus(*painter, item, index, theme.accent);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QFontMetrics metrics(item.font);
    return {metrics.horizontalAdvance(item.text) + 2 * margin + 2, metrics.height()};
  }
};

} // namespace

QString elidedBefore(const QString &end, const QString &text, const QFontMetrics &metrics, Qt::TextElideMode mode, int width) {
  if (metrics.horizontalAdvance(text) <= width)
    return text;
  if (end.isEmpty() || !text.endsWith(end))
    return metrics.elidedText(text, mode, width);
  return metrics.elidedText(text.chopped(end.size()), mode, width - metrics.horizontalAdvance(end)) + end;
}

DockTable::DockTable(QWidget *parent) : QTableView(parent) {
  setItemDelegate(new DockDelegate(this));
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setWordWrap(false);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTabKeyNavigation(false);
  setTextElideMode(Qt::ElideMiddle);
  setCornerButtonEnabled(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(1);
  horizontalHeader()->setMinimumSectionSize(24); // the style's own would count beside the bounds
  horizontalHeader()->setResizeContentsPrecision(rowsMeasured);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  dress();
}

void DockTable::setModel(QAbstractItemModel *model) {
  QTableView::setModel(model);
  connect(model, &QAbstractItemModel::rowsInserted, this, &DockTable::measure);
  connect(model, &QAbstractItemModel::dataChanged, this, &DockTable::measure);
  connect(model, &QAbstractItemModel::modelReset, this, &DockTable::measure);
}

void DockTable::setColumnWidths(std::initializer_list<int> digits, int rest) {
  int column = 0;
  for (const int wanted : digits)
    setColumnWidth(column++, fixedWidth(wanted));
  m_rest = rest;
  m_leastRest = columnWidth(rest);
  shareWidth();
}

void DockTable::setColumnBounds(std::initializer_list<Bounds> bounds, int rest) {
  m_bounds = bounds;
  m_rest = rest;
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
    if (!m_isSharing)
      m_bounds.clear();
  });
  measure();
}

int DockTable::partOfRow(int height) const { return height % verticalHeader()->defaultSectionSize(); }

int DockTable::heightOf(int rows) const {
  const int bar = horizontalScrollBar()->maximum() > 0 ? horizontalScrollBar()->sizeHint().height() : 0;
  return horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() + bar + 2 * frameWidth();
}

int DockTable::rowsIn(int height) const { return (height - heightOf(0)) / verticalHeader()->defaultSectionSize(); }

void DockTable::currentChanged(const QModelIndex &current, const QModelIndex &previous) {
  QTableView::currentChanged(current, previous);
  if (current.isValid() != previous.isValid()) // the frame is around all, or no longer
    viewport()->update();
}

void DockTable::paintEvent(QPaintEvent *event) {
  QTableView::paintEvent(event);
  paintTableFocus(*this);
}

void DockTable::changeEvent(QEvent *event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange)
    return;
  dress();
  m_wanted.clear();
  measure();
}

void DockTable::resizeEvent(QResizeEvent *event) {
  QTableView::resizeEvent(event);
  shareWidth();
}

void DockTable::dress() {
  const int highest = std::max(fontMetrics().ascent(), QFontMetrics(fixedFont()).ascent());
  verticalHeader()->setDefaultSectionSize(std::max(scaledLength(font(), 27), highest + 10));
}

int DockTable::fixedWidth(int digits) const { return QFontMetrics(fixedFont()).horizontalAdvance(QString(digits, u'0')) + 2 * margin + 2; }

void DockTable::measure() {
  if (m_bounds.empty())
    return;
  m_wanted.resize(m_bounds.size());
  for (std::size_t i = 0; i < m_bounds.size(); ++i) {
    const int column = static_cast<int>(i);
    const int heading = horizontalHeader()->fontMetrics().horizontalAdvance(model()->headerData(column, Qt::Horizontal).toString()) + 2 * margin + 2;
    m_wanted[i] = std::max({m_wanted[i], heading, std::min(sizeHintForColumn(column), fixedWidth(m_bounds[i].most))});
  }
  shareWidth();
}

void DockTable::fitColumns() {
  std::vector<int> give(m_wanted.size());
  for (std::size_t i = 0; i < m_wanted.size(); ++i)
    give[i] = m_wanted[i] - std::min(m_wanted[i], fixedWidth(m_bounds[i].least));
  const int missing = std::accumulate(m_wanted.begin(), m_wanted.end(), 0) - viewport()->width();
  const int slack = std::accumulate(give.begin(), give.end(), 0);
  const double share = missing <= 0 ? 0 : std::min(1.0, static_cast<double>(missing) / std::max(slack, 1));
  for (std::size_t i = 0; i < m_wanted.size(); ++i)
    setColumnWidth(static_cast<int>(i), m_wanted[i] - static_cast<int>(std::ceil(share * give[i])));
  m_leastRest = columnWidth(m_rest);
}

void DockTable::shareWidth() {
  if (m_rest < 0)
    return;
  const QScopedValueRollback sharing(m_isSharing, true);
  if (!m_bounds.empty())
    fitColumns();
  const int others = horizontalHeader()->length() - columnWidth(m_rest);
  setColumnWidth(m_rest, std::max(m_leastRest, viewport()->width() - others));
}

} // namespace lockhouse::ui
