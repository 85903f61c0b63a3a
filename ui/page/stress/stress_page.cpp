// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/stress/stress_page.h"

#include "ui/bridge/engine.h"
#include "ui/model/text/message_text.h"
#include "ui/page/stress/stress_choices.h"
#include "ui/page/stress/stress_figures.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/banner.h"
#include "ui/widget/style/plain_text.h"

#include <QFrame>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lockhouse::ui {

StressPage::StressPage(Engine &engine, QWidget *parent) : QWidget(parent), m_engine(engine) {
  build();
  wire();
  setRunning(false);
}

void StressPage::build() {
  m_figures = new StressFigures(this);
  auto *scrolled = new QScrollArea(this);
  scrolled->setWidget(m_figures);
  scrolled->setWidgetResizable(true);
  scrolled->setFrameShape(QFrame::NoFrame);
  scrolled->setBackgroundRole(QPalette::Base);
  auto *line = new QFrame(this);
  line->setFrameShape(QFrame::VLine);
  line->setFrameShadow(QFrame::Plain);
  line->setForegroundRole(QPalette::Mid);
  auto *row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(makePanel());
  row->addWidget(line);
  row->addWidget(scrolled, 1);
}

QWidget *StressPage::makePanel() {
  m_choices = new StressChoices(m_engine.isDemo(), this);
  m_trouble = new Banner(&Theme::danger, this);
  m_start = new ActionButton(ActionButton::Tone::Primary, this);
  m_stop = new ActionButton(tr("Stop"), this);
  auto *buttons = new QHBoxLayout;
  buttons->setContentsMargins(16, 8, 16, 16);
  buttons->setSpacing(8);
  buttons->addWidget(m_start);
  buttons->addWidget(m_stop);
  buttons->addStretch(1);
  auto *panel = new QWidget(this);
  auto *column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_choices);
  column->addWidget(m_trouble);
  column->addLayout(buttons);
  column->addStretch(1);
  auto *scroll = new QScrollArea(this);
  scroll->setWidget(panel);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFixedWidth(fontMetrics().horizontalAdvance(u'0') * 42); // a digit is as wide in every language's font
  return scroll;
}

void StressPage::wire() {
  connect(m_start, &QPushButton::clicked, this, &StressPage::start);
  connect(m_stop, &QPushButton::clicked, &m_engine, &Engine::stopStress);
  connect(m_choices, &StressChoices::changed, this, &StressPage::sayButtons);
  connect(&m_engine, &Engine::unlockedChanged, this, &StressPage::sayButtons);
  connect(&m_engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) { m_choices->setNodes(snapshot->nodes); });
  connect(&m_engine, &Engine::stressProgressed, this, [this](const StressProgress &progress) {
    if (m_running)
      m_figures->advance(progress);
  });
  connect(&m_engine, &Engine::stressFinished, this, &StressPage::finish);
}

void StressPage::start() {
  if (m_running || !m_choices->isConfirmed())
    return;
  const StressOptions options = m_choices->options();
  m_trouble->setSentences({});
  m_figures->begin(options);
  setRunning(true);
  const quint64 allowed = m_engine.allowOnce(); // to start: a run has connections of its own, for releases the console stays as it is
  m_engine.startStress(m_choices->nodeIndex(), options);
  m_engine.endOnce(allowed);
}

void StressPage::finish(const StressOutcome &outcome) {
  if (!m_running)
    return;
  if (outcome.report) {
    m_figures->finish(*outcome.report);
    if (const auto &failure = outcome.report->failure)
      m_trouble->setSentences({tr("The run did not go through."), errorText(*failure)});
  } else {
    m_figures->abandon();
    m_trouble->setSentences({tr("The run did not go through."), errorText(outcome.report.error())});
  }
  setRunning(false);
}

void StressPage::setRunning(bool running) {
  m_running = running;
  m_choices->setEnabled(!running);
  sayButtons();
}

void StressPage::sayButtons() {
  m_stop->setEnabled(m_running);
  m_start->setEnabled(!m_running && m_choices->isConfirmed());
  m_start->setText(m_engine.isDemo() || m_engine.isUnlocked() ? tr("Start") : tr("Allow this run and start"));
}

} // namespace lockhouse::ui
