// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/details_pane.h"

#include "ui/model/locks/lock_summary.h"
#include "ui/model/text/formatting.h"
#include "ui/page/actions/window_actions.h"
#include "ui/page/locks/details_lines.h"
#include "ui/widget/cells/badge.h"
#include "ui/widget/cells/lease_bar.h"
#include "ui/widget/parts/key_button.h"
#include "ui/widget/parts/line_list.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/prose.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {
DetailsPane::DetailsPane(WindowActions &actions, const FamilyRegistry &families, QWidget *parent) : ScrollPane(Stop::Always, parent), m_families(families) {
  build(actions);
  dress();
  setLock(nullptr, {});
}

void DetailsPane::build(WindowActions &actions) {
  m_body = new QWidget;
  auto *layout = new QVBoxLayout(m_body);
  layout->setContentsMargins(16, 14, 16, 14);
  layout->setSpacing(8);
  layout->addWidget(buildHead());
  m_sentence = new Prose;
  layout->addWidget(m_sentence);
  buildButtons(actions);
  m_lease = makeSection(tr("Lease"));
  addLeaseBar();
  m_holders = makeSection(tr("Holders"));
  m_members = makeSection(tr("Members"));
  m_queue = makeSection(tr("Queue"));
  m_family = makeSection(tr("Family"));
  m_releasing = makeSection(tr("Releasing it"));
  m_history = makeSection(tr("History"));
  layout->addStretch(1);

  setWidget(m_body);
  setAccessibleName(tr("Details"));
}

QWidget *DetailsPane::buildHead() {
  auto *head = new QWidget;
  auto *layout = new QHBoxLayout(head);
  layout->setContentsMargins(0, 0, 0, 0);
  m_name = new PlainLabel;
  m_name->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_badge = new StateBadge;
  layout->addWidget(m_name, 1);
  layout->addWidget(m_badge);
  return head;
}

void DetailsPane::buildButtons(WindowActions &actions) {
  const auto row = [this](std::initializer_list<std::pair<QAction *, KeyButton::Tone>> buttons) {
    auto *made = new QWidget;
    auto *layout = new QHBoxLayout(made);
    layout->setContentsMargins(0, 4, 0, 4);
    layout->setSpacing(8);
    for (const auto &[action, tone] : buttons)
      layout->addWidget(new KeyButton(action, made, tone, false));
    layout->addStretch(1);
    m_body->layout()->addWidget(made);
    return made;
  };
  using Tone = KeyButton::Tone;
  m_buttons = row({{actions.release, Tone::Danger}, {actions.shorten, Tone::Plain}, {actions.copy, Tone::Plain}});
  m_whyNot = new PlainLabel;
  m_whyNot->setWordWrap(true);
  m_whyNot->setForegroundRole(QPalette::PlaceholderText);
  m_body->layout()->addWidget(m_whyNot);
  m_manyButtons = row({{actions.releaseSelected, Tone::Danger}, {actions.copy, Tone::Plain}});
}

DetailsPane::Section DetailsPane::makeSection(const QString &title) {
  Section section;
  section.box = new QWidget;
  auto *layout = new QVBoxLayout(section.box);
  layout->setContentsMargins(0, 4, 0, 4);
  layout->setSpacing(3);
  auto *head = new QHBoxLayout;
  section.title = new PlainLabel(title);
  section.note = new PlainLabel;
  head->addWidget(section.title);
  head->addStretch(1);
  head->addWidget(section.note);
  layout->addLayout(head);
  section.lines = new LineList;
  section.lines->setAccessibleName(title);
  layout->addWidget(section.lines);
  m_body->layout()->addWidget(section.box);
  return section;
}

void DetailsPane::addLeaseBar() {
  auto *row = new QHBoxLayout;
  row->setSpacing(12);
  m_bar = new LeaseBar;
  m_left = new PlainLabel;
  row->addWidget(m_bar, 1);
  row->addWidget(m_left);
  static_cast<QVBoxLayout *>(m_lease.box->layout())->insertLayout(1, row);
}

void DetailsPane::setLock(const LockRow *row, SteadyTime now) {
  if (row == nullptr)
    return showNothing(tr("No lock selected"), false, tr("Choose a lock in the table to see who holds it, who waits, and why Lockhouse believes so."));
  m_badge->show();
  m_manyButtons->hide();
  m_buttons->show();
  m_whyNot->setText(whyNotReleased(*row));
  m_whyNot->setVisible(!m_whyNot->text().isEmpty());
  m_family.box->show();
  setTitle(shownName(row->record->id.key.bytes()), true);
  m_badge->setState(row->state, row->releasedAt ? goneWord(row->cause) : QString());
  m_sentence->setText(lockSentence(*row, now));
  showLease(*row, now);
  showHolders(*row, now);
  showMembers(*row, now);
  showQueue(*row, now);
  showFamily(*row);
}

void DetailsPane::setMany(const std::vector<LockRecordPtr> &locks, std::size_t gone) {
  showNothing(withGroups(tr("%n locks selected", nullptr, static_cast<int>(locks.size() + gone)), locks.size() + gone), false, selectedSentence(locks, gone));
  m_manyButtons->show();
}

