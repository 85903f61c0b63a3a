// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <QAbstractTableModel>

namespace lockhouse::ui {

/// The watched nodes, one row each, in the order the user named them.
class NodeTableModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Node, Address, State, Role, Version, Feed, Keys, Scanned, Load, Divergences, Trouble, Columns };

  explicit NodeTableModel(QObject *parent = nullptr);
  void apply(const LockSnapshot &snapshot, SteadyTime now);
  const NodeStatus &node(int row) const { return m_nodes[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
  std::vector<NodeStatus> m_nodes;
  SteadyTime m_now{};

  QString text(const NodeStatus &node, int row, Column column) const;
};

} // namespace lockhouse::ui
