// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/net/connection/connection.h"
#include "core/net/connection/login.h"
#include "core/net/connection/outbox.h"
#include "core/net/connection/traffic.h"
#include "core/net/resp/reply_reader.h"
#include "core/net/stream/dialer.h"
#include "core/net/stream/stream.h"

#include <memory>
#include <optional>

namespace lockhouse {

/// What a command connection and a subscriber have in common: one node, dialled, logged in, read, written, watched by one timer,
/// and dialled again with backoff after a loss. Who derives from it matches the replies. Loop thread only, except counters().
/// Always held by a shared_ptr: it may be let go of inside any of the calls it makes.
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
  virtual void leaving() {}                ///< what this turn has sent is about to be written; may write more
  virtual void idle() = 0;                 ///< nothing came for long and nothing is awaited: ask for a sign of life

  static constexpr SteadyTime never = SteadyTime::max();
  Loop &loop() const { return m_loop; }
  /// The time of this turn of the loop: read once for all commands that leave together.
  SteadyTime turnTime();
  /// When a command sent now is late.
  SteadyTime deadlineAfter(milliseconds timeout);
  bool hasRoomFor(std::size_t bytes) const { return m_outbox.hasRoomFor(bytes); }
  /// Queues `command` for this turn's write and wakes the timer in time for `deadline`; returns its place in the stream.
  std::uint64_t write(const Command &command, SteadyTime deadline);
  /// Lets this turn end with leaving(), even if nothing has been written.
  void flushThisTurn();
  /// False for a command at this place that had certainly not left when the connection was lost.
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
  bool m_flushPosted = false;
  bool m_leaving = false; // inside leaving()
  bool m_reading = false; // inside the batch of replies of one read, which flushes at its end
  bool m_turnKnown = false;
  bool m_heard = false; // something was read on this connection
  SteadyTime m_turn{};
  SteadyTime m_lastRead{};
  SteadyTime m_readySince{};
  SteadyTime m_loginDeadline{};

  Timer m_timer; // the only one: deadlines, idleness, the wait before the next attempt
  SteadyTime m_timerAt = never;
  Backoff m_backoff;

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
  void wait();
  void wake(SteadyTime at);
  void onTimer();
  void checkReady();
  Error hungUp(const std::error_code &error) const;
};

} // namespace lockhouse
