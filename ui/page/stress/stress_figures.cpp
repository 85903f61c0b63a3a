// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/stress/stress_figures.h"

#include "ui/model/text/formatting.h"
#include "ui/page/stress/stress_checks.h"
#include "ui/plot/live_chart.h"
#include "ui/widget/parts/figure.h"
#include "ui/widget/style/plain_text.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>

#include <algorithm>
#include <cmath>

namespace lockhouse::ui {
namespace {

constexpr int progressSteps = 1000;

QString timeSpan(double inSeconds) {
  return inSeconds > 0 ? duration(std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(inSeconds))) : QStringLiteral("0");
}

QString number(double value) { return significant(value); }

QString wholeNumber(double value) { return countText(static_cast<std::uint64_t>(std::llround(value))); }

double inSeconds(std::chrono::nanoseconds span) { return std::chrono::duration<double>(span).count(); }

} // namespace

StressFigures::StressFigures(QWidget *parent)
    : QWidget(parent), m_rate(milliseconds(100), samples), m_waitP50(milliseconds(100), samples), m_waitP99(milliseconds(100), samples),
      m_waiting(milliseconds(100), samples), m_lostLeases(milliseconds(100), samples), m_lostAnswers(milliseconds(100), samples) {
  build();
  abandon();
}

void StressFigures::build() {
  m_progress = new QProgressBar(this);
  m_progress->setRange(0, progressSteps);
  m_progress->setTextVisible(false);
  m_progress->setFixedHeight(8);
  m_progress->setAccessibleName(tr("How far the run is"));
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
  column->addWidget(makeCharts(), 1);
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
  // On a ground like a table's Qt would write them all in the table's text colour.
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

QWidget *StressFigures::makeCharts() {
  auto *holder = new QWidget(this);
  m_rateChart = new LiveChart(tr("Pairs per second"), {{{}, &Theme::held}}, number, holder);
  m_waitChart = new LiveChart(tr("Wait, p50 and p99"), {{tr("p99"), &Theme::expiring}, {tr("p50"), &Theme::stale}}, timeSpan, holder);
  m_waitChart->setSmallestTop(0.0002);
  m_waitingChart = new LiveChart(tr("Clients that wait"), {{{}, &Theme::waiting}}, wholeNumber, holder);
  m_lossChart = new LiveChart(tr("Lost since the start"), {{tr("leases"), &Theme::expiring}, {tr("answers"), &Theme::stale}}, wholeNumber, holder);
  m_lossChart->setDefinition(
      tr("Leases that ended while their client was still inside, and commands whose answer never came. Both stay at nought in a good run."));
  auto *grid = new QGridLayout(holder);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(8);
  grid->addWidget(m_rateChart, 0, 0);
  grid->addWidget(m_waitChart, 0, 1);
  grid->addWidget(m_waitingChart, 1, 0);
  grid->addWidget(m_lossChart, 1, 1);
  lineUp({m_rateChart, m_waitingChart});
  lineUp({m_waitChart, m_lossChart});
  sayDefinitions();
  return holder;
}

void StressFigures::sayDefinitions() {
  const bool meets = isLatch(m_options.primitive);
  m_rateChart->setDefinition(meets ? tr("Completed pairs of a count down and a wait that ended, over each tenth of a second.")
                                   : tr("Completed pairs of acquire and release, over each tenth of a second."));
  m_waitChart->setDefinition(
      meets ? tr("From a client's count down until it goes on: half waited less than p50, 99 % less than p99, over each tenth of a second.")
            : tr("From asking for the lock to having it: half waited less than p50, 99 % less than p99, over each tenth of a second."));
  m_waitingChart->setDefinition(meets ? tr("Clients of this run that wait for the others, at each tenth of a second.")
                                      : tr("Clients of this run that want the lock and do not have it, at each tenth of a second."));
}

// Beside the figures where there is room for the longest thing it may say, else below them: never cut, and it does not hop.
void StressFigures::placeJudgement() {
  const QFontMetrics large(m_verdict->font());
  const int longest = std::max({large.horizontalAdvance(tr("mutual exclusion holds so far")),
                                large.horizontalAdvance(tr("mutual exclusion broken %1 ×").arg(countText(1'000'000))),
                                large.horizontalAdvance(tr("nobody went on too early so far")), m_checkedOn->sizeHint().width()});
  const QMargins margins = layout()->contentsMargins();
  const bool companion = width() - margins.left() - margins.right() >= m_numbers->sizeHint().width() + m_head->horizontalSpacing() + longest;
  for (PlainLabel *label : {m_verdict, m_checkedOn})
    label->setAlignment((companion ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  m_head->removeWidget(m_judgement);
  if (companion)
    m_head->addWidget(m_judgement, 0, 1);
  else
    m_head->addWidget(m_judgement, 1, 0, 1, 2);
}

void StressFigures::begin(const StressOptions &options) {
  abandon();
  m_options = options;
  m_checks->begin(options);
  sayDefinitions();
  for (TimeSeries *series : {&m_rate, &m_waitP50, &m_waitP99, &m_waiting, &m_lostLeases, &m_lostAnswers})
    series->clear();
  m_sample = 0;
  sayVerdict(0, 0, false);
}

void StressFigures::abandon() {
  m_verdictInk = nullptr;
  for (Figure *figure : {m_perSecond, m_pairs, m_fairness, m_commands, m_lost})
    figure->setValue(dash());
  m_checks->clear();
  m_verdict->clear();
  m_checkedOn->clear();
  m_progress->setValue(0);
  dress();
}

void StressFigures::advance(const StressProgress &progress) {
  m_perSecond->setValue(significant(progress.pairsPerSecond));
  m_pairs->setValue(countText(progress.pairs));
  m_lost->setValue(countText(progress.lost));
  setProgress(progress);
  sayVerdict(progress.violations, progress.pairs, false);
  m_checks->say(progress.violations, progress.lost, progress.inDoubt);
  record(progress);
  draw();
  ++m_sample;
}

void StressFigures::record(const StressProgress &progress) {
  const bool waited = progress.waitP99.count() > 0;
  m_rate.set(m_sample, progress.pairsPerSecond);
  m_waitP50.set(m_sample, waited ? inSeconds(progress.waitP50) : TimeSeries::gap);
  m_waitP99.set(m_sample, waited ? inSeconds(progress.waitP99) : TimeSeries::gap);
  m_waiting.set(m_sample, progress.waiting);
  m_lostLeases.set(m_sample, static_cast<double>(progress.lost));
  m_lostAnswers.set(m_sample, static_cast<double>(progress.inDoubt));
}

void StressFigures::draw() {
  const auto window = std::clamp(static_cast<std::size_t>(m_sample) + 1, leastSamples, samples);
  for (LiveChart *chart : {m_rateChart, m_waitChart, m_waitingChart, m_lossChart})
    chart->setWindow(window);
  m_rateChart->show({&m_rate}, m_sample);
  m_waitChart->show({&m_waitP99, &m_waitP50}, m_sample);
  m_waitingChart->show({&m_waiting}, m_sample);
  m_lossChart->show({&m_lostLeases, &m_lostAnswers}, m_sample);
  lineUp({m_rateChart, m_waitingChart});
  lineUp({m_waitChart, m_lossChart});
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
  sayVerdict(report.violations, report.pairs, true);
  m_checks->finish(report);
}

void StressFigures::sayVerdict(std::uint64_t violations, std::uint64_t pairs, bool over) {
  m_verdictInk = pairs == 0 && violations == 0 ? nullptr : violations == 0 ? &Theme::held : &Theme::danger;
  const bool meets = isLatch(m_options.primitive);
  if (!m_verdictInk)
    m_verdict->setText(!over ? tr("starting …") : meets ? tr("nobody went on") : tr("nothing was acquired"));
  else if (meets)
    m_verdict->setText(violations > 0 ? tr("the latch failed %1 ×").arg(countText(violations))
                       : over         ? tr("nobody went on too early")
                                      : tr("nobody went on too early so far"));
  else if (violations == 0)
    m_verdict->setText(over ? tr("mutual exclusion holds") : tr("mutual exclusion holds so far"));
  else
    m_verdict->setText(tr("mutual exclusion broken %1 ×").arg(countText(violations)));
  m_checkedOn->setText((meets ? tr("checked on %1 waits") : tr("checked on %1 acquisitions")).arg(countText(pairs)));
  dress();
}

void StressFigures::dress() {
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
    dress();
}

void StressFigures::resizeEvent(QResizeEvent *event) {
  QWidget::resizeEvent(event);
  placeJudgement();
}

} // namespace lockhouse::ui
