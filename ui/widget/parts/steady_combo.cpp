// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/steady_combo.h"

#include <QKeyEvent>
#include <QWheelEvent>

namespace lockhouse::ui {

void SteadyCombo::keyPressEvent(QKeyEvent *event) {
  const bool isLetter = !event->text().isEmpty() && event->text().front().isPrint() && event->key() != Qt::Key_Space;
  if (isLetter)
    return event->ignore();
  QComboBox::keyPressEvent(event);
}

void SteadyCombo::wheelEvent(QWheelEvent *event) { event->ignore(); }

} // namespace lockhouse::ui
