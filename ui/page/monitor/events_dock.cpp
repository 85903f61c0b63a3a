// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/monitor/events_dock.h"

#include "ui/bridge/engine.h"
#include "ui/model/tables/event_list_model.h"
#include "ui/model/text/formatting.h"
#include "ui/widget/parts/dock_table.h"
#include "ui/widget/style/plain_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolButton>

namespace lockhouse::ui {
namespace {

QToolButton *toggle(const QString &text, const QString &explanation, QWidget *parent) {
  auto *button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(plainToolTip(explanation));
  button->setCheckable(true);
  button->setMinimumHeight(24);
  return button;
}

} // namespace

EventsDock::EventsDock(Engine &engine, QWidget *parent) : QWidget(parent) {
  build();
  wire(engine);
  say();
}

void EventsDock::build() {
  m_model = new EventListModel(this);
  m_view = new DockTable(this);
  m_view->setModel(m_model);
  m_view->setAccessibleName(tr("Events"));
  m_view->setColumnWidths({12, 26, 22, 17, 5}, EventListModel::What);
  m_follow = toggle(tr("Follow"), tr("Keep the newest event in sight. Scrolling up ends it, scrolling to the end starts it again."), this);
  m_follow->setChecked(true);
  m_pause = toggle(tr("Pause"), tr("Hold the list still; what happens meanwhile is kept and shown afterwards."), this);
  m_count = new PlainLabel(this);
  m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto *empty = new PlainLabel(tr("Nothing has happened yet. A line appears here for every lock that is taken, renewed, handed on or let go."), this);
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  empty->setMargin(16);

  auto *bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 12, 4);
  bar->addWidget(m_follow);
  bar->addWidget(m_pause);
  bar->addWidget(m_count, 1);
  m_stack = new QStackedLayout;
  m_stack->addWidget(empty);
  m_stack->addWidget(m_view);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addLayout(m_stack, 1);
  m_view->viewport()->installEventFilter(this);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
}

void EventsDock::wire(Engine &engine) {
  connect(&engine, &Engine::changesReady, m_model, &EventListModel::take);
  connect(&engine, &Engine::snapshotReady, this, [this](const LockSnapshotPtr &snapshot) { m_model->setNodes(NodeNames(snapshot->nodes)); });
  connect(m_pause, &QToolButton::toggled, m_model, &EventListModel::setPaused);
  connect(m_model, &EventListModel::counted, this, &EventsDock::say);
  connect(m_model, &EventListModel::rowsRemoved, this, [this](const QModelIndex &, int first, int last) { keepPlace(last - first + 1); });

  QScrollBar *bar = m_view->verticalScrollBar();
  connect(bar, &QScrollBar::rangeChanged, this, [this, bar](int, int maximum) {
    if (m_follow->isChecked())
      bar->setValue(maximum);
  });
  connect(bar, &QScrollBar::actionTriggered, this, [this, bar] { m_follow->setChecked(bar->sliderPosition() >= bar->maximum()); });
  connect(m_follow, &QToolButton::toggled, this, [bar](bool follow) {
    if (follow)
      bar->setValue(bar->maximum());
  });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &current) {
    if (current.isValid())
      m_follow->setChecked(current.row() == m_model->rowCount() - 1);
  });
  const auto choose = [this](const QModelIndex &index) { emit lockChosen(m_model->change(index.row()).id); };
  connect(m_view, &DockTable::clicked, this, choose);
  connect(m_view, &DockTable::activated, this, choose);
}

// The oldest rows left the ring: the rows that somebody reads stay where they are on screen.
void EventsDock::keepPlace(int removedRows) {
  if (!m_follow->isChecked())
    m_view->verticalScrollBar()->setValue(m_view->verticalScrollBar()->value() - removedRows);
}

// At the end of the list the last row is whole; so that the first one is too, the room that is left goes below the table.
void EventsDock::cutAtWholeRows() {
  const int below = layout()->contentsMargins().bottom();
  const int rest = m_view->partOfRow(m_view->viewport()->height() + below);
  if (rest != below)
    layout()->setContentsMargins(0, 0, 0, rest);
}

bool EventsDock::eventFilter(QObject *watched, QEvent *event) {
  if (event->type() == QEvent::Resize)
    cutAtWholeRows();
  return QWidget::eventFilter(watched, event);
}

void EventsDock::say() {
  const auto rows = static_cast<std::uint64_t>(m_model->rowCount());
  QStringList said{tr("%1 in the list").arg(countText(rows))};
  if (m_model->isPaused())
    said.prepend(tr("held still, %1 new").arg(countText(m_model->waiting())));
  if (m_model->dropped() > 0)
    said << tr("%1 not shown").arg(countText(m_model->dropped()));
  m_count->setText(said.join(QStringLiteral(" · ")));
  m_stack->setCurrentIndex(rows > 0 ? 1 : 0);
}

} // namespace lockhouse::ui
