// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"

#include <QWidget>

class QStackedLayout;
class QToolButton;

namespace lockhouse::ui {

class Engine;
class EventListModel;
class PlainLabel;
class DockTable;

/// What happened, newest at the bottom: follows until somebody scrolls up or pauses.
class EventsDock : public QWidget {
  Q_OBJECT

public:
  explicit EventsDock(Engine &engine, QWidget *parent = nullptr);

signals:
  void lockChosen(const lockhouse::LockId &lock);

protected:
  bool eventFilter(QObject *watched, QEvent *event) override;

private:
  EventListModel *m_model = nullptr;
  DockTable *m_view = nullptr;
  QToolButton *m_follow = nullptr;
  QToolButton *m_pause = nullptr;
  PlainLabel *m_count = nullptr;
  QStackedLayout *m_stack = nullptr;

  void build();
  void wire(Engine &engine);
  void keepPlace(int removedRows);
  void cutAtWholeRows();
  void say();
};

} // namespace lockhouse::ui
