// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"
#include "core/net/connection/deadline_timer.h"
#include "core/net/connection/login.h"
#include "core/net/connection/loop_turn.h"
#include "core/net/connection/outbox.h"
#include "core/net/connection/redial_pause.h"
#include "core/net/resp/reply_reader.h"
#include "core/net/stream/dialer.h"
#include "core/net/stream/stream.h"

#include <memory>
#include <optional>

namespace lockhouse {

/// What a command connection and a subscriber have in common: one node is dialled, logged in, read and written, watched by one timer, and
/// dialled again with growing pauses after a loss. A derived class matches the replies. Loop thread only, except counters().
/// Always held by a shared_ptr: its owner may drop it inside any of the calls that it makes.
class Link : public std::enable_shared_from_this<Link> {
public:
  using State = Connection::State;

  virtual ~Link() = default;
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  void open();
  void close(); ///< for good; calls closing()

  State state() const { return m_state; }
  bool isClosed() const { return m_closed; }
  const Error *why() const { return m_why ? &*m_why : nullptr; }
  const Uri &uri() const { return m_uri; }
  const ConnectionOptions &options() const { return m_options; }
  Connection::Counters counters() const { return m_traffic.counters(); }

protected:
  Link(Loop &loop, Uri uri, ConnectionOptions options, bool wantsClientId);

  virtual void connecting() {}
  virtual void ready(std::int64_t clientId) = 0;
  virtual void down(const Error &why) = 0;    ///< a connection, or an attempt at one, was lost; state() is Down already
  virtual void closing(const Error &why) = 0; ///< inside close()
  /// One reply of the server after login. An error ends the connection.
  virtual Result<void> take(Reply reply) = 0;
  virtual SteadyTime deadline() const = 0; ///< of the oldest thing awaited; the far future if nothing is
  virtual void late() = 0;                 ///< the deadline has passed: down() follows
  virtual void beforeWrite() {}            ///< what this turn has queued is about to be written; may write more
  virtual void idle() = 0;                 ///< nothing was read for long and no reply is awaited: the server is to be asked for one

  static constexpr SteadyTime never = DeadlineTimer::never;
  Loop &loop() const { return m_loop; }
  /// When a command sent now is late.
  SteadyTime deadlineAfter(milliseconds timeout);
  bool hasRoomFor(std::size_t bytes) const { return m_outbox.hasRoomFor(bytes); }
  /// Queues `command` for this turn's write and wakes the timer in time for `deadline`; returns its place in the stream.
  std::uint64_t write(const Command &command, SteadyTime deadline);
  /// Lets this turn end with beforeWrite(), even if nothing has been written.
  void flushThisTurn();
  /// False for a command at this place that was certainly not sent when the connection was lost.
  bool mayHaveLeft(std::uint64_t place) const { return m_outbox.mayHaveLeft(place); }
  Error protocolError(Message what) const;

private:
  Loop &m_loop;
  Uri m_uri;
  ConnectionOptions m_options;
  bool m_wantsClientId;
  State m_state = State::Down;
  std::optional<Error> m_why;
  bool m_opened = false;
  bool m_closed = false;

  std::shared_ptr<Dialer> m_dialer;
  std::shared_ptr<Stream> m_stream;
  std::optional<Login> m_login; // while logging in
  ReplyReader m_reader;
  Traffic m_traffic;
  Outbox m_outbox{m_traffic};
  LoopTurn m_turn;
  bool m_hasRead = false; // on this connection
  SteadyTime m_lastRead{};
  SteadyTime m_loginDeadline{};

  DeadlineTimer m_timer; // the only one: deadlines, idleness, the pause before the next attempt
  RedialPause m_redialPause;

  void connect();
  void begin(std::shared_ptr<Stream> stream);
  void sendLogin();
  void readMore();
  void onRead(Stream *stream, const std::error_code &error, std::string_view bytes);
  bool takeAll(Stream *stream);
  Result<void> takeOne(Reply reply);
  void flush();
  void writeOut();
  void lost(Error why);
  void wake(SteadyTime at);
  void onTimer();
  void checkReady();
  Error hungUp(const std::error_code &error) const;
};

} // namespace lockhouse
