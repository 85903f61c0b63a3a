// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/parts/line_list.h"

#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QPainter>
#include <QStringList>
#include <QTextLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int gap = 10;

QFont fontOf(LineList::Look look, const QFont &font) {
  switch (look) {
  case LineList::Look::Fixed:
  case LineList::Look::FixedFaint: return fixedFont();
  case LineList::Look::Small: return scaledFont(font, 0.88);
  default: return font;
  }
}

QColor colourOf(LineList::Look look, const Theme &theme) {
  switch (look) {
  case LineList::Look::Soft:
  case LineList::Look::FixedFaint:
  case LineList::Look::Small: return theme.soft;
  case LineList::Look::Faint: return theme.faint;
  default: return theme.text;
  }
}

int widthOf(const LineList::Cell &cell, const QFont &font) {
  return cell.text.isEmpty() ? 0 : QFontMetrics(fontOf(cell.look, font)).horizontalAdvance(cell.text) + 2;
}

void draw(QPainter &painter, const QRect &place, const LineList::Cell &cell, Qt::Alignment alignment, const QFont &font, const QPalette &palette) {
  if (cell.text.isEmpty() || place.width() <= 0)
    return;
  painter.setFont(fontOf(cell.look, font));
  painter.setPen(colourOf(cell.look, Theme::of(palette)));
  const Qt::TextElideMode elide = cell.look == LineList::Look::Fixed ? Qt::ElideMiddle : Qt::ElideRight; // ids differ at their ends
  painter.drawText(place, static_cast<int>(alignment | Qt::AlignVCenter), painter.fontMetrics().elidedText(cell.text, elide, place.width()));
}

/// Lays `layout` out in lines of `width` and tells how many there are.
int wrap(QTextLayout &layout, int width, int step) {
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  layout.beginLayout();
  int lines = 0;
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(std::max(width, 1));
    line.setPosition({0, lines++ * step + (step - line.height()) / 2});
  }
  layout.endLayout();
  return lines;
}

const LineList::Cell &wrapped(const LineList::Line &line) { return line.middle.text.isEmpty() ? line.left : line.middle; }

int textStep(const QFont &font) { return std::max(scaledLength(font, 18), QFontMetrics(font).ascent() + 4); }

} // namespace

LineList::LineList(QWidget *parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void LineList::setLines(std::vector<Line> lines) {
  const auto isAsHigh = [](const Line &one, const Line &other) {
    return one.wraps == other.wraps &&
           (!one.wraps || (wrapped(one).text == wrapped(other).text && one.right.text == other.right.text && one.beforeRight.text == other.beforeRight.text));
  };
  const bool resized = !std::ranges::equal(m_lines, lines, isAsHigh);
  m_lines = std::move(lines);
  QStringList said, tips;
  for (const Line &line : m_lines) {
    if (!line.tip.isEmpty())
      tips << line.tip;
    said << QStringList{line.left.text, line.middle.text, line.beforeRight.text, line.right.text}.join(u' ').simplified();
  }
  setToolTip(tips.isEmpty() ? QString() : plainToolTip(tips.join(u'\n')));
  setAccessibleDescription(said.join(u'\n'));
  if (resized)
    updateGeometry();
  update();
}

int LineList::lineHeight() const { return std::max(scaledLength(font(), 22), fontMetrics().ascent() + 8); }

int LineList::columnWidth(Cell Line::*cell) const {
  int width = 0;
  for (const Line &line : m_lines)
    if (cell != &Line::left || !line.middle.text.isEmpty())
      width = std::max(width, widthOf(line.*cell, font()));
  return width;
}

// What stands before it keeps the column free, whether this line has something there or not.
int LineList::rightWidth(const Line &line) const { return line.beforeRight.text.isEmpty() ? widthOf(line.right, font()) : columnWidth(&Line::right); }

int LineList::wrapWidth(const Line &line, int width) const {
  for (const int companion : {rightWidth(line), widthOf(line.beforeRight, font())})
    width -= companion > 0 ? companion + gap : 0;
  return line.middle.text.isEmpty() ? width : width - columnWidth(&Line::left) - gap;
}

int LineList::heightOf(const Line &line, int width) const {
  if (!line.wraps)
    return lineHeight();
  QTextLayout layout(wrapped(line).text, fontOf(wrapped(line).look, font()));
  const int step = textStep(font());
  return lineHeight() + (std::max(wrap(layout, wrapWidth(line, width), step), 1) - 1) * step;
}

int LineList::heightForWidth(int width) const {
  int height = 0;
  for (const Line &line : m_lines)
    height += heightOf(line, width);
  return height;
}

QSize LineList::sizeHint() const { return {200, heightForWidth(std::max(width(), 200))}; }

void LineList::paintEvent(QPaintEvent *) {
  QPainter painter(this);
  QRect row(0, 0, width(), 0);
  for (const Line &line : m_lines) {
    row.setHeight(heightOf(line, width()));
    paintLine(painter, row, line);
    row.translate(0, row.height());
  }
}

void LineList::paintLine(QPainter &painter, const QRect &row, const Line &line) const {
  QRect rest(row.topLeft(), QSize(row.width(), lineHeight()));
  const auto takeRight = [&](const Cell &cell, int room) {
    draw(painter, rest.adjusted(rest.width() - room, 0, 0, 0), cell, Qt::AlignRight, font(), palette());
    rest.setRight(rest.right() - room - (room > 0 ? gap : 0));
  };
  const bool alone = line.middle.text.isEmpty();
  const int wanted = rightWidth(line);
  const int name = alone && !line.wraps && !line.left.text.isEmpty() ? widthOf(line.left, font()) + gap : 0;
  takeRight(line.right, std::min(wanted, std::max(rest.width() - name, rest.width() / 2))); // a value is cut, not its name
  takeRight(line.beforeRight, widthOf(line.beforeRight, font()));
  const int left = columnWidth(&Line::left);
  if (!line.wraps || !alone)
    draw(painter, alone ? rest : QRect(rest.topLeft(), QSize(std::min(left, rest.width()), rest.height())), line.left, Qt::AlignLeft, font(), palette());
  const QRect body = alone ? rest : rest.adjusted(left > 0 ? left + gap : 0, 0, 0, 0);
  if (!line.wraps)
    return alone ? void() : draw(painter, body, line.middle, Qt::AlignLeft, font(), palette());
  QTextLayout layout(wrapped(line).text, fontOf(wrapped(line).look, font()));
  const int step = textStep(font());
  wrap(layout, wrapWidth(line, row.width()), step);
  painter.setPen(colourOf(wrapped(line).look, Theme::of(palette())));
  layout.draw(&painter, body.topLeft() + QPoint(0, (lineHeight() - step) / 2));
}

} // namespace lockhouse::ui
