// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/risk_box.h"

#include "ui/page/tint_box.h"

#include <QEvent>
#include <QLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int mostHeight = 168; ///< at 13 px: some seven lines

} // namespace

RiskBox::RiskBox(QWidget *parent) : QScrollArea(parent), m_box(new TintBox(&Theme::danger)) {
  setWidget(m_box);
  setWidgetResizable(true);
  setFrameShape(QFrame::StyledPanel);
  setViewportMargins(1, 1, 1, 1); // its focus ring stands clear of the colour
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(tr("What to weigh"));
  setVisible(false);
}

void RiskBox::setSentences(const QStringList &sentences) {
  if (sentences == m_box->sentences())
    return;
  m_box->setSentences(sentences);
  setAccessibleDescription(sentences.join(u' '));
  setVisible(!sentences.isEmpty());
  fit();
}

// By itself it keeps a bar that only the bar makes necessary.
void RiskBox::fit() {
  const int around = 2 * frameWidth() + 2;
  const int whole = m_box->layout()->totalHeightForWidth(width() - around) + around;
  const int most = scaledLength(font(), mostHeight);
  setVerticalScrollBarPolicy(whole > most ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
  setFixedHeight(std::min(whole, most));
}

// Its sentences count only once they are shown, which its layout tells.
bool RiskBox::eventFilter(QObject *watched, QEvent *event) {
  if (event->type() == QEvent::LayoutRequest)
    fit();
  return QScrollArea::eventFilter(watched, event);
}

void RiskBox::resizeEvent(QResizeEvent *event) {
  QScrollArea::resizeEvent(event);
  fit();
}

void RiskBox::changeEvent(QEvent *event) {
  QScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange)
    fit();
}

} // namespace lockhouse::ui
