// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace lockhouse::ui {

/// A flat button for an action: its text, and its key in a small cap, pale while the key would do nothing where the keyboard is.
/// `verb` paints it as the one that does the deed.
class KeyButton : public QToolButton {
  Q_OBJECT

public:
  enum class Tone { Plain, Danger, Primary };

  explicit KeyButton(QAction *action, QWidget *parent = nullptr, Tone tone = Tone::Plain, bool withKey = true);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
  bool keyWorks() const; ///< whether the action's key reaches it from where the keyboard is now

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  Tone m_tone;
  bool m_withKey;

  QString label() const;
  QString key() const;
};

/// The small cap with a key's name in it.
QString keyName(const QKeySequence &keys);
void paintKeyCap(QPainter &painter, const QRect &cap, const QString &key, const QPalette &palette);

} // namespace lockhouse::ui
