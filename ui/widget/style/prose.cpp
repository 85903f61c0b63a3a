// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/style/prose.h"

#include "ui/model/text/strong_text.h"
#include "ui/widget/style/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lockhouse::ui {
namespace {

constexpr int lineStep = 20; // at 13 px
constexpr QChar thinSpace(u'\u2009');
constexpr QChar noBreakThinSpace(u'\u202f'); // a unit stays beside its number

} // namespace

Prose::Prose(QWidget *parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void Prose::setText(const QString &text) {
  if (text == m_marked)
    return;
  m_marked = text;
  m_text.clear();
  m_bold.clear();
  qsizetype begin = -1;
  for (const QChar c : text) {
    if (c == strongBegins) {
      begin = m_text.size();
    } else if (c == strongEnds && begin >= 0) {
      QTextLayout::FormatRange range{static_cast<int>(begin), static_cast<int>(m_text.size() - begin), {}};
      range.format.setFontWeight(QFont::DemiBold);
      m_bold.append(range);
      begin = -1;
    } else if (c != strongEnds) {
      m_text += c == u'\n' ? QChar(QChar::LineSeparator) : c == thinSpace ? noBreakThinSpace : c;
    }
  }
  setAccessibleName(m_text);
  updateGeometry();
  update();
}

double Prose::layOut(QTextLayout &layout, int width) const {
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  layout.setFormats(m_bold);
  const double step = std::max(scaledLength(font(), lineStep), fontMetrics().ascent() + 4);
  double y = 0;
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(width);
    line.setPosition({0, y + (step - line.height()) / 2});
    y += step;
  }
  layout.endLayout();
  return y;
}

QSize Prose::sizeHint() const { return {fontMetrics().averageCharWidth() * 40, heightForWidth(std::max(width(), fontMetrics().averageCharWidth() * 40))}; }

int Prose::heightForWidth(int width) const {
  QTextLayout layout(m_text, font());
  return static_cast<int>(std::ceil(layOut(layout, std::max(width, 1))));
}

void Prose::paintEvent(QPaintEvent *) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  QTextLayout layout(m_text, font());
  layOut(layout, std::max(width(), 1));
  layout.draw(&painter, {0, 0});
}

} // namespace lockhouse::ui
