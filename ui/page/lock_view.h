// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/lock_record.h"

#include <QPersistentModelIndex>
#include <QTableView>
#include <QTimer>

#include <optional>

namespace lockhouse::ui {

class LockDelegate;
class LockOrder;

/// The lock table on screen. While the pointer aims, rows keep their place; what one looks at stays where it is when rows come
/// and go above it; only the columns that count down are repainted by the clock.
class LockView : public QTableView {
  Q_OBJECT

public:
  static constexpr int aimLasts = 4000; ///< ms after the pointer's last move over the rows

  explicit LockView(LockOrder &order, QWidget *parent = nullptr);

  std::optional<LockId> current() const;
  void select(const LockId &id);
  void repaintCountdowns();
  void restoreColumns();

signals:
  void currentLockChanged();

protected:
  void mouseMoveEvent(QMouseEvent *event) override;
  void leaveEvent(QEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  LockOrder &m_order;
  LockDelegate *m_delegate = nullptr;
  QTimer m_aim;
  QPersistentModelIndex m_top;

  void build();
  void wire();
  void restyle();
};

} // namespace lockhouse::ui
