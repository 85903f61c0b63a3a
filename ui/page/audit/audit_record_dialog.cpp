// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/audit/audit_record_dialog.h"

#include "ui/widget/parts/action_button.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QPlainTextEdit>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int letters = 100;               ///< in a line
constexpr int fewestLines = 10, most = 26; ///< beyond which the text scrolls
constexpr int padding = 10;
constexpr int besideIt = 40; ///< of the screen, for the frame

} // namespace

AuditRecordDialog::AuditRecordDialog(const QString &report, QWidget *parent) : QDialog(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  setModal(true);
  setWindowTitle(tr("Audit record"));
  auto *text = new QPlainTextEdit(report, this);
  text->setReadOnly(true);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text->setTabChangesFocus(true);
  text->setFont(fixedFont());
  text->setAccessibleName(windowTitle());
  text->document()->setDocumentMargin(padding);
  auto *copy = new ActionButton(tr("Copy"), this);
  auto *close = new ActionButton(tr("Close"), this);
  close->setDefault(true);
  connect(copy, &QPushButton::clicked, this, [report] { copyPlain(report); });
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  auto *buttons = new QHBoxLayout;
  buttons->addWidget(copy);
  buttons->addStretch(1);
  buttons->addWidget(close);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  column->addWidget(text, 1);
  column->addLayout(buttons);
  const QFontMetrics metrics(text->font());
  const int lines = std::clamp(static_cast<int>(report.count(u'\n')) + 2, fewestLines, most);
  const QSize wanted(metrics.horizontalAdvance(u'0') * letters, metrics.lineSpacing() * lines + 2 * padding + close->sizeHint().height() + 60);
  resize(wanted.boundedTo(screen()->availableGeometry().size() - QSize(besideIt, besideIt)));
  text->setFocus();
}

} // namespace lockhouse::ui
