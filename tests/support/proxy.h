// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/socket_fd.h"

#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <thread>

namespace lockhouse::test {

/// A TCP proxy on a loopback port in front of a real server, with a network's faults at hand. Thread-safe; settings hold for
/// connections that are open and for later ones.
class Proxy {
public:
  explicit Proxy(Uri target);
  ~Proxy();
  Proxy(const Proxy &) = delete;
  Proxy &operator=(const Proxy &) = delete;

  Uri uri() const; ///< the target's, with this proxy's address
  /// Every piece, in both directions, arrives this much later.
  void setDelay(std::chrono::milliseconds delay) { m_delay = delay; }
  /// Swallows what the client sends; with `bothWays`, what the server sends too. Nothing is closed.
  void blackHole(bool on, bool bothWays = true);
  /// Swallows only what the server answers: the commands run, their replies are lost.
  void dropReplies(bool on) { m_dropDown = on; }
  /// Of all replies from now on, the n-th (from 1) is lost, then the connection is cut: its command ran. Of a server with TLS, whose
  /// replies cannot be told apart here, it is the n-th piece of what it sends, those of handshakes too.
  void cutInsteadOfReply(int n) { m_cutAtReply = n; }
  /// Passes the server's bytes on one by one.
  void slice(bool on) { m_slice = on; }
  void cut(); ///< closes every connection now; new ones are accepted
  int accepted() const { return m_accepted; }

private:
  class Pipe;
  Uri m_target;
  SocketFd m_listener;
  std::atomic<std::chrono::milliseconds> m_delay{std::chrono::milliseconds(0)};
  std::atomic<bool> m_dropUp{false};
  std::atomic<bool> m_dropDown{false};
  std::atomic<bool> m_slice{false};
  std::atomic<int> m_cutAtReply{0};
  std::atomic<int> m_accepted{0};
  std::atomic<bool> m_stopping{false};
  std::mutex m_mutex; // guards m_pipes
  std::list<Pipe> m_pipes;
  std::thread m_acceptor;

  void acceptAll();
};

} // namespace lockhouse::test
