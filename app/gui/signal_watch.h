// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QSocketNotifier;

namespace lockhouse::ui {

/// Turns SIGINT and SIGTERM into a signal on the GUI thread, so that the program closes as if its window had been closed.
/// One at a time.
class SignalWatch : public QObject {
  Q_OBJECT

public:
  explicit SignalWatch(QObject *parent = nullptr);
  ~SignalWatch() override;

signals:
  void asked();

private:
  QSocketNotifier *m_notifier = nullptr;
};

} // namespace lockhouse::ui
