// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace lockhouse::ui {

class Engine;
class StressChoices;
class StressFigures;
class Banner;
struct StressOutcome;

/// The same stress runs as `lockhousectl stress`: choices on the left, verdict, figures and charts on the right. A run goes to one
/// of the watched nodes; unless that is the demo's, its name has to be typed first, which allows this run and nothing else.
class StressPage : public QWidget {
  Q_OBJECT

public:
  explicit StressPage(Engine &engine, QWidget *parent = nullptr);
  void start(); ///< what the button does: nothing while a run goes on or the node is not confirmed

private:
  Engine &m_engine;
  StressChoices *m_choices = nullptr;
  StressFigures *m_figures = nullptr;
  Banner *m_trouble = nullptr;
  QPushButton *m_start = nullptr;
  QPushButton *m_stop = nullptr;
  bool m_running = false;

  void build();
  QWidget *makePanel();
  void wire();
  void finish(const StressOutcome &outcome);
  void setRunning(bool running);
  void sayButtons();
};

} // namespace lockhouse::ui
