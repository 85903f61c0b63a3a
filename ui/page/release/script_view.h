// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace lockhouse::ui {

/// What is sent, word for word: as high as its lines ask for; long ones go on in the next line on the screen, and are one where they are
/// copied. Up and down scroll what it stands in, which shows all of it when the keyboard comes to it.
class ScriptView : public QPlainTextEdit {
  Q_OBJECT

public:
  explicit ScriptView(QWidget *parent = nullptr);
  void setScript(const QString &text);

protected:
  void changeEvent(QEvent *event) override;
  void focusInEvent(QFocusEvent *event) override;
  void keyPressEvent(QKeyEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  void dress();
  void fit();
};

} // namespace lockhouse::ui
