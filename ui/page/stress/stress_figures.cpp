// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/stress/stress_figures.h"

#include "ui/model/text/formatting.h"
#include "ui/page/stress/stress_charts.h"
#include "ui/page/stress/stress_checks.h"
#include "ui/widget/parts/figure.h"
#include "ui/widget/style/plain_text.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int progressSteps = 1000;

} // namespace

StressFigures::StressFigures(QWidget *parent) : QWidget(parent) {
  build();
  abandon();
}

void StressFigures::build() {
  m_progress = new QProgressBar(this);
  m_progress->setRange(0, progressSteps);
  m_progress->setTextVisible(false);
  m_progress->setFixedHeight(8);
  m_progress->setAccessibleName(tr("How far the run is"));
  m_charts = new StressCharts(this);
  m_checks = new StressChecks(this);
  m_numbers = makeFigures();
  m_judgement = makeJudgement();
  m_head = new QGridLayout;
  m_head->setHorizontalSpacing(28);
  m_head->setVerticalSpacing(8);
  m_head->setColumnStretch(1, 1);
  m_head->addWidget(m_numbers, 0, 0);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addLayout(m_head);
  column->addWidget(m_progress);
  column->addWidget(m_charts, 1);
  column->addWidget(m_checks);
  placeJudgement();
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
}

QWidget *StressFigures::makeFigures() {
  auto *holder = new QWidget(this);
  m_perSecond = new Figure(tr("pairs per second"), holder);
  m_pairs = new Figure(tr("pairs in all"), holder);
  m_fairness = new Figure(tr("slowest ÷ fastest client"), holder);
  m_commands = new Figure(tr("commands each"), holder);
  m_lost = new Figure(tr("leases lost"), holder);
  auto *row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(28);
  for (Figure *figure : {m_perSecond, m_pairs, m_fairness, m_commands, m_lost})
    row->addWidget(figure);
  row->addStretch(1);
  // On the background of a table Qt would use the text colour of a table.
  for (QLabel *label : holder->findChildren<QLabel *>())
    label->setForegroundRole(QPalette::WindowText);
  return holder;
}

QWidget *StressFigures::makeJudgement() {
  auto *holder = new QWidget(this);
  m_verdict = new PlainLabel(holder);
  m_checkedOn = new PlainLabel(holder);
  auto *column = new QVBoxLayout(holder);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  for (PlainLabel *label : {m_verdict, m_checkedOn}) {
    label->setForegroundRole(QPalette::WindowText);
    column->addWidget(label);
  }
  return holder;
}

