// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/figure.h"

#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QVBoxLayout>

namespace lockhouse::ui {

Figure::Figure(const QString &word, QWidget *parent) : QWidget(parent), m_value(new PlainLabel(this)), m_word(new PlainLabel(word, this)) {
  auto *layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_value);
  layout->addWidget(m_word);
  dress();
}

void Figure::setValue(const QString &value) {
  if (m_value->text() == value)
    return;
  m_value->setText(value);
  // Numbers change without moving their neighbours: the widest value so far keeps its room.
  m_value->setMinimumWidth(std::max(m_value->minimumWidth(), m_value->sizeHint().width()));
  setAccessibleName(QStringLiteral("%1 %2").arg(value, m_word->text()));
}

void Figure::setWord(const QString &word) { m_word->setText(word); }

void Figure::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
    dress();
}

void Figure::dress() {
  const Theme theme = Theme::of(palette());
  m_value->setFont(scaledFont(font(), 1.22, QFont::DemiBold));
  m_value->setFixedHeight(scaledLength(font(), 19));
  m_word->setFont(scaledFont(font(), 0.85));
  m_word->setFixedHeight(scaledLength(font(), 15));
  QPalette soft = m_word->palette();
  if (soft.color(QPalette::WindowText) == theme.soft)
    return;
  soft.setColor(QPalette::WindowText, theme.soft);
  m_word->setPalette(soft);
}

} // namespace lockhouse::ui
