// SPDX-License-Identifier: Apache-2.0
#include "tests/support/socket_fd.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockhouse::test {
namespace {

sockaddr *generic(auto &address) { return reinterpret_cast<sockaddr *>(&address); }

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

} // namespace

SocketFd::SocketFd(SocketFd &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

SocketFd &SocketFd::operator=(SocketFd &&other) noexcept {
  std::swap(m_fd, other.m_fd);
  return *this;
}

SocketFd SocketFd::listenOnLoopback(int backlog) {
  SocketFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto address = loopback(0);
  if (::bind(fd.get(), generic(address), sizeof(address)) != 0 || ::listen(fd.get(), backlog) != 0)
    throw std::runtime_error("no port to listen on");
  return fd;
}

SocketFd SocketFd::connectTo(const Uri &uri) {
  const bool isUnix = uri.kind == Uri::Kind::Unix;
  SocketFd fd(::socket(isUnix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto tcp = loopback(uri.port);
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::strncpy(local.sun_path, uri.path.c_str(), sizeof(local.sun_path) - 1);
  if ((isUnix ? ::connect(fd.get(), generic(local), sizeof(local)) : ::connect(fd.get(), generic(tcp), sizeof(tcp))) != 0)
    return {};
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

int SocketFd::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ::getsockname(m_fd, generic(address), &size);
  return ntohs(address.sin_port);
}

bool SocketFd::sendAll(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void SocketFd::shutdown() const { ::shutdown(m_fd, SHUT_RDWR); }

// Dissolving the association makes Linux send RST; the descriptor stays, since another thread may be about to use it.
void SocketFd::reset() const {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  ::connect(m_fd, &nobody, sizeof(nobody));
}

void SocketFd::close() {
  if (m_fd >= 0)
    ::close(std::exchange(m_fd, -1));
}

} // namespace lockhouse::test
