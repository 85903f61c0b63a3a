// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/quiet_table.h"

#include "ui/widget/row_focus.h"
#include "ui/widget/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int margin = 8;

// Qt centres each font's own line, which puts names and words of one row at different heights.
class QuietDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const Theme theme = Theme::of(item.palette);
    const bool selected = item.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->fillRect(item.rect, selected ? theme.selection : theme.base);
    painter->fillRect(QRect(item.rect.left(), item.rect.bottom(), item.rect.width(), 1), theme.line);
    const QFontMetrics metrics(item.font);
    const QRect cell = item.rect.adjusted(margin, 0, -margin, 0);
    const QString text = metrics.elidedText(item.text, item.textElideMode, cell.width());
    const bool right = item.displayAlignment.testFlag(Qt::AlignRight);
    const int start = right ? cell.right() + 1 - metrics.horizontalAdvance(text) : cell.left();
    painter->setFont(item.font);
    painter->setPen(theme.text);
    painter->drawText(QPoint(start, cell.center().y() + (option.fontMetrics.capHeight() + 1) / 2), text);
    paintRowFocus(*painter, item, index, theme.accent);
    painter->restore();
  }
};

} // namespace

QuietTable::QuietTable(QWidget *parent) : QTableView(parent) {
  setItemDelegate(new QuietDelegate(this));
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
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  dress();
}

void QuietTable::setColumnWidths(std::initializer_list<int> digits, int rest) {
  const QFontMetrics metrics(fixedFont());
  int column = 0;
  for (const int wanted : digits)
    setColumnWidth(column++, metrics.horizontalAdvance(QString(wanted, u'0')) + 2 * margin + 2);
  m_rest = rest;
  m_leastRest = columnWidth(rest);
  shareWidth();
}

int QuietTable::partOfRow(int height) const { return height % verticalHeader()->defaultSectionSize(); }

void QuietTable::changeEvent(QEvent *event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange)
    dress();
}

void QuietTable::resizeEvent(QResizeEvent *event) {
  QTableView::resizeEvent(event);
  shareWidth();
}

void QuietTable::dress() {
  const int highest = std::max(fontMetrics().ascent(), QFontMetrics(fixedFont()).ascent());
  verticalHeader()->setDefaultSectionSize(std::max(scaledLength(font(), 27), highest + 10));
}

void QuietTable::shareWidth() {
  if (m_rest < 0)
    return;
  const int others = horizontalHeader()->length() - columnWidth(m_rest);
  setColumnWidth(m_rest, std::max(m_leastRest, viewport()->width() - others));
}

} // namespace lockhouse::ui
