// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/before_after.h"

#include "ui/model/text/family_words.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/strong_text.h"
#include "ui/model/text/verdict_text.h"
#include "ui/page/release/cli_command.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/script_view.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/prose.h"
#include "ui/widget/style/theme.h"

#include <QGridLayout>
#include <QVBoxLayout>

namespace lockhouse::ui {
namespace {

QString whoIsNext(const ReleasePlan &plan, const ReleaseIntent &intent, const LockRecordPtr &now) {
  if (intent.shortenTo)
    return BeforeAfter::tr("%1 keeps it for %2 at the most, unless it renews")
        .arg(strong(holderName(plan.family, plan.expectHolder)), leaseLength(*intent.shortenTo));
  if (plan.next && plan.isNextUnheard)
    return BeforeAfter::tr("%1 alone may take it next, and nobody was seen to listen for it").arg(strong(holderName(*plan.next)));
  if (plan.next)
    return BeforeAfter::tr("%1 gets it next").arg(strong(holderName(*plan.next)));
  return now && now->holders.size() > 1 ? BeforeAfter::tr("this hold ends; those of others stay") : BeforeAfter::tr("whoever tries first gets it");
}

} // namespace

BeforeAfter::BeforeAfter(QWidget *parent) : QWidget(parent), m_facts(new QGridLayout), m_script(new ScriptView(this)) {
  m_facts->setHorizontalSpacing(16);
  m_facts->setVerticalSpacing(8);
  m_facts->setColumnStretch(0, 1);
  m_facts->setColumnStretch(1, 2);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addLayout(m_facts);
  column->addWidget(m_script);
}

void BeforeAfter::show(const ReleaseFlow &flow) {
  while (QLayoutItem *item = m_facts->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const ReleasePlan &plan = *flow.answer().plan;
  addHeadings();
  const QString held = flow.seen()->hasMajority() ? tr("held by %1, count %2") : tr("taken by %1, count %2");
  addFact(held.arg(strong(holderName(plan.family, plan.expectHolder)), QString::number(plan.expectCount)), whoIsNext(plan, flow.intent(), flow.answer().now));
  addFact(tr("node %1, db %2").arg(nodeName(plan.lock.node), QString::number(plan.lock.db)),
          plan.parts.empty()
              ? tr("one script that does all of it or nothing; refused if holder or count has changed")
              : tr("scripts one after the other, each of which does all of its own or nothing; the first is refused if holder or count has changed"));
  addFact(familyName(flow.families(), plan.family), messageSentences(textsOf(plan.effects)).join(u'\n'));
  m_script->setScript(scriptText(plan, flow.intent().shortenTo));
}

void BeforeAfter::addHeadings() {
  for (const QString &heading : {tr("Now"), tr("After")}) {
    auto *label = new PlainLabel(heading, this);
    label->setFont(scaledFont(font(), 0.92, QFont::DemiBold));
    label->setForegroundRole(QPalette::PlaceholderText);
    m_facts->addWidget(label, 0, m_facts->count());
  }
}

void BeforeAfter::addFact(const QString &now, const QString &after) {
  const int row = m_facts->rowCount();
  int column = 0;
  for (const QString &text : {now, after}) {
    auto *cell = new Prose(this);
    cell->setText(text);
    m_facts->addWidget(cell, row, column++, Qt::AlignTop);
  }
}

} // namespace lockhouse::ui