void DetailsPane::setHidden(const QString &key) {
  showNothing(key, true,
              tr("The lock that was selected is not among those shown now. It is selected again as soon as the filter and the view let it through."));
}

void DetailsPane::showNothing(const QString &title, bool isName, const QString &sentence) {
  m_badge->hide();
  m_buttons->hide();
  m_whyNot->hide();
  m_manyButtons->hide();
  for (const Section &section : sections())
    section.box->hide();
  setTitle(title, isName);
  m_sentence->setText(sentence);
}

void DetailsPane::setTitle(const QString &text, bool isName) {
  m_name->setFont(isName ? scaledFont(fixedFont(), 1.1) : scaledFont(font(), 1.1, QFont::DemiBold));
  m_name->setText(m_name->fontMetrics().elidedText(text, Qt::ElideMiddle, std::max(m_name->width(), 80)));
  m_name->setToolTip(isName ? plainToolTip(text) : QString());
}

void DetailsPane::showLease(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  const auto left = timeLeft(record, now);
  m_lease.box->setVisible(record.isHeld() && !row.releasedAt);
  m_lease.lines->setVisible(false);
  m_bar->setVisible(left.has_value());
  m_bar->setLease(leaseLeft(record, now), row.state);
  m_left->setAlignment((left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  m_left->setText(left ? seconds1(*left) : tr("never expires"));
  // Keeps its width while it counts down, so that the bar next to it does not move.
  const auto widest = left && *left < std::chrono::minutes(1) ? milliseconds(59'900) : milliseconds(3'599'000);
  m_left->setMinimumWidth(left ? m_left->fontMetrics().horizontalAdvance(seconds1(widest)) : 0);
  // A hold that was there at the first scan may be older.
  const bool whole = record.heldSinceExact || record.renewals > 0;
  m_lease.note->setText(!record.lease ? QString() : whole ? seconds1(*record.lease) : atLeast(*record.lease));
}

void DetailsPane::showHolders(const LockRow &row, SteadyTime now) {
  const auto &holders = row.record->holders;
  m_holders.box->setVisible(row.record->isHeld() && !row.releasedAt);
  const QString least = row.record->unread > 0 ? QStringLiteral("≥") + QChar(0x2009) : QString();
  m_holders.note->setText(holders.size() > 1 ? least + countText(holders.size()) : QString());
  m_holders.lines->setLines(holderLines(row, now));
}

void DetailsPane::showQueue(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  m_queue.note->setText(waitersText(record, row.waits != Waits::Never));
  m_queue.box->setVisible((record.waiters != std::optional<std::uint64_t>(0) || !record.queue.empty()) && !row.releasedAt);
  auto lines = queueLines(row, now);
  m_queue.lines->setVisible(!lines.empty());
  m_queue.lines->setLines(std::move(lines));
}

void DetailsPane::showMembers(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  m_members.box->setVisible(!record.members.empty() && !row.releasedAt);
  const QString on = tr("%1 of %2").arg(countText(record.heldOn()), countText(record.masters));
  m_members.note->setText(record.seenLastOn() > 0 ? tr("%1, %2 as last seen", "3 of 3, 1 as last seen").arg(on, countText(record.seenLastOn())) : on);
  m_members.lines->setLines(memberLines(row, m_nodes, now));
}

void DetailsPane::showFamily(const LockRow &row) {
  const Family *family = m_families.find(row.record->family);
  m_family.note->setText(certainty(*row.record));
  m_family.lines->setLines(familyLines(row, m_families));
  auto releasing = releasingLines(row, family);
  m_releasing.box->setVisible(!releasing.empty());
  m_releasing.lines->setLines(std::move(releasing));
}

void DetailsPane::setHistory(const std::vector<LockChange> &changes) {
  m_history.box->setVisible(!changes.empty());
  m_history.lines->setLines(historyLines(changes));
}

QSize DetailsPane::minimumSizeHint() const {
  const QMargins around = m_body->layout()->contentsMargins();
  const int actions = std::max(m_buttons->minimumSizeHint().width(), m_manyButtons->minimumSizeHint().width());
  const int frame = viewportMargins().left() + viewportMargins().right();
  return {actions + around.left() + around.right() + frame + verticalScrollBar()->sizeHint().width(), ScrollPane::minimumSizeHint().height()};
}

QString DetailsPane::text() const { return m_sentence->text(); }

void DetailsPane::changeEvent(QEvent *event) {
  ScrollPane::changeEvent(event);
  if (m_body != nullptr && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    dress();
}

void DetailsPane::dress() {
  const Theme theme = Theme::of(palette());
  for (const Section &section : sections()) {
    for (PlainLabel *label : {section.title, section.note}) {
      label->setFont(scaledFont(font(), 0.88));
      QPalette own = label->palette();
      if (own.color(QPalette::WindowText) == theme.soft)
        continue;
      own.setColor(QPalette::WindowText, theme.soft);
      label->setPalette(own);
    }
  }
}

} // namespace lockhouse::ui
