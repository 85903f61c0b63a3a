// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/locks/empty_page.h"

#include "ui/model/text/formatting.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/scroll_pane.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/prose.h"
#include "ui/widget/style/theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {

EmptyPage::EmptyPage(QWidget *parent)
    : QWidget(parent), m_title(new PlainLabel), m_sentence(new Prose), m_next(new Prose), m_action(new ActionButton(ActionButton::Tone::Primary)),
      m_showAll(new ActionButton(ActionButton::Tone::Plain)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  build();
  connect(m_action, &ActionButton::clicked, this, [this] {
    if (m_wanted)
      emit(this->*m_wanted)();
  });
  connect(m_showAll, &ActionButton::clicked, this, &EmptyPage::showAllWanted);
  m_action->hide();
  m_showAll->hide();
}

void EmptyPage::build() {
  m_title->setFont(scaledFont(font(), 1.3, QFont::DemiBold));
  m_title->setWordWrap(true);
  auto *column = new QWidget;
  column->setMaximumWidth(560);
  auto *layout = new QVBoxLayout(column);
  layout->setSpacing(10);
  layout->addWidget(m_title);
  layout->addWidget(m_sentence);
  layout->addWidget(m_next);
  layout->addSpacing(6);
  auto *actions = new QHBoxLayout;
  actions->setSpacing(8);
  actions->addWidget(m_action);
  actions->addWidget(m_showAll);
  actions->addStretch(1);
  layout->addLayout(actions);
  m_content = new QWidget;
  auto *outer = new QVBoxLayout(m_content);
  outer->addWidget(column);
  outer->addStretch(1);
  auto *scroll = new ScrollPane(ScrollPane::Stop::WhileItScrolls, this);
  scroll->setWidget(m_content);
  m_content->setAutoFillBackground(false);
  scroll->viewport()->setAutoFillBackground(false);
  auto *whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
}

// In a low window the margins shrink first.
void EmptyPage::resizeEvent(QResizeEvent *event) {
  QWidget::resizeEvent(event);
  m_content->layout()->setContentsMargins(32, std::clamp(height() / 8, 12, 48), 32, std::clamp(height() / 12, 12, 32));
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

void EmptyPage::setFilteredOut(std::size_t hidden, std::size_t doubtful, std::size_t stale) {
  m_title->setText(doubtful > 0 ? tr("No lock matches") : stale > 0 ? tr("No lock is known to match") : tr("Nothing matches"));
  m_sentence->setText(withGroups(tr("%n locks are known; this view and this filter let none of them through.", nullptr, static_cast<int>(hidden)), hidden));
  m_next->setVisible(doubtful + stale > 0);
  if (stale > 0)
    m_next->setText(withGroups(tr("%n rows are of nodes that are not followed: whether they match is not known.", nullptr, static_cast<int>(stale)), stale));
  if (doubtful == 0)
    return offer(tr("Show all locks"), &EmptyPage::showAllWanted);
  m_next->setText(
      withGroups(tr("%n doubtful rows match. They look more like data than like locks, and are hidden.", nullptr, static_cast<int>(doubtful)), doubtful));
  offer(tr("Show doubtful rows"), &EmptyPage::showDoubtfulWanted);
}

void EmptyPage::offer(const QString &action, void (EmptyPage::*wanted)()) {
  m_wanted = wanted;
  m_action->setVisible(wanted != nullptr);
  m_showAll->setVisible(wanted == &EmptyPage::showDoubtfulWanted);
  m_showAll->setText(tr("Show all locks"));
  if (m_action->text() != action)
    m_action->setText(action);
}

} // namespace lockhouse::ui
