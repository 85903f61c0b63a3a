// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/lab_figures.h"

#include "ui/model/format.h"
#include "ui/plot/live_chart.h"
#include "ui/widget/figure.h"
#include "ui/widget/plain_text.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int progressSteps = 1000;

QString timeSpan(double inSeconds) {
  return inSeconds > 0 ? duration(std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(inSeconds))) : QStringLiteral("0");
}

QString number(double value) { return significant(value); }

double inSeconds(std::chrono::nanoseconds span) { return std::chrono::duration<double>(span).count(); }

} // namespace

LabFigures::LabFigures(QWidget *parent)
    : QWidget(parent), m_rate(milliseconds(100), samples), m_waitP50(milliseconds(100), samples), m_waitP99(milliseconds(100), samples) {
  build();
  abandon();
}

void LabFigures::build() {
  m_progress = new QProgressBar(this);
  m_progress->setRange(0, progressSteps);
  m_progress->setTextVisible(false);
  m_progress->setFixedHeight(8);
  m_progress->setAccessibleName(tr("How far the run is"));
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addWidget(makeFigures());
  column->addWidget(m_progress);
  column->addWidget(makeCharts(), 1);
  column->addWidget(makeChecks());
  column->addStretch(1);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
}

QWidget *LabFigures::makeFigures() {
  auto *holder = new QWidget(this);
  m_perSecond = new Figure(tr("pairs per second"), holder);
  m_pairs = new Figure(tr("pairs in all"), holder);
  m_fairness = new Figure(tr("slowest ÷ fastest client"), holder);
  m_commands = new Figure(tr("commands each"), holder);
  m_lost = new Figure(tr("leases lost"), holder);
  m_verdict = new PlainLabel(holder);
  m_checkedOn = new PlainLabel(holder);
  for (PlainLabel *label : {m_verdict, m_checkedOn}) {
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  auto *verdict = new QVBoxLayout;
  verdict->setSpacing(0);
  verdict->addWidget(m_verdict);
  verdict->addWidget(m_checkedOn);
  auto *row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(28);
  for (Figure *figure : {m_perSecond, m_pairs, m_fairness, m_commands, m_lost})
    row->addWidget(figure);
  row->addLayout(verdict, 1);
  // On a ground like a table's Qt would write them all in the table's text colour.
  for (QLabel *label : holder->findChildren<QLabel *>())
    label->setForegroundRole(QPalette::WindowText);
  return holder;
}

QWidget *LabFigures::makeCharts() {
  auto *holder = new QWidget(this);
  m_rateChart = new LiveChart(tr("Acquired and released per second"), {{{}, &Theme::held}}, number, holder);
  m_rateChart->setDefinition(tr("Completed pairs of acquire and release, over each tenth of a second."));
  m_waitChart = new LiveChart(tr("Wait, p50 and p99"), {{tr("p99"), &Theme::expiring}, {tr("p50"), &Theme::stale}}, timeSpan, holder);
  m_waitChart->setDefinition(tr("From asking for the lock to having it: half waited less than p50, 99 % less than p99, over each tenth of a second."));
  m_waitChart->setSmallestTop(0.0002);
  auto *row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(24);
  row->addWidget(m_rateChart);
  row->addWidget(m_waitChart);
  return holder;
}

QWidget *LabFigures::makeChecks() {
  auto *holder = new QWidget(this);
  auto *grid = new QGridLayout(holder);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(8);
  grid->setColumnStretch(2, 1);
  int column = 0;
  for (const QString &heading : {tr("What was checked"), tr("Found"), tr("What that means")}) {
    auto *label = new PlainLabel(heading, holder);
    label->setFont(scaledFont(font(), 0.86, QFont::DemiBold));
    label->setForegroundRole(QPalette::PlaceholderText);
    grid->addWidget(label, 0, column++);
  }
  m_exclusion = addCheck(*grid, tr("Two clients inside at once"));
  m_service = addCheck(*grid, tr("Every client got its turns"));
  m_losses = addCheck(*grid, tr("Leases lost while held"));
  m_doubts = addCheck(*grid, tr("Answers that never came"));
  m_cost = addCheck(*grid, tr("Work for the server"));
  return holder;
}

LabFigures::Check LabFigures::addCheck(QGridLayout &grid, const QString &what) {
  const int row = grid.rowCount();
  Check check{new PlainLabel(grid.parentWidget()), new PlainLabel(grid.parentWidget())};
  check.meaning->setWordWrap(true);
  check.meaning->setForegroundRole(QPalette::PlaceholderText);
  grid.addWidget(new PlainLabel(what, grid.parentWidget()), row, 0, Qt::AlignTop);
  grid.addWidget(check.found, row, 1, Qt::AlignTop);
  grid.addWidget(check.meaning, row, 2, Qt::AlignTop);
  return check;
}

void LabFigures::begin(const StressOptions &options) {
  abandon();
  m_options = options;
  for (TimeSeries *series : {&m_rate, &m_waitP50, &m_waitP99})
    series->clear();
  m_sample = 0;
  sayVerdict(0, 0, false);
}

void LabFigures::abandon() {
  m_verdictInk = nullptr;
  for (Figure *figure : {m_perSecond, m_pairs, m_fairness, m_commands, m_lost})
    figure->setValue(dash());
  for (const Check &check : {m_exclusion, m_service, m_losses, m_doubts, m_cost}) {
    check.found->setText(dash());
    check.meaning->clear();
  }
  m_verdict->clear();
  m_checkedOn->clear();
  m_progress->setValue(0);
  dress();
}

void LabFigures::advance(const StressProgress &progress) {
  m_perSecond->setValue(significant(progress.pairsPerSecond));
  m_pairs->setValue(countText(progress.pairs));
  m_lost->setValue(countText(progress.lost));
  setProgress(progress);
  sayVerdict(progress.violations, progress.pairs, false);
  sayChecks(progress.violations, progress.lost, progress.inDoubt);
  m_rate.set(m_sample, progress.pairsPerSecond);
  const bool waited = progress.waitP99.count() > 0;
  m_waitP50.set(m_sample, waited ? inSeconds(progress.waitP50) : TimeSeries::gap);
  m_waitP99.set(m_sample, waited ? inSeconds(progress.waitP99) : TimeSeries::gap);
  const auto window = std::clamp(static_cast<std::size_t>(m_sample) + 1, leastSamples, samples);
  m_rateChart->setWindow(window);
  m_waitChart->setWindow(window);
  m_rateChart->show({&m_rate}, m_sample);
  m_waitChart->show({&m_waitP99, &m_waitP50}, m_sample);
  ++m_sample;
}

void LabFigures::setProgress(const StressProgress &progress) {
  const double done = m_options.duration ? progress.seconds / std::chrono::duration<double>(*m_options.duration).count()
                                         : static_cast<double>(progress.pairs) / static_cast<double>(m_options.count.value_or(1));
  m_progress->setValue(static_cast<int>(std::clamp(done, 0.0, 1.0) * progressSteps));
}

void LabFigures::finish(const StressReport &report) {
  const double perSecond = report.seconds > 0 ? static_cast<double>(report.pairs) / report.seconds : 0;
  m_perSecond->setValue(significant(perSecond));
  m_pairs->setValue(countText(report.pairs));
  m_lost->setValue(countText(report.lost));
  m_commands->setValue(significant(report.commandsPerPair, 2));
  m_fairness->setValue(report.perClientMax > 0 ? significant(static_cast<double>(report.perClientMin) / static_cast<double>(report.perClientMax), 2) : dash());
  if (!report.stopped)
    m_progress->setValue(progressSteps);
  sayVerdict(report.violations, report.pairs, true);
  sayChecks(report.violations, report.lost, report.inDoubt);
  m_service.found->setText(report.perClientMin > 0 ? tr("yes") : tr("no"));
  m_service.meaning->setText(tr("the slowest %1 ×, the fastest %2 ×").arg(countText(report.perClientMin), countText(report.perClientMax)));
  m_cost.found->setText(tr("%1 sent for a pair").arg(significant(report.commandsPerPair, 2)));
  m_cost.meaning->setText(report.serverCallsPerPair
                              ? tr("%1 calls inside the server, those of scripts included").arg(significant(*report.serverCallsPerPair, 2))
                              : tr("what the server ran is not known: it refuses INFO"));
}

void LabFigures::sayVerdict(std::uint64_t violations, std::uint64_t pairs, bool over) {
  m_verdictInk = pairs == 0 && violations == 0 ? nullptr : violations == 0 ? &Theme::held : &Theme::danger;
  if (!m_verdictInk)
    m_verdict->setText(over ? tr("nothing was acquired") : tr("starting …"));
  else if (violations == 0)
    m_verdict->setText(over ? tr("mutual exclusion holds") : tr("mutual exclusion holds so far"));
  else
    m_verdict->setText(tr("mutual exclusion broken %1 ×").arg(countText(violations)));
  m_checkedOn->setText(tr("checked on %1 acquisitions").arg(countText(pairs)));
  dress();
}

void LabFigures::sayChecks(std::uint64_t violations, std::uint64_t lost, std::uint64_t inDoubt) {
  m_exclusion.found->setText(violations == 0 ? tr("never") : tr("%1 ×").arg(countText(violations)));
  m_exclusion.meaning->setText(violations == 0 ? tr("nobody entered while another was inside")
                                               : tr("a client entered while another was inside: this lock does not hold"));
  m_losses.found->setText(lost == 0 ? tr("none") : countText(lost));
  m_losses.meaning->setText(lost == 0 ? tr("every hold ended before its lease") : tr("the lease ended first; the client was told"));
  m_doubts.found->setText(inDoubt == 0 ? tr("none") : countText(inDoubt));
  m_doubts.meaning->setText(inDoubt == 0 ? tr("every command was answered") : tr("sent and unanswered; undone with the same token"));
}

void LabFigures::dress() {
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

void LabFigures::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_checkedOn && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    dress();
}

} // namespace lockhouse::ui
