// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/cells/lease_bar.h"

#include <QPainter>

#include <algorithm>

namespace lockhouse::ui {

std::optional<double> leaseLeft(const LockRecord &record, SteadyTime now) {
  const auto left = timeLeft(record, now);
  if (!record.isHeld() || !left || !record.lease || record.lease->count() <= 0)
    return {};
  return std::clamp(static_cast<double>(left->count()) / static_cast<double>(record.lease->count()), 0.0, 1.0);
}

void paintLeaseBar(QPainter &painter, const QRectF &bar, double left, LockState state, const Theme &theme) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const double radius = bar.height() / 2;
  painter.setBrush(theme.track);
  painter.drawRoundedRect(bar, radius, radius);
  QRectF filled = bar;
  filled.setWidth(std::max(bar.width() * left, left > 0 ? bar.height() : 0.0));
  // Contended is a matter of the queue, not of the lease: the bar stays the holder's.
  painter.setBrush(state == LockState::Contended ? theme.held.ink : theme.state(state).ink);
  if (filled.width() > 0)
    painter.drawRoundedRect(filled, radius, radius);
  painter.restore();
}

LeaseBar::LeaseBar(QWidget *parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void LeaseBar::setLease(std::optional<double> left, LockState state) {
  m_left = left;
  m_state = state;
  update();
}

void LeaseBar::paintEvent(QPaintEvent *) {
  if (!m_left)
    return;
  QPainter painter(this);
  paintLeaseBar(painter, rect(), *m_left, m_state, Theme::of(palette()));
}

} // namespace lockhouse::ui
