// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/empty_page.h"

#include "ui/widget/plain_text.h"
#include "ui/widget/prose.h"
#include "ui/widget/theme.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace lockhouse::ui {

EmptyPage::EmptyPage(QWidget *parent)
    : QWidget(parent), m_title(new PlainLabel), m_sentence(new Prose), m_next(new Prose), m_showAll(new QPushButton(tr("Show all locks"))) {
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
  layout->addWidget(m_showAll, 0, Qt::AlignLeft);
  auto *outer = new QVBoxLayout(this);
  outer->setContentsMargins(32, 48, 32, 32);
  outer->addWidget(column);
  outer->addStretch(1);
  connect(m_showAll, &QPushButton::clicked, this, &EmptyPage::showAllWanted);
  m_showAll->hide();
}

void EmptyPage::setState(const EmptyState &state) {
  m_title->setText(state.title);
  m_sentence->setText(state.sentence);
  m_next->setText(state.next);
  m_next->setVisible(!state.next.isEmpty());
  m_showAll->hide();
}

void EmptyPage::setFilteredOut(std::size_t hidden) {
  m_title->setText(tr("Nothing matches"));
  m_sentence->setText(tr("%n locks are known; this view and this filter let none of them through.", nullptr, static_cast<int>(hidden)));
  m_next->hide();
  m_showAll->show();
}

} // namespace lockhouse::ui
