// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_snapshot.h"
#include "ui/bridge/audit_check.h"

#include <QStatusBar>

namespace lockhouse::ui {

class PlainLabel;

/// At the foot: each node with a dot for its state; what the sweeps found amiss; what was changed from here.
class StatusLine : public QStatusBar {
  Q_OBJECT

public:
  explicit StatusLine(QWidget *parent = nullptr);
  void setNodes(const std::vector<NodeStatus> &nodes);
  void setWrites(quint64 locks, quint64 nodes); ///< what was changed from here, and on how many nodes
  void setAudit(AuditStanding standing);        ///< of the log in which that is written

protected:
  void changeEvent(QEvent *event) override;

private:
  class Nodes;
  Nodes *m_nodes = nullptr;
  PlainLabel *m_divergences = nullptr;
  PlainLabel *m_writes = nullptr;
  QString m_written;
  AuditStanding m_audit = AuditStanding::Sound;

  void sayWrites();
};

} // namespace lockhouse::ui
