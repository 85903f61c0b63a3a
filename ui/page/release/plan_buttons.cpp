// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/plan_buttons.h"

#include "ui/model/text/verdict_text.h"
#include "ui/page/release/release_flow.h"
#include "ui/widget/parts/action_button.h"

#include <QHBoxLayout>

namespace lockhouse::ui {

PlanButtons::PlanButtons(QWidget *parent) : QWidget(parent) {
  build();
  wire();
  enableAction();
}

void PlanButtons::build() {
  m_copy = new ActionButton(ActionButton::Tone::Plain, this);
  m_again = new ActionButton(ActionButton::Tone::Plain, this);
  m_other = new ActionButton(ActionButton::Tone::Plain, this);
  m_release = new ActionButton(ActionButton::Tone::Danger, this);
  m_shorten = new ActionButton(ActionButton::Tone::Primary, this);
  m_cancel = new ActionButton(ActionButton::Tone::Plain, this);
  m_cancel->setDefault(true);
  auto *row = new QHBoxLayout(this); // no QDialogButtonBox: from Qt 6.8 on Tab comes to its default button alone
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_copy);
  row->addStretch(1);
  row->addWidget(m_again);
  row->addWidget(m_other);
  row->addWidget(m_release);
  row->addWidget(m_shorten);
  row->addWidget(m_cancel);
}

void PlanButtons::wire() {
  connect(m_copy, &QPushButton::clicked, this, &PlanButtons::commandAsked);
  connect(m_again, &QPushButton::clicked, this, &PlanButtons::planAgainAsked);
  connect(m_other, &QPushButton::clicked, this, &PlanButtons::otherActionAsked);
  connect(m_release, &QPushButton::clicked, this, &PlanButtons::applyAsked);
  connect(m_shorten, &QPushButton::clicked, this, &PlanButtons::applyAsked);
  connect(m_cancel, &QPushButton::clicked, this, &PlanButtons::cancelled);
}

void PlanButtons::show(const Words &words, bool canApply) {
  const auto say = [](QPushButton *button, const QString &text) {
    button->setText(text);
    button->setVisible(!text.isEmpty());
  };
  say(m_release, words.release);
  say(m_shorten, words.shorten);
  say(m_other, words.other);
  say(m_copy, words.copy);
  say(m_again, words.again);
  say(m_cancel, words.cancel);
  m_canApply = canApply;
  enableAction();
}

void PlanButtons::show(const ReleaseFlow &flow) {
  using Phase = ReleaseFlow::Phase;
  const bool hasPlan = flow.phase() != Phase::NoPlan;
  const bool isChosen = flow.phase() == Phase::Applying;
  const QString length = leaseLength(flow.intent().shortenTo.value_or(ReleaseFlow::usualLength));
  const bool isPast = flow.changedTo() || flow.isUnfollowed();
  Words words;
  if (hasPlan && flow.isShortening())
    words.shorten = flow.isUnlocked() ? tr("Shorten lease to %1").arg(length) : tr("Unlock writing and shorten");
  else if (hasPlan)
    words.release = flow.isUnlocked() ? tr("Release 1 lock") : tr("Unlock writing and release");
  if (!isChosen && !isPast && (flow.isShortening() || flow.canShorten()))
    words.other = flow.isShortening() ? releaseInstead() : shortenInstead();
  if (hasPlan)
    words.copy = tr("Copy as command");
  if (!hasPlan || flow.isRefused() || (isPast && !isChosen))
    words.again = tr("Plan again");
  words.cancel = !hasPlan || isChosen ? tr("Close") : tr("Cancel");
  show(words, flow.phase() == Phase::Planned && !flow.isRefused() && !isPast);
}

QString PlanButtons::releaseInstead() { return tr("Release it instead"); }

QString PlanButtons::shortenInstead() { return tr("Shorten lease to %1 instead").arg(leaseLength(ReleaseFlow::usualLength)); }

void PlanButtons::setReasonGiven(bool given) {
  m_hasReason = given;
  enableAction();
}

void PlanButtons::enableAction() {
  for (QPushButton *action : {m_release, m_shorten}) {
    if (action->hasFocus() && !(m_canApply && m_hasReason)) // which would go to Cancel, where the Return that was meant for the verb closes
      (m_again->isVisibleTo(this) ? m_again : m_copy)->setFocus(Qt::OtherFocusReason);
    action->setEnabled(m_canApply && m_hasReason);
    action->setToolTip(m_canApply && !m_hasReason ? tr("Say why first: the reason is kept in the audit log.") : QString());
  }
}

void PlanButtons::focusCancel() { m_cancel->setFocus(Qt::OtherFocusReason); }

} // namespace lockhouse::ui
