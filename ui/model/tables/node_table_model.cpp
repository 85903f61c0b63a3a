// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/tables/node_table_model.h"

#include "ui/model/text/formatting.h"
#include "ui/model/text/node_names.h"
#include "ui/model/text/node_trouble.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

namespace lockhouse::ui {
namespace {

QString roleWord(const std::string &role) {
  if (role == "master")
    return QCoreApplication::translate("NodeTable", "master", "role of a Redis server");
  if (role == "replica")
    return QCoreApplication::translate("NodeTable", "replica", "role of a Redis server");
  return role.empty() ? dash() : shown(role, 20);
}

} // namespace

NodeTableModel::NodeTableModel(QObject *parent) : QAbstractTableModel(parent) {}

void NodeTableModel::apply(const LockSnapshot &snapshot, SteadyTime now) {
  m_now = now;
  const int before = rowCount();
  const int after = static_cast<int>(snapshot.nodes.size());
  if (after < before) {
    beginRemoveRows({}, after, before - 1);
    m_nodes = snapshot.nodes;
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows({}, before, after - 1);
    m_nodes = snapshot.nodes;
    endInsertRows();
  } else {
    m_nodes = snapshot.nodes;
  }
  if (after > 0)
    emit dataChanged(index(0, 0), index(after - 1, Columns - 1));
}

int NodeTableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : static_cast<int>(m_nodes.size()); }

int NodeTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : Columns; }

QVariant NodeTableModel::data(const QModelIndex &index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid))
    return {};
  const auto column = static_cast<Column>(index.column());
  if (role == Qt::DisplayRole)
    return text(node(index.row()), index.row(), column);
  if (role == Qt::ToolTipRole && (column == Trouble || column == Address))
    return plainToolTip(text(node(index.row()), index.row(), column));
  if (role == Qt::TextAlignmentRole && (column == Keys || column == Scanned || column == Load || column == Divergences))
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
    return {};
  switch (static_cast<Column>(section)) {
  case Node: return tr("Node");
  case Address: return tr("Address");
  case State: return tr("State");
  case Role: return tr("Role");
  case Version: return tr("Version");
  case Feed: return tr("Feed");
  case Keys: return tr("Keys scanned");
  case Scanned: return tr("Full scan");
  case Load: return tr("Our load");
  case Divergences: return tr("Divergences");
  case Trouble: return tr("Trouble");
  case Columns: break;
  }
  return {};
}

QString NodeTableModel::text(const NodeStatus &node, int row, Column column) const {
  switch (column) {
  case Node: return NodeNames::letter(static_cast<std::size_t>(row));
  case Address: return shown(node.address);
  case State: return nodeStateWord(node.state);
  case Role: return roleWord(node.role);
  case Version: return node.version.empty() ? dash() : shown(node.version, 30);
  case Feed: return feedWord(node.feed);
  case Keys: return countText(node.keysScanned);
  case Scanned: return node.scannedAt ? tr("%1 ago").arg(seconds1(m_now - *node.scannedAt)) : dash();
  case Load: return node.state == NodeState::Live ? percent(node.load) : dash();
  case Divergences: return countText(node.divergences);
  case Trouble: return node.error ? troubleText(*node.error) : QString();
  case Columns: break;
  }
  return {};
}

} // namespace lockhouse::ui
