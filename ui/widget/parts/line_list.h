// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QPainter;

namespace lockhouse::ui {

/// Lines of up to four cells. A left cell alone takes the line; with a middle one it keeps its column. What does not fit is elided,
/// ids (Look::Fixed) in their middle; a line that wraps goes on below instead. Painted, so that a list that changes many times a
/// second costs little; what is said is the widget's accessible description.
class LineList : public QWidget {
  Q_OBJECT

public:
  enum class Look { Plain, Soft, Faint, Fixed, FixedFaint, Small };
  struct Cell {
    QString text;
    Look look = Look::Plain;
  };
  struct Line {
    Cell left, middle, right;
    Cell beforeRight;   ///< right-aligned too, in a column of its own
    bool wraps = false; ///< the middle cell, or the left one if it is alone
    QString tip = {};   ///< what the list's tooltip says of it
  };

  explicit LineList(QWidget *parent = nullptr);
  void setLines(std::vector<Line> lines);
  QSize sizeHint() const override;
  int heightForWidth(int width) const override;
  QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  std::vector<Line> m_lines;

  int lineHeight() const;
  int columnWidth(Cell Line::*cell) const;
  int rightWidth(const Line &line) const;
  int wrapWidth(const Line &line, int width) const;
  int heightOf(const Line &line, int width) const;
  void paintLine(QPainter &painter, const QRect &row, const Line &line) const;
};

} // namespace lockhouse::ui
