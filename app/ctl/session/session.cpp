// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/session/session.h"

#include "app/ctl/cli/node_failure.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <future>

namespace lockhouse::ctl {
namespace {

WatcherOptions onceOptions(const Arguments &arguments) {
  WatcherOptions options;
  options.families = arguments.families;
  options.connection = connectionOptions();
  options.connection.reconnect = false;
  options.background = false;
  return options;
}

bool isKnown(const NodeStatus &node, bool scanned) {
  if (!scanned && !node.role.empty()) // it has answered: single locks can be read while the sweep goes on
    return true;
  return node.state != NodeState::Connecting && (node.state != NodeState::Live || node.scanComplete);
}

} // namespace

ConnectionOptions connectionOptions() {
  ConnectionOptions options;
  options.clientName = "lockhousectl";
  return options;
}

Session::Session(const Arguments &arguments) : m_watcher(m_loop, arguments.nodes, onceOptions(arguments)) {
  m_watcher.onSnapshot([this](LockSnapshotPtr snapshot) {
    const std::scoped_lock guard(m_mutex);
    m_snapshot = std::move(snapshot);
    m_published.notify_all();
  });
  m_watcher.start();
}

Session::~Session() = default;

bool Session::areKnown(bool scanned) const {
  return m_snapshot && !m_snapshot->nodes.empty() &&
         std::ranges::all_of(m_snapshot->nodes, [scanned](const NodeStatus &node) { return isKnown(node, scanned); });
}

LockSnapshotPtr Session::awaitScan(milliseconds patience) {
  std::unique_lock guard(m_mutex);
  m_published.wait_for(guard, patience, [this] { return areKnown(true); });
  return m_snapshot;
}

LockSnapshotPtr Session::awaitLoss(std::span<const LockId> ofNodes, milliseconds patience) {
  const auto isFollowed = [this](const LockId &id) {
    const auto isLive = [&id](const NodeStatus &node) { return node.id == id.node && node.db == id.db && node.state == NodeState::Live; };
    return std::ranges::any_of(m_snapshot->nodes, isLive);
  };
  std::unique_lock guard(m_mutex);
  m_published.wait_for(guard, patience, [&] { return std::ranges::none_of(ofNodes, isFollowed); });
  return m_snapshot;
}

LockSnapshotPtr Session::awaitNodes(bool scanned) {
  std::unique_lock guard(m_mutex);
  m_published.wait(guard, [&] { return areKnown(scanned); });
  auto known = std::make_shared<LockSnapshot>(*m_snapshot);
  for (auto &node : known->nodes)
    node.error = node.error.transform(forOnce);
  return known;
}

Result<LockRecordPtr> Session::read(const LockId &id) {
  std::promise<Result<LockRecordPtr>> answer;
  m_watcher.read(id, [&answer](Result<LockRecordPtr> record) { answer.set_value(std::move(record)); });
  return answer.get_future().get();
}

bool isShown(const LockRecord &record, const Arguments &arguments) { return arguments.all || !record.isDoubtful(); }

Result<std::vector<NodeStatus>> chosenNodes(const LockSnapshot &snapshot, const std::string &node) {
  const auto isMeant = [&node](const NodeStatus &status) { return node.empty() || status.id.bytes() == node || status.address == node; };
  std::vector<NodeStatus> chosen;
  for (const auto &status : snapshot.nodes) {
    const auto isMeantTwin = [&](const NodeStatus &other) { return other.twin == status.id && isMeant(other); };
    if (!status.twin && (isMeant(status) || std::ranges::any_of(snapshot.nodes, isMeantTwin)))
      chosen.push_back(status);
  }
  if (chosen.empty())
    return fail(ErrorCode::Usage, LH_MESSAGE("ErrorWords", "no --url leads to this node"), safeText(node),
                LH_MESSAGE("ErrorWords", "use an id that list shows"));
  return chosen;
}

} // namespace lockhouse::ctl
