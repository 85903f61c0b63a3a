// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/subscriber.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// The subscriptions of one driver that wake its waiters. Channels: one connection for all, from the first wait on. Each channel has one
/// listener, however many waiters need it, and is unsubscribed a moment after the last of them has left, so that a handoff makes no new
/// subscription. Lists: a connection each, with a command that blocks; it is closed at the end of the loop turn in which the last waiter
/// left. Loop thread only, except sent().
class WakeupSubscriptions {
public:
  enum class State : std::uint8_t { Unsubscribed, Requested, Subscribed };

  /// What receives the messages of one channel or list. It must be removed before it ends.
  class Listener {
  public:
    virtual void subscribed(bool succeeded) = 0; ///< messages arrive from now on; or they will not
    virtual void messageReceived(std::string_view message) = 0;
    virtual void messagesMissed() = 0; ///< perhaps
    bool isSubscribed() const { return subscription.state == State::Subscribed; }

    /// The subscriptions' own.
    struct Subscription {
      Channel channel;
      bool isSharded = false;
      State state = State::Unsubscribed;
      unsigned waiters = 0;
      SteadyTime endAt{};
      std::unique_ptr<Connection> connection; ///< of a list
      Command block;
    };
    Subscription subscription;

  protected:
    Listener() = default;
    ~Listener() = default;
    Listener(const Listener &) = delete;
    Listener &operator=(const Listener &) = delete;
  };

  WakeupSubscriptions(Loop &loop, Uri node, const ConnectionOptions &options);

  /// Called for each loss of the connection and each failed attempt at one, with the reason; with null when messages arrive again.
  void onInterruption(std::move_only_function<void(const Error *)> handler) { m_onInterruption = std::move(handler); }
  /// One more waiter needs it. True if messages arrive already; if not, subscribed() is called later.
  bool subscribe(Listener &listener, const Channel &channel, bool isSharded = false);
  /// The same for a list: `block` waits on a connection of its own until there is an element, and again.
  bool blockOnList(Listener &listener, Command block);
  /// A waiter does not need it any more.
  void unsubscribe(Listener &listener, SteadyTime now);
  /// The listener ends: unsubscribes at once.
  void remove(Listener &listener);
  void close();
  std::size_t count() const { return m_byChannel.size(); }                      ///< channels
  std::uint64_t sent() const { return m_sent.load(std::memory_order_relaxed); } ///< (S)SUBSCRIBE and (S)UNSUBSCRIBE; any thread

private:
  void subscribed(const Channel &channel, const Result<void> &result);
  void messageReceived(const Subscriber::Message &message);
  void interrupted(const Error *why);
  void endUnused();
  void end(Listener &listener);
  void sendUnsubscribe(const Listener &listener);

  void openList(Listener &listener);
  void block(Listener &listener);

  Loop &m_loop;
  Uri m_node;
  ConnectionOptions m_options;
  std::move_only_function<void(const Error *)> m_onInterruption;
  std::unordered_map<Channel, Listener *> m_byChannel; // subscribed, or requested
  std::vector<Listener *> m_onLists;                   // with a connection
  std::atomic<std::uint64_t> m_sent = 0;
  bool m_isOpen = false;
  bool m_isClosed = false;
  Timer m_timer;
  Subscriber m_subscriber; // last: its handlers end before what they use
};

} // namespace lockhouse
