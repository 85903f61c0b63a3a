// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/link.h"

#include "core/base/random.h"
#include "core/base/safe_text.h"
#include "core/net/stream/tls_stream.h"

#include <asio/error.hpp>
#include <asio/post.hpp>

#include <fmt/format.h>

namespace lockhouse {

Link::Link(Loop &loop, Uri uri, ConnectionOptions options, bool wantsClientId)
    : m_loop(loop), m_uri(std::move(uri)), m_options(std::move(options)), m_wantsClientId(wantsClientId), m_reader(m_options.limits), m_timer(loop),
      m_redialPause(m_options.backoffBase, m_options.backoffCap, randomSeed()) {}

void Link::open() {
  if (m_opened || m_closed)
    return;
  m_opened = true;
  m_state = State::Connecting;
  wake(SteadyClock::now());
}

void Link::close() {
  if (m_closed)
    return;
  const auto self = shared_from_this();
  m_closed = true;
  m_timer.cancel();
  if (m_dialer)
    m_dialer->cancel();
  if (m_stream)
    m_stream->close();
  m_dialer.reset();
  m_stream.reset();
  m_state = State::Down;
  m_why = Error{ErrorCode::Cancelled, LH_MESSAGE("ErrorWords", "the connection was closed here"), m_uri.address(), {}};
  closing(*m_why);
}

void Link::connect() {
  m_state = State::Connecting;
  m_why.reset();
  m_loginDeadline = SteadyClock::now() + m_options.connectTimeout;
  connecting();
  if (m_closed)
    return;
  m_dialer = std::make_shared<Dialer>(m_loop, m_uri, m_options.connectTimeout);
  m_dialer->start([self = shared_from_this()](Result<std::shared_ptr<Stream>> stream) {
    self->m_dialer.reset();
    if (stream)
      self->begin(std::move(*stream));
    else
      self->lost(std::move(stream.error()));
  });
}

void Link::begin(std::shared_ptr<Stream> stream) {
  m_stream = std::move(stream);
  m_reader = ReplyReader(m_options.limits);
  m_login.emplace(m_uri, m_options, m_wantsClientId);
  m_outbox.reset();
  m_hasRead = false;
  wake(m_loginDeadline);
  sendLogin();
  readMore();
}

void Link::sendLogin() {
  for (const auto &command : m_login->next())
    write(command, m_loginDeadline);
}

void Link::readMore() {
  m_stream->read(
      [self = shared_from_this(), stream = m_stream.get()](const std::error_code &error, std::string_view bytes) { self->onRead(stream, error, bytes); });
}

void Link::onRead(Stream *stream, const std::error_code &error, std::string_view bytes) {
  if (stream != m_stream.get()) // of a connection that is closed
    return;
  if (error)
    return lost(hungUp(error));
  m_lastRead = SteadyClock::now();
  m_turn.begin(m_lastRead);
  Traffic::add(m_traffic.bytesIn, bytes.size());
  if (!m_hasRead && bytes.starts_with('\x15')) // a TLS alert: its record type, which no reply begins with
    return lost({ErrorCode::TlsRejected, LH_MESSAGE("ErrorWords", "the server speaks TLS on this port"), m_uri.address(),
                 LH_MESSAGE("ErrorWords", "use rediss:// instead of redis://")});
  m_hasRead = true;
  m_reader.feed(bytes);
  m_turn.beginReplies();
  const bool goesOn = takeAll(stream);
  m_turn.endReplies();
  if (!goesOn)
    return;
  flush();
  readMore();
}

// False if the connection ended meanwhile.
bool Link::takeAll(Stream *stream) {
  Reply reply;
  for (auto step = m_reader.next(reply); step != ReplyReader::Step::More; step = m_reader.next(reply)) {
    if (step == ReplyReader::Step::Broken) {
      lost(protocolError(m_reader.fault()));
      return false;
    }
    auto taken = takeOne(std::move(reply));
    if (stream != m_stream.get())
      return false;
    if (!taken) {
      lost(std::move(taken.error()));
      return false;
    }
  }
  return true;
}

Result<void> Link::takeOne(Reply reply) {
  if (!m_login)
    return take(std::move(reply));
  const auto done = m_login->on(reply);
  if (!done)
    return std::unexpected(done.error());
  if (!*done) {
    sendLogin();
    return {};
  }
  const auto clientId = m_login->clientId();
  m_login.reset();
  m_state = State::Ready;
  m_redialPause.connected(m_turn.now());
  Traffic::add(m_traffic.connects, 1);
  ready(clientId);
  if (m_stream)
    checkReady();
  return {};
}

SteadyTime Link::deadlineAfter(milliseconds timeout) { return timeout > std::chrono::years(1) ? never : m_turn.now() + timeout; }

std::uint64_t Link::write(const Command &command, SteadyTime deadline) {
  const auto place = m_outbox.append(command);
  if (m_timer.isAfter(deadline))
    wake(deadline);
  if (m_turn.isReading() && m_outbox.isHeavy())
    writeOut(); // without beforeWrite(): the caller has not noted yet that a reply will arrive
  else
    flushThisTurn();
  return place;
}

void Link::flushThisTurn() {
  if (!m_turn.needsFlush())
    return;
  asio::post(m_loop.engine().io, [self = shared_from_this()] {
    self->m_turn.flushArrived();
    self->flush();
  });
}

void Link::flush() {
  m_turn.beginFlush();
  beforeWrite();
  m_turn.endFlush();
  writeOut();
}

void Link::writeOut() {
  if (!m_stream)
    return;
  m_outbox.flush(*m_stream, [self = shared_from_this(), stream = m_stream.get()] {
    if (stream != self->m_stream.get())
      return;
    self->m_outbox.written();
    self->writeOut();
  });
}

void Link::lost(Error why) {
  if (m_closed)
    return;
  if (m_stream)
    m_stream->close();
  m_stream.reset();
  m_login.reset();
  m_turn.end();
  m_timer.cancel();
  m_redialPause.lost(m_state == State::Ready, SteadyClock::now());
  m_state = State::Down;
  m_why = std::move(why);
  down(*m_why);
  if (!m_closed && m_options.reconnect)
    wake(SteadyClock::now() + m_redialPause.next(*m_why));
}

void Link::wake(SteadyTime at) {
  m_timer.set(at, [self = shared_from_this()] { self->onTimer(); });
}

void Link::onTimer() {
  m_timer.expired();
  if (m_state == State::Ready)
    return checkReady();
  if (!m_stream)
    return connect();
  lost({ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "no login within %1 ms")(m_options.connectTimeout.count()), m_uri.address(),
        LH_MESSAGE("ErrorWords", "check that a Redis server answers there")});
}

