// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/lock_table_model.h"
#include "ui/model/locks/row_query.h"

#include <QAbstractProxyModel>

#include <vector>

namespace lockhouse::ui {

/// The rows of a LockTableModel that two queries let through (a view's and the filter box's), sorted by typed keys. Works a batch at
/// a time, when the table has settled: one removal pass, one insertion, at most one change of layout, whatever the number of
/// changes. While held, nothing moves: new rows come last, rows that no longer match stay.
class LockFilterSortModel : public QAbstractProxyModel {
  Q_OBJECT

public:
  static constexpr milliseconds resortEvery{500};

  explicit LockFilterSortModel(LockTableModel &table, QObject *parent = nullptr);

  void setView(LockQuery query);   ///< of the view on the left
  void setFilter(LockQuery query); ///< of the box
  void setHeld(bool held);         ///< somebody aims at a row
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
  int sortColumn() const { return m_column; }
  QString doubt() const { return m_filter.doubt(m_table.rows()); } ///< about the filter of the box, of all rows

  bool accepts(const LockRow &row) const { return m_view.matches(row, m_table.now()) && m_filter.matches(row, m_table.now()); }

  bool means(const LockRow &row, const Holder &holder) const { return m_filter.means(row, holder); } ///< of a row that is accepted

  const LockRow &row(int row) const { return m_table.row(m_rows[static_cast<std::size_t>(row)]); }
  const LockTableModel &table() const { return m_table; }

  QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
  QModelIndex parent(const QModelIndex &child) const override;
  QModelIndex sibling(int row, int column, const QModelIndex &of) const override;
  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  bool hasChildren(const QModelIndex &parent = {}) const override;
  QModelIndex mapFromSource(const QModelIndex &index) const override;
  QModelIndex mapToSource(const QModelIndex &index) const override;

signals:
  void aboutToSettle();
  void aboutToScatter(); ///< rows will go in so many places that who keeps an index for each gap had better let them go until settled()
  void settled();        ///< rows are in place again; a view may restore what it was looking at

private:
  LockTableModel &m_table;
  LockQuery m_view, m_filter;
  std::vector<int> m_rows;      ///< here → table
  std::vector<int> m_at;        ///< table → here, -1 where filtered out
  std::vector<int> m_readQueue; ///< of the table, to be looked at when it has settled
  int m_column = LockTableModel::Lock;
  Qt::SortOrder m_order = Qt::AscendingOrder;
  SteadyTime m_sortedAt{};
  bool m_held = false;
  bool m_sortDue = false;
  bool m_unsettled = false; ///< aboutToSettle has been said, settled has not

  void wire();
  bool before(int tableRow, int otherTableRow) const;
  void forward(const QModelIndex &first, const QModelIndex &last);
  void dropBeforeRemoval(const std::vector<int> &tableRows);
  void renumberAfterRemoval(const std::vector<int> &tableRows);
  void settle();
  void unsettle();
  void sayIfSettled();
  void lookAtAll();
  void removeHere(std::vector<int> rows);
  void appendHere(const std::vector<int> &tableRows);
  void reorder();
  void placeFrom(int first);
};

} // namespace lockhouse::ui
