// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/lock_snapshot.h"

#include <QWidget>

class QStackedLayout;
class QTableView;
class QToolButton;

namespace lockhouse::ui {

class Engine;
class EventListModel;
class PlainLabel;

/// What happened, newest at the bottom: follows until somebody scrolls up or pauses.
class EventList : public QWidget {
  Q_OBJECT

public:
  explicit EventList(Engine &engine, QWidget *parent = nullptr);

signals:
  void lockChosen(const lockhouse::LockId &lock);

private:
  EventListModel *m_model = nullptr;
  QTableView *m_view = nullptr;
  QToolButton *m_follow = nullptr;
  QToolButton *m_pause = nullptr;
  PlainLabel *m_count = nullptr;
  QStackedLayout *m_stack = nullptr;

  void build();
  void wire(Engine &engine);
  void keepPlace(int removedRows);
  void say();
};

} // namespace lockhouse::ui
