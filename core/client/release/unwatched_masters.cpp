// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/unwatched_masters.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {

void ReleaseService::MastersLook::start() {
  m_core->tasks.insert(shared_from_this());
  for (const auto &node : m_core->watcher.snapshot()->nodes) {
    const LockId at{node.id, node.db, {}};
    if (!node.isCluster || node.state == NodeState::Down || m_lanes.of(at) == nullptr)
      continue;
    ask(at, "SLOTS", &MastersLook::onSlots);
    ask(at, "MYID", &MastersLook::onName);
  }
  if (m_open == 0)
    finish();
}

void ReleaseService::MastersLook::ask(const LockId &node, std::string_view question, void (MastersLook::*onAnswer)(const LockId &, const Result<Reply> &)) {
  ++m_open;
  m_lanes.of(node)->read({"CLUSTER", question}, [weak = weak_from_this(), node, onAnswer](const Result<Reply> &reply) {
    const auto self = weak.lock();
    if (!self || !self->m_core->tasks.contains(self))
      return;
    ((*self).*onAnswer)(node, reply);
    if (--self->m_open == 0)
      self->finish();
  });
}

// A range, then its master, then its replicas, each an address, a port and an id. A node that does not know its own address leaves it empty.
void ReleaseService::MastersLook::onSlots(const LockId &node, const Result<Reply> &slots) {
  for (const auto &range : slots ? slots->array() : Reply::Array()) {
    const auto &words = range.array();
    const auto &master = words.size() > 2 ? words[2].array() : Reply::Array();
    if (master.size() < 3 || !master[2].text())
      continue;
    const auto host = master[0].text().value_or("");
    const auto &own = node.node.bytes();
    const auto at = host.empty() ? own.substr(0, own.rfind(':')) : std::string(host);
    m_masters.try_emplace(std::string(*master[2].text()), fmt::format("{}:{}", at, master[1].integer().value_or(0)));
  }
}

void ReleaseService::MastersLook::onName(const LockId &, const Result<Reply> &name) {
  if (name && !name->isFailure() && name->text())
    m_watched.emplace_back(*name->text());
  else
    m_isUnknown = true;
}

void ReleaseService::MastersLook::finish() {
  const auto self = shared_from_this();
  std::vector<std::string> others;
  const auto snapshot = m_core->watcher.snapshot();
  const auto isUnreached = [&snapshot](const std::string &address) {
    return std::ranges::any_of(snapshot->nodes, [&](const NodeStatus &node) { return node.state != NodeState::Live && node.address == address; });
  };
  for (const auto &[id, address] : m_masters)
    if (!m_isUnknown && std::ranges::find(m_watched, id) == m_watched.end() && !isUnreached(address))
      others.push_back(address);
  std::ranges::sort(others);
  m_core->tasks.erase(self);
  m_lanes.clear();
  m_done(std::move(others));
}

} // namespace lockhouse
