// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace lockhouse::ui {

/// One row of the audit log, whole: of many that were sent together each lock, its node and its verdict. To be read, selected and copied by
/// keyboard; shown with open(), deletes itself when closed.
class AuditRecordDialog : public QDialog {
  Q_OBJECT

public:
  AuditRecordDialog(const QString &report, QWidget *parent);
};

} // namespace lockhouse::ui
