// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/release_plan_view.h"

#include "ui/model/format.h"
#include "ui/model/plan_words.h"
#include "ui/model/release_words.h"
#include "ui/model/strong_text.h"
#include "ui/page/release_command.h"
#include "ui/page/release_flow.h"
#include "ui/page/release_script.h"
#include "ui/page/tint_box.h"
#include "ui/page/verb_button.h"
#include "ui/widget/plain_text.h"
#include "ui/widget/prose.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lockhouse::ui {
namespace {

constexpr int margin = 24;
constexpr int spacing = 12;
constexpr int mostReason = 500;
constexpr std::size_t shownOfName = 64;

} // namespace

ReleasePlanView::ReleasePlanView(QWidget *parent) : QWidget(parent) {
  build();
  dress();
  enableRelease();
  connect(this, &ReleasePlanView::contentResized, this, &ReleasePlanView::fitScroll, Qt::QueuedConnection);
}

void ReleasePlanView::build() {
  m_title = new PlainLabel(this);
  m_title->setWordWrap(true);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // a name without a space cannot be broken: it must not widen all
  m_sentence = new PlainLabel(this);
  m_sentence->setWordWrap(true);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(margin, 20, margin, 20);
  column->setSpacing(spacing);
  column->addWidget(m_title);
  column->addWidget(m_sentence);
  column->addWidget(makeScroll(), 1);
  column->addWidget(makeReason());
  column->addWidget(makeButtons());
}

QScrollArea *ReleasePlanView::makeScroll() {
  auto *content = new QWidget;
  m_risks = new TintBox(&Theme::danger, content);
  m_notice = new TintBox(&Theme::contended, content);
  auto *column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(spacing);
  column->addWidget(makeHolderRow());
  column->addWidget(m_risks);
  column->addWidget(makeBody());
  column->addWidget(m_notice);
  column->addStretch(1);
  m_scroll = new QScrollArea(this);
  m_scroll->setWidget(content);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setMinimumHeight(60);
  content->installEventFilter(this);
  content->setAutoFillBackground(false);
  m_scroll->viewport()->setAutoFillBackground(false);
  return m_scroll;
}

QWidget *ReleasePlanView::makeHolderRow() {
  m_holderRow = new QWidget(this);
  m_holders = new QComboBox(m_holderRow);
  m_holders->setFont(fixedFont());
  m_holders->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  auto *label = new PlainLabel(tr("Hold of"), m_holderRow);
  label->setBuddy(m_holders);
  auto *row = new QHBoxLayout(m_holderRow);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(m_holders, 1);
  connect(m_holders, &QComboBox::activated, this, &ReleasePlanView::holderChosen);
  return m_holderRow;
}

QWidget *ReleasePlanView::makeBody() {
  m_body = new QWidget(this);
  m_facts = new QGridLayout;
  m_facts->setHorizontalSpacing(16);
  m_facts->setVerticalSpacing(8);
  m_facts->setColumnStretch(0, 2);
  m_facts->setColumnStretch(1, 5);
  m_script = new ReleaseScript(m_body);
  auto *column = new QVBoxLayout(m_body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(spacing);
  column->addLayout(m_facts);
  column->addWidget(m_script);
  return m_body;
}

QWidget *ReleasePlanView::makeReason() {
  m_why = new QWidget(this);
  m_reason = new QLineEdit(m_why);
  m_reason->setMaxLength(mostReason);
  m_reason->setTextMargins(6, 3, 6, 3);
  m_reason->setPlaceholderText(tr("why this lock has to be released by hand"));
  auto *label = new PlainLabel(tr("Reason, kept in the audit log"), m_why);
  label->setBuddy(m_reason);
  connect(m_reason, &QLineEdit::textChanged, this, &ReleasePlanView::enableRelease);
  auto *column = new QVBoxLayout(m_why);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(label);
  column->addWidget(m_reason);
  return m_why;
}

QWidget *ReleasePlanView::makeButtons() {
  m_copy = new VerbButton(tr("Copy as command"), this);
  m_again = new VerbButton(tr("Plan again"), this);
  m_release = new VerbButton(VerbButton::Tone::Danger, this);
  m_cancel = new VerbButton(tr("Cancel"), this);
  m_release->setAutoDefault(false); // Space presses it, a hasty Return does not
  m_cancel->setDefault(true);
  auto *buttons = new QDialogButtonBox(this);
  buttons->addButton(m_again, QDialogButtonBox::ActionRole);
  buttons->addButton(m_release, QDialogButtonBox::AcceptRole);
  buttons->addButton(m_cancel, QDialogButtonBox::RejectRole);
  connect(m_copy, &QPushButton::clicked, this, &ReleasePlanView::commandAsked);
  connect(m_again, &QPushButton::clicked, this, &ReleasePlanView::planAgainAsked);
  connect(m_release, &QPushButton::clicked, this, &ReleasePlanView::releaseAsked);
  connect(m_cancel, &QPushButton::clicked, this, &ReleasePlanView::cancelled);
  connect(m_reason, &QLineEdit::returnPressed, this, [this] { (m_release->isEnabled() ? m_release : m_cancel)->setFocus(Qt::TabFocusReason); });
  auto *holder = new QWidget(this);
  auto *row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_copy);
  row->addStretch(1);
  row->addWidget(buttons);
  return holder;
}

