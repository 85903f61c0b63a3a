// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/banner.h"

#include "ui/widget/style/plain_text.h"

#include <QPainter>
#include <QVBoxLayout>

namespace lockhouse::ui {
namespace {

constexpr int barWidth = 4;

} // namespace

Banner::Banner(Theme::Ink Theme::*ink, QWidget *parent) : QWidget(parent), m_ink(ink) {
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(12 + barWidth, 8, 12, 8);
  column->setSpacing(4);
  setVisible(false);
}

void Banner::setSentences(const QStringList &sentences) {
  if (sentences == m_said)
    return;
  m_said = sentences;
  for (PlainLabel *label : m_labels)
    delete label;
  m_labels.clear();
  for (const QString &sentence : sentences) {
    const QString wrapping = breakable(sentence);
    auto *label = new PlainLabel(wrapping, this);
    label->setWordWrap(true);
    if (wrapping == sentence) // or the marks would be copied with it
      label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (m_labels.empty())
      label->setFont(scaledFont(font(), 1, QFont::DemiBold));
    layout()->addWidget(label);
    m_labels.push_back(label);
  }
  setAccessibleName(sentences.join(u' '));
  setVisible(!sentences.isEmpty());
}

void Banner::paintEvent(QPaintEvent *) {
  const Theme theme = Theme::of(palette());
  const Theme::Ink &ink = theme.*m_ink;
  QPainter painter(this);
  painter.fillRect(rect(), ink.ground);
  painter.fillRect(QRect(0, 0, barWidth, height()), ink.ink);
}

} // namespace lockhouse::ui
