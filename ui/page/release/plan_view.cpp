// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/plan_view.h"

#include "core/base/redisson_names.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/verdict_text.h"
#include "ui/page/release/before_after.h"
#include "ui/page/release/lease_length_picker.h"
#include "ui/page/release/plan_buttons.h"
#include "ui/page/release/plan_staleness_text.h"
#include "ui/page/release/release_flow.h"
#include "ui/widget/parts/banner.h"
#include "ui/widget/parts/no_wheel_combo.h"
#include "ui/widget/parts/scroll_pane.h"
#include "ui/widget/style/plain_text.h"

#include <QEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseFlow::Phase;

constexpr int margin = 24;
constexpr int spacing = 12;
constexpr int mostReason = 500;
constexpr std::size_t shownOfName = 64;

/// A row of a word and what is chosen for it.
QWidget *makeRow(const QString &text, QComboBox *choices, QWidget *parent) {
  auto *holder = new QWidget(parent);
  auto *label = new PlainLabel(text, holder);
  label->setBuddy(choices);
  auto *row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(choices, 1);
  return holder;
}

} // namespace

PlanView::PlanView(QWidget *parent) : QWidget(parent) {
  build();
  wireButtons();
  dress();
}

void PlanView::build() {
  m_title = new PlainLabel(this);
  m_title->setWordWrap(true);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // a name without a space cannot be broken: it must not widen all
  m_sentence = new PlainLabel(this);
  m_sentence->setWordWrap(true);
  auto *scroll = makeScroll();
  m_notice = new Banner(&Theme::contended, this);
  QWidget *why = makeReason();
  m_buttons = new PlanButtons(this); // the last that Tab comes to
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(margin, 20, margin, 20);
  column->setSpacing(spacing);
  column->addWidget(m_title);
  column->addWidget(m_sentence);
  column->addWidget(scroll, 1);
  column->addWidget(m_notice);
  column->addWidget(why);
  column->addWidget(m_buttons);
}

ScrollPane *PlanView::makeScroll() {
  m_scroll = new ScrollPane(ScrollPane::Stop::WhileItScrolls, this);
  m_scroll->setAccessibleName(tr("The plan"));
  m_scroll->setMinimumHeight(60);
  auto *content = new QWidget;
  QWidget *holders = makeHolderRow(content); // in the order of reading, which is that of Tab
  m_length = new LeaseLengthPicker(content);
  connect(m_length, &LeaseLengthPicker::chosen, this, &PlanView::lengthChosen);
  m_risks = new Banner(&Theme::danger, content);
  m_refusal = new Banner(&Theme::contended, content);
  m_facts = new BeforeAfter(content);
  m_softer = new PlainLabel(content);
  m_softer->setWordWrap(true);
  m_softer->setForegroundRole(QPalette::PlaceholderText);
  auto *column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(spacing);
  for (QWidget *part : std::initializer_list<QWidget *>{m_refusal, holders, m_length, m_risks, m_facts, m_softer})
    column->addWidget(part);
  column->addStretch(1);
  m_scroll->setWidget(content);
  content->setAutoFillBackground(false);
  m_scroll->viewport()->setAutoFillBackground(false);
  connect(m_scroll, &ScrollPane::contentResized, this, &PlanView::contentResized);
  return m_scroll;
}

QWidget *PlanView::makeHolderRow(QWidget *content) {
  m_holders = new NoWheelCombo(content);
  m_holders->setFont(fixedFont());
  m_holders->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(m_holders, &QComboBox::activated, this, &PlanView::holderChosen);
  m_holderRow = makeRow(tr("Hold of"), m_holders, content);
  return m_holderRow;
}

QWidget *PlanView::makeReason() {
  m_why = new QWidget(this);
  m_reason = new QLineEdit(m_why);
  m_reason->setMaxLength(mostReason);
  m_reason->setTextMargins(6, 3, 6, 3);
  auto *label = new PlainLabel(tr("Reason, kept in the audit log"), m_why);
  label->setBuddy(m_reason);
  connect(m_reason, &QLineEdit::textChanged, this, [this](const QString &text) { m_buttons->setReasonGiven(!text.trimmed().isEmpty()); });
  auto *column = new QVBoxLayout(m_why);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(label);
  column->addWidget(m_reason);
  return m_why;
}

