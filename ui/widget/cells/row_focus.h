// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

class QModelIndex;
class QPainter;
class QStyleOptionViewItem;
class QTableView;

namespace lockhouse::ui {

/// Where the keyboard is in a table of whole rows: a delegate calls this for each cell after its text, and together the cells of
/// the current row draw one frame. Nothing while the table does not have the keyboard.
void paintRowFocus(QPainter &painter, const QStyleOptionViewItem &cell, const QModelIndex &index, const QColor &accent);
/// The same where no row is current: a frame around all that is in sight. To be called behind the table's own painting.
void paintTableFocus(QTableView &view);

} // namespace lockhouse::ui
