// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widget/style/theme.h"

#include <QStringList>
#include <QWidget>

namespace lockhouse::ui {

class PlainLabel;

/// Sentences on the ground of a state's colour with a bar of its ink at the left; the first one stands out. Hidden while empty.
class Banner : public QWidget {
  Q_OBJECT

public:
  explicit Banner(Theme::Ink Theme::*ink, QWidget *parent = nullptr);
  void setSentences(const QStringList &sentences);
  QStringList sentences() const { return m_said; }

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  Theme::Ink Theme::*m_ink;
  QStringList m_said;
  std::vector<PlainLabel *> m_labels;
};

} // namespace lockhouse::ui
