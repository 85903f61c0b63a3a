// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/cells/row_focus.h"

#include "ui/widget/style/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>

namespace lockhouse::ui {

void paintRowFocus(QPainter &painter, const QStyleOptionViewItem &cell, const QModelIndex &index, const QColor &accent) {
  const auto *view = qobject_cast<const QTableView *>(cell.widget);
  if (view == nullptr || !view->hasFocus() || view->currentIndex().row() != index.row())
    return;
  const QHeaderView &columns = *view->horizontalHeader();
  const int place = columns.visualIndex(index.column());
  const QRect &rect = cell.rect;
  painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), accent);
  painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), accent);
  if (place == 0)
    painter.fillRect(QRect(rect.left(), rect.top(), 1, rect.height()), accent);
  if (place == columns.count() - 1)
    painter.fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), accent);
}

void paintTableFocus(QTableView &view) {
  if (!view.hasFocus() || view.currentIndex().isValid())
    return;
  QPainter painter(view.viewport());
  painter.setPen(QPen(Theme::of(view.palette()).accent, 2));
  painter.drawRect(view.viewport()->rect().adjusted(1, 1, -1, -1));
}

} // namespace lockhouse::ui
