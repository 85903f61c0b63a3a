// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/stress/stress_charts.h"

#include "ui/model/text/formatting.h"
#include "ui/plot/live_chart.h"
#include "ui/widget/style/theme.h"

#include <QGridLayout>

#include <algorithm>
#include <cmath>

namespace lockhouse::ui {
namespace {

QString timeSpan(double inSeconds) {
  return inSeconds > 0 ? duration(std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(inSeconds))) : QStringLiteral("0");
}

QString number(double value) { return significant(value); }

QString wholeNumber(double value) { return countText(static_cast<std::uint64_t>(std::llround(value))); }

double inSeconds(std::chrono::nanoseconds span) { return std::chrono::duration<double>(span).count(); }

} // namespace

StressCharts::StressCharts(QWidget *parent)
    : QWidget(parent), m_rate(milliseconds(100), samples), m_waitP50(milliseconds(100), samples), m_waitP99(milliseconds(100), samples),
      m_waiting(milliseconds(100), samples), m_lostLeases(milliseconds(100), samples), m_lostAnswers(milliseconds(100), samples) {
  build();
}

void StressCharts::build() {
  m_rateChart = new LiveChart(tr("Pairs per second"), {{{}, &Theme::held}}, number, this);
  m_waitChart = new LiveChart(tr("Wait, p50 and p99"), {{tr("p99"), &Theme::expiring}, {tr("p50"), &Theme::stale}}, timeSpan, this);
  m_waitChart->setSmallestTop(0.0002);
  m_waitingChart = new LiveChart(tr("Clients that wait"), {{{}, &Theme::waiting}}, wholeNumber, this);
  m_lossChart = new LiveChart(tr("Lost since the start"), {{tr("leases"), &Theme::expiring}, {tr("answers"), &Theme::stale}}, wholeNumber, this);
  m_lossChart->setDefinition(
      tr("Leases that ended while their client was still inside, and commands whose answer never came. Both stay at nought in a good run."));
  auto *grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(8);
  grid->addWidget(m_rateChart, 0, 0);
  grid->addWidget(m_waitChart, 0, 1);
  grid->addWidget(m_waitingChart, 1, 0);
  grid->addWidget(m_lossChart, 1, 1);
  lineUp({m_rateChart, m_waitingChart});
  lineUp({m_waitChart, m_lossChart});
  setDefinitions(false);
}

void StressCharts::setDefinitions(bool isLatch) {
  m_rateChart->setDefinition(isLatch ? tr("Completed pairs of a count down and a wait that ended, over each tenth of a second.")
                                     : tr("Completed pairs of acquire and release, over each tenth of a second."));
  m_waitChart->setDefinition(
      isLatch ? tr("From a client's count down until it goes on: half waited less than p50, 99 % less than p99, over each tenth of a second.")
              : tr("From asking for the lock to having it: half waited less than p50, 99 % less than p99, over each tenth of a second."));
  m_waitingChart->setDefinition(isLatch ? tr("Clients of this run that wait for the others, at each tenth of a second.")
                                        : tr("Clients of this run that want the lock and do not have it, at each tenth of a second."));
}

void StressCharts::begin(bool isLatch) {
  setDefinitions(isLatch);
  for (TimeSeries *series : {&m_rate, &m_waitP50, &m_waitP99, &m_waiting, &m_lostLeases, &m_lostAnswers})
    series->clear();
  m_sample = 0;
}

void StressCharts::advance(const StressProgress &progress) {
  record(progress);
  draw();
  ++m_sample;
}

void StressCharts::record(const StressProgress &progress) {
  const bool waited = progress.waitP99.count() > 0;
  m_rate.set(m_sample, progress.pairsPerSecond);
  m_waitP50.set(m_sample, waited ? inSeconds(progress.waitP50) : TimeSeries::gap);
  m_waitP99.set(m_sample, waited ? inSeconds(progress.waitP99) : TimeSeries::gap);
  m_waiting.set(m_sample, progress.waiting);
  m_lostLeases.set(m_sample, static_cast<double>(progress.lost));
  m_lostAnswers.set(m_sample, static_cast<double>(progress.inDoubt));
}

void StressCharts::draw() {
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

} // namespace lockhouse::ui
