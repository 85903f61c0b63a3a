// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/stress/stress_checks.h"

#include "ui/model/text/formatting.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QPainter>

namespace lockhouse::ui {

StressChecks::StressChecks(QWidget *parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(0);
  m_grid->setColumnStretch(2, 1);
  m_headings = addRow(tr("What was checked"));
  m_headings.found->setText(tr("Found"));
  m_headings.meaning->setText(tr("What that means"));
  m_exclusion = addRow({});
  m_service = addRow(tr("Every client got its turns"));
  m_losses = addRow(tr("Leases lost while held"));
  m_doubts = addRow(tr("Answers that never came"));
  m_cost = addRow(tr("Work for the server"));
  begin({});
  dress();
}

void StressChecks::begin(const StressOptions &options) {
  m_isOfLatch = isLatch(options.primitive);
  m_exclusion.what->setText(m_isOfLatch ? tr("A client went on too early") : tr("Two clients inside at once"));
  clear();
}

StressChecks::Row StressChecks::addRow(const QString &what) {
  const int row = m_grid->rowCount();
  const Row made{new PlainLabel(what, this), new PlainLabel(this), new PlainLabel(this)};
  made.meaning->setWordWrap(true);
  int column = 0;
  for (PlainLabel *label : {made.what, made.found, made.meaning}) {
    label->setContentsMargins(8, 4, 16, 4);
    m_grid->addWidget(label, row, column++);
  }
  return made;
}

void StressChecks::clear() {
  for (const Row &row : {m_exclusion, m_service, m_losses, m_doubts, m_cost}) {
    row.found->setText(dash());
    row.meaning->clear();
  }
}

void StressChecks::say(std::uint64_t violations, std::uint64_t lost, std::uint64_t inDoubt) {
  m_exclusion.found->setText(violations == 0 ? tr("never") : tr("%1 ×").arg(countText(violations)));
  if (m_isOfLatch)
    m_exclusion.meaning->setText(violations == 0 ? tr("nobody went on before all had counted down")
                                                 : tr("a latch was open too early, or not closed and counted as it must be: it does not hold"));
  else
    m_exclusion.meaning->setText(violations == 0 ? tr("nobody entered while another was inside")
                                                 : tr("a client entered while another was inside: this lock does not hold"));
  m_losses.found->setText(lost == 0 ? tr("none") : countText(lost));
  m_losses.meaning->setText(m_isOfLatch ? tr("a latch has no lease")
                            : lost == 0 ? tr("every hold ended before its lease")
                                        : tr("the lease ended first; the client was told"));
  m_doubts.found->setText(inDoubt == 0 ? tr("none") : countText(inDoubt));
  m_doubts.meaning->setText(inDoubt == 0  ? tr("every command was answered")
                            : m_isOfLatch ? tr("an outage; these clients met anew at another latch")
                                          : tr("sent and unanswered; undone with the same token"));
}

void StressChecks::finish(const StressReport &report) {
  say(report.violations, report.lost, report.inDoubt);
  m_service.found->setText(report.perClientMin > 0 ? tr("yes") : tr("no"));
  m_service.meaning->setText(tr("the slowest %1 ×, the fastest %2 ×").arg(countText(report.perClientMin), countText(report.perClientMax)));
  m_cost.found->setText(tr("%1 sent for a pair").arg(significant(report.commandsPerPair, 2)));
  m_cost.meaning->setText(report.serverCallsPerPair
                              ? tr("%1 calls inside the server, those of scripts included").arg(significant(*report.serverCallsPerPair, 2))
                              : tr("what the server ran is not known: it refuses INFO"));
}

void StressChecks::dress() {
  const Theme theme = Theme::of(palette());
  for (const Row &row : {m_headings, m_exclusion, m_service, m_losses, m_doubts, m_cost})
    for (PlainLabel *label : {row.what, row.found, row.meaning}) {
      const bool heading = row.what == m_headings.what;
      if (heading)
        label->setFont(scaledFont(font(), 0.86, QFont::DemiBold));
      label->setMinimumHeight(scaledLength(font(), 27));
      QPalette colours = label->palette();
      const QColor ink = heading || label == row.meaning ? theme.soft : theme.text;
      if (colours.color(QPalette::WindowText) == ink)
        continue;
      colours.setColor(QPalette::WindowText, ink);
      label->setPalette(colours);
      label->setForegroundRole(QPalette::WindowText);
    }
}

void StressChecks::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_cost.meaning && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
    dress();
}

void StressChecks::paintEvent(QPaintEvent *) {
  const Theme theme = Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(QRect(0, 0, width(), m_headings.what->geometry().bottom() + 1), theme.window);
  for (const Row &row : {m_headings, m_exclusion, m_service, m_losses, m_doubts, m_cost})
    painter.fillRect(QRect(0, row.meaning->geometry().bottom(), width(), 1), theme.line);
}

} // namespace lockhouse::ui
