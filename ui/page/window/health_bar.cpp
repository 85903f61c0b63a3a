// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/window/health_bar.h"

#include "ui/model/text/formatting.h"
#include "ui/widget/parts/figure.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace lockhouse::ui {
namespace {

constexpr int dot = 8;

void setInk(QWidget &widget, const QColor &ink) {
  QPalette palette = widget.palette();
  if (palette.color(QPalette::WindowText) == ink)
    return;
  palette.setColor(QPalette::WindowText, ink);
  widget.setPalette(palette);
}

QColor moodInk(HealthSummary::Mood mood, const Theme &theme) {
  switch (mood) {
  case HealthSummary::Mood::Good: return theme.held.ink;
  case HealthSummary::Mood::Waiting: return theme.stale.ink;
  case HealthSummary::Mood::Doubtful: return theme.contended.ink;
  case HealthSummary::Mood::Broken: return theme.danger.ink;
  }
  return theme.stale.ink;
}

} // namespace

HealthBar::HealthBar(bool demo, QWidget *parent) : QWidget(parent), m_demo(demo) {
  build();
  dress();
}

void HealthBar::build() {
  m_badge = new PlainLabel(this);
  m_badge->setContentsMargins(10, 4, 10, 4);
  m_badge->setAutoFillBackground(false);
  m_nodes = new Figure(tr("nodes live"), this);
  m_locks = new Figure(tr("locks"), this);
  m_waiters = new Figure(tr("waiters"), this);
  m_oldest = new Figure(tr("oldest hold"), this);
  m_load = new Figure(tr("our load"), this);
  m_match = new PlainLabel(this);
  m_means = new PlainLabel(this);

  auto *layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setSpacing(22);
  layout->addWidget(m_badge, 0, Qt::AlignVCenter);
  for (Figure *figure : {m_nodes, m_locks, m_waiters, m_oldest, m_load})
    layout->addWidget(figure);
  layout->addStretch(1);
  auto *right = new QVBoxLayout;
  right->setSpacing(0);
  right->addWidget(m_match, 0, Qt::AlignRight);
  right->addWidget(m_means, 0, Qt::AlignRight);
  layout->addLayout(right);
}

void HealthBar::setHealth(const HealthSummary &health) {
  m_nodes->setValue(tr("%1 of %2", "live nodes of all nodes").arg(health.live).arg(health.nodes));
  m_locks->setValue(health.live == 0 && health.locks == 0 ? dash() : countText(health.locks)); // nobody looked: not the same as none
  const int doubtful = m_showsDoubtful ? static_cast<int>(std::min<std::size_t>(health.doubtful, 2'000'000'000)) : 0;
  m_locks->setWord(doubtful > 0 ? tr("locks and %n doubtful", "rows", doubtful) : tr("locks"));
  m_waiters->setValue(!health.waiters ? dash() : health.moreMayWait ? atLeast(*health.waiters) : countText(*health.waiters));
  m_waiters->setWord(health.waiters == 1 ? tr("waiter") : tr("waiters"));
  m_oldest->setValue(!health.oldestHold       ? dash()
                     : health.isOldestTold    ? roughly(*health.oldestHold)
                     : health.oldestHoldExact ? seconds1(*health.oldestHold)
                                              : atLeast(*health.oldestHold));
  m_load->setValue(health.load ? percent(*health.load) : dash());
  m_match->setText(health.match);
  m_means->setText(health.means);
  m_mood = health.mood;
  dress();
  update();
}

void HealthBar::setShowsDoubtful(bool shows) { m_showsDoubtful = shows; }

void HealthBar::setUnlocked(bool unlocked) {
  m_unlocked = unlocked;
  dress();
}

void HealthBar::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_means != nullptr && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    dress();
}

void HealthBar::dress() {
  const Theme theme = Theme::of(palette());
  m_badge->setText(!m_unlocked ? (m_demo ? tr("DEMO") : tr("READ-ONLY")) : m_demo ? tr("DEMO · CHANGES ALLOWED") : tr("CHANGES ALLOWED"));
  m_badge->setFont(scaledFont(font(), 0.95, QFont::Bold));
  m_match->setFont(scaledFont(font(), 1.0, QFont::DemiBold));
  m_match->setFixedHeight(scaledLength(font(), 19));
  m_means->setFont(scaledFont(font(), 0.85));
  m_means->setFixedHeight(scaledLength(font(), 15));
  setInk(*m_badge, theme.isDark() ? theme.window : theme.raised);
  setInk(*m_means, theme.soft);
  setInk(*m_match, m_mood == HealthSummary::Mood::Broken || m_mood == HealthSummary::Mood::Doubtful ? moodInk(m_mood, theme) : theme.text);
}

void HealthBar::paintEvent(QPaintEvent *) {
  const Theme theme = Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.raised);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(m_unlocked ? theme.contended.ink : m_demo ? theme.held.ink : theme.stale.ink);
  painter.drawRoundedRect(m_badge->geometry(), 4, 4);
  painter.setBrush(moodInk(m_mood, theme));
  const QRect match = m_match->geometry();
  painter.drawEllipse(QRectF(match.left() - dot - 4, match.center().y() - dot / 2.0 + 1, dot, dot));
}

} // namespace lockhouse::ui
