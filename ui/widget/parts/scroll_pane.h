// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace lockhouse::ui {

/// What has to be read and may be higher than its room: all of it scrolls in one piece, with the keyboard too, and a ring tells that it
/// has the focus. Nothing in it scrolls sideways.
class ScrollPane : public QScrollArea {
  Q_OBJECT

public:
  /// When Tab comes to it.
  enum class Stop { Always, WhileItScrolls };
  explicit ScrollPane(Stop stop, QWidget *parent = nullptr);

  int wantedHeight(int width) const;              ///< that shows all of it at `width`
  void reveal(QWidget &part, const QRect &place); ///< scrolls until this place in a part of it is seen

signals:
  void contentResized(); ///< wantedHeight() may be another one
  void resized();        ///< its room is another one

protected:
  bool event(QEvent *event) override;
  bool eventFilter(QObject *watched, QEvent *event) override;
  void keyPressEvent(QKeyEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  void fit();
};

} // namespace lockhouse::ui
