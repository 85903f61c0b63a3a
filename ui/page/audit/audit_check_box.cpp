// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/audit/audit_check_box.h"

#include "ui/model/text/formatting.h"
#include "ui/model/text/message_text.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>

#include <utility>

namespace lockhouse::ui {

AuditCheckBox::AuditCheckBox(QWidget *parent) : QWidget(parent), m_said(new PlainLabel(this)), m_check(new QPushButton(tr("Check"), this)) {
  m_said->setWordWrap(true);
  m_said->setForegroundRole(QPalette::WindowText); // on the ground of a table it would be another
  m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_check->setToolTip(plainToolTip(tr("Walk the whole audit log again: every record against the one before it")));
  connect(m_check, &QPushButton::clicked, this, [this] {
    if (!std::exchange(m_isAsked, true)) // it stays enabled until that is answered, or the keyboard would go elsewhere
      emit checkAsked();
  });
  m_check->installEventFilter(this);
  auto *row = new QHBoxLayout(this);
  row->setContentsMargins(8, 6, 8, 6); // as the cells below
  row->setSpacing(12);
  row->addWidget(m_said, 1);
  row->addWidget(m_check, 0, Qt::AlignTop);
  setVisible(false);
  dress();
}

void AuditCheckBox::show(const AuditCheck &check) {
  m_isBroken = check.why || check.records < m_mostRecords;
  m_said->setText(wordsOf(check));
  if (!m_isBroken) {
    m_mostRecords = check.records;
    m_mostAt = check.at;
  }
  m_isAsked = false;
  setVisible(m_isBroken || check.records > 0);
  dress();
  emit judged(!m_isBroken ? AuditStanding::Sound : check.isUnread ? AuditStanding::Unread : AuditStanding::NotSound);
}

// A log that an older copy of it has taken the place of is sound in itself; only whoever saw the newer one can tell.
QString AuditCheckBox::wordsOf(const AuditCheck &check) const {
  const QString at = timeOfDay(check.at);
  if (check.why) {
    const QString opening = check.isUnread ? tr("The audit log could not be checked at %1: it cannot be opened.") : tr("The audit log is not sound, as of %1.");
    QStringList said{opening.arg(at), messageSentence(check.why->what)};
    if (!check.why->where.empty())
      said << tr("File: %1.").arg(shown(check.why->where));
    if (!check.why->next.empty())
      said << messageSentence(check.why->next);
    return said.join(tr(" ", "between two sentences"));
  }
  if (m_isBroken)
    return tr("The audit log is shorter than it was: %1 records at %2, now %3. An older copy took its place, or it was removed.")
        .arg(countText(m_mostRecords), timeOfDay(m_mostAt), countText(check.records));
  const int records = static_cast<int>(std::min<std::uint64_t>(check.records, 2'000'000'000));
  if (check.unanswered > 0)
    return tr("Chain sound: %n records checked at %1; what was asked and has no outcome here: %2", nullptr, records).arg(at, countText(check.unanswered));
  return tr("Chain sound: %n records checked at %1; what was asked and what came of it are one each, and one row below", nullptr, records).arg(at);
}

QString AuditCheckBox::text() const { return m_said->text(); }

// Outside a dialog a button takes no Return.
bool AuditCheckBox::eventFilter(QObject *watched, QEvent *event) {
  const auto *key = event->type() == QEvent::KeyPress ? static_cast<const QKeyEvent *>(event) : nullptr;
  if (key == nullptr || key->isAutoRepeat() || (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter))
    return QWidget::eventFilter(watched, event);
  m_check->click();
  return true;
}

void AuditCheckBox::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_check && event->type() == QEvent::PaletteChange)
    dress();
}

void AuditCheckBox::dress() {
  const Theme theme = Theme::of(palette());
  QPalette own = m_said->palette();
  own.setColor(QPalette::WindowText, m_isBroken ? theme.danger.ink : theme.soft);
  if (own != m_said->palette())
    m_said->setPalette(own);
}

} // namespace lockhouse::ui