void PlanView::wireButtons() {
  connect(m_buttons, &PlanButtons::applyAsked, this, &PlanView::applyAsked);
  connect(m_buttons, &PlanButtons::otherActionAsked, this, &PlanView::otherActionAsked);
  connect(m_buttons, &PlanButtons::commandAsked, this, &PlanView::commandAsked);
  connect(m_buttons, &PlanButtons::planAgainAsked, this, &PlanView::planAgainAsked);
  connect(m_buttons, &PlanButtons::cancelled, this, &PlanView::cancelled);
}

void PlanView::dress() { m_title->setFont(scaledFont(font(), 1.2, QFont::DemiBold)); }

void PlanView::show(const ReleaseFlow &flow) {
  const bool planned = flow.phase() == Phase::Planned || flow.phase() == Phase::Applying;
  fillTitle(flow);
  fillHolders(flow);
  fillLengths(flow);
  m_facts->setVisible(planned);
  m_why->setVisible(planned);
  const bool isPast = planned && flow.changedTo();
  m_risks->setSentences(planned && !isPast ? risksOf(flow) : QStringList()); // they are of the hold that was
  m_facts->setEnabled(!isPast);
  if (planned)
    m_facts->show(flow);
  const Message &whyNot = flow.whyNotShorter();
  m_softer->setVisible(planned && !isPast && !whyNot.empty());
  m_softer->setText(whyNot.empty() ? QString() : tr("Shortening the lease instead is not offered. %1").arg(messageSentence(whyNot)));
  m_reason->setPlaceholderText(flow.isShortening() ? tr("why this lease has to be shortened by hand") : tr("why this lock has to be released by hand"));
  m_reason->setReadOnly(flow.phase() == Phase::Applying);
  m_refusal->setSentences(flow.phase() == Phase::NoPlan ? refusalOf(flow) : QStringList());
  fillNotice(flow);
  m_buttons->show(flow);
}

QString PlanView::titleOf(const ReleaseFlow &flow) {
  const QString name = shownName(flow.intent().lock.key.bytes(), shownOfName);
  const auto length = flow.intent().shortenTo;
  return length ? tr("Shorten the lease of %1 to %2?").arg(name, leaseLength(*length)) : tr("Release %1?").arg(name);
}

QString PlanView::questionOf(const ReleaseFlow &flow) {
  const ReleasePlan &plan = *flow.answer().plan;
  return titleOf(flow) + u'\n' + tr("The hold is that of %1, count %2.").arg(holderName(plan.family, plan.expectHolder), QString::number(plan.expectCount));
}

void PlanView::fillTitle(const ReleaseFlow &flow) {
  m_title->setText(breakable(titleOf(flow)));
  tell(flow);
}

void PlanView::tell(const ReleaseFlow &flow) {
  const bool shortens = flow.isShortening();
  if (flow.phase() == Phase::Planning)
    m_sentence->setText(tr("Reading the lock and making the plan. Nothing has been changed."));
  else if (flow.phase() == Phase::NoPlan)
    m_sentence->setText(shortens ? tr("There is no plan to shorten its lease. Nothing has been changed.")
                                 : tr("There is no plan to release it. Nothing has been changed."));
  else if (flow.changedTo())
    m_sentence->setText(tr("Nothing has been changed. This is what would have happened, had the lock stayed as it was."));
  else
    m_sentence->setText(QStringList{tr("Nothing has been changed yet. This is what would happen."), readAtWords(flow.readAt()), newsWords(flow.news())}
                            .join(tr(" ", "between two sentences"))
                            .trimmed());
}

QStringList PlanView::risksOf(const ReleaseFlow &flow) {
  QStringList warnings = messageSentences(flow.answer().plan->warnings);
  if (const QString lesser = minorityWords(*flow.seen()); !lesser.isEmpty())
    warnings.prepend(lesser);
  return warnings;
}

QStringList PlanView::refusalOf(const ReleaseFlow &flow) {
  QStringList said{verdictTitle(flow.answer(), flow.intent())};
  if (!flow.answer().detail.empty())
    said << messageSentence(flow.answer().detail);
  return said;
}

