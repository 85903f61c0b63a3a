// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/result_view.h"

#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/verdict_text.h"
#include "ui/page/release/release_flow.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/banner.h"
#include "ui/widget/style/plain_text.h"

#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockhouse::ui {
namespace {

QString auditText(const ReleaseResult &result) {
  if (result.auditId.empty())
    return ResultView::tr("none, nothing was sent");
  return result.unrecorded.empty() ? fromUtf8(result.auditId) : ResultView::tr("%1, without its outcome").arg(fromUtf8(result.auditId));
}

} // namespace

ResultView::ResultView(QWidget *parent) : QWidget(parent) { build(); }

void ResultView::build() {
  m_title = new PlainLabel(this);
  m_title->setWordWrap(true);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // a name without a space cannot be broken
  m_title->setFont(scaledFont(font(), 1.2, QFont::DemiBold));
  m_good = new Banner(&Theme::held, this);
  m_bad = new Banner(&Theme::contended, this);
  m_facts = new QGridLayout;
  m_facts->setHorizontalSpacing(16);
  m_facts->setVerticalSpacing(8);
  m_facts->setColumnStretch(1, 1);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  column->addWidget(m_title);
  column->addWidget(m_good);
  column->addWidget(m_bad);
  column->addLayout(m_facts);
  column->addStretch(1);
  column->addWidget(makeButtons());
}

QWidget *ResultView::makeButtons() {
  m_copy = new ActionButton(tr("Copy report"), this);
  m_again = new ActionButton(tr("Plan again"), this);
  m_close = new ActionButton(tr("Close"), this);
  connect(m_copy, &QPushButton::clicked, this, &ResultView::reportAsked);
  connect(m_again, &QPushButton::clicked, this, &ResultView::planAgainAsked);
  connect(m_close, &QPushButton::clicked, this, &ResultView::closed);
  auto *holder = new QWidget(this);
  auto *row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_copy);
  row->addStretch(1);
  row->addWidget(m_again);
  row->addWidget(m_close);
  return holder;
}

void ResultView::show(const ReleaseFlow &flow) {
  const ReleaseResult &result = flow.answer();
  const bool isGood = isAsAsked(result.verdict) && result.unrecorded.empty();
  m_title->setText(shownName(flow.intent().lock.key.bytes(), 64));
  // What the server told of a release says that it was released, too: once is enough.
  const bool told = !result.detail.empty() && (isAsAsked(result.verdict) || result.verdict == Verdict::AlreadyFree);
  QStringList said{told ? messageSentence(result.detail) : verdictTitle(result, flow.intent())};
  if (const QString explained = verdictExplanation(result); !explained.isEmpty())
    said << explained;
  if (!told && !result.detail.empty())
    said << messageSentence(result.detail);
  m_good->setSentences(isGood ? said : QStringList());
  QStringList amiss = isGood ? QStringList() : said;
  if (const auto trouble = result.auditId.empty() ? Message() : flow.auditTrouble(); !trouble.empty())
    amiss << messageSentence(trouble);
  m_bad->setSentences(amiss);
  while (QLayoutItem *item = m_facts->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  addFact(flow.isShortening() ? tr("Held afterwards by") : tr("Held now by"), holderNow(result));
  if (flow.isShortening() && result.now && result.now->isHeld()) {
    const auto left = timeLeft(*result.now, SteadyClock::now()); // a time of day is true when it is past, too
    addFact(tr("Its lease"), left ? tr("ends at %1 unless it is renewed").arg(timeOfDay(wallNow() + *left)) : tr("never ends"));
  }
  addFact(tr("Held before by"),
          tr("%1, count %2").arg(holderName(flow.seen()->family, flow.intent().holder), QString::number(flow.intent().count.value_or(0))));
  addFact(tr("Reason"), fromUtf8(flow.intent().reason));
  addFact(tr("Audit record"), auditText(result));
  m_again->setVisible(result.verdict == Verdict::Changed || result.verdict == Verdict::Unreachable);
}

void ResultView::addFact(const QString &what, const QString &value) {
  const int row = m_facts->rowCount();
  auto *name = new PlainLabel(what, this);
  name->setForegroundRole(QPalette::PlaceholderText);
  const QString wrapping = breakable(value);
  auto *text = new PlainLabel(wrapping, this);
  text->setWordWrap(true);
  if (wrapping == value) // or the marks would be copied with it
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_facts->addWidget(name, row, 0, Qt::AlignTop);
  m_facts->addWidget(text, row, 1, Qt::AlignTop);
}

void ResultView::focusClose() {
  m_close->setDefault(true);
  m_close->setFocus(Qt::OtherFocusReason);
}

} // namespace lockhouse::ui
