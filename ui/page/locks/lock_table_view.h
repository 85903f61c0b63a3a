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

/// The lock table on screen. Rows keep their place while the pointer moves over them, and the visible rows stay in place when rows come and go
/// above them. The clock repaints only the columns that count down. A lock is selected, not a row: when its row goes, nothing is selected until the
/// lock is back or another one is selected. Several locks can be selected; those whose rows go are deselected.
class LockTableView : public QTableView {
  Q_OBJECT

public:
  static constexpr int aimLasts = 4000; ///< ms after the pointer moved over the rows

  explicit LockTableView(LockFilterSortModel &order, QWidget *parent = nullptr);

  std::optional<LockId> current() const; ///< the selected lock; nothing if several are
  std::size_t selectedCount() const;
  std::vector<int> selectedRows() const;                           ///< in the order of the rows
  const std::optional<LockId> &chosen() const { return m_chosen; } ///< the lock that was selected last, shown or not
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
  QPersistentModelIndex m_top;  ///< of the visible rows, while rows come and go
  QPersistentModelIndex m_next; ///< where the keyboard continues when the selected row has gone
  bool m_following = false;     ///< the selection changes because rows do, not by a person
  bool m_settling = false;      ///< rows come and go: changes of the selection are signalled once at the end
  bool m_choiceMoved = false, m_selectionMoved = false;
  std::vector<LockId> m_setAside; ///< the selected locks, while rows go in very many places
  bool m_fitting = false;
  bool m_ownWidths = false;   ///< a person has changed the width of a column
  std::size_t m_families = 0; ///< for which the widths have room

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
