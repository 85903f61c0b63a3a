// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/stress/stress_run.h"
#include "ui/plot/time_series.h"
#include "ui/widget/style/theme.h"

#include <QWidget>

#include <array>

class QGridLayout;
class QProgressBar;

namespace lockhouse::ui {

class Figure;
class StressChecks;
class LiveChart;
class PlainLabel;

/// What a stress run shows while it goes on and what it has found when it is over.
class StressFigures : public QWidget {
  Q_OBJECT

public:
  explicit StressFigures(QWidget *parent = nullptr);

  void begin(const StressOptions &options);
  void advance(const StressProgress &progress);
  void finish(const StressReport &report);
  void abandon(); ///< the run did not start, or failed: no verdict

protected:
  void changeEvent(QEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  static constexpr std::size_t samples = 600; ///< a minute at ten a second
  static constexpr std::size_t leastSamples = 50;

  StressOptions m_options;
  TimeSeries m_rate, m_waitP50, m_waitP99, m_waiting, m_lostLeases, m_lostAnswers;
  std::int64_t m_sample = 0;
  Theme::Ink Theme::*m_verdictInk = nullptr; ///< null while there is no verdict
  Figure *m_perSecond = nullptr;
  Figure *m_pairs = nullptr;
  Figure *m_fairness = nullptr;
  Figure *m_commands = nullptr;
  Figure *m_lost = nullptr;
  QWidget *m_numbers = nullptr;
  QWidget *m_judgement = nullptr;
  QGridLayout *m_head = nullptr;
  PlainLabel *m_verdict = nullptr;
  PlainLabel *m_checkedOn = nullptr;
  QProgressBar *m_progress = nullptr;
  LiveChart *m_rateChart = nullptr;
  LiveChart *m_waitChart = nullptr;
  LiveChart *m_waitingChart = nullptr;
  LiveChart *m_lossChart = nullptr;
  StressChecks *m_checks = nullptr;

  void build();
  QWidget *makeFigures();
  QWidget *makeJudgement();
  QWidget *makeCharts();
  void placeJudgement();
  void sayDefinitions();
  void dress();
  void sayVerdict(std::uint64_t violations, std::uint64_t pairs, bool over);
  void setProgress(const StressProgress &progress);
  void record(const StressProgress &progress);
  void draw();
};

} // namespace lockhouse::ui
