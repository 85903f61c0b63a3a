// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/page/monitor/nodes_page.h"

#include "ui/model/text/node_names.h"
#include "ui/model/text/node_trouble.h"
#include "ui/widget/parts/dock_table.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/prose.h"

#include <QHeaderView>
#include <QVBoxLayout>

namespace lockhouse::ui {

NodesPage::NodesPage(QWidget *parent) : QWidget(parent), m_sentence(new Prose) {
  auto *view = new DockTable;
  view->setModel(&m_table);
  view->setAccessibleName(tr("Nodes"));
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->horizontalHeader()->setSectionResizeMode(NodeTableModel::Trouble, QHeaderView::Stretch);
  auto *layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(view, 1);
  auto *words = new QWidget;
  auto *inner = new QVBoxLayout(words);
  inner->setContentsMargins(16, 12, 16, 12);
  inner->addWidget(m_sentence);
  layout->addWidget(words);
}

void NodesPage::apply(const LockSnapshot &snapshot, SteadyTime now) {
  m_table.apply(snapshot, now);
  QStringList lines;
  const NodeNames names(snapshot.nodes);
  for (const NodeStatus &node : snapshot.nodes)
    if (node.error)
      lines << tr("%1: %2", "node letter, what is wrong").arg(names.of(node.id), troubleText(*node.error));
  if (const QString unwatched = unwatchedText(m_unwatched); !unwatched.isEmpty())
    lines << unwatched;
  m_sentence->setText(lines.isEmpty() ? tr("Every node is followed as well as it can be.") : lines.join(u'\n'));
}

} // namespace lockhouse::ui
