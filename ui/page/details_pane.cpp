// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/details_pane.h"

#include "ui/model/evidence_words.h"
#include "ui/model/family_words.h"
#include "ui/model/format.h"
#include "ui/model/lock_sentence.h"
#include "ui/page/window_actions.h"
#include "ui/widget/badge.h"
#include "ui/widget/key_button.h"
#include "ui/widget/lease_bar.h"
#include "ui/widget/line_list.h"
#include "ui/widget/plain_text.h"
#include "ui/widget/prose.h"
#include "ui/widget/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using Look = LineList::Look;

QString modeWord(HoldMode mode) {
  switch (mode) {
  case HoldMode::Exclusive: return {};
  case HoldMode::Read: return DetailsPane::tr("reads");
  case HoldMode::Write: return DetailsPane::tr("writes");
  }
  return {};
}

QString certainty(double confidence, std::size_t facts) {
  const QString count = DetailsPane::tr("%n facts", nullptr, static_cast<int>(facts));
  if (confidence >= 0.95)
    return DetailsPane::tr("certain, %1").arg(count);
  return DetailsPane::tr("%1 sure, %2", "percent, number of facts").arg(percent(confidence), count);
}

LineList::Line wrapping(const QString &text) { return {.left = {text, Look::Soft}, .middle = {}, .right = {}, .beforeRight = {}, .wraps = true}; }

QString placeText(const Waiter &waiter, SteadyTime now) {
  if (!waiter.leavesAt)
    return {};
  return *waiter.leavesAt > now ? DetailsPane::tr("leaves in %1").arg(brief(*waiter.leavesAt - now))
                                : DetailsPane::tr("lapsed %1 ago").arg(brief(now - *waiter.leavesAt));
}

} // namespace

DetailsPane::DetailsPane(WindowActions &actions, const Families &families, QWidget *parent) : QScrollArea(parent), m_families(families) {
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
  m_buttons = buildButtons(actions);
  layout->addWidget(m_buttons);
  m_lease = makeSection(tr("Lease"));
  addLeaseBar();
  m_holders = makeSection(tr("Holders"));
  m_queue = makeSection(tr("Queue"));
  m_family = makeSection(tr("Family"));
  m_freeing = makeSection(tr("Releasing it"));
  m_history = makeSection(tr("History"));
  layout->addStretch(1);

  setWidget(m_body);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Details"));
  setFocusPolicy(Qt::StrongFocus);
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

QWidget *DetailsPane::buildButtons(WindowActions &actions) {
  auto *row = new QWidget;
  auto *layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 4, 0, 4);
  layout->setSpacing(8);
  layout->addWidget(new KeyButton(actions.release, row, KeyButton::Tone::Danger, false));
  layout->addWidget(new KeyButton(actions.shorten, row, KeyButton::Tone::Plain, false));
  layout->addWidget(new KeyButton(actions.copy, row, KeyButton::Tone::Plain, false));
  layout->addStretch(1);
  return row;
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
  m_buttons->show();
  m_family.box->show();
  setTitle(row->key, true);
  m_badge->setState(row->state, row->releasedAt ? goneWord(row->cause) : QString());
  m_sentence->setText(lockSentence(*row, now));
  showLease(*row, now);
  showHolders(*row);
  showQueue(*row, now);
  showFamily(*row);
  showFreeing(*row);
}

void DetailsPane::setHidden(const QString &key) {
  showNothing(key, true,
              tr("The lock that was selected is not among those shown now. It is selected again as soon as the filter and the view let it through."));
}

