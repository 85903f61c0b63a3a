// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widget/style/theme.h"

#include <QWidget>

class QPainter;

namespace lockhouse::ui {

/// The square with a state's letter, `released` with a cross. Stale ones are hatched.
void paintBadge(QPainter &painter, const QRectF &square, LockState state, const Theme &theme, bool released = false);
int badgeSize(const QFont &font);

/// A badge and its word, for the details pane.
class StateBadge : public QWidget {
  Q_OBJECT

public:
  explicit StateBadge(QWidget *parent = nullptr);
  /// `gone`: what became of a lock that has gone; empty for one that is there.
  void setState(LockState state, const QString &gone);
  QSize sizeHint() const override;

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  LockState m_state = LockState::Held;
  bool m_released = false;
  QString m_word;
};

} // namespace lockhouse::ui
