// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/filter_box.h"

#include "ui/widget/parts/key_button.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

namespace lockhouse::ui {
namespace {

constexpr int keyWidth = 16;
constexpr int edge = 10;
constexpr int glass = 28; ///< room for the magnifying glass

} // namespace

FilterBox::FilterBox(QWidget *parent) : QLineEdit(parent), m_remark(new PlainLabel(this)) {
  setPlaceholderText(tr("Filter: state:contended age>2s waiters>=3 or any text"));
  setAccessibleName(tr("Filter"));
  setToolTip(plainToolTip(tr("state:contended|suspect  fam:redisson  node:a  holder:web  name:order\n"
                             "age>2s  ttl<10s  ttl:never  waiters>=3  count>1\n"
                             "Words must all hold; ! turns one round; a|b is either; anything else is text.")));
  setMinimumHeight(28);
  setFrame(false);
  setTextMargins(glass, 0, keyWidth + 2 * edge, 0);
  m_remark->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_remark->hide();
  m_pause.setSingleShot(true);
  m_pause.setInterval(120);
  connect(this, &QLineEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
  connect(&m_pause, &QTimer::timeout, this, &FilterBox::read);
  dress();
}

void FilterBox::read() {
  auto query = LockQuery::parse(text());
  m_error = query ? std::nullopt : std::optional(query.error());
  showRemark();
  update();
  emit complained(m_error ? m_error->sentence : QString());
  if (query)
    emit queryChanged(*query);
}

void FilterBox::setDoubt(const QString &sentence) {
  if (sentence == m_doubt)
    return;
  m_doubt = sentence;
  showRemark();
}

void FilterBox::showRemark() {
  setAccessibleDescription(remark());
  dress();
  placeRemark();
}

void FilterBox::placeRemark() {
  const QString said = remark();
  m_remark->setVisible(!said.isEmpty());
  const int used = glass + fontMetrics().horizontalAdvance(text()) + 24;
  const int room = width() - used - keyWidth - 2 * edge;
  m_remark->setToolTip(plainToolTip(said));
  m_remark->setText(m_remark->fontMetrics().elidedText(said, Qt::ElideRight, std::max(room, 0)));
  m_remark->setGeometry(used, 1, std::max(room, 0), height() - 2);
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
  placeRemark();
}

void FilterBox::changeEvent(QEvent *event) {
  QLineEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    dress();
}

void FilterBox::dress() {
  setFont(fixedFont());
  QPalette inks = m_remark->palette();
  const Theme theme = Theme::of(palette());
  const QColor ink = m_error ? theme.danger.ink : theme.soft;
  if (inks.color(QPalette::WindowText) == ink)
    return;
  inks.setColor(QPalette::WindowText, ink);
  m_remark->setForegroundRole(QPalette::WindowText); // on a line edit a label takes the ink of its text otherwise
  m_remark->setPalette(inks);
  m_remark->setFont(font());
}

} // namespace lockhouse::ui
