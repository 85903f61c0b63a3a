// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"
#include "ui/plot/held_series.h"
#include "ui/plot/rate_series.h"

#include <QTimer>
#include <QWidget>

namespace lockhouse::ui {

class Engine;
class LiveChart;
class PlainLabel;

/// The last five minutes in four small charts, one idea each: locks held, known waiters, what was acquired and contended per
/// second, and how long holds lasted.
class ChartsDock : public QWidget {
  Q_OBJECT

public:
  explicit ChartsDock(Engine &engine, QWidget *parent = nullptr);

protected:
  void showEvent(QShowEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  HeldSeries m_held;
  RateSeries m_rates;
  QTimer m_second;
  LiveChart *m_heldChart = nullptr;
  LiveChart *m_waitersChart = nullptr;
  LiveChart *m_rateChart = nullptr;
  LiveChart *m_holdChart = nullptr;
  PlainLabel *m_coverage = nullptr;
  std::optional<SteadyTime> m_since; ///< of the first snapshot

  void build();
  void takeSnapshot(const LockSnapshotPtr &snapshot);
  void takeChanges(const std::vector<LockChange> &changes);
  void tick();
  void draw(SteadyTime now);
  seconds shownSpan(SteadyTime now) const;
  void sayCoverage(SteadyTime now);
  void dress();
};

} // namespace lockhouse::ui
