// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/plot_geometry.h"
#include "ui/plot/time_series.h"
#include "ui/widget/style/theme.h"

#include <QWidget>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

class QCPItemText;
class QCPGraph;
class QCustomPlot;

namespace lockhouse::ui {

class PlainLabel;

/// One idea over time, drawn small: a title, three grid lines, no frame, the newest value readable at the right end of its line.
/// Follows the palette. The plot inside is repainted at most once a frame, however often show() is called.
class LiveChart : public QWidget {
  Q_OBJECT

public:
  using Ink = Theme::Ink Theme::*;
  using Words = std::function<QString(double)>;
  struct Line {
    QString name; ///< beside the newest value; empty for a chart of one line
    Ink ink;
  };

  LiveChart(const QString &title, std::vector<Line> lines, Words words, QWidget *parent = nullptr);

  /// What exactly is drawn, in sentences: the tooltip and the accessible description.
  void setDefinition(const QString &definition);
  /// The top of the scale while values are small.
  void setSmallestTop(double top);
  /// Draws the buckets up to and including `last`, as many as the window holds; one series for each line.
  void show(const std::vector<const TimeSeries *> &series, std::int64_t last);
  /// How much of a series is drawn; the whole ring if zero.
  void setWindow(std::size_t buckets) { m_window = buckets; }
  /// The room that is needed left and right of the lines for what is written there; and at least as much for both, so that
  /// charts one above the other begin and end alike.
  struct Sides {
    int left = 0, right = 0;
    bool operator==(const Sides &) const = default;
  };
  Sides sides() const { return m_needed; }
  Sides drawnSides() const { return {std::max(m_needed.left, m_least.left), std::max(m_needed.right, m_least.right)}; }
  void setLeastSides(Sides least);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void changeEvent(QEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  struct Curve {
    QString name;
    Ink ink;
    QCPGraph *graph = nullptr;
    QCPItemText *value = nullptr;
    QCPItemText *caption = nullptr; ///< its name, below the value; null for a chart of one line
    double newest = TimeSeries::gap;
  };

  QString m_title;
  Words m_words;
  std::vector<Curve> m_curves;
  ValueAxis m_axis;
  std::size_t m_window = 0;
  PlainLabel *m_heading = nullptr;
  QCustomPlot *m_plot = nullptr;
  int m_valueWidth = 0; ///< of the widest value so far
  Sides m_needed, m_least;
  bool m_bare = true; ///< nothing was drawn yet

  void build(std::vector<Line> lines);
  void buildPlot();
  QCPItemText *makeText();
  void dress();
  void reserveMargins();
  double draw(Curve &curve, const TimeSeries &series, std::int64_t first, std::int64_t last);
  void placeValues();
  void sayNewest();
};

/// Gives charts that stand one above the other the same sides.
void lineUp(std::initializer_list<LiveChart *> column);

} // namespace lockhouse::ui
