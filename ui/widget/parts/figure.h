// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widget/style/plain_text.h"

namespace lockhouse::ui {

/// A number in large type over the word for it.
class Figure : public QWidget {
  Q_OBJECT

public:
  explicit Figure(const QString &word, QWidget *parent = nullptr);
  void setValue(const QString &value);
  void setWord(const QString &word);

protected:
  void changeEvent(QEvent *event) override;

private:
  PlainLabel *m_value = nullptr;
  PlainLabel *m_word = nullptr;

  void dress();
};

} // namespace lockhouse::ui
