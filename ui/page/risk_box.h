// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <QStringList>

namespace lockhouse::ui {

class TintBox;

/// What plans warn of, all of it: as high as its sentences are up to a bound, from which on the arrow keys scroll it. Hidden while empty.
class RiskBox : public QScrollArea {
  Q_OBJECT

public:
  explicit RiskBox(QWidget *parent = nullptr);
  void setSentences(const QStringList &sentences);

protected:
  bool eventFilter(QObject *watched, QEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  TintBox *m_box;

  void fit();
};

} // namespace lockhouse::ui
