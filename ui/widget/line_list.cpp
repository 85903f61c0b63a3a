// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/line_list.h"

#include "ui/widget/theme.h"

#include <QPainter>
#include <QStringList>

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

void draw(QPainter &painter, const QRect &place, const LineList::Cell &cell, Qt::Alignment alignment, const Theme &theme, const QFont &font) {
  if (cell.text.isEmpty() || place.width() <= 0)
    return;
  painter.setFont(fontOf(cell.look, font));
  painter.setPen(colourOf(cell.look, theme));
  painter.drawText(place, static_cast<int>(alignment | Qt::AlignVCenter), painter.fontMetrics().elidedText(cell.text, Qt::ElideRight, place.width()));
}

} // namespace

LineList::LineList(QWidget *parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void LineList::setLines(std::vector<Line> lines) {
  const bool resized = lines.size() != m_lines.size();
  m_lines = std::move(lines);
  QStringList said;
  for (const Line &line : m_lines)
    said << QStringList{line.left.text, line.middle.text, line.beforeRight.text, line.right.text}.join(u' ').simplified();
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

QSize LineList::sizeHint() const { return {200, lineHeight() * static_cast<int>(m_lines.size())}; }

void LineList::paintEvent(QPaintEvent *) {
  QPainter painter(this);
  const Theme theme = Theme::of(palette());
  const int left = columnWidth(&Line::left);
  const int right = columnWidth(&Line::right);
  QRect row(0, 0, width(), lineHeight());
  for (const Line &line : m_lines) {
    QRect rest = row;
    const auto takeRight = [&](const Cell &cell, int room) {
      draw(painter, rest.adjusted(rest.width() - room, 0, 0, 0), cell, Qt::AlignRight, theme, font());
      rest.setRight(rest.right() - room - (room > 0 ? gap : 0));
    };
    takeRight(line.right, line.beforeRight.text.isEmpty() ? widthOf(line.right, font()) : right);
    takeRight(line.beforeRight, widthOf(line.beforeRight, font()));
    const bool alone = line.middle.text.isEmpty();
    draw(painter, alone ? rest : QRect(rest.topLeft(), QSize(std::min(left, rest.width()), rest.height())), line.left, Qt::AlignLeft, theme, font());
    draw(painter, rest.adjusted(left > 0 ? left + gap : 0, 0, 0, 0), line.middle, Qt::AlignLeft, theme, font());
    row.translate(0, lineHeight());
  }
}

} // namespace lockhouse::ui
