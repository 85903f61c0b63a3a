// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

namespace lockhouse::ui {

/// A button with room around its verb, in the colours of what it does; while it is dead it looks like any other dead button.
class ActionButton : public QPushButton {
  Q_OBJECT

public:
  enum class Tone { Plain, Danger, Primary };

  explicit ActionButton(Tone tone, QWidget *parent = nullptr);
  ActionButton(const QString &text, QWidget *parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

protected:
  void keyPressEvent(QKeyEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  Tone m_tone = Tone::Plain;

  void dress();
};

} // namespace lockhouse::ui
