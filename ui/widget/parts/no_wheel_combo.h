// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace lockhouse::ui {

/// A choice amid what is read and typed: letters that are meant for a field beside it choose nothing, nor does a wheel that is to scroll.
class NoWheelCombo : public QComboBox {
  Q_OBJECT

public:
  using QComboBox::QComboBox;

protected:
  void keyPressEvent(QKeyEvent *event) override;
  void wheelEvent(QWheelEvent *event) override;
};

} // namespace lockhouse::ui
