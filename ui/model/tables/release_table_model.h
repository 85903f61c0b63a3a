// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/release/plan/release_plan.h"
#include "ui/model/text/node_names.h"

#include <QAbstractTableModel>

#include <set>
#include <span>
#include <vector>

namespace lockhouse::ui {

/// Why nothing is known of a hold since its plan was made.
inline constexpr auto nodeNotFollowed = LH_MESSAGE("PlanWords", "its node is not followed any more: whether it is still held so is not known");

/// Many releases, a row each: before, what would happen to the hold; afterwards, what came of it. What stands in the way, or went
/// wrong, comes first. Texts are made when they are shown.
class ReleaseTableModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Lock, Node, HolderColumn, Count, Outcome, Columns };

  explicit ReleaseTableModel(QObject *parent = nullptr);

  /// `intents` and `results` belong together, one by one, and stay where they are until the next call or clear().
  /// `isDone`: they were applied, and are verdicts.
  void show(std::vector<const ReleaseIntent *> intents, std::span<const ReleaseResult> results, const NodeNames &names, bool isDone = false);
  void clear();

  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  const ReleasePlan *planOf(int row) const; ///< null: none, or it is not to be sent
  const ReleaseIntent &intentOf(int row) const;

private:
  std::vector<const ReleaseIntent *> m_intents;
  std::span<const ReleaseResult> m_results;
  std::vector<std::size_t> m_order; ///< row → place
  std::set<LockId> m_freed;         ///< of which every hold goes
  NodeNames m_names;
  bool m_isDone = false;

  QString text(std::size_t place, int column) const;
  QString whole(std::size_t place, int column) const;
};

/// The locks of which no hold is left when all that is planned here is done, by what their plans read.
std::set<LockId> freedBy(std::span<const ReleaseResult> results);

/// What would come of a plan, or came of it, in one line.
QString outcomeText(const ReleaseResult &result, const ReleaseIntent &intent, bool allGo = false); ///< `allGo`: every hold of its lock does

} // namespace lockhouse::ui