void PlanView::fillHolders(const ReleaseFlow &flow) {
  const auto &holders = flow.seen()->holders;
  m_holderRow->setVisible(holders.size() > 1);
  m_holders->clear();
  for (const Holder &holder : holders) {
    m_holders->addItem(tr("%1, count %2").arg(shown(redisson::asKnown(flow.seen()->family, holder.id), shownOfName), QString::number(holder.count)));
    if (holder.id == flow.intent().holder)
      m_holders->setCurrentIndex(m_holders->count() - 1);
  }
  m_holders->setEnabled(flow.phase() != Phase::Applying);
}

void PlanView::fillLengths(const ReleaseFlow &flow) {
  m_length->setVisible(flow.isShortening() && flow.phase() != Phase::NoPlan);
  m_length->show(flow.intent().shortenTo.value_or(ReleaseFlow::usualLength), flow.phase() != Phase::Applying);
}

int PlanView::wantedHeight(int width) const {
  const QMargins around = layout()->contentsMargins();
  const int room = width - around.left() - around.right();
  int height = around.top() + around.bottom() - spacing;
  for (int i = 0; i < layout()->count(); ++i) {
    QLayoutItem &item = *layout()->itemAt(i);
    if (item.isEmpty())
      continue;
    height += spacing;
    if (item.widget() == m_scroll)
      height += std::max(m_scroll->minimumHeight(), m_scroll->wantedHeight(room));
    else
      height += item.hasHeightForWidth() ? item.heightForWidth(room) : item.sizeHint().height();
  }
  return height;
}

QString PlanView::holderNow(const LockRecord &lock, const std::string &expected) {
  if (!lock.isHeld())
    return tr("Nobody holds it now.");
  const auto same = std::ranges::find(lock.holders, expected, &Holder::id);
  if (same == lock.holders.end()) {
    const bool isAlike = holderSummary(lock) == holderName(lock.family, expected);
    return tr("Now held by %1.").arg(isAlike ? wholeHolders(lock) : holderSummary(lock));
  }
  return tr("%1 still holds it, but its count is %2 now.").arg(holderName(lock.family, same->id), QString::number(same->count));
}

void PlanView::fillNotice(const ReleaseFlow &flow) {
  QStringList said;
  if (flow.phase() == Phase::Applying) {
    said << tr("It is under way. If you close this now, its result is in the audit log.");
  } else if (flow.isUnfollowed()) {
    said << tr("Node %1 is not followed any more: whether the lock is still what this plan says is not known.").arg(nodeName(flow.intent().lock.node));
    said << tr("Nothing is done by this plan before the node is followed again; or plan again.");
  } else if (flow.isAcquiredAgain()) {
    said << tr("It was acquired again since this plan was made: the hold that you saw is over.");
    said << tr("Now held by %1, who came back.").arg(holderSummary(*flow.changedTo()));
  } else if (flow.changedTo()) {
    said << tr("The lock has changed since this plan was made; as it stands it would be refused.");
    said << (flow.isNoLockNow() ? tr("The key holds something else now, which looks like data, not like a lock.")
             : flow.isGone()    ? tr("No lock is there now: its key is gone, or holds something that is none.")
                                : holderNow(*flow.changedTo(), flow.answer().plan->expectHolder));
  } else if (flow.phase() == Phase::Planned) {
    said = beforeIt(flow);
  }
  m_notice->setSentences(said);
}

QStringList PlanView::beforeIt(const ReleaseFlow &flow) {
  QStringList said;
  if (flow.isOfAnother())
    said << tr("Whoever this was planned for holds it no more: this plan is for %1.").arg(holderName(flow.seen()->family, flow.intent().holder));
  if (flow.isUnlocked() || flow.isRefused())
    return said;
  said << tr("This console is read-only.");
  said << (flow.isShortening() ? tr("The button below unlocks writing, shortens this one lease, and makes it read-only again.")
                               : tr("The button below unlocks writing, releases this one lock, and makes it read-only again."));
  return said;
}

QString PlanView::reason() const { return m_reason->text(); }

void PlanView::focusCancel() { m_buttons->focusCancel(); }

void PlanView::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_buttons && event->type() == QEvent::FontChange)
    dress();
}

} // namespace lockhouse::ui
