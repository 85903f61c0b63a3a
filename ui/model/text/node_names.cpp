// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/node_names.h"

#include "ui/widget/style/plain_text.h"

#include <algorithm>

namespace lockhouse::ui {

NodeNames::NodeNames(const std::vector<NodeStatus> &nodes) {
  m_nodes.reserve(nodes.size());
  for (const NodeStatus &node : nodes)
    m_nodes.push_back(node.id);
}

QString NodeNames::of(const NodeId &node) const {
  const auto found = std::ranges::find(m_nodes, node);
  return found == m_nodes.end() ? shown(node.bytes(), 40) : letter(static_cast<std::size_t>(found - m_nodes.begin()));
}

std::vector<NodeId> NodeNames::inOrder(const LockRecord &record) const {
  if (record.members.empty())
    return {record.id.node};
  std::vector<NodeId> nodes;
  for (const LockMember &member : record.members)
    if (!record.isOthers(member))
      nodes.push_back(member.node);
  std::ranges::stable_sort(nodes, {}, [this](const NodeId &node) { return std::ranges::find(m_nodes, node); });
  return nodes;
}

QString NodeNames::letter(std::size_t index) {
  QString text;
  for (std::size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26)
    text.prepend(QChar(static_cast<char16_t>(u'a' + (rest - 1) % 26)));
  return text;
}

} // namespace lockhouse::ui
