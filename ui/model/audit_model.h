// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/audit_record.h"
#include "ui/model/node_names.h"

#include <QAbstractTableModel>

#include <vector>

namespace lockhouse::ui {

/// The audit log as people read it: one row for each thing that was tried, newest first, its outcome in the same row. Cells are
/// short, their tooltips say the whole.
class AuditModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Time, Verdict, Lock, HolderColumn, Reason, Node, Who, Id, Columns };

  explicit AuditModel(QObject *parent = nullptr);

  /// The newest records of the log, oldest first. What is already shown stays where it is; the log only grows.
  void take(const std::vector<AuditRecord> &records);
  void setNodes(const NodeNames &names);

  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
  struct Row {
    AuditRecord intent;
    std::string verdict; ///< "intent" while no outcome is known
    std::string others;  ///< of many: the outcome's list of those with another verdict, JSON
  };
  std::vector<Row> m_rows; ///< newest last, shown upside down
  NodeNames m_names;

  static std::vector<Row> joined(const std::vector<AuditRecord> &records);
  const Row &at(int row) const { return m_rows[m_rows.size() - 1 - static_cast<std::size_t>(row)]; }
  QString text(const Row &row, int column) const;
  QString wholeOfMany(const Row &row, int column) const;
  QString whole(const Row &row, int column) const; ///< what the cell has no room for, too
};

} // namespace lockhouse::ui
