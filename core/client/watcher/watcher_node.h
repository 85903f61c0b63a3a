// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/subscriber.h"
#include "core/watch/node/node_watcher.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <variant>

namespace lockhouse {

/// One node of a Watcher: a NodeWatcher and its two connections. It turns their replies into events and the machine's actions into commands, and
/// decides nothing. Loop thread only.
class WatcherNode {
public:
  using ReadDone = std::move_only_function<void(Result<LockRecordPtr>)>;
  struct RemoteCounting { // subscribers at other nodes of its cluster: its questions, and its answers to other nodes' questions; called inside handle()
    std::function<void(WatchActions::SubscriberQuestion)> ask;
    std::function<void(WatchActions::SubscriberAnswer)> answer;
  };

  // `afterEvent` is called after every event.
  WatcherNode(Loop &loop, Uri uri, NodeWatcher::Options options, const ConnectionOptions &connection, ChangeLog &log, std::function<void()> afterEvent);
  ~WatcherNode(); // reads under way end in Cancelled
  WatcherNode(const WatcherNode &) = delete;
  WatcherNode &operator=(const WatcherNode &) = delete;

  void onRemoteCounting(RemoteCounting handlers) { m_remoteCounting = std::move(handlers); } // before open()
  void open() { m_commands.open(); }
  void read(const LockName &key, ReadDone done);
  void handle(WatchEvent event);
  NodeWatcher &machine() { return m_machine; }

private:
  Loop &m_loop;
  Uri m_uri;
  ConnectionOptions m_options;
  NodeWatcher m_machine;
  std::function<void()> m_afterEvent;
  RemoteCounting m_remoteCounting;
  std::unordered_map<std::uint64_t, ReadDone> m_reads;
  std::uint64_t m_lastRead = 0;
  std::string m_ownEvents; // "__keyevent@<db>__:"
  bool m_isClosing = false, m_isGoOnPosted = false;
  std::shared_ptr<std::monostate> m_life = std::make_shared<std::monostate>(); // of posted calls
  WatchActions m_actions;
  std::optional<Error> m_trackingRefused; // of the feed connection that is being made
  std::uint64_t m_feedNumber = 0;         // of the present feed connection: answers of older ones are ignored
  SteadyTime m_tickAt = SteadyTime::max(), m_wallReadAt{};
  WallTime m_wallRead{};
  Timer m_tick;
  std::unique_ptr<Subscriber> m_feed;
  Connection m_commands; // last: destroyed first, because its handlers use the rest

  Moment moment();
  void take(watching::Answered answer);
  void goOn();
  void perform();
  void openFeed();
  void applyFeed(const FeedActions &wanted);
  void onMessage(const Subscriber::Message &message);
  void setTick(SteadyTime now);
};

} // namespace lockhouse