void ReleasePlanView::dress() { m_title->setFont(scaledFont(font(), 1.2, QFont::DemiBold)); }

void ReleasePlanView::show(const ReleaseFlow &flow) {
  using Phase = ReleaseFlow::Phase;
  const bool planned = flow.phase() == Phase::Planned || flow.phase() == Phase::Applying;
  const ReleaseResult &answer = flow.answer();
  m_title->setText(tr("Release %1?").arg(shown(flow.intent().lock.key.bytes(), shownOfName)));
  if (flow.phase() == Phase::Planning)
    m_sentence->setText(tr("Reading the lock and making the plan. Nothing has been changed."));
  else if (flow.phase() == Phase::NoPlan)
    m_sentence->setText(tr("There is nothing to release as you saw it. Nothing has been changed."));
  else
    m_sentence->setText(tr("Nothing has been changed yet. This is what would happen."));
  fillHolders(flow);
  m_body->setVisible(planned);
  m_why->setVisible(planned);
  m_risks->setSentences(planned ? planSentences(answer.plan->risks) : QStringList());
  if (planned) {
    fillFacts(flow);
    m_script->setScript(scriptText(*answer.plan));
  }
  fillNotice(flow);
  fillButtons(flow);
}

void ReleasePlanView::fillHolders(const ReleaseFlow &flow) {
  const auto &holders = flow.seen()->holders;
  m_holderRow->setVisible(holders.size() > 1);
  m_holders->clear();
  for (const Holder &holder : holders) {
    m_holders->addItem(tr("%1, count %2").arg(shown(holder.id, shownOfName), QString::number(holder.count)));
    if (holder.id == flow.intent().holder)
      m_holders->setCurrentIndex(m_holders->count() - 1);
  }
  m_holders->setEnabled(flow.phase() != ReleaseFlow::Phase::Applying);
}

