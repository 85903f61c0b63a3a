// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_change.h"
#include "ui/model/text/node_names.h"

#include <QAbstractTableModel>

#include <deque>
#include <vector>

namespace lockhouse::ui {

/// The newest changes, oldest first: at most `most` rows and about `mostBytes` of names, inserted `batch` at a time so that a
/// burst never holds up the window. While paused they wait outside; what neither place has room for is counted, not shown.
class EventListModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Time, Lock, What, HolderColumn, Node, Columns };
  static constexpr std::size_t most = 20'000;
  static constexpr std::size_t mostBytes = std::size_t{64} << 20;
  static constexpr std::size_t batch = 2'000;

  explicit EventListModel(QObject *parent = nullptr);

  /// `dropped`: how many changes were lost on the way here.
  void take(const std::vector<LockChange> &changes, quint64 dropped);
  void setNodes(const NodeNames &names);
  void setPaused(bool paused);
  bool isPaused() const { return m_paused; }

  std::size_t waiting() const { return m_waiting.size(); } ///< held back by the pause, or by a batch under way
  quint64 dropped() const { return m_dropped; }            ///< since start
  const LockChange &change(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

signals:
  void counted(); ///< waiting(), dropped() or the number of rows is another one

private:
  std::deque<LockChange> m_rows;
  std::deque<LockChange> m_waiting;
  NodeNames m_names;
  std::size_t m_bytes = 0; ///< of m_rows
  quint64 m_dropped = 0;
  bool m_paused = false;
  bool m_batchDue = false;

  void insertBatch();
  void makeRoomFor(std::size_t rows);
  QString text(const LockChange &change, int column) const;
};

} // namespace lockhouse::ui
