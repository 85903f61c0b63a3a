// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/model/locks/health_summary.h"

#include <QWidget>

namespace lockhouse::ui {

class Figure;
class PlainLabel;

/// Always visible: where we are, how much there is, how sure and how fresh it is, what it costs the server.
class HealthBar : public QWidget {
  Q_OBJECT

public:
  explicit HealthBar(bool demo, QWidget *parent = nullptr);
  void setHealth(const HealthSummary &health);
  void setShowsDoubtful(bool shows); ///< from the next truth on: whether the doubtful rows are counted too
  void setUnlocked(bool unlocked);

protected:
  void changeEvent(QEvent *event) override;
  void paintEvent(QPaintEvent *event) override;

private:
  bool m_demo;
  bool m_unlocked = false;
  bool m_showsDoubtful = false;
  HealthSummary::Mood m_mood = HealthSummary::Mood::Waiting;
  PlainLabel *m_badge = nullptr;
  Figure *m_nodes = nullptr, *m_locks = nullptr, *m_waiters = nullptr, *m_oldest = nullptr, *m_load = nullptr;
  PlainLabel *m_match = nullptr;
  PlainLabel *m_means = nullptr;

  void build();
  void dress();
};

} // namespace lockhouse::ui
