// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/stress/stress_run.h"
#include "ui/widget/style/theme.h"

#include <QWidget>

class QGridLayout;
class QProgressBar;

namespace lockhouse::ui {

class Figure;
class StressCharts;
class StressChecks;
class PlainLabel;

/// The numbers, charts and checks of a stress run, while it goes on and when it has ended.
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
  StressOptions m_options;
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
  StressCharts *m_charts = nullptr;
  StressChecks *m_checks = nullptr;

  void build();
  QWidget *makeFigures();
  QWidget *makeJudgement();
  void placeJudgement();
  void applyTheme();
  void showVerdict(std::uint64_t violations, std::uint64_t pairs, bool over);
  void setProgress(const StressProgress &progress);
};

} // namespace lockhouse::ui
