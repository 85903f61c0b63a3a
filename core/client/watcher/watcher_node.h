// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/subscriber.h"
#include "core/watch/node/node_watcher.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <variant>

namespace lockhouse {

/// One node of a Watcher: a NodeWatcher and the two connections that carry out what it wants. Loop thread only.
/// Decides nothing: turns what the connections say into events and what the machine wants into commands.
class WatcherNode {
public:
  using ReadDone = std::move_only_function<void(Result<LockRecordPtr>)>;
  struct WakeupSubscriptions { // for what it wants to know of other nodes of its cluster, and what it tells them; called inside tell()
    std::function<void(WatchActions::Subscribers)> want;
    std::function<void(WatchActions::ListenersTold)> told;
  };

  // `afterEvent` is called after every event, to hand on changes and snapshots.
  WatcherNode(Loop &loop, Uri uri, NodeWatcher::Options options, const ConnectionOptions &connection, ChangeLog &log, std::function<void()> afterEvent);
  ~WatcherNode(); // reads under way are told Cancelled
  WatcherNode(const WatcherNode &) = delete;
  WatcherNode &operator=(const WatcherNode &) = delete;

  void listen(WakeupSubscriptions wakeups) { m_wakeups = std::move(wakeups); } // before open()
  void open() { m_commands.open(); }
  void read(const LockName &key, ReadDone done);
  void tell(WatchEvent event);
  NodeWatcher &machine() { return m_machine; }

private:
  Loop &m_loop;
  Uri m_uri;
  ConnectionOptions m_options;
  NodeWatcher m_machine;
  std::function<void()> m_afterEvent;
  WakeupSubscriptions m_wakeups;
  std::unordered_map<std::uint64_t, ReadDone> m_reads;
  std::uint64_t m_lastRead = 0;
  std::string m_ownEvents; // "__keyevent@<db>__:"
  bool m_isClosing = false, m_isToGoOn = false;
  std::shared_ptr<std::monostate> m_life = std::make_shared<std::monostate>(); // of whoever is posted
  WatchActions m_actions;
  std::optional<Error> m_trackingRefused; // of the feed connection that is being made
  std::uint64_t m_feedNumber = 0;         // tells answers of an old feed connection from those of the present one
  SteadyTime m_tickAt = SteadyTime::max(), m_wallReadAt{};
  WallTime m_wallRead{};
  Timer m_tick;
  std::unique_ptr<Subscriber> m_feed;
  Connection m_commands; // last: destroyed first, and its handlers may still look at the rest

  Moment moment();
  void take(watching::Answered answer);
  void goOn();
  void perform();
  void openFeed();
  void orderFeed(const FeedActions &orders);
  void onMessage(const Subscriber::Message &message);
  void setTick(SteadyTime now);
};

} // namespace lockhouse
