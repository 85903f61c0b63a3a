// SPDX-License-Identifier: Apache-2.0
#include "core/watch/fleet/cluster_subscribers.h"

#include "core/watch/fleet/replica_merge.h"

#include <algorithm>

namespace lockhouse {
namespace {

bool hasWatchedMaster(const NodeStatus &node, std::span<NodeWatcher *const> nodes) {
  return std::ranges::any_of(nodes, [&node](const NodeWatcher *other) { return isMasterOf(other->status(), node); });
}

// Each master is one that was asked, or the asker itself; one that did not tell its name may be any.
bool areAllAsked(const ClusterView &cluster, const std::vector<std::string> &asked) {
  const auto isAsked = [&asked](const std::string &id) { return std::ranges::find(asked, id) != asked.end(); };
  return isAsked("") || std::ranges::all_of(cluster.masters, isAsked);
}

} // namespace

void ClusterSubscribers::ask(std::size_t asker, WatchActions::SubscriberQuestion question, SteadyTime now) {
  std::erase_if(m_open, [asker](const Open &open) { return open.asker == asker; });
  m_open.push_back({.asker = asker, .question = std::move(question), .due = now + patience});
}

void ClusterSubscribers::take(WatchActions::SubscriberAnswer answer) {
  const auto request = m_requests.extract(answer.request);
  if (request.empty())
    return;
  for (auto &open : m_open)
    if (open.asked.erase(answer.request) > 0 && answer.clients)
      open.answers.push_back({request.mapped(), std::move(*answer.clients)});
}

std::vector<ClusterSubscribers::Delivery> ClusterSubscribers::next(std::span<NodeWatcher *const> nodes, SteadyTime now) {
  std::vector<Delivery> out;
  for (auto open = m_open.begin(); open != m_open.end();) {
    askAll(*open, nodes, out);
    if (now >= open->due)
      stopWaiting(*open, nodes.size());
    if (open->considered.size() < nodes.size() || !open->asked.empty()) {
      ++open;
      continue;
    }
    out.emplace_back(open->asker, sum(*open, nodes));
    open = m_open.erase(open);
  }
  return out;
}

std::optional<SteadyTime> ClusterSubscribers::dueAt() const {
  return m_open.empty() ? std::nullopt : std::optional(std::ranges::min(m_open, {}, &Open::due).due);
}

void ClusterSubscribers::askAll(Open &open, std::span<NodeWatcher *const> nodes, std::vector<Delivery> &out) {
  const auto &asker = nodes[open.asker]->status();
  const bool hasMaster = hasWatchedMaster(asker, nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (open.considered.contains(i))
      continue;
    const auto &node = *nodes[i];
    const auto counting = node.subscriberCounting();
    if (counting == NodeWatcher::SubscriberCounting::Coming && i != open.asker && !hasMaster && !m_late.contains(i))
      continue; // it may turn out to be one of them
    open.considered.insert(i);
    if (counting == NodeWatcher::SubscriberCounting::Open)
      m_late.erase(i);
    const bool isOther = i != open.asker && node.status().isCluster;
    if (counting != NodeWatcher::SubscriberCounting::Open || !isOther || hasMaster || isOverdue(i))
      continue;
    askOne(open, i, false, out);
    if (isMasterOf(asker, node.status()))
      askOne(open, i, true, out);
  }
}

void ClusterSubscribers::askOne(Open &open, std::size_t node, bool areSharded, std::vector<Delivery> &out) {
  m_requests.emplace(++m_lastRequest, Request{node, areSharded});
  open.asked.insert(m_lastRequest);
  out.emplace_back(node, watching::SubscribersWanted{m_lastRequest, open.question.channels, areSharded});
}

bool ClusterSubscribers::isOverdue(std::size_t node) const {
  return std::ranges::any_of(m_requests, [node](const auto &request) { return request.second.node == node && request.second.isLate; });
}

void ClusterSubscribers::stopWaiting(Open &open, std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i)
    if (open.considered.insert(i).second)
      m_late.insert(i);
  for (const auto request : std::exchange(open.asked, {}))
    m_requests.at(request).isLate = true;
}

// Which cluster a node belongs to was asked before its listeners, and is known by now.
watching::RemoteCounts ClusterSubscribers::sum(const Open &open, std::span<NodeWatcher *const> nodes) {
  const auto &cluster = nodes[open.asker]->cluster();
  watching::RemoteCounts sums{
      .number = open.question.number, .clients = std::vector<std::uint64_t>(open.question.channels.size()), .nodes = 0, .isWhole = true};
  std::vector<std::string> asked{cluster.self};
  for (const auto &[request, clients] : open.answers) {
    const auto &other = nodes[request.node]->cluster();
    if (!cluster.isOneWith(other))
      continue;
    sums.nodes += request.areSharded ? 0 : 1;
    asked.push_back(request.areSharded ? cluster.self : other.self);
    for (std::size_t i = 0; i < std::min(sums.clients.size(), clients.size()); ++i)
      sums.clients[i] += clients[i];
  }
  sums.isWhole = hasWatchedMaster(nodes[open.asker]->status(), nodes) || areAllAsked(cluster, asked);
  return sums;
}

} // namespace lockhouse
