// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/no_wheel_combo.h"

#include <QKeyEvent>
#include <QWheelEvent>

namespace lockhouse::ui {

void NoWheelCombo::keyPressEvent(QKeyEvent *event) {
  const bool isLetter = !event->text().isEmpty() && event->text().front().isPrint() && event->key() != Qt::Key_Space;
  if (isLetter)
    return event->ignore();
  QComboBox::keyPressEvent(event);
}

void NoWheelCombo::wheelEvent(QWheelEvent *event) { event->ignore(); }

} // namespace lockhouse::ui
