// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/window/sidebar.h"

#include "ui/model/locks/lock_presets.h"
#include "ui/model/text/formatting.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QEvent>
#include <QPainter>
#include <QStyledItemDelegate>

namespace lockhouse::ui {
namespace {

enum Role { ViewRole = Qt::UserRole, CountRole, AlarmRole };

constexpr int section = -1;
constexpr int edge = 14;

/// A title, a count at the right edge, and a mark in the accent beside the chosen one.
class ViewDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
    const Theme theme = Theme::of(option.palette);
    const bool heading = index.data(ViewRole).toInt() == section;
    const bool chosen = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    if (chosen) {
      painter->fillRect(option.rect, theme.selection);
      painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), theme.accent);
    } else if (option.state.testFlag(QStyle::State_MouseOver) && !heading) {
      painter->fillRect(option.rect, blend(theme.window, theme.text, 0.05));
    }
    const QRect text = option.rect.adjusted(edge, heading ? 8 : 0, -edge, 0);
    painter->setFont(heading ? scaledFont(option.font, 0.88) : scaledFont(option.font, 1.0, chosen ? QFont::DemiBold : QFont::Normal));
    painter->setPen(heading ? theme.soft : theme.text);
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    const bool alarm = index.data(AlarmRole).toBool();
    painter->setFont(scaledFont(option.font, 1.0, chosen || alarm ? QFont::DemiBold : QFont::Normal));
    painter->setPen(alarm ? theme.danger.ink : chosen ? theme.text : theme.soft);
    painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, index.data(CountRole).toString());
    if (option.state.testFlag(QStyle::State_HasFocus)) {
      painter->setPen(QPen(theme.accent, 1));
      painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
    return {160, scaledLength(option.font, index.data(ViewRole).toInt() == section ? 32 : 27)};
  }
};

} // namespace

Sidebar::Sidebar(QWidget *parent) : QListWidget(parent) {
  setItemDelegate(new ViewDelegate(this));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMouseTracking(true);
  setUniformItemSizes(false);
  setAccessibleName(tr("Views"));
  addSection(tr("Locks"));
  int number = 0;
  for (const LockPreset &view : lockPresets())
    addEntry(number++, view.title, view.explanation);
  addSection(tr("Understand"));
  addEntry(nodes, tr("Nodes"), tr("Which servers are watched, and how well"));
  addSection(tr("Try"));
  addEntry(lab, tr("Lab"), tr("Run virtual clients against a lock and check it"));
  connect(this, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem *item) {
    if (item != nullptr && item->data(ViewRole).toInt() != section)
      emit viewChosen(item->data(ViewRole).toInt());
  });
  dress();
}

void Sidebar::addSection(const QString &title) {
  auto *item = new QListWidgetItem(title, this);
  item->setData(ViewRole, section);
  item->setFlags(Qt::NoItemFlags);
}

void Sidebar::addEntry(int view, const QString &title, const QString &explanation) {
  auto *item = new QListWidgetItem(title, this);
  item->setData(ViewRole, view);
  item->setToolTip(plainToolTip(explanation));
}

QListWidgetItem *Sidebar::find(int view) const {
  for (int i = 0; i < count(); ++i)
    if (item(i)->data(ViewRole).toInt() == view)
      return item(i);
  return nullptr;
}

void Sidebar::setCount(int view, const QString &text, bool alarming) {
  QListWidgetItem *entry = find(view);
  if (entry == nullptr || (entry->data(CountRole).toString() == text && entry->data(AlarmRole).toBool() == alarming))
    return;
  entry->setData(CountRole, text);
  entry->setData(AlarmRole, alarming);
  entry->setData(Qt::AccessibleTextRole, QStringLiteral("%1 %2").arg(entry->text(), text));
}

void Sidebar::setCounts(const std::vector<std::size_t> &locks, std::size_t stale, std::size_t nodeCount, bool nodeTrouble) {
  const std::vector<LockPreset> views = lockPresets();
  for (std::size_t i = 0; i < locks.size() && i < views.size(); ++i) {
    const bool queue = i + 1 == views.size(); // the last is an order, not a set
    const QString count = !views[i].byState || stale == 0 ? countText(locks[i]) : locks[i] == 0 ? dash() : atLeast(locks[i]);
    setCount(static_cast<int>(i), queue ? QString() : count, views[i].alarming && locks[i] > 0);
  }
  setCount(nodes, countText(nodeCount), nodeTrouble);
}

void Sidebar::choose(int view) {
  if (QListWidgetItem *entry = find(view))
    setCurrentItem(entry);
}

int Sidebar::chosen() const { return currentItem() != nullptr ? currentItem()->data(ViewRole).toInt() : 0; }

void Sidebar::changeEvent(QEvent *event) {
  QListWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    dress();
}

void Sidebar::dress() {
  QPalette own = palette();
  const QColor ground = Theme::of(own).window;
  if (own.color(QPalette::Base) == ground)
    return;
  own.setColor(QPalette::Base, ground);
  setPalette(own);
}

} // namespace lockhouse::ui
