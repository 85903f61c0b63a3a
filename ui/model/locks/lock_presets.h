// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/lock_table_model.h"
#include "ui/model/locks/row_query.h"

#include <QString>

#include <vector>

namespace lockhouse::ui {

/// A ready-made question to the table: what it lets through and how it is sorted.
struct LockPreset {
  QString title;
  QString query;         ///< as one would type it; empty = all
  bool alarming = false; ///< its count is shown in red when it is not zero
  int sortColumn = LockTableModel::Lock;
  Qt::SortOrder order = Qt::AscendingOrder;
  QString explanation;
  bool byState = false; ///< it asks for a state, which a row whose node is not followed has not: whether that is of it is not known
};

/// All, Contended, Old, Never expires, Suspect, Longest queue: in the order of the list.
std::vector<LockPreset> lockPresets();

/// How many rows each of `queries` lets through now; released rows count nowhere.
std::vector<std::size_t> countPresets(const LockTableModel &table, const std::vector<LockQuery> &queries);
/// Rows of nodes that are not followed.
std::size_t countStale(const LockTableModel &table);

} // namespace lockhouse::ui
