// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/stress/stress_run.h"
#include "ui/plot/time_series.h"

#include <QWidget>

namespace lockhouse::ui {

class LiveChart;

/// The charts of a stress run while it goes on: pairs, waits, clients that wait, losses.
class StressCharts : public QWidget {
  Q_OBJECT

public:
  explicit StressCharts(QWidget *parent = nullptr);

  void begin(bool isLatch); ///< clears what was recorded; see isLatch() for what a pair is
  void advance(const StressProgress &progress);

private:
  static constexpr std::size_t samples = 600; ///< a minute at ten a second
  static constexpr std::size_t leastSamples = 50;

  TimeSeries m_rate, m_waitP50, m_waitP99, m_waiting, m_lostLeases, m_lostAnswers;
  std::int64_t m_sample = 0;
  LiveChart *m_rateChart = nullptr;
  LiveChart *m_waitChart = nullptr;
  LiveChart *m_waitingChart = nullptr;
  LiveChart *m_lossChart = nullptr;

  void build();
  void setDefinitions(bool isLatch);
  void record(const StressProgress &progress);
  void draw();
};

} // namespace lockhouse::ui
