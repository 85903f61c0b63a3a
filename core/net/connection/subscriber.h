// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// One subscriber connection to one node (RESP2 pub/sub). Remembers what it is subscribed to and subscribes again after a
/// reconnect. Loop thread only. Logs in as Connection does, with the same options.
///
/// Pub/sub forgets what was published while the line was down: every loss, and every attempt to connect that fails, calls onGap;
/// every return calls onUp when the server has confirmed all subscriptions. A caller that relies on messages must look again then.
/// Redis: the login of Connection and CLIENT ID, the commands of onLogin, (P|S)SUBSCRIBE, (P|S)UNSUBSCRIBE a channel each, PING; pipelined.
class Subscriber {
public:
  struct Message {
    std::string_view channel; ///< valid during the call only; empty if it is longer than ReplyLimits::bulk
    std::string_view payload;
    std::string_view pattern;   ///< empty unless it came by a pattern
    const Reply *raw = nullptr; ///< the payload element; an array or nil for __redis__:invalidate
  };
  using MessageHandler = std::move_only_function<void(const Message &)>;
  using Done = std::move_only_function<void(Result<void>)>;

  Subscriber(Loop &loop, Uri uri, ConnectionOptions options);
  ~Subscriber();
  Subscriber(const Subscriber &) = delete;
  Subscriber &operator=(const Subscriber &) = delete;

  void onMessage(MessageHandler handler);
  /// Connection ready and every remembered subscription confirmed. `clientId` is CLIENT ID, 0 where it is refused.
  void onUp(std::move_only_function<void(std::int64_t clientId)> handler);
  void onGap(std::move_only_function<void(const Error &)> handler);

  void open(); ///< calls no handler
  /// For good. Every `done` still waiting is told Cancelled inside this call; afterwards no handler is called any more.
  void close();

  /// Subscribes; `done` when the server has confirmed it: from then on every message is delivered. Repeated subscription to one
  /// channel counts; only the last unsubscribe of as many leaves. A refusal (NOPERM) ends `done` with it and forgets the channel.
  /// Without a connection it is remembered, and goes out with the next one. A connection (or an attempt at one) that is lost first
  /// ends `done` with the reason, but the channel stays remembered: onUp tells when it is confirmed. No `done` is called inside
  /// the call that it was given to; destroying the Subscriber inside any handler is safe.
  void subscribe(const Channel &channel, Done done = {});
  void unsubscribe(const Channel &channel);
  void psubscribe(const Channel &pattern, Done done = {});
  void punsubscribe(const Channel &pattern);
  /// Of a sharded channel (Redis 7). Refused by a node of a cluster that does not serve its slot.
  void ssubscribe(const Channel &channel, Done done = {});
  void sunsubscribe(const Channel &channel);
  /// A barrier: PING with a nonce on this connection. When `done` succeeds, every message that the server had queued for this
  /// connection before it ran the PING has been delivered. Works with no subscription too. Unreachable when not connected.
  void ping(Done done);
  /// Sends a command of the login phase kind (CLIENT TRACKING …) before the first subscription of each connection; every
  /// answer to one is handed to `done`. Set before open().
  void onLogin(std::move_only_function<std::vector<Command>(std::int64_t clientId)> commands,
               std::move_only_function<void(std::size_t index, const Reply &)> done);

  Connection::State state() const;
  Connection::Counters counters() const;

private:
  class Core;
  std::shared_ptr<Core> m_core;
};

} // namespace lockhouse
