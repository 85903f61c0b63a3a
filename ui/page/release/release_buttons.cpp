// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_buttons.h"

#include "ui/model/text/release_words.h"
#include "ui/page/release/release_flow.h"
#include "ui/widget/parts/verb_button.h"

#include <QHBoxLayout>

namespace lockhouse::ui {

ReleaseButtons::ReleaseButtons(QWidget *parent) : QWidget(parent) {
  build();
  wire();
  enableVerb();
}

void ReleaseButtons::build() {
  m_copy = new VerbButton(VerbButton::Tone::Plain, this);
  m_again = new VerbButton(VerbButton::Tone::Plain, this);
  m_other = new VerbButton(VerbButton::Tone::Plain, this);
  m_release = new VerbButton(VerbButton::Tone::Danger, this);
  m_shorten = new VerbButton(VerbButton::Tone::Primary, this);
  m_cancel = new VerbButton(VerbButton::Tone::Plain, this);
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

void ReleaseButtons::wire() {
  connect(m_copy, &QPushButton::clicked, this, &ReleaseButtons::commandAsked);
  connect(m_again, &QPushButton::clicked, this, &ReleaseButtons::planAgainAsked);
  connect(m_other, &QPushButton::clicked, this, &ReleaseButtons::otherVerbAsked);
  connect(m_release, &QPushButton::clicked, this, &ReleaseButtons::applyAsked);
  connect(m_shorten, &QPushButton::clicked, this, &ReleaseButtons::applyAsked);
  connect(m_cancel, &QPushButton::clicked, this, &ReleaseButtons::cancelled);
}

void ReleaseButtons::show(const Words &words, bool canApply) {
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
  enableVerb();
}

void ReleaseButtons::show(const ReleaseFlow &flow) {
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

QString ReleaseButtons::releaseInstead() { return tr("Release it instead"); }

QString ReleaseButtons::shortenInstead() { return tr("Shorten lease to %1 instead").arg(leaseLength(ReleaseFlow::usualLength)); }

void ReleaseButtons::setReasonGiven(bool given) {
  m_hasReason = given;
  enableVerb();
}

void ReleaseButtons::enableVerb() {
  for (QPushButton *verb : {m_release, m_shorten}) {
    if (verb->hasFocus() && !(m_canApply && m_hasReason)) // which would go to Cancel, where the Return that was meant for the verb closes
      (m_again->isVisibleTo(this) ? m_again : m_copy)->setFocus(Qt::OtherFocusReason);
    verb->setEnabled(m_canApply && m_hasReason);
    verb->setToolTip(m_canApply && !m_hasReason ? tr("Say why first: the reason is kept in the audit log.") : QString());
  }
}

void ReleaseButtons::focusCancel() { m_cancel->setFocus(Qt::OtherFocusReason); }

} // namespace lockhouse::ui
