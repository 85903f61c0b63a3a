// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/dialer.h"

#include "core/base/safe_text.h"
#include "core/net/stream/tls_stream.h"

#include <asio/error.hpp>
#include <asio/local/stream_protocol.hpp>

#include <fmt/format.h>

#include <netinet/tcp.h>
#include <sys/socket.h>

namespace lockhouse {

Dialer::Dialer(Loop &loop, const Uri &uri, milliseconds timeout) : m_loop(loop), m_uri(uri), m_timeout(timeout), m_resolver(loop), m_limit(loop), m_turn(loop) {
  m_last = {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "the host has no address"), m_uri.address(),
            LH_MESSAGE("ErrorWords", "check the host in the URL")};
}

void Dialer::start(Done done) {
  m_done = std::move(done);
  m_deadline = SteadyClock::now() + m_timeout;
  m_limit.after(m_timeout, [self = shared_from_this()] { self->finish(std::unexpected(self->timedOut())); });
  if (m_uri.kind == Uri::Kind::Unix)
    return connectUnix();
  m_resolver.resolve(m_uri.host, m_uri.port, [self = shared_from_this()](const std::error_code &error, Resolver::Endpoints addresses) {
    if (error)
      self->m_last.what = LH_MESSAGE("ErrorWords", "the host's name is not known: %1")(systemMessage(::gai_strerror(error.value())));
    self->m_addresses = std::move(addresses);
    self->tryNext();
  });
}

void Dialer::cancel() {
  m_done = nullptr;
  m_resolver.cancel();
  m_limit.cancel();
  m_turn.cancel();
  std::error_code ignored;
  if (m_socket)
    m_socket->close(ignored);
  if (m_stream)
    m_stream->close();
}

void Dialer::connectUnix() {
  if (m_uri.path.size() >= sizeof(sockaddr_un{}.sun_path)) {
    m_last = {ErrorCode::Usage, LH_MESSAGE("ErrorWords", "the socket's path is too long"), safeText(m_uri.path),
              LH_MESSAGE("ErrorWords", "a Unix socket's path has at most 107 bytes")};
    return m_turn.after(seconds(0), [self = shared_from_this()] { self->finish(std::unexpected(self->m_last)); });
  }
  m_socket.emplace(m_loop.engine().io);
  m_socket->async_connect(asio::local::stream_protocol::endpoint(m_uri.path),
                          [self = shared_from_this()](const std::error_code &error) { self->connected(error); });
}

void Dialer::tryNext() {
  if (m_tried == m_addresses.size())
    return finish(std::unexpected(m_last));
  const auto left = m_addresses.size() - m_tried;
  const auto &address = m_addresses[m_tried++];
  m_turn.after((m_deadline - SteadyClock::now()) / static_cast<std::int64_t>(left), [self = shared_from_this()] {
    std::error_code ignored;
    self->m_last = self->timedOut();
    self->m_socket->close(ignored); // its handler then goes on to the next
  });
  m_socket.emplace(m_loop.engine().io);
  m_socket->async_connect(asio::generic::stream_protocol::endpoint(address),
                          [self = shared_from_this()](const std::error_code &error) { self->connected(error); });
}

void Dialer::connected(const std::error_code &error) {
  m_turn.cancel();
  if (!m_done)
    return;
  if (error) {
    if (error != asio::error::operation_aborted)
      m_last = failure(error);
    return tryNext();
  }
  if (!m_socket->is_open()) // connected and timed out in the same turn of the loop
    return tryNext();
  tune();
  if (m_uri.kind == Uri::Kind::Tls)
    return secure();
  finish(makePlainStream(std::move(*m_socket)));
}

// A peer that vanished is found by the deadline of a command or of the idle PING; these make the kernel find it as well, and stop
// it from holding a small write back.
void Dialer::tune() {
  if (m_uri.kind == Uri::Kind::Unix)
    return;
  const int fd = m_socket->native_handle();
  const auto set = [fd](int level, int option, int value) { ::setsockopt(fd, level, option, &value, sizeof(value)); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000);
}

void Dialer::secure() {
  m_stream = secureStream(std::move(*m_socket), m_uri, [self = shared_from_this()](Result<void> result) {
    // A refused identity ends the attempt: the next address would present the same one, or a worse one.
    self->m_loop.post([self, result = std::move(result)]() mutable {
      if (result)
        self->finish(self->m_stream);
      else
        self->finish(std::unexpected(std::move(result.error())));
    });
  });
}

void Dialer::finish(Result<std::shared_ptr<Stream>> result) {
  auto done = std::exchange(m_done, nullptr);
  if (!done)
    return;
  if (result)
    m_stream.reset();
  cancel();
  done(std::move(result));
}

Error Dialer::timedOut() const {
  if (m_stream)
    return {ErrorCode::TlsRejected, LH_MESSAGE("ErrorWords", "no answer to the TLS handshake within %1 ms")(m_timeout.count()), m_uri.address(),
            LH_MESSAGE("ErrorWords", "a server without TLS waits like this: use redis://, or the server's TLS port")};
  return {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "no connection within %1 ms")(m_timeout.count()), m_uri.address(),
          LH_MESSAGE("ErrorWords", "check the network and the address")};
}

Error Dialer::failure(const std::error_code &error) const {
  Message next = LH_MESSAGE("ErrorWords", "check the network and the address");
  if (error == asio::error::connection_refused || error.value() == ENOENT)
    next = LH_MESSAGE("ErrorWords", "start the server or check the URL");
  return {ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "cannot connect: %1")(systemMessage(error)), m_uri.address(), std::move(next)};
}

} // namespace lockhouse
