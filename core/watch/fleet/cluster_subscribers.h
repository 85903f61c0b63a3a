// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/node_watcher.h"

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace lockhouse {

/// Carries between the nodes of a watcher what one of a cluster wants to know of the others: how many clients listen there to the channels
/// of its locks (RemoteSubscribers). Each batch is asked of all nodes of the same cluster that can be reached, replicas too: in a cluster these
/// tell of no keys, so that mergeReplicas counts none of them again; its own replicas also of sharded channels, which are the shard's. It is
/// answered once, with the sums. A node that is about to be connected, or does not answer, is waited for `patience`, and not again before it
/// does. A replica whose master is watched asks for nothing.
/// Pure; nodes go by their places in the list.
class ClusterSubscribers {
public:
  static constexpr milliseconds patience{2000};
  using Told = std::pair<std::size_t, WatchEvent>; ///< to which node

  void want(std::size_t asker, WatchActions::Subscribers subscribers, SteadyTime now);
  /// A node has answered, or could not.
  void take(WatchActions::ListenersTold told);
  /// What nodes are to be told now.
  std::vector<Told> next(std::span<NodeWatcher *const> nodes, SteadyTime now);
  bool isIdle() const { return m_open.empty(); }
  std::optional<SteadyTime> dueAt() const; ///< when patience ends

private:
  struct Request {
    std::size_t node = 0;
    bool areSharded = false;
    bool isOverdue = false;
  };
  struct Answer {
    Request request;
    std::vector<std::uint64_t> clients;
  };
  struct Open {
    std::size_t asker = 0;
    WatchActions::Subscribers subscribers;
    SteadyTime due{};
    std::set<std::size_t> met{};     // nodes that need not be thought of again
    std::set<std::uint64_t> asked{}; // whose answers are awaited
    std::vector<Answer> answers{};
  };
  std::vector<Open> m_open; // at most one of each node
  std::map<std::uint64_t, Request> m_requests;
  std::set<std::size_t> m_late; // nodes that were not connected in time
  std::uint64_t m_lastRequest = 0;

  void ask(Open &open, std::span<NodeWatcher *const> nodes, std::vector<Told> &out);
  void askOne(Open &open, std::size_t node, bool areSharded, std::vector<Told> &out);
  void giveUp(Open &open, std::size_t nodes);
  bool isSilent(std::size_t node) const;
  static watching::HeardElsewhere sum(const Open &open, std::span<NodeWatcher *const> nodes);
};

} // namespace lockhouse
