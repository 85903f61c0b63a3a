// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lab/stress/stress_run.h"

#include <QWidget>

#include <array>

class QGridLayout;

namespace lockhouse::ui {

class PlainLabel;

/// What a stress run checks, what it found, and what that means: a small table with a line of text below each row.
class StressChecks : public QWidget {
  Q_OBJECT

public:
  explicit StressChecks(QWidget *parent = nullptr);

  /// The results will be those of this run.
  void begin(const StressOptions &options);
  void clear();
  void say(std::uint64_t violations, std::uint64_t lost, std::uint64_t inDoubt);
  void finish(const StressReport &report);

protected:
  void changeEvent(QEvent *event) override;
  void paintEvent(QPaintEvent *event) override;

private:
  struct Row {
    PlainLabel *what = nullptr;
    PlainLabel *found = nullptr;
    PlainLabel *meaning = nullptr;
  };

  QGridLayout *m_grid = nullptr;
  bool m_isOfLatch = false; // its clients do not exclude each other, see isLatch()
  Row m_headings, m_exclusion, m_service, m_losses, m_doubts, m_cost;

  Row addRow(const QString &what);
  void dress();
};

} // namespace lockhouse::ui
