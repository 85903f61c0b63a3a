// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace lockhouse::ui {

/// A choice among names that may be longer than its box, such as the paths of sockets: shortened in the middle, whole as
/// tooltip and in the list.
class ElidedCombo : public QComboBox {
  Q_OBJECT

public:
  explicit ElidedCombo(QWidget *parent = nullptr);

  void addName(const QString &name);
  /// The chosen name as it is painted.
  QString paintedText() const;
  void showPopup() override;

protected:
  void paintEvent(QPaintEvent *event) override;
};

} // namespace lockhouse::ui
