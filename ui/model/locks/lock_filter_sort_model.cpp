// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/locks/lock_filter_sort_model.h"

#include <QScopedValueRollback>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

namespace lockhouse::ui {
namespace {

constexpr std::ptrdiff_t mostGaps = 64; // a snapshot has as many as a rule
constexpr std::int64_t none = -1;
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

/// Most in need of a person first.
int urgency(const LockRow &row) {
  if (row.releasedAt)
    return 7;
  switch (row.state) {
  case LockState::Suspect: return 0;
  case LockState::NeverExpires: return 1;
  case LockState::Stale: return 2;
  case LockState::Contended: return 3;
  case LockState::Waiting: return 4;
  case LockState::Expiring: return 5;
  case LockState::Held: return 6;
  }
  return 7;
}

std::int64_t numberOf(const LockRow &row, int column) {
  const LockRecord &record = *row.record;
  switch (column) {
  case LockTableModel::State: return urgency(row);
  case LockTableModel::Count: return record.isHeld() || record.number ? row.count() : none;
  case LockTableModel::Expires: return !record.isHeld() ? none : record.expiresAt ? record.expiresAt->time_since_epoch().count() : endless;
  // Held longer = since earlier, so that the order needs no clock.
  case LockTableModel::HeldFor: return record.isHeld() ? endless - row.sinceByHolder.value_or(record.heldSince).time_since_epoch().count() : none;
  case LockTableModel::Waiters: return record.waiters ? static_cast<std::int64_t>(*record.waiters) : none;
  default: return 0;
  }
}

const QString &textOf(const LockRow &row, int column) {
  switch (column) {
  case LockTableModel::Family: return row.family;
  case LockTableModel::Node: return row.node;
  case LockTableModel::HolderColumn: return row.holder;
  default: return row.key;
  }
}

bool isText(int column) {
  return column == LockTableModel::Lock || column == LockTableModel::Family || column == LockTableModel::Node || column == LockTableModel::HolderColumn;
}

} // namespace

LockFilterSortModel::LockFilterSortModel(LockTableModel &table, QObject *parent) : QAbstractProxyModel(parent), m_table(table) {
  QAbstractProxyModel::setSourceModel(&table);
  m_at.assign(static_cast<std::size_t>(table.rowCount()), -1);
  wire();
  lookAtAll();
}

void LockFilterSortModel::wire() {
  connect(&m_table, &LockTableModel::dataChanged, this, &LockFilterSortModel::forward);
  connect(&m_table, &LockTableModel::rowsInserted, this, [this](const QModelIndex &, int first, int last) {
    m_at.resize(static_cast<std::size_t>(m_table.rowCount()), -1); // the table only ever appends
    for (int row = first; row <= last; ++row)
      m_readQueue.push_back(row);
  });
  connect(&m_table, &LockTableModel::aboutToRemove, this, &LockFilterSortModel::dropBeforeRemoval);
  connect(&m_table, &LockTableModel::removed, this, &LockFilterSortModel::renumberAfterRemoval);
  connect(&m_table, &LockTableModel::settled, this, &LockFilterSortModel::settle);
}

void LockFilterSortModel::setView(LockQuery query) {
  m_view = std::move(query);
  lookAtAll();
}

void LockFilterSortModel::setFilter(LockQuery query) {
  m_filter = std::move(query);
  lookAtAll();
}

void LockFilterSortModel::setHeld(bool held) {
  if (std::exchange(m_held, held) == held)
    return;
  m_table.keepFaded(held);
  if (!held)
    lookAtAll();
}

void LockFilterSortModel::sort(int column, Qt::SortOrder order) {
  m_column = column;
  m_order = order;
  unsettle();
  reorder();
  sayIfSettled();
}

bool LockFilterSortModel::before(int tableRow, int otherTableRow) const {
  const LockRow &one = m_table.row(tableRow);
  const LockRow &two = m_table.row(otherTableRow);
  std::strong_ordering order = std::strong_ordering::equal;
  if (isText(m_column)) {
    const int compared = textOf(one, m_column).compare(textOf(two, m_column), Qt::CaseInsensitive);
    order = compared <=> 0;
  } else {
    order = numberOf(one, m_column) <=> numberOf(two, m_column);
  }
  if (order != std::strong_ordering::equal)
    return m_order == Qt::AscendingOrder ? order < 0 : order > 0;
  return one.record->id < two.record->id;
}

void LockFilterSortModel::forward(const QModelIndex &first, const QModelIndex &last) {
  for (int row = first.row(); row <= last.row(); ++row) {
    m_readQueue.push_back(row);
    if (const int here = m_at[static_cast<std::size_t>(row)]; here >= 0)
      emit dataChanged(createIndex(here, first.column()), createIndex(here, last.column()));
  }
}

// All at once, not as the table removes them: rows that stand together here may be scattered there.
void LockFilterSortModel::dropBeforeRemoval(const std::vector<int> &tableRows) {
  unsettle();
  std::vector<int> here;
  for (const int row : tableRows)
    if (m_at[static_cast<std::size_t>(row)] >= 0)
      here.push_back(m_at[static_cast<std::size_t>(row)]);
  removeHere(std::move(here));
}

void LockFilterSortModel::renumberAfterRemoval(const std::vector<int> &tableRows) {
  std::vector<int> numbers(m_at.size(), -1); // before → now, -1 for what has gone
  std::size_t left = 0;
  for (std::size_t row = 0, gone = 0; row < m_at.size(); ++row) {
    if (gone < tableRows.size() && tableRows[gone] == static_cast<int>(row)) {
      ++gone;
      continue;
    }
    m_at[left] = m_at[row];
    numbers[row] = static_cast<int>(left++);
  }
  m_at.resize(left);
  for (std::vector<int> *rows : {&m_rows, &m_readQueue})
    for (int &row : *rows)
      row = numbers[static_cast<std::size_t>(row)];
  std::erase(m_readQueue, -1);
}

// Asked for by a person: held rows stay against what happens by itself only.
void LockFilterSortModel::lookAtAll() {
  const QScopedValueRollback asked(m_held, false);
  m_readQueue.resize(m_at.size());
  std::iota(m_readQueue.begin(), m_readQueue.end(), 0);
  m_sortDue = true;
  m_sortedAt = {};
  settle();
}

void LockFilterSortModel::settle() {
  std::ranges::sort(m_readQueue);
  m_readQueue.erase(std::ranges::unique(m_readQueue).begin(), m_readQueue.end());
  std::vector<int> leaving;
  std::vector<int> coming;
  for (const int row : std::exchange(m_readQueue, {})) {
    const int here = m_at[static_cast<std::size_t>(row)];
    const bool wanted = accepts(m_table.row(row));
    if (here >= 0 && !wanted && !m_held)
      leaving.push_back(here);
    else if (here < 0 && wanted)
      coming.push_back(row);
    else if (here >= 0)
      m_sortDue = true;
  }
  const bool now = !coming.empty() || (m_sortDue && m_table.now() - m_sortedAt >= resortEvery);
  if (leaving.empty() && coming.empty() && (!now || m_held))
    return sayIfSettled();
  unsettle();
  removeHere(std::move(leaving));
  appendHere(coming);
  if (now && !m_held)
    reorder();
  sayIfSettled();
}

void LockFilterSortModel::unsettle() {
  if (!std::exchange(m_unsettled, true))
    emit aboutToSettle();
}

void LockFilterSortModel::sayIfSettled() {
  if (std::exchange(m_unsettled, false))
    emit settled();
}

void LockFilterSortModel::removeHere(std::vector<int> rows) {
  std::ranges::sort(rows, std::greater<>{});
  if (std::ranges::count_if(std::views::iota(std::size_t{1}, std::max<std::size_t>(rows.size(), 1)),
                            [&](std::size_t i) { return rows[i] != rows[i - 1] - 1; }) > mostGaps)
    emit aboutToScatter();
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] - 1)
      ++end;
    const int first = rows[end - 1];
    const int last = rows[i];
    beginRemoveRows({}, first, last);
    for (int row = first; row <= last; ++row)
      m_at[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])] = -1;
    m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
    endRemoveRows();
    i = end;
  }
  if (!rows.empty())
    placeFrom(rows.back());
}

