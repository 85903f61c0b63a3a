// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>

class QTableView;
class QWidget;

namespace lockhouse::ui {

/// A table as the docks have it: whole rows, no grid, no frame, plain headers, rows as high as the font asks for.
QTableView *quietTable(QWidget *parent);

/// Column widths in characters of the view's font; the last column takes what is left.
void setColumnWidths(QTableView &view, std::initializer_list<int> characters);

} // namespace lockhouse::ui
