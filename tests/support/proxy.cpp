// SPDX-License-Identifier: Apache-2.0
#include "tests/support/proxy.h"

#include "core/net/resp/reply_guard.h"

#include <array>
#include <deque>
#include <string>

#include <poll.h>
#include <sys/socket.h>

namespace lockhouse::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Piece {
  Clock::time_point due;
  std::string bytes;
};

constexpr ReplyLimits generous{.line = 1 << 20, .bulk = 512 << 20, .elements = 1 << 24, .depth = 7, .total = std::size_t{1} << 30};

} // namespace

/// One proxied connection and the thread that carries its bytes.
class Proxy::Pipe {
public:
  Pipe(Proxy &proxy, SocketFd client, SocketFd server)
      : m_proxy(proxy), m_client(std::move(client)), m_server(std::move(server)), m_guard(generous), m_thread([this] { carry(); }) {}
  ~Pipe() {
    end();
    m_thread.join();
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  void end() {
    m_client.shutdown();
    m_server.shutdown();
  }

private:
  Proxy &m_proxy;
  SocketFd m_client;
  SocketFd m_server;
  ReplyGuard m_guard;
  std::deque<Piece> m_up;
  std::deque<Piece> m_down;
  std::thread m_thread; // last: it uses all the others

  void carry() {
    std::array<pollfd, 2> fds{{{m_client.get(), POLLIN, 0}, {m_server.get(), POLLIN, 0}}};
    bool going = true;
    while (going) {
      ::poll(fds.data(), fds.size(), m_up.empty() && m_down.empty() ? 50 : 1);
      going = (fds[0].revents == 0 || take(m_client, m_up, m_proxy.m_dropUp)) && (fds[1].revents == 0 || takeReplies()) && pass(m_up, m_server, false) &&
              pass(m_down, m_client, m_proxy.m_slice) && !m_proxy.m_stopping;
    }
    end();
  }

  bool take(const SocketFd &from, std::deque<Piece> &queue, bool drop) {
    std::array<char, 64 * 1024> bytes{};
    const auto size = ::recv(from.get(), bytes.data(), bytes.size(), 0);
    if (size <= 0)
      return false;
    if (!drop)
      queue.push_back({Clock::now() + m_proxy.m_delay.load(), std::string(bytes.data(), static_cast<std::size_t>(size))});
    return true;
  }

  bool takeReplies() {
    const auto before = m_down.size();
    if (!take(m_server, m_down, m_proxy.m_dropDown))
      return false;
    if (m_down.size() == before)
      return true;
    auto &bytes = m_down.back().bytes;
    std::size_t at = 0;
    if (m_proxy.m_target.kind == Uri::Kind::Tls) // unreadable here: a piece is taken for a reply
      return !isLost();
    for (std::size_t start = 0; m_guard.walk(bytes, at) == ReplyGuard::Step::Complete; start = at)
      if (isLost()) {
        m_client.sendAll(std::string_view(bytes).substr(0, start));
        return false;
      }
    return true;
  }

  bool isLost() { return m_proxy.m_cutAtReply > 0 && --m_proxy.m_cutAtReply == 0; }

  static bool pass(std::deque<Piece> &queue, const SocketFd &to, bool slice) {
    for (; !queue.empty() && queue.front().due <= Clock::now(); queue.pop_front()) {
      const std::string_view bytes = queue.front().bytes;
      const std::size_t step = slice ? 1 : bytes.size();
      for (std::size_t i = 0; i < bytes.size(); i += step)
        if (!to.sendAll(bytes.substr(i, step)))
          return false;
    }
    return true;
  }
};

Proxy::Proxy(Uri target) : m_target(std::move(target)), m_listener(SocketFd::listenOnLoopback()), m_acceptor([this] { acceptAll(); }) {}

Proxy::~Proxy() {
  m_stopping = true;
  m_listener.shutdown();
  m_acceptor.join();
  m_pipes.clear();
}

Uri Proxy::uri() const {
  Uri uri = m_target;
  uri.kind = m_target.kind == Uri::Kind::Unix ? Uri::Kind::Tcp : m_target.kind;
  uri.path.clear();
  uri.host = "127.0.0.1";
  uri.port = static_cast<std::uint16_t>(m_listener.port());
  return uri;
}

void Proxy::blackHole(bool on, bool bothWays) {
  m_dropUp = on;
  m_dropDown = on && bothWays;
}

void Proxy::cut() {
  const std::lock_guard hold(m_mutex);
  m_pipes.clear();
}

void Proxy::acceptAll() {
  while (!m_stopping) {
    SocketFd client(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client)
      continue;
    ++m_accepted;
    auto server = SocketFd::connectTo(m_target);
    const std::lock_guard hold(m_mutex);
    if (server)
      m_pipes.emplace_back(*this, std::move(client), std::move(server));
  }
}

} // namespace lockhouse::test
