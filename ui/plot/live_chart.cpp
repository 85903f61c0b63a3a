// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/live_chart.h"

#include "ui/widget/style/plain_text.h"

#include <QEvent>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace lockhouse::ui {
namespace {

constexpr int gapBesideValue = 8;
constexpr double smallText = 0.86;

QFontMetrics metricsOf(const QFont &font) { return QFontMetrics(font); }

} // namespace

LiveChart::LiveChart(const QString &title, std::vector<Line> lines, Words words, QWidget *parent) : QWidget(parent), m_title(title), m_words(std::move(words)) {
  build(std::move(lines));
  dress();
  sayNewest();
}

void LiveChart::build(std::vector<Line> lines) {
  m_heading = new PlainLabel(m_title, this);
  m_heading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  buildPlot();
  for (Line &line : lines) {
    Curve curve{std::move(line.name), line.ink, m_plot->addGraph(), makeText()};
    curve.caption = curve.name.isEmpty() ? nullptr : makeText();
    m_curves.push_back(std::move(curve));
  }
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(m_heading);
  column->addWidget(m_plot, 1);
}

void LiveChart::buildPlot() {
  m_plot = new QCustomPlot(this);
  m_plot->setAttribute(Qt::WA_TransparentForMouseEvents); // the tooltip is the chart's, not the plot's
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->xAxis->setVisible(false);
  m_plot->xAxis->grid()->setVisible(false);
  m_plot->yAxis->setBasePen(Qt::NoPen);
  m_plot->yAxis->setTickPen(Qt::NoPen);
  m_plot->yAxis->setSubTicks(false);
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTickerText>::create());
  m_plot->axisRect()->setAutoMargins(QCP::msNone);
}

QCPItemText *LiveChart::makeText() {
  auto *text = new QCPItemText(m_plot);
  text->setClipToAxisRect(false);
  text->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  text->setPadding({gapBesideValue, 0, 0, 0});
  text->position->setType(QCPItemPosition::ptAxisRectRatio);
  text->setVisible(false);
  return text;
}

void LiveChart::setDefinition(const QString &definition) {
  setToolTip(plainToolTip(definition));
  setAccessibleDescription(definition);
}

void LiveChart::setSmallestTop(double top) {
  m_axis = ValueAxis(top);
  dress();
}

