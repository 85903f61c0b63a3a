// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release/release_many_view.h"

#include "ui/model/tables/release_table_model.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/message_text.h"
#include "ui/model/text/verdict_text.h"
#include "ui/page/release/cli_command.h"
#include "ui/page/release/lease_length_picker.h"
#include "ui/page/release/plan_buttons.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/page/release/release_many_words.h"
#include "ui/page/release/script_view.h"
#include "ui/widget/parts/action_button.h"
#include "ui/widget/parts/banner.h"
#include "ui/widget/parts/dock_table.h"
#include "ui/widget/parts/scroll_pane.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/prose.h"

#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QProgressBar>
#include <QVBoxLayout>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using Phase = ReleaseManyFlow::Phase;

constexpr int mostReason = 500;
constexpr int rowsAtLeast = 4; ///< of the table, where there are as many
constexpr int mostRows = 40;   ///< that it shows without a bar of its own

QString releaseAction(const ReleaseManyFlow &flow, int locks) {
  if (flow.isOfOneHolder())
    return flow.isUnlocked() ? ReleaseManyView::tr("Release holds of %n locks", nullptr, locks)
                             : ReleaseManyView::tr("Unlock writing and release holds of %n", nullptr, locks);
  return flow.isUnlocked() ? ReleaseManyView::tr("Release %n locks", nullptr, locks) : ReleaseManyView::tr("Unlock writing and release %n", nullptr, locks);
}

} // namespace

ReleaseManyView::ReleaseManyView(QWidget *parent) : QWidget(parent) {
  build();
  wire();
  dress();
}

void ReleaseManyView::build() {
  m_title = new PlainLabel(this);
  m_title->setWordWrap(true);
  m_sentence = new PlainLabel(this);
  m_sentence->setWordWrap(true);
  m_length = new LeaseLengthPicker(this);
  m_good = new Banner(&Theme::held, this);
  buildScroll();
  QWidget *running = makeRunning();
  m_notice = new Banner(&Theme::contended, this);
  QWidget *why = makeReason();
  m_buttons = new PlanButtons(this); // the last that Tab comes to
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  column->addWidget(m_title);
  column->addWidget(m_sentence);
  column->addWidget(m_length);
  column->addWidget(m_good);
  column->addWidget(m_scroll, 1);
  for (QWidget *part : std::initializer_list<QWidget *>{running, m_notice, why})
    column->addWidget(part);
  column->addWidget(m_buttons);
}

// What is to be read scrolls in one piece where it is higher than the screen; what has come of it, the reason and the verbs stay in sight.
void ReleaseManyView::buildScroll() {
  m_scroll = new ScrollPane(ScrollPane::Stop::WhileItScrolls, this);
  m_scroll->setAccessibleName(tr("The plans"));
  m_scroll->setMinimumHeight(scaledLength(font(), 80));
  auto *content = new QWidget;
  auto *column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  m_risks = new Banner(&Theme::danger, content);
  buildTable(content);
  m_ownRisks = new Banner(&Theme::danger, content);
  m_effects = new Prose(content);
  m_script = new ScriptView(content);
  for (QWidget *part : std::initializer_list<QWidget *>{m_risks, m_table, m_ownRisks, m_effects, m_script})
    column->addWidget(part);
  column->addStretch(1);
  m_scroll->setWidget(content);
  content->setAutoFillBackground(false);
  m_scroll->viewport()->setAutoFillBackground(false);
  connect(m_scroll, &ScrollPane::resized, this, &ReleaseManyView::fitTable);
}

void ReleaseManyView::buildTable(QWidget *content) {
  m_model = new ReleaseTableModel(this);
  m_table = new DockTable(content);
  m_table->setModel(m_model);
  m_table->setAccessibleName(tr("What would happen to each"));
  // Lock, node, holder, count, outcome: names give way in their middle, the outcome takes what they leave.
  m_table->setColumnBounds({{20, 44}, {5, 20}, {12, 16}, {5, 8}, {20, 80}}, ReleaseTableModel::Outcome);
}

// All of its rows; of very many it is the table that scrolls, and is no higher than can be seen at once.
void ReleaseManyView::fitTable() {
  const int all = m_model->rowCount();
  const int rows = all <= mostRows ? all : std::max(rowsAtLeast, m_table->rowsIn(m_scroll->viewport()->height()));
  m_table->setFixedHeight(m_table->heightOf(std::max(rows, 1)));
}

