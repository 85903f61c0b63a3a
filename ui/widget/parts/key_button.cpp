// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/key_button.h"

#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QKeySequence>
#include <QPainter>

#include <algorithm>
#include <array>

namespace lockhouse::ui {
namespace {

constexpr int padding = 12;
constexpr int keyPadding = 6;
constexpr int keyGap = 8;
constexpr double paleKey = 0.4;

QFont keyFont(const QFont &font) { return scaledFont(font, 0.82); }

} // namespace

void paintKeyCap(QPainter &painter, const QRect &cap, const QString &key, const QPalette &palette) {
  const Theme theme = Theme::of(palette);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.line, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(cap).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  painter.setFont(keyFont(painter.font()));
  painter.setPen(theme.soft);
  painter.drawText(cap, Qt::AlignCenter, key);
  painter.restore();
}

// Qt asks for these itself, in menus too, and its own translations are not installed everywhere.
QString keyName(const QKeySequence &keys) {
  [[maybe_unused]] static constexpr std::array asked{QT_TRANSLATE_NOOP("QShortcut", "Space"), QT_TRANSLATE_NOOP("QShortcut", "Return")};
  return keys.toString(QKeySequence::NativeText);
}

KeyButton::KeyButton(QAction *action, QWidget *parent, Tone tone, bool withKey) : QToolButton(parent), m_tone(tone), m_withKey(withKey) {
  setDefaultAction(action);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(label());
  connect(qApp, &QApplication::focusChanged, this, [this] { update(); });
}

bool KeyButton::keyWorks() const {
  const QAction &action = *defaultAction();
  if (action.shortcutContext() == Qt::WindowShortcut || action.shortcutContext() == Qt::ApplicationShortcut)
    return true;
  const QWidget *focus = QApplication::focusWidget();
  return focus != nullptr && std::ranges::any_of(action.associatedObjects(), [&](const QObject *object) {
           const auto *place = qobject_cast<const QWidget *>(object);
           return place == focus || (place != nullptr && action.shortcutContext() == Qt::WidgetWithChildrenShortcut && place->isAncestorOf(focus));
         });
}

QString KeyButton::label() const { return actionName(defaultAction()->text()); }

QString KeyButton::key() const { return m_withKey ? keyName(defaultAction()->shortcut()) : QString(); }

QSize KeyButton::sizeHint() const {
  int width = 2 * padding + fontMetrics().horizontalAdvance(label());
  if (!key().isEmpty())
    width += keyGap + 2 * keyPadding + QFontMetrics(keyFont(font())).horizontalAdvance(key());
  return {width, std::max(scaledLength(font(), 28), 24)};
}

void KeyButton::paintEvent(QPaintEvent *) {
  const Theme theme = Theme::of(palette());
  const bool action = m_tone != Tone::Plain && isEnabled();
  const QColor actionColour = m_tone == Tone::Danger ? theme.danger.ink : theme.accent;
  QColor fill = action ? actionColour : isChecked() ? theme.selection : theme.raised;
  if (isEnabled() && (isDown() || underMouse()))
    fill = blend(fill, theme.text, isDown() ? 0.16 : 0.07);

  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(hasFocus() ? theme.accent : action ? fill : isChecked() ? theme.accent : theme.line, hasFocus() ? 2 : 1));
  painter.setBrush(fill);
  const double inset = hasFocus() ? 1 : 0.5;
  painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 4, 4);
  painter.setPen(action ? (m_tone == Tone::Danger ? theme.onDanger : theme.onAccent) : isEnabled() ? theme.text : theme.faint);

  QRect place = rect().adjusted(padding, 0, -padding, 0);
  if (!key().isEmpty()) {
    const QFontMetrics small(keyFont(font()));
    const QSize cap(small.horizontalAdvance(key()) + 2 * keyPadding, scaledLength(font(), 18));
    painter.setOpacity(keyWorks() ? 1 : paleKey);
    paintKeyCap(painter, QRect(QPoint(place.right() + 1 - cap.width(), (height() - cap.height()) / 2), cap), key(), palette());
    painter.setOpacity(1);
    place.setRight(place.right() - cap.width() - keyGap);
  }
  painter.drawText(place, Qt::AlignCenter, label());
}

} // namespace lockhouse::ui
