// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"
#include "ui/model/locks/lock_row.h"
#include "ui/model/text/node_names.h"

#include <QAbstractTableModel>

#include <memory>
#include <unordered_map>
#include <vector>

namespace lockhouse::ui {

/// Every lock of the newest snapshot, one row each in order of arrival, told apart by node, db and key. A snapshot is applied as
/// the difference to the one before; the model is never reset. A lock that is gone stays for `fade`, marked as released.
class LockTableModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { State, Lock, Family, Node, HolderColumn, Count, Expires, HeldFor, Waiters, Columns };
  static constexpr milliseconds fade{3000};

  /// `families` tell what their locks mean; they outlive the table.
  explicit LockTableModel(const FamilyRegistry &families = FamilyRegistry::builtIn(), QObject *parent = nullptr);

  void apply(const LockSnapshotPtr &snapshot, SteadyTime now);
  /// Whether rows that look like data more than like locks are shown too, from the next snapshot on; if not, they go at once.
  void setShowsDoubtful(bool shows);
  /// Time has passed: states that depend on it change, rows that have faded go. What counts down is drawn from now().
  void tick(SteadyTime now);
  /// Why locks went, to be told before the snapshot that no longer has them.
  void note(const std::vector<LockChange> &changes);
  /// Keeps rows that have faded (somebody is aiming at one).
  void keepFaded(bool keep) { m_keepFaded = keep; }

  SteadyTime now() const { return m_now; }
  const std::vector<std::unique_ptr<LockRow>> &rows() const { return m_rows; }
  const LockRow &row(int row) const { return *m_rows[static_cast<std::size_t>(row)]; }
  LockRow describe(const LockRecordPtr &record); ///< as its row would be if it had one
  bool isFading() const { return m_fading; }     ///< some row has been released and is not gone yet
  int rowOf(const LockId &id) const;             ///< -1 if there is none
  /// The row that tells of a lock now: its own, or, once that is of the past, that of all masters which have it, this one among them, or of those
  /// that have it still; -1 if there is none.
  int rowNow(const LockId &id) const;
  const NodeNames &nodeNames() const { return m_names; }
  /// What the families are called that were ever seen, by their slugs.
  const std::unordered_map<std::string, QString> &familyNames() const { return m_familyNames; }

  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  /// The text of a cell at now(); what the delegate writes and assistive technology reads.
  QString text(const LockRow &row, Column column) const;
  QString toolTip(const LockRow &row, Column column) const; ///< plain text; empty where there is no more to say
  static Qt::Alignment alignment(int column);

signals:
  void aboutToRemove(const std::vector<int> &rows); ///< these will go, ascending, before this apply() or tick() has settled
  void removed(const std::vector<int> &rows);       ///< they have gone, and the others have their new numbers
  void settled();                                   ///< everything of one apply() or tick() has been announced

private:
  const FamilyRegistry &m_families;
  std::vector<std::unique_ptr<LockRow>> m_rows; ///< apart, so that removing one moves pointers only
  std::unordered_map<LockId, int> m_index;
  std::unordered_map<LockId, LockId> m_movedTo; ///< of locks that their first master has no more: the row of the others
  std::vector<LockRecordPtr> m_last;            ///< what the newest snapshot showed, sorted by id
  NodeNames m_names;
  std::unordered_map<std::string, QString> m_familyNames;
  SteadyTime m_now{};
  bool m_keepFaded = false;
  bool m_fading = false;
  bool m_showsDoubtful = false;

  LockRow &at(int row) { return *m_rows[static_cast<std::size_t>(row)]; }
  void update(LockRow &row, const LockRecordPtr &record);
  const QString &nameOf(const std::string &family);
  void nameNodes(LockRow &row) const;
  void rename(const std::vector<NodeStatus> &nodes);
  void append(const std::vector<LockRecordPtr> &records);
  std::optional<LockId> restOf(const LockRecord &gone) const;
  void announce(std::vector<int> &rows);
  void removeRowsAt(const std::vector<int> &rows);
  void reindex(int from);
};

} // namespace lockhouse::ui
