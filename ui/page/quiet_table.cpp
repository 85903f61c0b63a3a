// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/quiet_table.h"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace lockhouse::ui {

QTableView *quietTable(QWidget *parent) {
  auto *view = new QTableView(parent);
  view->setFrameShape(QFrame::NoFrame);
  view->setShowGrid(false);
  view->setWordWrap(false);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
  view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->setTabKeyNavigation(false);
  view->setTextElideMode(Qt::ElideMiddle);
  view->setCornerButtonEnabled(false);
  view->verticalHeader()->hide();
  view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view->verticalHeader()->setDefaultSectionSize(std::max(24, view->fontMetrics().height() * 3 / 2));
  view->horizontalHeader()->setHighlightSections(false);
  view->horizontalHeader()->setStretchLastSection(true);
  return view;
}

void setColumnWidths(QTableView &view, std::initializer_list<int> characters) {
  const int character = view.fontMetrics().averageCharWidth();
  int column = 0;
  for (const int wanted : characters)
    view.setColumnWidth(column++, wanted * character + 16);
}

} // namespace lockhouse::ui
