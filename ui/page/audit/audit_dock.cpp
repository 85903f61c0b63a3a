// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/audit/audit_dock.h"

#include "ui/bridge/engine.h"
#include "ui/model/tables/audit_model.h"
#include "ui/model/text/message_text.h"
#include "ui/page/audit/audit_check_box.h"
#include "ui/page/audit/audit_record_dialog.h"
#include "ui/widget/parts/dock_table.h"
#include "ui/widget/style/plain_text.h"

#include <QStackedLayout>

namespace lockhouse::ui {

AuditDock::AuditDock(Engine &engine, QWidget *parent) : QWidget(parent) {
  build();
  wire(engine);
  engine.followAudit();
  engine.loadAudit(mostRecords);
  engine.checkAudit();
}

void AuditDock::build() {
  m_model = new AuditModel(this);
  m_chain = new AuditCheckBox(this); // above the table, so Tab comes to it first
  m_view = new DockTable(this);
  m_view->setModel(m_model);
  m_view->setAccessibleName(tr("Audit log"));
  // Time, verdict, lock, holder, reason, node, who, record: names give way before anything that is short and has to be read whole.
  m_view->setColumnBounds({{24, 24}, {32, 32}, {10, 30}, {14, 28}, {12, 24}, {16, 22}, {24, 24}, {12, 12}}, AuditModel::Reason);
  m_empty = new PlainLabel({}, this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(16);
  m_stack = new QStackedLayout;
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_view);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_chain);
  column->addLayout(m_stack, 1);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
}

void AuditDock::wire(Engine &engine) {
  connect(&engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) { m_model->setNodes(NodeNames(snapshot->nodes)); });
  connect(m_view, &DockTable::activated, this, [this](const QModelIndex &index) { (new AuditRecordDialog(m_model->report(index.row()), this))->open(); });
  const auto look = [&engine] {
    engine.loadAudit(mostRecords);
    engine.checkAudit();
  };
  connect(&engine, &Engine::applied, this, look);
  connect(&engine, &Engine::manyApplied, this, look);
  connect(&engine, &Engine::auditChanged, this, [this, &engine] {
    engine.loadAudit(mostRecords);
    m_rest.start();
  });
  m_rest.setSingleShot(true);
  m_rest.setInterval(3000);
  connect(&m_rest, &QTimer::timeout, &engine, &Engine::checkAudit);
  connect(m_chain, &AuditCheckBox::checkAsked, this, look);
  connect(m_chain, &AuditCheckBox::judged, this, &AuditDock::judged);
  connect(&m_second, &QTimer::timeout, this, [this, &engine] {
    if (isVisible())
      engine.followAudit();
  });
  m_second.start(1000);
  connect(&engine, &Engine::auditChecked, m_chain, &AuditCheckBox::show);
  connect(&engine, &Engine::auditChecked, this, [this](const AuditCheck &check) { m_model->setMisfit(check.misfit); });
  connect(&engine, &Engine::auditLoaded, this, [this](const std::vector<AuditRecord> &records, const std::optional<Error> &error) {
    if (!error)
      m_model->take(records);
    m_empty->setText(error ? tr("The audit log cannot be read, and without it nothing can be released: %1").arg(errorText(*error))
                           : tr("No release is recorded here. Every release that is tried is written down here first, with its reason."));
    m_stack->setCurrentWidget(!error && m_model->rowCount() > 0 ? static_cast<QWidget *>(m_view) : m_empty);
  });
}

} // namespace lockhouse::ui