// Beside the figures if its longest text has room there, else below them: it is never cut, and it does not change its place in a run.
void StressFigures::placeJudgement() {
  const QFontMetrics large(m_verdict->font());
  const int longest = std::max({large.horizontalAdvance(tr("mutual exclusion holds so far")),
                                large.horizontalAdvance(tr("mutual exclusion broken %1 ×").arg(countText(1'000'000))),
                                large.horizontalAdvance(tr("nobody went on too early so far")), m_checkedOn->sizeHint().width()});
  const QMargins margins = layout()->contentsMargins();
  const bool isBeside = width() - margins.left() - margins.right() >= m_numbers->sizeHint().width() + m_head->horizontalSpacing() + longest;
  for (PlainLabel *label : {m_verdict, m_checkedOn})
    label->setAlignment((isBeside ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  m_head->removeWidget(m_judgement);
  if (isBeside)
    m_head->addWidget(m_judgement, 0, 1);
  else
    m_head->addWidget(m_judgement, 1, 0, 1, 2);
}

void StressFigures::begin(const StressOptions &options) {
  abandon();
  m_options = options;
  m_checks->begin(options);
  m_charts->begin(isLatch(options.primitive));
  showVerdict(0, 0, false);
}

void StressFigures::abandon() {
  m_verdictInk = nullptr;
  for (Figure *figure : {m_perSecond, m_pairs, m_fairness, m_commands, m_lost})
    figure->setValue(dash());
  m_checks->clear();
  m_verdict->clear();
  m_checkedOn->clear();
  m_progress->setValue(0);
  applyTheme();
}

void StressFigures::advance(const StressProgress &progress) {
  m_perSecond->setValue(significant(progress.pairsPerSecond));
  m_pairs->setValue(countText(progress.pairs));
  m_lost->setValue(countText(progress.lost));
  setProgress(progress);
  showVerdict(progress.violations, progress.pairs, false);
  m_checks->say(progress.violations, progress.lost, progress.inDoubt);
  m_charts->advance(progress);
}

void StressFigures::setProgress(const StressProgress &progress) {
  const double done = m_options.duration ? progress.seconds / std::chrono::duration<double>(*m_options.duration).count()
                                         : static_cast<double>(progress.pairs) / static_cast<double>(m_options.count.value_or(1));
  m_progress->setValue(static_cast<int>(std::clamp(done, 0.0, 1.0) * progressSteps));
}

void StressFigures::finish(const StressReport &report) {
  const double perSecond = report.seconds > 0 ? static_cast<double>(report.pairs) / report.seconds : 0;
  m_perSecond->setValue(significant(perSecond));
  m_pairs->setValue(countText(report.pairs));
  m_lost->setValue(countText(report.lost));
  m_commands->setValue(significant(report.commandsPerPair, 2));
  m_fairness->setValue(report.perClientMax > 0 ? significant(static_cast<double>(report.perClientMin) / static_cast<double>(report.perClientMax), 2) : dash());
  if (!report.stopped)
    m_progress->setValue(progressSteps);
  showVerdict(report.violations, report.pairs, true);
  m_checks->finish(report);
}

void StressFigures::showVerdict(std::uint64_t violations, std::uint64_t pairs, bool over) {
  m_verdictInk = pairs == 0 && violations == 0 ? nullptr : violations == 0 ? &Theme::held : &Theme::danger;
  const bool isOfLatch = isLatch(m_options.primitive);
  if (!m_verdictInk)
    m_verdict->setText(!over ? tr("starting …") : isOfLatch ? tr("nobody went on") : tr("nothing was acquired"));
  else if (isOfLatch)
    m_verdict->setText(violations > 0 ? tr("the latch failed %1 ×").arg(countText(violations))
                       : over         ? tr("nobody went on too early")
                                      : tr("nobody went on too early so far"));
  else if (violations == 0)
    m_verdict->setText(over ? tr("mutual exclusion holds") : tr("mutual exclusion holds so far"));
  else
    m_verdict->setText(tr("mutual exclusion broken %1 ×").arg(countText(violations)));
  m_checkedOn->setText((isOfLatch ? tr("checked on %1 waits") : tr("checked on %1 acquisitions")).arg(countText(pairs)));
  applyTheme();
}

void StressFigures::applyTheme() {
  const Theme theme = Theme::of(palette());
  m_verdict->setFont(scaledFont(font(), 1.22, QFont::DemiBold));
  m_checkedOn->setFont(scaledFont(font(), 0.85));
  QPalette bar = m_progress->palette();
  if (bar.color(QPalette::Highlight) != theme.accent) {
    bar.setColor(QPalette::Highlight, theme.accent);
    m_progress->setPalette(bar);
  }
  for (PlainLabel *label : {m_verdict, m_checkedOn}) {
    QPalette colours = label->palette();
    const QColor ink = label == m_checkedOn || !m_verdictInk ? theme.soft : (theme.*m_verdictInk).ink;
    if (colours.color(QPalette::WindowText) == ink)
      continue;
    colours.setColor(QPalette::WindowText, ink);
    label->setPalette(colours);
  }
}

void StressFigures::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_head && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    applyTheme();
}

void StressFigures::resizeEvent(QResizeEvent *event) {
  QWidget::resizeEvent(event);
  placeJudgement();
}

} // namespace lockhouse::ui
