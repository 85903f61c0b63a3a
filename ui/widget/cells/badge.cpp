// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/cells/badge.h"

#include <QPainter>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int gap = 7;

} // namespace

int badgeSize(const QFont &font) { return scaledLength(font, 16); }

void paintBadge(QPainter &painter, const QRectF &square, LockState state, const Theme &theme, bool released) {
  const Theme::Ink &ink = released ? theme.stale : theme.state(state);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ink.ground);
  painter.drawRoundedRect(square, 3, 3);
  if (state == LockState::Stale && !released) {
    painter.setBrush(QBrush(blend(ink.ground, ink.ink, 0.28), Qt::BDiagPattern));
    painter.drawRoundedRect(square, 3, 3);
  }
  painter.setFont(scaledFont(painter.font(), 0.82, QFont::DemiBold));
  painter.setPen(ink.ink);
  painter.drawText(square, Qt::AlignCenter, released ? QStringLiteral("✕") : stateLetter(state));
  painter.restore();
}

StateBadge::StateBadge(QWidget *parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }

void StateBadge::setState(LockState state, const QString &gone) {
  m_state = state;
  m_released = !gone.isEmpty();
  m_word = m_released ? gone : stateWord(state);
  setAccessibleName(m_word);
  updateGeometry();
  update();
}

QSize StateBadge::sizeHint() const {
  return {badgeSize(font()) + gap + fontMetrics().horizontalAdvance(m_word) + 2, std::max(badgeSize(font()), fontMetrics().height())};
}

void StateBadge::paintEvent(QPaintEvent *) {
  QPainter painter(this);
  const int side = badgeSize(font());
  const QRect square(0, (height() - side) / 2, side, side);
  paintBadge(painter, square, m_state, Theme::of(palette()), m_released);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(rect().adjusted(side + gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, m_word);
}

} // namespace lockhouse::ui
