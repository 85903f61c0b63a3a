// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/bridge/audit_check.h"

#include <QWidget>

class QPushButton;

namespace lockhouse::ui {

class PlainLabel;

/// A quiet line on whether the audit log's chain is sound, and since when that is known; in red which link is broken. Gone while
/// there is no log. It says the newest check until the next one: whatever else becomes of the records, a broken link stays told.
class AuditCheckBox : public QWidget {
  Q_OBJECT

public:
  explicit AuditCheckBox(QWidget *parent = nullptr);

  void show(const AuditCheck &check);
  QString text() const;

signals:
  void checkAsked();
  void judged(lockhouse::ui::AuditStanding standing);

protected:
  bool eventFilter(QObject *watched, QEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  PlainLabel *m_said = nullptr;
  QPushButton *m_check = nullptr;
  bool m_isAsked = false; ///< and not answered yet
  bool m_isBroken = false;
  std::uint64_t m_mostRecords = 0; ///< that were ever seen sound here
  WallTime m_mostAt{};

  QString wordsOf(const AuditCheck &check) const;
  void dress();
};

} // namespace lockhouse::ui