void LiveChart::show(const std::vector<const TimeSeries *> &series, std::int64_t last) {
  const std::size_t length = m_window > 0 ? m_window : series.front()->length();
  const std::int64_t first = last - static_cast<std::int64_t>(length) + 1;
  double highest = 0;
  for (std::size_t i = 0; i < m_curves.size() && i < series.size(); ++i)
    highest = std::max(highest, draw(m_curves[i], *series[i], first, last));
  int widest = m_valueWidth;
  const bool wasBare = m_bare;
  for (const Curve &curve : m_curves) {
    if (std::isnan(curve.newest))
      continue;
    m_bare = false;
    widest = std::max(widest, metricsOf(curve.value->font()).horizontalAdvance(m_words(curve.newest)));
  }
  if (m_axis.fit(highest) || widest > m_valueWidth || m_bare != wasBare) {
    m_valueWidth = widest;
    dress();
  }
  m_plot->xAxis->setRange(static_cast<double>(first - last), 0);
  placeValues();
  sayNewest();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

double LiveChart::draw(Curve &curve, const TimeSeries &series, std::int64_t first, std::int64_t last) {
  QVector<QCPGraphData> points;
  points.reserve(static_cast<qsizetype>(last) - static_cast<qsizetype>(first) + 1);
  double highest = 0;
  for (std::int64_t bucket = first; bucket <= last; ++bucket) {
    const double value = series.at(bucket);
    highest = std::isnan(value) ? highest : std::max(highest, value);
    points.append({static_cast<double>(bucket - last), value});
  }
  curve.newest = series.at(last);
  curve.graph->data()->set(points, true);
  return highest;
}

// Colours, fonts and the scale: whatever depends on the palette, the font or the top of the axis.
void LiveChart::dress() {
  const Theme theme = Theme::of(palette());
  const QFont small = scaledFont(font(), smallText);
  m_heading->setFont(scaledFont(font(), smallText, QFont::DemiBold));
  m_plot->setBackground(QBrush(theme.base));
  m_plot->yAxis->setTickLabelFont(small);
  m_plot->yAxis->setTickLabelColor(theme.soft);
  m_plot->yAxis->grid()->setPen(QPen(theme.line, 0));
  m_plot->yAxis->grid()->setZeroLinePen(QPen(theme.line, 0));
  for (Curve &curve : m_curves) {
    const QColor ink = (theme.*curve.ink).ink;
    curve.graph->setPen(QPen(ink, 1.5));
    curve.value->setColor(ink);
    curve.value->setFont(scaledFont(font(), 0.92, QFont::DemiBold));
    if (!curve.caption)
      continue;
    curve.caption->setColor(theme.soft);
    curve.caption->setFont(small);
  }
  const auto ticker = m_plot->yAxis->ticker().staticCast<QCPAxisTickerText>();
  ticker->clear();
  for (const double line : m_axis.gridLines())
    ticker->addTick(line, m_words(line));
  m_plot->yAxis->setRange(0, m_axis.top());
  reserveMargins();
  placeValues();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

// The columns left and right of the lines are wide enough for what is written there, and they only grow: nothing jumps. Before
// the first value nothing is written on the right.
void LiveChart::reserveMargins() {
  const QFontMetrics small = metricsOf(m_plot->yAxis->tickLabelFont());
  int left = small.horizontalAdvance(QStringLiteral("0000"));
  for (const double line : m_axis.gridLines())
    left = std::max(left, small.horizontalAdvance(m_words(line)));
  int right = m_valueWidth;
  for (const Curve &curve : m_curves)
    right = std::max({right, metricsOf(curve.value->font()).horizontalAdvance(m_words(m_axis.top())),
                      std::min(small.horizontalAdvance(curve.name), std::max(60, width() / 4))});
  m_needed = {left + 2 * gapBesideValue, m_bare ? 0 : right + 2 * gapBesideValue};
  const int above = small.height() * 3 / 4; // a fallback font's digits are higher than the metrics say
  const Sides drawn = drawnSides();
  m_plot->axisRect()->setMargins({drawn.left, above, drawn.right, above});
}

void LiveChart::setLeastSides(Sides least) {
  if (least == m_least)
    return;
  m_least = least;
  reserveMargins();
  placeValues();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void LiveChart::placeValues() {
  const QMargins margins = m_plot->axisRect()->margins();
  const double extent = std::max(1, m_plot->height() - margins.top() - margins.bottom());
  std::vector<double> centres;
  double height = 0;
  for (Curve &curve : m_curves) {
    const bool known = !std::isnan(curve.newest);
    curve.value->setText(known ? m_words(curve.newest) : QString(QChar(0x2014)));
    curve.value->setVisible(!m_bare);
    double needed = metricsOf(curve.value->font()).height();
    if (curve.caption) {
      const QFontMetrics small = metricsOf(curve.caption->font());
      curve.caption->setText(small.elidedText(curve.name, Qt::ElideRight, margins.right() - gapBesideValue));
      curve.caption->setVisible(!m_bare);
      needed += small.height();
    }
    height = std::max(height, needed);
    centres.push_back(extent * (1 - (known ? std::min(1.0, curve.newest / m_axis.top()) : 0)));
  }
  spreadLabels(centres, height, extent);
  for (std::size_t i = 0; i < m_curves.size(); ++i) {
    const double half = m_curves[i].caption ? height / 4 : 0;
    m_curves[i].value->position->setCoords(1, (centres[i] - half) / extent);
    if (m_curves[i].caption)
      m_curves[i].caption->position->setCoords(1, (centres[i] + half) / extent);
  }
}

void LiveChart::sayNewest() {
  QString said = m_title;
  for (const Curve &curve : m_curves) {
    const QString value = std::isnan(curve.newest) ? tr("not known") : m_words(curve.newest);
    said = curve.name.isEmpty() ? tr("%1: %2").arg(said, value) : tr("%1; %2: %3").arg(said, curve.name, value);
  }
  setAccessibleName(said);
}

QSize LiveChart::sizeHint() const {
  const int line = fontMetrics().height();
  return {line * 22, line * 8};
}

QSize LiveChart::minimumSizeHint() const {
  const int line = fontMetrics().height();
  return {line * 9, line * 5}; // two beside each other leave room for the details in a window of 900 px
}

void LiveChart::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_plot && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange))
    dress();
}

void LiveChart::resizeEvent(QResizeEvent *event) {
  QWidget::resizeEvent(event);
  reserveMargins();
  placeValues();
}

void lineUp(std::initializer_list<LiveChart *> column) {
  LiveChart::Sides widest;
  for (const LiveChart *chart : column)
    widest = {std::max(widest.left, chart->sides().left), std::max(widest.right, chart->sides().right)};
  for (LiveChart *chart : column)
    chart->setLeastSides(widest);
}

} // namespace lockhouse::ui
