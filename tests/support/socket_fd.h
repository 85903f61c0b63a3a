// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/address/uri.h"

#include <string_view>

namespace lockhouse::test {

/// A file descriptor of a socket, closed with its owner; and the few blocking calls that the test servers need.
class SocketFd {
public:
  SocketFd() = default;
  explicit SocketFd(int fd) : m_fd(fd) {}
  ~SocketFd() { close(); }
  SocketFd(SocketFd &&other) noexcept;
  SocketFd &operator=(SocketFd &&other) noexcept;

  /// Listens on a free port of 127.0.0.1.
  static SocketFd listenOnLoopback(int backlog = 64);
  static SocketFd connectTo(const Uri &uri);
  int port() const;
  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }

  bool sendAll(std::string_view bytes) const; ///< false when the peer is gone
  void shutdown() const;                      ///< wakes whoever blocks on it
  void reset() const;                         ///< ends the connection with RST instead of FIN
  void close();

private:
  int m_fd = -1;
};

} // namespace lockhouse::test