void ReleaseManyView::showPlan(int row) {
  const ReleasePlan *plan = m_why->isVisibleTo(this) ? m_model->planOf(row) : nullptr;
  m_effects->setVisible(plan);
  m_script->setVisible(plan);
  m_ownRisks->setSentences(plan && m_isOfMany ? messageSentences(plan->warnings) : QStringList());
  if (!plan)
    return;
  m_effects->setText(messageSentences(textsOf(plan->effects)).join(u'\n'));
  m_script->setScript(scriptText(*plan, m_model->intentOf(row).shortenTo));
}

QWidget *ReleaseManyView::makeRunning() {
  m_running = new QWidget(this);
  m_bar = new QProgressBar(m_running);
  m_bar->setTextVisible(false);
  m_bar->setFixedHeight(8);
  m_bar->setAccessibleName(tr("How far it has come"));
  m_howFar = new PlainLabel(m_running);
  m_howFar->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_stop = new ActionButton(tr("Stop"), m_running);
  m_stop->setToolTip(plainToolTip(tr("Leave out what has not been begun")));
  auto *row = new QHBoxLayout(m_running);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  row->addWidget(m_bar, 1);
  row->addWidget(m_howFar);
  row->addWidget(m_stop);
  return m_running;
}

QWidget *ReleaseManyView::makeReason() {
  m_why = new QWidget(this);
  m_reason = new QLineEdit(m_why);
  m_reason->setMaxLength(mostReason);
  m_reason->setTextMargins(6, 3, 6, 3);
  auto *label = new PlainLabel(tr("Reason, kept in the audit log with each of them"), m_why);
  label->setBuddy(m_reason);
  auto *column = new QVBoxLayout(m_why);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(label);
  column->addWidget(m_reason);
  return m_why;
}

void ReleaseManyView::wire() {
  connect(m_buttons, &PlanButtons::commandAsked, this, &ReleaseManyView::copyAsked);
  connect(m_buttons, &PlanButtons::planAgainAsked, this, &ReleaseManyView::planAgainAsked);
  connect(m_buttons, &PlanButtons::applyAsked, this, &ReleaseManyView::applyAsked);
  connect(m_buttons, &PlanButtons::otherActionAsked, this, &ReleaseManyView::otherActionAsked);
  connect(m_length, &LeaseLengthPicker::chosen, this, &ReleaseManyView::lengthChosen);
  connect(m_buttons, &PlanButtons::cancelled, this, &ReleaseManyView::cancelled);
  connect(m_stop, &QPushButton::clicked, this, &ReleaseManyView::stopAsked);
  connect(m_reason, &QLineEdit::textChanged, this, [this](const QString &text) { m_buttons->setReasonGiven(!text.trimmed().isEmpty()); });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &current) {
    showPlan(current.row());
    if (m_table->hasFocus())
      m_scroll->reveal(*m_table->viewport(), m_table->visualRect(current));
  });
}

void ReleaseManyView::dress() { m_title->setFont(scaledFont(font(), 1.2, QFont::DemiBold)); }

void ReleaseManyView::show(const ReleaseManyFlow &flow, const NodeNames &names) {
  const bool isWhole = flow.phase() == Phase::Done && flow.openLocks() == flow.locks() && flow.doneOnMost().empty() && manyUnrecorded(flow).empty();
  m_title->setText(breakable(manyTitle(flow)));
  tell(flow);
  m_length->setVisible(flow.isShortening() && flow.phase() != Phase::Done);
  m_length->show(flow.length(), flow.phase() == Phase::Planned);
  m_risks->setSentences(flow.phase() == Phase::Planned ? manyRisks(flow) : QStringList());
  m_good->setSentences(isWhole ? manyVerdicts(flow) : QStringList());
  m_isOfMany = flow.locks() > 1;
  m_reason->setPlaceholderText(m_isOfMany ? tr("why these locks have to be changed by hand") : tr("why this lock has to be changed by hand"));
  int row = m_table->currentIndex().row(); // which the table forgets when it is filled
  fillTable(flow, names);
  fillNotice(flow);
  m_why->setVisible(flow.phase() == Phase::Planned || flow.phase() == Phase::Applying);
  m_reason->setReadOnly(flow.phase() == Phase::Applying);
  if (row >= m_model->rowCount())
    row = -1;
  const bool isFirst = row < 0;
  for (int first = 0; row < 0 && first < m_model->rowCount(); ++first) // those in the way stand before it
    row = m_model->planOf(first) ? first : -1;
  if (flow.phase() == Phase::Planned && row >= 0) {
    m_table->setCurrentIndex(m_model->index(row, 0));
    if (isFirst)
      m_table->scrollToTop(); // what stands in the way is read first, too
  }
  showPlan(row);
  fillButtons(flow);
  showProgress(flow);
}

