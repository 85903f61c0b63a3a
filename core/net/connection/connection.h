// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/net/address/uri.h"
#include "core/net/loop/loop.h"
#include "core/net/resp/reply_limits.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace lockhouse {

/// What to do about a connection that is not there.
inline constexpr auto dialledAgain = LH_MESSAGE("ErrorWords", "it is dialled again");
inline constexpr auto triedAgain = LH_MESSAGE("ErrorWords", "it is tried again");
inline constexpr auto waitForConnection = LH_MESSAGE("ErrorWords", "wait for the connection");

struct ConnectionOptions {
  milliseconds connectTimeout{3000}; ///< name resolution, connect, TLS and login together
  milliseconds commandTimeout{3000}; ///< from send() to the reply; the whole connection is closed when one is late
  milliseconds idleTimeout{15000};   ///< nothing read for this long: a PING is sent (up to commandTimeout later), which then has commandTimeout; zero = never
  milliseconds backoffBase{50};      ///< reconnect: full jitter from here …
  milliseconds backoffCap{5000};     ///< … to here
  bool reconnect = true;             ///< false: one try, then the state stays Down
  std::string clientName = "lockhouse"; ///< CLIENT SETNAME; SETINFO lib-name/lib-ver besides, refusals of either ignored
  ReplyLimits limits{};
};

/// The EVAL that stands for the EVALSHA `command` of its script().
Command evalOf(const Command &command);

/// One multiplexed command connection to one node. Every command of one loop turn leaves in one write (what answers set off, in
/// writes of 8 KB, so that the server is at work on the first while the rest is written); replies are matched in order. Loop thread only, except counters().
///
/// Redis: the commands it is given, and its own: the login below, PING when idle, EVAL after NOSCRIPT. One round trip for all that
/// is in flight together. It has one timer and asks for memory only while it grows: keep a handler's closure within three pointers
/// (what std::move_only_function holds in place) and a command costs one allocation, its own words.
///
/// Life: Connecting → Ready → (lost) → waiting → Connecting … Commands given while not Ready fail at once with Unreachable:
/// nothing is queued for a later connection, so nothing is ever sent twice.
/// Login: AUTH (user, password) if the URI has them, SELECT if db ≠ 0, CLIENT SETNAME and SETINFO, PING. A refused AUTH closes the
/// connection (a server with a nopass default user would otherwise leave it logged in as default), state Down with AuthFailed;
/// it is tried again with backoff but never sooner than backoffCap. A server that is loading or full is Unreachable, and tried again.
/// A command whose reply is late, a reply without a command, a protocol error or a reader limit closes the connection; every
/// command in flight then ends InDoubt (Timeout for the late one, Unreachable for one that had not left). A closed connection is
/// never reused. It may be destroyed inside any of its handlers.
/// Not promised: that an InDoubt command did not run. TLS: see Uri; TlsRejected is tried again with backoff too.
class Connection {
public:
  enum class State { Connecting, Ready, Down };
  using Handler = std::move_only_function<void(Result<Reply>)>;
  /// Called on every change of state, but not for open() and close() themselves; `why` is set for Down, and every handler of the
  /// lost connection has been called before.
  using StateHandler = std::move_only_function<void(State, const Error *why)>;

  struct Counters {
    std::uint64_t commands = 0; ///< sent, EVAL after NOSCRIPT included
    std::uint64_t writes = 0;   ///< write system calls
    std::uint64_t bytesOut = 0;
    std::uint64_t bytesIn = 0;
    std::uint64_t connects = 0; ///< times Ready was reached
  };

  Connection(Loop &loop, Uri uri, ConnectionOptions options);
  ~Connection(); ///< close(), and afterwards no handler is called any more
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  void onState(StateHandler handler);
  void open(); ///< starts connecting; idempotent; calls no handler
  /// For good. Handlers that still wait get Cancelled inside this call; afterwards only those of commands given after it are called.
  void close();

  /// Sends one command; `handler` is called exactly once, never inside this call. An error reply of the server is a Reply that
  /// isFailure(), not an Error. An EVALSHA answered NOSCRIPT is sent again as EVAL, once, and the second answer is handed on.
  void send(Command command, Handler handler);
  /// As send(), with a deadline of its own instead of commandTimeout (for blocking commands and WAIT; milliseconds::max() = none).
  /// A command behind a longer one has at least the other's deadline, since its reply cannot come sooner.
  void send(Command command, milliseconds timeout, Handler handler);

  /// For commands that are gathered during a turn of the loop: `handler` is called right before what the turn sent is written, while the
  /// connection is Ready; what it sends is part of the same write.
  void beforeWrite(std::move_only_function<void()> handler);
  /// Lets this turn of the loop end with that call, even if it has sent nothing.
  void flushThisTurn();

  /// `handler` is called once when the server lost scripts that this connection had sent to it (SCRIPT FLUSH); they are sent again. It may
  /// not use this connection.
  void onScriptsFlushed(std::move_only_function<void()> handler);

  State state() const;
  const Error *why() const; ///< why Down; null otherwise
  const Uri &uri() const;
  Counters counters() const; ///< any thread

private:
  class Core;
  std::shared_ptr<Core> m_core;
};

} // namespace lockhouse
