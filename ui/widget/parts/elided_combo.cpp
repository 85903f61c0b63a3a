// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/elided_combo.h"

#include "ui/widget/style/plain_text.h"

#include <QAbstractItemView>
#include <QScreen>
#include <QStyleOptionComboBox>
#include <QStylePainter>

#include <algorithm>

namespace lockhouse::ui {

ElidedCombo::ElidedCombo(QWidget *parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // else the longest name widens whatever it stands in
  view()->setTextElideMode(Qt::ElideMiddle);
  connect(this, &QComboBox::currentTextChanged, this, [this](const QString &name) { setToolTip(plainToolTip(name)); });
}

void ElidedCombo::addName(const QString &name) {
  addItem(name);
  setItemData(count() - 1, plainToolTip(name), Qt::ToolTipRole);
}

QString ElidedCombo::paintedText() const {
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
  constexpr int margin = 2; // some styles keep a pixel of it on each side
  return fontMetrics().elidedText(currentText(), Qt::ElideMiddle, field.width() - margin);
}

void ElidedCombo::showPopup() {
  view()->setMinimumWidth(std::min(view()->sizeHintForColumn(0), screen()->availableSize().width() / 2));
  QComboBox::showPopup();
}

void ElidedCombo::paintEvent(QPaintEvent *) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  option.currentText = paintedText();
  painter.setPen(palette().color(QPalette::Text));
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace lockhouse::ui
