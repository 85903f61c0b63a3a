// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/lock_presets.h"

#include <QCoreApplication>

#include <algorithm>

namespace lockhouse::ui {

using namespace Qt::StringLiterals;

std::vector<LockPreset> lockPresets() {
  std::vector<LockPreset> views(6);
  views[0].title = QCoreApplication::translate("LockPresets", "All");
  views[0].explanation = QCoreApplication::translate("LockPresets", "Every lock that is known now");
  views[1] = {QCoreApplication::translate("LockPresets", "Contended"),
              u"state:contended|waiting"_s,
              false,
              LockTableModel::Waiters,
              Qt::DescendingOrder,
              QCoreApplication::translate("LockPresets", "Held while others wait, or free with a queue"),
              true};
  views[2] = {QCoreApplication::translate("LockPresets", "Old"),
              u"age>1m"_s,
              false,
              LockTableModel::HeldFor,
              Qt::DescendingOrder,
              QCoreApplication::translate("LockPresets", "Held by the same holder for more than a minute")};
  views[3] = {QCoreApplication::translate("LockPresets", "Never expires"),
              u"ttl:never !state:stale"_s,
              true,
              LockTableModel::HeldFor,
              Qt::DescendingOrder,
              QCoreApplication::translate("LockPresets", "Without a lease: if the holder is gone, nothing frees them"),
              true};
  views[4] = {QCoreApplication::translate("LockPresets", "Suspect"),
              u"state:suspect"_s,
              true,
              LockTableModel::HeldFor,
              Qt::DescendingOrder,
              QCoreApplication::translate("LockPresets", "Renewed before and overdue, past its own end, or on too few masters"),
              true};
  views[5] = {QCoreApplication::translate("LockPresets", "Longest queue"),
              u"waiters>0"_s,
              false,
              LockTableModel::Waiters,
              Qt::DescendingOrder,
              QCoreApplication::translate("LockPresets", "Every lock that others are known to wait for, most waiters first")};
  return views;
}

std::vector<std::size_t> countPresets(const LockTableModel &table, const std::vector<LockQuery> &queries) {
  std::vector<std::size_t> counts(queries.size(), 0);
  for (int i = 0; i < table.rowCount(); ++i) {
    const LockRow &row = table.row(i);
    if (row.releasedAt)
      continue;
    for (std::size_t view = 0; view < queries.size(); ++view)
      counts[view] += queries[view].matches(row, table.now()) ? 1U : 0U;
  }
  return counts;
}

std::size_t countStale(const LockTableModel &table) {
  return static_cast<std::size_t>(std::ranges::count_if(table.rows(), [](const auto &row) { return !row->releasedAt && row->record->staleSince; }));
}

} // namespace lockhouse::ui
