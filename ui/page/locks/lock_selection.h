// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/lock_filter_sort_model.h"
#include "ui/model/locks/lock_history.h"
#include "ui/model/locks/lock_table_model.h"

#include <optional>

namespace lockhouse::ui {

class DetailsPane;
class LockTableView;

/// The locks that are selected in the table. It keeps the details pane up to date with them.
class LockSelection {
public:
  LockSelection(const LockTableModel &table, const LockFilterSortModel &order, const LockTableView &view, DetailsPane &details);

  LockRecordPtr current() const; ///< null if none is selected, or several are
  std::size_t count() const;
  std::vector<LockRecordPtr> locks() const; ///< as they are now, without those that have gone
  bool canRelease() const;                  ///< one of them is held, and has not gone
  QString asText() const;

  void change(); ///< others are selected
  void addHistory(const std::vector<LockChange> &changes, bool isFrozen);
  void showDetails();
  void showHistory();
  bool hasChanged(); ///< whether current() or canRelease() differ from what they were at the last call

private:
  const LockTableModel &m_table;
  const LockFilterSortModel &m_order;
  const LockTableView &m_view;
  DetailsPane &m_details;
  LockHistory m_history;
  std::optional<LockRow> m_last;           ///< the lock that was selected last, as it was shown last
  std::optional<SteadyTime> m_manyShownAt; ///< when the details of several were shown last
  LockRecordPtr m_before;                  ///< current() at the last call of hasChanged()
  bool m_couldRelease = false;             ///< canRelease() at that time
};

} // namespace lockhouse::ui