void ReleaseManyView::tell(const ReleaseManyFlow &flow) { m_sentence->setText(manySentence(flow)); }

void ReleaseManyView::fillTable(const ReleaseManyFlow &flow, const NodeNames &names) {
  std::vector<const ReleaseIntent *> intents;
  if (!flow.results().empty())
    for (const HoldToRelease &hold : flow.holds())
      intents.push_back(&hold.intent);
  m_model->show(std::move(intents), flow.results(), names, flow.phase() == Phase::Done);
  fitTable();
}

void ReleaseManyView::showProgress(const ReleaseManyFlow &flow) {
  const ManyProgress &progress = flow.progress();
  const auto howFar = [&progress](std::size_t answered) { return tr("%1 of %2").arg(countText(answered), countText(progress.total)); };
  m_howFar->setMinimumWidth(m_howFar->fontMetrics().horizontalAdvance(howFar(progress.total)) + 2); // so that the bar beside it stands still
  m_howFar->setText(howFar(progress.answered));
  m_running->setVisible(flow.phase() == Phase::Planning || flow.phase() == Phase::Applying);
  m_bar->setMaximum(static_cast<int>(progress.total));
  m_bar->setValue(static_cast<int>(progress.answered)); // is painted at once, and with it what stands beside it
  m_stop->setEnabled(!flow.isStopping());
}

void ReleaseManyView::fillNotice(const ReleaseManyFlow &flow) {
  QStringList said;
  if (flow.phase() == Phase::Done)
    said = m_good->sentences().isEmpty() ? manyVerdicts(flow) << manyUnrecorded(flow) << manyOnMost(flow) << manyUnread(flow) : QStringList();
  else if (flow.isStopping())
    said << tr("Stopping: what is under way is still answered; the rest stays as it is.");
  else if (flow.isTooOld())
    said << tr("This preview is too old to act on.") << tr("Plan again to see the locks as they are now.");
  else if (flow.phase() == Phase::Planned && !flow.isUnlocked() && flow.openLocks() > 0)
    said << tr("This console is read-only.") << tr("The button below unlocks writing, does what is shown here, and makes it read-only again.");
  if (const auto trouble = flow.phase() == Phase::Done ? flow.auditTrouble() : Message(); !trouble.empty())
    said << messageSentence(trouble);
  m_notice->setSentences(said);
}

void ReleaseManyView::fillButtons(const ReleaseManyFlow &flow) {
  const bool isPlanned = flow.phase() == Phase::Planned;
  const bool isDone = flow.phase() == Phase::Done;
  const bool isOpen = (isPlanned && flow.openLocks() > 0) || flow.phase() == Phase::Applying;
  const int open = static_cast<int>(flow.openLocks());
  const auto figured = [open](const QString &text) { return withGroups(text, static_cast<std::uint64_t>(open)); };
  PlanButtons::Words words;
  if (isOpen && flow.isShortening())
    words.shorten = figured(flow.isUnlocked() ? tr("Shorten %n leases", nullptr, open) : tr("Unlock writing and shorten %n", nullptr, open));
  else if (isOpen)
    words.release = figured(releaseAction(flow, open));
  if (isPlanned && flow.isShortening())
    words.other = m_isOfMany ? tr("Release them instead") : PlanButtons::releaseInstead();
  else if (isPlanned)
    words.other = m_isOfMany ? tr("Shorten leases to %1 instead").arg(leaseLength(ReleaseFlow::usualLength)) : PlanButtons::shortenInstead();
  if (isDone || (isPlanned && flow.openLocks() > 0))
    words.copy = isDone ? tr("Copy report") : tr("Copy as commands");
  if (flow.hasRest() || (isPlanned && (flow.isTooOld() || flow.openLocks() < flow.locks())))
    words.again = isDone ? tr("Plan the rest again") : tr("Plan again");
  words.cancel = isDone || (isPlanned && !isOpen) ? tr("Close") : tr("Cancel");
  m_buttons->show(words, isPlanned && isOpen && !flow.isTooOld());
}

QString ReleaseManyView::reason() const { return m_reason->text(); }

void ReleaseManyView::focusCancel() { m_buttons->focusCancel(); }

void ReleaseManyView::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_buttons && event->type() == QEvent::FontChange)
    dress();
}

} // namespace lockhouse::ui
