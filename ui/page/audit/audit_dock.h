// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/bridge/audit_check.h"

#include <QTimer>
#include <QWidget>

class QStackedLayout;

namespace lockhouse::ui {

class AuditCheckBox;
class AuditModel;
class Engine;
class PlainLabel;
class DockTable;

/// Every release that was tried with this audit log: who, what, why, and what came of it; newest first. Above them whether
/// their chain is sound: checked at the start, after each release, when somebody asks, and where another program has written there.
class AuditDock : public QWidget {
  Q_OBJECT

public:
  explicit AuditDock(Engine &engine, QWidget *parent = nullptr);

signals:
  void judged(lockhouse::ui::AuditStanding standing); ///< the chain of the log

private:
  static constexpr int mostRecords = 2000;

  AuditModel *m_model = nullptr;
  AuditCheckBox *m_chain = nullptr;
  DockTable *m_view = nullptr;
  PlainLabel *m_empty = nullptr;
  QStackedLayout *m_stack = nullptr;
  QTimer m_second;
  QTimer m_rest; ///< since somebody else wrote there: the whole chain is walked when it has ended

  void build();
  void wire(Engine &engine);
};

} // namespace lockhouse::ui