void ReleasePlanView::fillFacts(const ReleaseFlow &flow) {
  while (QLayoutItem *item = m_facts->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const ReleasePlan &plan = *flow.answer().plan;
  for (const QString &heading : {tr("Now"), tr("After")}) {
    auto *label = new PlainLabel(heading, m_body);
    label->setFont(scaledFont(font(), 0.92, QFont::DemiBold));
    label->setForegroundRole(QPalette::PlaceholderText);
    m_facts->addWidget(label, 0, m_facts->count());
  }
  addFact(tr("held by %1, count %2").arg(strong(holderName(plan.expectHolder)), QString::number(plan.expectCount)),
          plan.next ? tr("%1 gets it next").arg(strong(holderName(*plan.next))) : tr("whoever tries first gets it"));
  addFact(tr("node %1, db %2").arg(nodeName(plan.lock.node), QString::number(plan.lock.db)),
          tr("one script that does all of it or nothing; refused if holder or count has changed"));
  addFact(familyName(plan.family), planSentences(plan.effects).join(u'\n'));
}

void ReleasePlanView::addFact(const QString &now, const QString &after) {
  const int row = m_facts->rowCount();
  int column = 0;
  for (const QString &text : {now, after}) {
    auto *cell = new Prose(m_body);
    cell->setText(text);
    m_facts->addWidget(cell, row, column++, Qt::AlignTop);
  }
}

int ReleasePlanView::wantedHeight(int width) const {
  const QMargins around = layout()->contentsMargins();
  const int room = width - around.left() - around.right();
  int height = around.top() + around.bottom() - spacing;
  for (int i = 0; i < layout()->count(); ++i) {
    QLayoutItem &item = *layout()->itemAt(i);
    if (item.isEmpty())
      continue;
    height += spacing;
    if (item.widget() == m_scroll)
      height += m_scroll->widget()->layout()->totalHeightForWidth(room);
    else
      height += item.hasHeightForWidth() ? item.heightForWidth(room) : item.sizeHint().height();
  }
  return height;
}

// By itself a scroll area keeps a bar that only the bar makes necessary: beside it the text is narrower, hence higher.
void ReleasePlanView::fitScroll() { m_scroll->setVerticalScrollBarPolicy(height() >= wantedHeight(width()) ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded); }

// A scroll area keeps it to itself that what is in it has grown.
bool ReleasePlanView::eventFilter(QObject *watched, QEvent *event) {
  if (event->type() == QEvent::LayoutRequest)
    emit contentResized();
  return QWidget::eventFilter(watched, event);
}

void ReleasePlanView::resizeEvent(QResizeEvent *event) {
  QWidget::resizeEvent(event);
  fitScroll();
}

void ReleasePlanView::fillNotice(const ReleaseFlow &flow) {
  using Phase = ReleaseFlow::Phase;
  QStringList said;
  if (flow.phase() == Phase::NoPlan) {
    said << verdictTitle(flow.answer());
    if (!flow.answer().detail.empty())
      said << planSentence(flow.answer().detail);
  } else if (flow.phase() == Phase::Applying) {
    said << tr("The release is under way. If you close this now, its result is in the audit log.");
  } else if (flow.changedTo()) {
    said << tr("The lock has changed since this plan was made; as it stands it would be refused.");
    said << (flow.changedTo()->isHeld() ? tr("Now held by %1.").arg(holderSummary(*flow.changedTo())) : tr("Nobody holds it now."));
  } else if (flow.phase() == Phase::Planned && !flow.isUnlocked()) {
    said << tr("This console is read-only.");
    said << tr("The button below unlocks writing, releases this one lock, and makes it read-only again.");
  }
  m_notice->setSentences(said);
}

void ReleasePlanView::fillButtons(const ReleaseFlow &flow) {
  using Phase = ReleaseFlow::Phase;
  m_release->setText(flow.isUnlocked() ? tr("Release 1 lock") : tr("Unlock writing and release"));
  m_release->setVisible(flow.phase() != Phase::NoPlan);
  m_again->setVisible(flow.phase() == Phase::NoPlan || flow.changedTo());
  m_copy->setVisible(flow.phase() != Phase::NoPlan);
  m_cancel->setText(flow.phase() == Phase::NoPlan || flow.phase() == Phase::Applying ? tr("Close") : tr("Cancel"));
  m_reason->setReadOnly(flow.phase() == Phase::Applying);
  m_canRelease = flow.phase() == Phase::Planned && !flow.changedTo();
  enableRelease();
}

void ReleasePlanView::enableRelease() {
  const bool hasReason = !m_reason->text().trimmed().isEmpty();
  m_release->setEnabled(m_canRelease && hasReason);
  m_release->setToolTip(m_canRelease && !hasReason ? tr("Say why first: the reason is kept in the audit log.") : QString());
}

QString ReleasePlanView::reason() const { return m_reason->text(); }

void ReleasePlanView::focusCancel() { m_cancel->setFocus(Qt::OtherFocusReason); }

void ReleasePlanView::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (m_release && event->type() == QEvent::FontChange)
    dress();
}

} // namespace lockhouse::ui
