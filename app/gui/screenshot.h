// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <QObject>
#include <QTimer>

namespace lockhouse::ui {

class Engine;
class MainWindow;

/// Waits until every node is live and scanned, or down, and what the page shows has had time to unfold; then writes the picture
/// and quits the program: 0, or 2 when the file cannot be written. Of the demo's lab it makes a run first; elsewhere it only looks.
class Screenshot : public QObject {
  Q_OBJECT

public:
  static constexpr int settle = 3000;       ///< ms after every node has said how it is
  static constexpr int chartsSettle = 8500; ///< the same for charts, which need a past to show
  static constexpr int patience = 20000;    ///< ms after which the picture is taken as things are

  Screenshot(MainWindow &window, Engine &engine, QString file, QString page);

private:
  MainWindow &m_window;
  Engine &m_engine;
  QString m_file, m_page;
  QTimer m_settle, m_patience;

  void look(const LockSnapshot &snapshot);
  void prepare();
  void choose();
  void open();
  void spreadTable();
  void runLab();
  void take();
  void finish(const QPixmap &picture);
};

} // namespace lockhouse::ui
