// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/monitor/charts_dock.h"

#include "ui/bridge/engine.h"
#include "ui/model/text/formatting.h"
#include "ui/plot/live_chart.h"
#include "ui/widget/style/plain_text.h"

#include <QEvent>
#include <QGridLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockhouse::ui {
namespace {

constexpr std::array spans{seconds(10), seconds(20), seconds(30), seconds(60), seconds(120), seconds(300)};

QString wholeNumber(double value) { return countText(static_cast<std::uint64_t>(std::llround(value))); }

QString timeSpan(double inSeconds) {
  return inSeconds > 0 ? duration(std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>(inSeconds))) : QStringLiteral("0");
}

} // namespace

ChartsDock::ChartsDock(Engine &engine, QWidget *parent) : QWidget(parent) {
  build();
  connect(&engine, &Engine::snapshotReady, this, &ChartsDock::takeSnapshot);
  connect(&engine, &Engine::changesReady, this, [this](const std::vector<LockChange> &changes) { takeChanges(changes); });
  connect(&m_second, &QTimer::timeout, this, &ChartsDock::tick);
  m_second.start(seconds(1));
}

void ChartsDock::build() {
  m_heldChart = new LiveChart(tr("Locks held"), {{{}, &Theme::held}}, wholeNumber, this);
  m_heldChart->setDefinition(tr("Locks that somebody holds, on the nodes that are live. A gap: the number was not known then."));
  m_waitersChart = new LiveChart(tr("Known waiters"), {{{}, &Theme::waiting}}, wholeNumber, this);
  m_waitersChart->setDefinition(tr("Clients known to wait, on the nodes that are live. Locks whose family leaves no trace of its waiters add nothing, so "
                                   "that there may be more."));
  m_rateChart =
      new LiveChart(tr("Acquired and contended per second"), {{tr("acquired"), &Theme::held}, {tr("contended"), &Theme::contended}}, wholeNumber, this);
  m_rateChart->setDefinition(
      tr("Acquired: holds that began in a second; another level of a re-entrant lock is none. Contended: clients seen to begin "
         "waiting, where the family leaves a trace of them. A hold shorter than the time to read it may be missed: both are “at least”."));
  m_holdChart = new LiveChart(tr("Held for, p50 and p99"), {{tr("p99"), &Theme::expiring}, {tr("p50"), &Theme::stale}}, timeSpan, this);
  m_holdChart->setDefinition(tr("How long holds lasted that ended in the last ten seconds and whose beginning was seen too: half were shorter than p50, 99 % "
                                "shorter than p99. A gap: none ended."));
  m_holdChart->setSmallestTop(0.002);
  m_coverage = new PlainLabel(this);
  auto *grid = new QGridLayout(this);
  grid->setContentsMargins(16, 8, 8, 8);
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(8);
  grid->addWidget(m_heldChart, 0, 0);
  grid->addWidget(m_waitersChart, 0, 1);
  grid->addWidget(m_rateChart, 1, 0);
  grid->addWidget(m_holdChart, 1, 1);
  grid->addWidget(m_coverage, 2, 0, 1, 2, Qt::AlignRight);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  sayCoverage(SteadyClock::now());
  dress();
}

void ChartsDock::dress() {
  m_coverage->setFont(scaledFont(font(), 0.86));
  m_coverage->setForegroundRole(QPalette::PlaceholderText);
}

void ChartsDock::takeSnapshot(const LockSnapshotPtr &snapshot) {
  const SteadyTime now = SteadyClock::now();
  m_held.take(*snapshot, now);
  m_rates.cover(now, m_held.coverage().live > 0 && !m_held.coverage().resyncing);
  m_since = m_since.value_or(now);
  if (isVisible())
    draw(now); // what the table shows, the charts show too
}

void ChartsDock::takeChanges(const std::vector<LockChange> &changes) { m_rates.take(changes, SteadyClock::now(), wallNow()); }

void ChartsDock::tick() {
  const SteadyTime now = SteadyClock::now();
  m_held.tick(now);
  m_rates.cover(now, m_held.coverage().live > 0 && !m_held.coverage().resyncing);
  if (isVisible())
    draw(now);
}

void ChartsDock::draw(SteadyTime now) {
  const std::int64_t second = m_held.held().bucketOf(now);
  for (LiveChart *chart : {m_heldChart, m_waitersChart, m_rateChart, m_holdChart})
    chart->setWindow(static_cast<std::size_t>(shownSpan(now).count()));
  sayCoverage(now);
  m_heldChart->show({&m_held.held()}, second);
  m_waitersChart->show({&m_held.waiters()}, second);
  // The second that runs is not counted out yet.
  m_rateChart->show({&m_rates.acquired(), &m_rates.contended()}, second - 1);
  m_holdChart->show({&m_rates.holdP99(), &m_rates.holdP50()}, second - 1);
  lineUp({m_heldChart, m_rateChart});
  lineUp({m_waitersChart, m_holdChart});
}

// In steps, so that a short history fills the chart and the scale stays for a while.
seconds ChartsDock::shownSpan(SteadyTime now) const {
  const auto fits = std::ranges::find_if(spans, [watched = now - m_since.value_or(now)](seconds span) { return span >= watched; });
  return fits == spans.end() ? spans.back() : *fits;
}

void ChartsDock::sayCoverage(SteadyTime now) {
  const Coverage &coverage = m_held.coverage();
  const seconds span = shownSpan(now);
  const auto count = static_cast<std::uint64_t>(span.count());
  QString said = count < 60 ? tr("last %1 seconds").arg(countText(count)) : count == 60 ? tr("last minute") : tr("last %1 minutes").arg(countText(count / 60));
  if (coverage.resyncing)
    said = tr("no totals while a node is read again · %1").arg(said);
  else if (coverage.live < coverage.named)
    said = tr("%1 of %2 nodes · %3").arg(countText(coverage.live), countText(coverage.named), said);
  m_coverage->setText(said);
}

void ChartsDock::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_coverage && event->type() == QEvent::FontChange)
    dress();
}

void ChartsDock::showEvent(QShowEvent *event) {
  QWidget::showEvent(event);
  draw(SteadyClock::now());
}

} // namespace lockhouse::ui
