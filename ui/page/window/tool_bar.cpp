// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/window/tool_bar.h"

#include "ui/page/actions/window_actions.h"
#include "ui/widget/parts/filter_box.h"
#include "ui/widget/parts/key_button.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace lockhouse::ui {

ToolBar::ToolBar(WindowActions &actions, QWidget *parent) : QWidget(parent), m_filter(new FilterBox(this)), m_note(new PlainLabel(this)) {
  auto *layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 6, 12, 6);
  layout->setSpacing(8);
  layout->addWidget(m_filter, 1);
  layout->addWidget(m_note);
  layout->addWidget(new KeyButton(actions.freeze, this));
  layout->addWidget(new KeyButton(actions.readOnly, this, KeyButton::Tone::Plain, false));
  layout->addWidget(new KeyButton(actions.release, this));
  m_note->hide();
}

void ToolBar::setHeldStill(std::optional<quint64> waiting) {
  m_note->setVisible(waiting.has_value());
  if (waiting)
    m_note->setText(tr("Held still, %n changes wait", nullptr, static_cast<int>(std::min<quint64>(*waiting, 2'000'000'000))));
}

void ToolBar::paintEvent(QPaintEvent *) {
  QPainter painter(this);
  painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::of(palette()).line);
}

} // namespace lockhouse::ui