// Lazy: a deadline that was met is noticed when the timer runs out, which is then set for the oldest deadline.
void Link::checkReady() {
  const auto now = SteadyClock::now();
  if (deadline() <= now) {
    late();
    return lost({ErrorCode::Timeout, LH_MESSAGE("ErrorWords", "the server did not answer in time"), m_uri.address(),
                 LH_MESSAGE("ErrorWords", "check whether it is overloaded or stopped")});
  }
  if (deadline() != never)
    return wake(deadline());
  if (m_options.idleTimeout <= milliseconds::zero())
    return;
  if (now - m_lastRead >= m_options.idleTimeout)
    return idle();
  wake(m_lastRead + m_options.idleTimeout);
}

Error Link::protocolError(Message what) const {
  return {ErrorCode::Protocol, LH_MESSAGE("ErrorWords", "the server sent %1")(std::move(what)), m_uri.address(),
          LH_MESSAGE("ErrorWords", "check that a Redis server listens there")};
}

Error Link::hungUp(const std::error_code &error) const {
  if (isTlsError(error) && m_state != State::Ready) // later, a peer that ends without closing TLS is a lost connection
    return tlsRejection(error, m_uri);
  const bool isClosed = error == asio::error::eof || isTlsError(error);
  if (m_state == State::Ready)
    return {ErrorCode::Unreachable,
            isClosed ? Message(LH_MESSAGE("ErrorWords", "the server closed the connection"))
                     : LH_MESSAGE("ErrorWords", "the connection was lost: %1")(systemMessage(error)),
            m_uri.address(), dialledAgain};
  return {ErrorCode::Unreachable,
          isClosed ? Message(LH_MESSAGE("ErrorWords", "the server closed the connection during the login"))
                   : LH_MESSAGE("ErrorWords", "the connection was lost: %1 during the login")(systemMessage(error)),
          m_uri.address(), LH_MESSAGE("ErrorWords", "check that a Redis server listens there, and redis:// or rediss://")};
}

} // namespace lockhouse
