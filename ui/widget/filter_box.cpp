// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/filter_box.h"

#include "ui/widget/key_button.h"
#include "ui/widget/plain_text.h"
#include "ui/widget/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

namespace lockhouse::ui {
namespace {

constexpr int keyWidth = 16;
constexpr int edge = 10;
constexpr int glass = 28; ///< room for the magnifying glass

} // namespace

FilterBox::FilterBox(QWidget *parent) : QLineEdit(parent), m_complaint(new PlainLabel(this)) {
  setPlaceholderText(tr("Filter: state:contended age>2s waiters>=3 or any text"));
  setAccessibleName(tr("Filter"));
  setToolTip(plainToolTip(tr("state:contended|suspect  fam:redisson  node:a  holder:web  name:order\n"
                             "age>2s  ttl<10s  ttl:never  waiters>=3  count>1\n"
                             "Words must all hold; ! turns one round; a|b is either; anything else is text.")));
  setMinimumHeight(28);
  setFrame(false);
  setTextMargins(glass, 0, keyWidth + 2 * edge, 0);
  m_complaint->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_complaint->hide();
  m_pause.setSingleShot(true);
  m_pause.setInterval(120);
  connect(this, &QLineEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
  connect(&m_pause, &QTimer::timeout, this, &FilterBox::read);
  dress();
}

void FilterBox::read() {
  auto query = LockQuery::parse(text());
  m_error = query ? std::nullopt : std::optional(query.error());
  m_complaint->setText(m_error ? m_error->sentence : QString());
  setAccessibleDescription(m_complaint->text());
  placeComplaint();
  update();
  emit complained(m_error ? m_error->sentence : QString());
  if (query)
    emit queryChanged(*query);
}

void FilterBox::placeComplaint() {
  m_complaint->setVisible(m_error.has_value());
  if (!m_error)
    return;
  const int used = glass + fontMetrics().horizontalAdvance(text()) + 24;
  const int room = width() - used - keyWidth - 2 * edge;
  m_complaint->setToolTip(plainToolTip(m_error->sentence));
  m_complaint->setText(m_complaint->fontMetrics().elidedText(m_error->sentence, Qt::ElideRight, std::max(room, 0)));
  m_complaint->setGeometry(used, 1, std::max(room, 0), height() - 2);
}

void FilterBox::keyPressEvent(QKeyEvent *event) {
  if (event->key() == Qt::Key_Escape && !text().isEmpty())
    return clear();
  if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Down) {
    emit left();
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    m_pause.stop();
    read();
  }
  QLineEdit::keyPressEvent(event);
}

void FilterBox::paintEvent(QPaintEvent *event) {
  QLineEdit::paintEvent(event);
  const Theme theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(m_error ? theme.danger.ink : hasFocus() ? theme.accent : theme.line, m_error || hasFocus() ? 2 : 1));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  painter.setPen(QPen(theme.soft, 1.4));
  const QPointF middle(edge + 7, height() / 2.0 - 1);
  painter.drawEllipse(middle, 3.6, 3.6);
  painter.drawLine(middle + QPointF(2.8, 2.8), middle + QPointF(6, 6));
  if (!hasFocus())
    paintKeyCap(painter, QRect(width() - keyWidth - edge, (height() - 18) / 2, keyWidth, 18), QStringLiteral("/"), palette());
}

void FilterBox::resizeEvent(QResizeEvent *event) {
  QLineEdit::resizeEvent(event);
  placeComplaint();
}

void FilterBox::changeEvent(QEvent *event) {
  QLineEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    dress();
}

void FilterBox::dress() {
  setFont(fixedFont());
  QPalette alarm = m_complaint->palette();
  const QColor ink = Theme::of(palette()).danger.ink;
  if (alarm.color(QPalette::WindowText) == ink)
    return;
  alarm.setColor(QPalette::WindowText, ink);
  m_complaint->setForegroundRole(QPalette::WindowText); // on a line edit a label takes the ink of its text otherwise
  m_complaint->setPalette(alarm);
  m_complaint->setFont(font());
}

} // namespace lockhouse::ui
