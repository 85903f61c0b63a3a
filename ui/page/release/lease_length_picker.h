// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"

#include <QWidget>

class QComboBox;

namespace lockhouse::ui {

/// In how long leases are to end, of one lock or of many: a few lengths to choose from.
class LeaseLengthPicker : public QWidget {
  Q_OBJECT

public:
  explicit LeaseLengthPicker(QWidget *parent = nullptr);
  void show(milliseconds length, bool mayChoose);

signals:
  void chosen(lockhouse::milliseconds length);

private:
  QComboBox *m_lengths = nullptr;
};

} // namespace lockhouse::ui
