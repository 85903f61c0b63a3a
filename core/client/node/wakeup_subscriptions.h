// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/subscriber.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// What one driver listens to. Subscriptions: one connection, from the first wait on. Each channel has one ear, however many need it, and is left
/// a moment after the last of them went, lest every handoff makes a new subscription. Lists: a connection each, with a command that
/// blocks, closed with the turn in which the last listener went. Loop thread only, except sent().
class WakeupSubscriptions {
public:
  enum class State : std::uint8_t { Deaf, Asked, Hears };

  /// What listens on one channel. It must be dropped before it ends.
  class Ear {
  public:
    virtual void stands(bool hears) = 0; ///< messages are heard from now on; or they will not be
    virtual void heard(std::string_view message) = 0;
    virtual void gap() = 0; ///< messages may have been missed
    bool hears() const { return slot.state == State::Hears; }

    /// The ears' own.
    struct Slot {
      Channel channel;
      bool sharded = false;
      State state = State::Deaf;
      unsigned listeners = 0;
      SteadyTime leaveAt{};
      std::unique_ptr<Connection> line; ///< of an ear on a list
      Command block;
    };
    Slot slot;

  protected:
    Ear() = default;
    ~Ear() = default;
    Ear(const Ear &) = delete;
    Ear &operator=(const Ear &) = delete;
  };

  WakeupSubscriptions(Loop &loop, Uri node, const ConnectionOptions &options);

  /// Told of each loss of the connection and each failed attempt at one, with the reason; with null when messages are heard again.
  void onLine(std::move_only_function<void(const Error *)> handler) { m_onLine = std::move(handler); }
  /// One more needs it. True if messages are heard already; if not, the ear is told stands() later.
  bool listen(Ear &ear, const Channel &channel, bool sharded = false);
  /// The same for a list: `block` waits on a connection of its own until there is an element, and again.
  bool listenOnList(Ear &ear, Command block);
  /// One needs it no more.
  void stop(Ear &ear, SteadyTime now);
  /// Nobody needs it any more, and it ends: at once.
  void drop(Ear &ear);
  void close();
  std::size_t count() const { return m_wakeups.size(); }                        ///< channels listened to
  std::uint64_t sent() const { return m_sent.load(std::memory_order_relaxed); } ///< (S)SUBSCRIBE and (S)UNSUBSCRIBE; any thread

private:
  void subscribed(const Channel &channel, const Result<void> &result);
  void heard(const Subscriber::Message &message);
  void gap(const Error *why);
  void trim();
  void leave(Ear &ear);
  void unsubscribe(const Ear &ear);

  void openLine(Ear &ear);
  void block(Ear &ear);

  Loop &m_loop;
  Uri m_node;
  ConnectionOptions m_options;
  std::move_only_function<void(const Error *)> m_onLine;
  std::unordered_map<Channel, Ear *> m_wakeups; // subscribed, or asked for
  std::vector<Ear *> m_onLists;                 // with a line
  std::atomic<std::uint64_t> m_sent = 0;
  bool m_open = false;
  bool m_closed = false;
  Timer m_timer;
  Subscriber m_subscriber; // last: its handlers end before what they touch
};

} // namespace lockhouse
