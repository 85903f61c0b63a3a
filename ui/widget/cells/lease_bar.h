// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"
#include "ui/widget/style/theme.h"

#include <QWidget>

class QPainter;

namespace lockhouse::ui {

/// What is left of a lease at `now`, 0 … 1; nothing when it never expires or there is no holder.
std::optional<double> leaseLeft(const LockRecord &record, SteadyTime now);

/// The bar: filled by what is left, in the colour of the state.
void paintLeaseBar(QPainter &painter, const QRectF &bar, double left, LockState state, const Theme &theme);

/// The bar of the details pane.
class LeaseBar : public QWidget {
  Q_OBJECT

public:
  explicit LeaseBar(QWidget *parent = nullptr);
  void setLease(std::optional<double> left, LockState state);
  QSize sizeHint() const override { return {120, 8}; }

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  std::optional<double> m_left;
  LockState m_state = LockState::Held;
};

} // namespace lockhouse::ui
