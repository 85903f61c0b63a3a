// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/action_button.h"

#include "ui/widget/style/theme.h"

#include <QKeyEvent>

#include <algorithm>

namespace lockhouse::ui {

ActionButton::ActionButton(Tone tone, QWidget *parent) : QPushButton(parent), m_tone(tone) { dress(); }

ActionButton::ActionButton(const QString &text, QWidget *parent) : QPushButton(text, parent) {}

QSize ActionButton::sizeHint() const {
  const QSize plain = QPushButton::sizeHint();
  const QFontMetrics metrics = fontMetrics();
  return {std::max(plain.width(), metrics.horizontalAdvance(text()) + 2 * metrics.height()), std::max(plain.height(), metrics.height() * 2)};
}

// A Return that is still held down from the field before was not meant for it.
void ActionButton::keyPressEvent(QKeyEvent *event) {
  if (event->isAutoRepeat() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
    return event->accept();
  QPushButton::keyPressEvent(event);
}

void ActionButton::changeEvent(QEvent *event) {
  QPushButton::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    dress();
}

void ActionButton::dress() {
  if (m_tone == Tone::Plain)
    return;
  const Theme theme = Theme::of(palette());
  QPalette colours = palette();
  for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive}) {
    colours.setColor(group, QPalette::Button, m_tone == Tone::Danger ? theme.danger.ink : theme.accent);
    colours.setColor(group, QPalette::ButtonText, m_tone == Tone::Danger ? theme.onDanger : theme.onAccent);
  }
  if (colours != palette())
    setPalette(colours);
}

} // namespace lockhouse::ui
