// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"

#include <QPersistentModelIndex>
#include <QTableView>
#include <QTimer>

#include <optional>
#include <vector>

namespace lockhouse::ui {

class LockDelegate;
class LockFilterSortModel;

/// The lock table on screen. While the pointer aims, rows keep their place; what one looks at stays where it is when rows come
/// and go above it; only the columns that count down are repainted by the clock. What is selected is a lock, not a row: when its
/// row goes, nothing is selected until the lock is back or another one is chosen. Several can be selected, too; those whose rows go
/// are no longer among them.
class LockTableView : public QTableView {
  Q_OBJECT

public:
  static constexpr int aimLasts = 4000; ///< ms after the pointer's last move over the rows

  explicit LockTableView(LockFilterSortModel &order, QWidget *parent = nullptr);

  std::optional<LockId> current() const; ///< the lock of the row that is selected; nothing of several
  std::size_t selectedCount() const;
  std::vector<int> selectedRows() const;                           ///< of the order, as they stand
  const std::optional<LockId> &chosen() const { return m_chosen; } ///< the one that was selected last, shown or not
  void select(const LockId &id);
  void repaintCountdowns();
  void restoreColumns();

signals:
  void currentLockChanged();

protected:
  void contextMenuEvent(QContextMenuEvent *event) override;
  void mouseMoveEvent(QMouseEvent *event) override;
  void mousePressEvent(QMouseEvent *event) override;
  void focusInEvent(QFocusEvent *event) override;
  void leaveEvent(QEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;
  void changeEvent(QEvent *event) override;
  void rowsAboutToBeRemoved(const QModelIndex &parent, int first, int last) override;
  void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
  void paintEvent(QPaintEvent *event) override;
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex &index, const QEvent *event) const override;

private:
  LockFilterSortModel &m_order;
  LockDelegate *m_delegate = nullptr;
  QTimer m_aim;
  std::optional<LockId> m_chosen;
  QPersistentModelIndex m_top;  ///< of what is in sight, while rows come and go
  QPersistentModelIndex m_next; ///< where the keyboard goes on when the selected row has gone
  bool m_following = false;     ///< the selection changes because rows do, not because somebody chose
  bool m_settling = false;      ///< rows come and go: what it does to the selection is told once, when they are in place
  bool m_choiceMoved = false, m_selectionMoved = false;
  std::vector<LockId> m_setAside; ///< what is selected, while rows go in very many places
  bool m_fitting = false;
  bool m_ownWidths = false;   ///< somebody has drawn a column to a width of his own
  std::size_t m_families = 0; ///< that the widths have room for

  void build();
  void wire();
  void restyle();
  void fitColumns();
  void keepInSight();
  void follow();
  void tellSelection();
  void setSelectionAside();
  void selectAgain();
  void dropUnselected();
  void choose(const QModelIndex &row);
  QModelIndex survivorOf(int first, int last) const;
};

} // namespace lockhouse::ui
