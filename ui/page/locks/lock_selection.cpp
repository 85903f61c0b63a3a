// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/lock_selection.h"

#include "ui/model/locks/lock_summary.h"
#include "ui/page/locks/details_lines.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/widget/style/plain_text.h"

#include <algorithm>
#include <utility>

namespace lockhouse::ui {
namespace {

constexpr milliseconds showManyEvery{500}; // thousands may be selected

} // namespace

LockSelection::LockSelection(const LockTableModel &table, const LockFilterSortModel &order, const LockTableView &view, DetailsPane &details)
    : m_table(table), m_order(order), m_view(view), m_details(details) {}

LockRecordPtr LockSelection::current() const {
  const auto id = m_view.current();
  const int row = id ? m_table.rowOf(*id) : -1;
  return row < 0 ? nullptr : m_table.row(row).record;
}

std::size_t LockSelection::count() const { return m_view.selectedCount(); }

std::vector<LockRecordPtr> LockSelection::locks() const {
  std::vector<LockRecordPtr> locks;
  for (const int row : m_view.selectedRows())
    if (!m_order.row(row).releasedAt)
      locks.push_back(m_order.row(row).record);
  return locks;
}

bool LockSelection::canRelease() const {
  return std::ranges::any_of(m_view.selectedRows(), [this](int row) { return m_order.row(row).record->isHeld() && !m_order.row(row).releasedAt; });
}

QString LockSelection::asText() const {
  QStringList texts;
  for (const int row : m_view.selectedRows())
    texts << lockAsText(m_order.row(row), m_table.now());
  return texts.join(QStringLiteral("\n\n"));
}

void LockSelection::change() {
  m_manyShownAt.reset();
  showDetails();
  showHistory();
}

void LockSelection::addHistory(const std::vector<LockChange> &changes, bool isFrozen) {
  m_history.add(changes);
  if (const auto &lock = m_view.chosen(); !isFrozen && lock && std::ranges::find(changes, *lock, &LockChange::id) != changes.end())
    showHistory();
}

void LockSelection::showDetails() {
  const SteadyTime now = m_table.now();
  if (count() > 1) {
    if (m_manyShownAt && now - *m_manyShownAt < showManyEvery)
      return;
    m_manyShownAt = now;
    const auto live = locks();
    return m_details.setMany(live, count() - live.size());
  }
  const auto &id = m_view.chosen();
  const int row = id ? m_table.rowOf(*id) : -1;
  if (row >= 0)
    m_last = m_table.row(row);
  else if (!id || !m_last || m_last->record->id != *id)
    m_last.reset();
  else if (!m_last->releasedAt)
    m_last->releasedAt = now;
  if (row >= 0 && !m_view.current())
    m_details.setHidden(shownName(m_last->record->id.key.bytes()));
  else
    m_details.setLock(m_last ? &*m_last : nullptr, now);
}

void LockSelection::showHistory() {
  const auto &id = m_view.chosen();
  const bool isHidden = id && m_table.rowOf(*id) >= 0 && !m_view.current();
  m_details.setHistory(m_last && !isHidden && count() < 2 ? m_history.of(m_last->record->id, mostDetailLines) : std::vector<LockChange>{});
}

bool LockSelection::hasChanged() {
  const auto before = std::exchange(m_before, current());
  const bool couldRelease = std::exchange(m_couldRelease, canRelease());
  return before != m_before || couldRelease != m_couldRelease;
}

} // namespace lockhouse::ui
