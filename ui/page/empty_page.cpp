// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/empty_page.h"

#include "ui/model/format.h"
#include "ui/page/verb_button.h"
#include "ui/widget/plain_text.h"
#include "ui/widget/prose.h"
#include "ui/widget/theme.h"

#include <QVBoxLayout>

namespace lockhouse::ui {

EmptyPage::EmptyPage(QWidget *parent)
    : QWidget(parent), m_title(new PlainLabel), m_sentence(new Prose), m_next(new Prose), m_verb(new VerbButton(VerbButton::Tone::Primary)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  m_title->setFont(scaledFont(font(), 1.3, QFont::DemiBold));
  auto *column = new QWidget;
  column->setMaximumWidth(560);
  auto *layout = new QVBoxLayout(column);
  layout->setSpacing(10);
  layout->addWidget(m_title);
  layout->addWidget(m_sentence);
  layout->addWidget(m_next);
  layout->addSpacing(6);
  layout->addWidget(m_verb, 0, Qt::AlignLeft);
  auto *outer = new QVBoxLayout(this);
  outer->setContentsMargins(32, 48, 32, 32);
  outer->addWidget(column);
  outer->addStretch(1);
  connect(m_verb, &VerbButton::clicked, this, [this] {
    if (m_wanted)
      emit(this->*m_wanted)();
  });
  m_verb->hide();
}

void EmptyPage::setState(const EmptyState &state) {
  m_title->setText(state.title);
  m_sentence->setText(state.sentence);
  m_next->setText(state.next);
  m_next->setVisible(!state.next.isEmpty());
  switch (state.step) {
  case EmptyState::Step::None: return offer({}, nullptr);
  case EmptyState::Step::ShowNodes: return offer(tr("Show the nodes"), &EmptyPage::nodesWanted);
  case EmptyState::Step::OpenLab: return offer(tr("Open the lab"), &EmptyPage::labWanted);
  }
}

void EmptyPage::setFilteredOut(std::size_t hidden) {
  m_title->setText(tr("Nothing matches"));
  m_sentence->setText(withGroups(tr("%n locks are known; this view and this filter let none of them through.", nullptr, static_cast<int>(hidden)), hidden));
  m_next->hide();
  offer(tr("Show all locks"), &EmptyPage::showAllWanted);
}

void EmptyPage::offer(const QString &verb, void (EmptyPage::*wanted)()) {
  m_wanted = wanted;
  m_verb->setVisible(wanted != nullptr);
  if (m_verb->text() != verb)
    m_verb->setText(verb);
}

} // namespace lockhouse::ui
