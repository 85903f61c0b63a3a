// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/node_watcher.h"

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace lockhouse {

/// Asks the other nodes of a cluster how many clients subscribe there to the channels of one node's locks (RemoteSubscribers). Each batch goes to
/// all nodes of the same cluster that can be reached, replicas too: they report no keys in a cluster, so mergeReplicas does not count their
/// subscribers again. The node's own replicas are asked for sharded channels too, which belong to the shard. The batch is answered once, with the
/// sums. A node that connects for the first time or does not answer is waited for `patience`, and not again before it answers. A replica whose
/// master is watched asks for nothing.
/// Pure; a node is named by its index in the list.
class ClusterSubscribers {
public:
  static constexpr milliseconds patience{2000};
  using Delivery = std::pair<std::size_t, WatchEvent>; ///< to which node

  void ask(std::size_t asker, WatchActions::SubscriberQuestion question, SteadyTime now);
  /// A node answered, or could not.
  void take(WatchActions::SubscriberAnswer answer);
  /// The events that are due now.
  std::vector<Delivery> next(std::span<NodeWatcher *const> nodes, SteadyTime now);
  bool isIdle() const { return m_open.empty(); }
  std::optional<SteadyTime> dueAt() const; ///< when patience ends

private:
  struct Request {
    std::size_t node = 0;
    bool areSharded = false;
    bool isLate = false;
  };
  struct Answer {
    Request request;
    std::vector<std::uint64_t> clients;
  };
  struct Open {
    std::size_t asker = 0;
    WatchActions::SubscriberQuestion question;
    SteadyTime due{};
    std::set<std::size_t> considered{}; // nodes that need not be looked up again
    std::set<std::uint64_t> asked{};    // requests without an answer yet
    std::vector<Answer> answers{};
  };
  std::vector<Open> m_open; // at most one of each node
  std::map<std::uint64_t, Request> m_requests;
  std::set<std::size_t> m_late; // nodes that were not connected in time
  std::uint64_t m_lastRequest = 0;

  void askAll(Open &open, std::span<NodeWatcher *const> nodes, std::vector<Delivery> &out);
  void askOne(Open &open, std::size_t node, bool areSharded, std::vector<Delivery> &out);
  void stopWaiting(Open &open, std::size_t nodes);
  bool isOverdue(std::size_t node) const;
  static watching::RemoteCounts sum(const Open &open, std::span<NodeWatcher *const> nodes);
};

} // namespace lockhouse