void LockFilterSortModel::appendHere(const std::vector<int> &tableRows) {
  if (tableRows.empty())
    return;
  const int first = rowCount();
  beginInsertRows({}, first, first + static_cast<int>(tableRows.size()) - 1);
  m_rows.insert(m_rows.end(), tableRows.begin(), tableRows.end());
  placeFrom(first);
  endInsertRows();
}

void LockFilterSortModel::reorder() {
  m_sortDue = false;
  m_sortedAt = m_table.now();
  const auto less = [this](int one, int two) { return before(one, two); };
  // Most of it is in order as a rule: new rows come last, and few of the others change their place.
  const auto misplaced = std::ranges::is_sorted_until(m_rows, less);
  if (misplaced == m_rows.end())
    return;
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList old = persistentIndexList();
  std::vector<int> tableRows;
  for (const QModelIndex &index : old)
    tableRows.push_back(m_rows[static_cast<std::size_t>(index.row())]);
  std::ranges::sort(misplaced, m_rows.end(), less); // ids break ties, so that equal rows do not change places
  std::vector<int> merged;
  merged.reserve(m_rows.size());
  std::ranges::merge(m_rows.begin(), misplaced, misplaced, m_rows.end(), std::back_inserter(merged), less);
  m_rows = std::move(merged);
  placeFrom(0);
  QModelIndexList moved;
  for (qsizetype i = 0; i < old.size(); ++i)
    moved.append(createIndex(m_at[static_cast<std::size_t>(tableRows[static_cast<std::size_t>(i)])], old.at(i).column()));
  changePersistentIndexList(old, moved);
  emit layoutChanged({}, VerticalSortHint);
}

void LockFilterSortModel::placeFrom(int first) {
  for (std::size_t here = static_cast<std::size_t>(first); here < m_rows.size(); ++here)
    m_at[static_cast<std::size_t>(m_rows[here])] = static_cast<int>(here);
}

QModelIndex LockFilterSortModel::index(int row, int column, const QModelIndex &parent) const {
  return hasIndex(row, column, parent) ? createIndex(row, column) : QModelIndex();
}

QModelIndex LockFilterSortModel::parent(const QModelIndex &) const { return {}; }

QModelIndex LockFilterSortModel::sibling(int row, int column, const QModelIndex &) const { return index(row, column); }

int LockFilterSortModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int LockFilterSortModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : LockTableModel::Columns; }

bool LockFilterSortModel::hasChildren(const QModelIndex &parent) const { return !parent.isValid() && !m_rows.empty(); }

QModelIndex LockFilterSortModel::mapFromSource(const QModelIndex &index) const {
  if (!index.isValid() || m_at[static_cast<std::size_t>(index.row())] < 0)
    return {};
  return createIndex(m_at[static_cast<std::size_t>(index.row())], index.column());
}

QModelIndex LockFilterSortModel::mapToSource(const QModelIndex &index) const {
  return index.isValid() ? m_table.index(m_rows[static_cast<std::size_t>(index.row())], index.column()) : QModelIndex();
}

} // namespace lockhouse::ui
