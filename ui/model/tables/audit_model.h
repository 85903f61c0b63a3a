// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/audit_record.h"
#include "ui/model/text/node_names.h"

#include <QAbstractTableModel>

#include <optional>
#include <string>
#include <vector>

namespace lockhouse::ui {

/// The audit log as people read it: one row for each thing that was tried, newest first, its outcome in the same row. Cells are
/// short, their tooltips say the whole.
class AuditModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Time, Verdict, Lock, HolderColumn, Reason, Node, Who, Id, Columns };

  explicit AuditModel(QObject *parent = nullptr);

  /// The newest records of the log, oldest first. What is already shown stays where it is, as the log now has it: it only grows, unless
  /// somebody wrote in it.
  void take(const std::vector<AuditRecord> &records);
  /// The record at which the log's chain breaks; nothing if it is sound.
  void setMisfit(std::optional<std::int64_t> record);
  void setNodes(const NodeNames &names);

  QString report(int row) const; ///< all of it as plain text: of many that were sent together, each

  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
  struct Row {
    AuditRecord intent;
    std::optional<AuditRecord> outcome;
    std::string key;                ///< of its lock, the first of many
    std::size_t locks = 1;          ///< of how many; one on several masters is one
    std::vector<std::string> nodes; ///< of all of them
    bool operator==(const Row &) const = default;
  };
  std::vector<Row> m_rows; ///< newest last, shown upside down
  NodeNames m_names;
  std::optional<std::int64_t> m_misfit;

  static std::vector<Row> joined(const std::vector<AuditRecord> &records);
  static Row rowOf(const AuditRecord &intent);
  const Row &at(int row) const { return m_rows[m_rows.size() - 1 - static_cast<std::size_t>(row)]; }
  bool isMisfit(const Row &row) const;
  void replaceFrom(std::size_t place, std::vector<Row> rows);
  QString andMore(const Row &row) const; ///< what stands behind the name of the first of several locks
  QString text(const Row &row, int column) const;
  QString verdictText(const Row &row) const;
  QString nodesText(const Row &row) const;
  QStringList holdLines(const Row &row, bool withHolders) const; ///< of many: each with its node and its verdict
  QString holdsText(const Row &row) const;                       ///< the first of them
  QString wholeOfMany(const Row &row, int column) const;
  QString whole(const Row &row, int column) const; ///< what the cell has no room for, too
};

} // namespace lockhouse::ui