void DetailsPane::showNothing(const QString &title, bool isName, const QString &sentence) {
  m_badge->hide();
  m_buttons->hide();
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
  // Keeps its width while it counts down, so that the bar beside it stands still.
  const auto widest = left && *left < std::chrono::minutes(1) ? milliseconds(59'900) : milliseconds(3'599'000);
  m_left->setMinimumWidth(left ? m_left->fontMetrics().horizontalAdvance(seconds1(widest)) : 0);
  // What was there before its arrival could be watched may have been longer.
  const bool whole = record.heldSinceExact || record.renewals > 0;
  m_lease.note->setText(!record.lease ? QString() : whole ? seconds1(*record.lease) : atLeast(*record.lease));
}

void DetailsPane::showHolders(const LockRow &row) {
  const LockRecord &record = *row.record;
  m_holders.box->setVisible(record.isHeld() && !row.releasedAt);
  m_holders.note->setText(record.holders.size() > 1 ? countText(record.holders.size()) : QString());
  std::vector<LineList::Line> lines;
  for (const Holder &holder : record.holders) {
    if (lines.size() == mostInQueue)
      break;
    const QString depth = holder.count == 1 ? QString() : QStringLiteral("×%1").arg(holder.count);
    lines.push_back({{shown(holder.id, 60), Look::Fixed}, {}, {depth}, {modeWord(holder.mode), Look::Soft}});
  }
  if (record.holders.size() > mostInQueue)
    lines.push_back({{tr("and %n more", nullptr, static_cast<int>(record.holders.size() - mostInQueue)), Look::Soft}, {}, {}, {}});
  m_holders.lines->setLines(std::move(lines));
}

void DetailsPane::showQueue(const LockRow &row, SteadyTime now) {
  const LockRecord &record = *row.record;
  m_queue.note->setText(waitersText(record.waiters));
  m_queue.box->setVisible(record.waiters != std::optional<std::uint64_t>(0) && !row.releasedAt);
  std::vector<LineList::Line> lines;
  for (const Waiter &waiter : record.queue) {
    if (lines.size() == mostInQueue)
      break;
    lines.push_back({{countText(lines.size() + 1), Look::Soft}, {holderName(waiter.id), Look::Fixed}, {placeText(waiter, now), Look::Soft}, {}});
  }
  if (record.queue.size() > mostInQueue)
    lines.push_back({{}, {tr("and %n more", nullptr, static_cast<int>(record.queue.size() - mostInQueue)), Look::Soft}, {}, {}});
  if (!record.waiters)
    lines.push_back(wrapping(waitersUnknown(record)));
  m_queue.lines->setVisible(!lines.empty());
  m_queue.lines->setLines(std::move(lines));
}

void DetailsPane::showFamily(const LockRow &row) {
  const LockRecord &record = *row.record;
  m_family.note->setText(certainty(record.confidence, record.evidence.size()));
  std::vector<LineList::Line> lines;
  const Family *family = m_families.find(record.family);
  lines.push_back({{family ? familyTitle(*family) : row.family}, {}, {kindWord(record.kind), Look::Soft}, {}});
  if (family && !family->about.empty())
    lines.push_back(wrapping(familyAbout(*family)));
  if (!record.mayBe.empty())
    lines.push_back(wrapping(tr("May also be: %1").arg(familyNames(record.mayBe))));
  for (const Extra &extra : record.extras)
    lines.push_back({{extraName(extra.name), Look::Soft}, {}, {shown(extra.value, 34), Look::Fixed}, {}});
  for (const std::string &fact : record.evidence)
    lines.push_back(wrapping(evidenceText(fact)));
  lines.push_back({{tr("Fence"), Look::Soft}, {}, {record.fence ? countText(record.fence->value) : tr("none", "no fencing token"), Look::Soft}, {}});
  lines.push_back({{tr("Node"), Look::Soft}, {}, {shown(record.id.node.bytes(), 34), Look::FixedFaint}, {}});
  lines.push_back({{tr("Database"), Look::Soft}, {}, {QString::number(record.id.db), Look::Soft}, {}});
  m_family.lines->setLines(std::move(lines));
}

// What it takes to free a lock of this family, and what happens to its users then.
void DetailsPane::showFreeing(const LockRow &row) {
  const Family *family = m_families.find(row.record->family);
  std::vector<LineList::Line> lines;
  for (const QString &sentence : family &&row.record->isHeld() && !row.releasedAt ? familyAdvice(*family) : QStringList())
    lines.push_back(wrapping(sentence));
  m_freeing.box->setVisible(!lines.empty());
  m_freeing.lines->setLines(std::move(lines));
}

void DetailsPane::setHistory(const std::vector<LockChange> &changes) {
  m_history.box->setVisible(!changes.empty());
  std::vector<LineList::Line> lines;
  for (const LockChange &change : changes)
    lines.push_back({.left = {timeOfDay(change.at), Look::FixedFaint}, .middle = {changeText(change)}, .right = {}, .beforeRight = {}, .wraps = true});
  m_history.lines->setLines(std::move(lines));
}

QString DetailsPane::text() const { return m_sentence->text(); }

void DetailsPane::changeEvent(QEvent *event) {
  QScrollArea::changeEvent(event);
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
