// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/socket_fd.h"

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lockhouse::test {

/// The server's end of one connection, for a script that runs on a thread of its own and may block.
class Conversation {
public:
  explicit Conversation(SocketFd socket) : m_socket(std::move(socket)) {}

  /// The next command of the client, its words; empty when the client has hung up or the peer is being destroyed.
  std::vector<std::string> hear();
  bool say(std::string_view bytes) { return m_socket.sendAll(bytes); }
  /// Answers a Lockhouse login as Redis would, up to and with its PING; CLIENT ID is 7. False when the client hung up.
  bool answerLogin();
  void waitForHangUp();
  void hangUp() { m_socket.shutdown(); }
  void reset() { m_socket.reset(); }

private:
  SocketFd m_socket;
  std::string m_heard;

  bool hearMore();
  bool hearLine(std::string &line);
};

/// A server on a loopback port that says exactly what a test's script says: hostile, late, half, or nothing at all. Each accepted
/// connection runs `script` on a thread of its own and is closed when it returns.
class ScriptedPeer {
public:
  using Script = std::function<void(Conversation &)>;
  explicit ScriptedPeer(Script script);
  ~ScriptedPeer();
  ScriptedPeer(const ScriptedPeer &) = delete;
  ScriptedPeer &operator=(const ScriptedPeer &) = delete;

  Uri uri() const;
  int accepted() const { return m_accepted; }

private:
  Script m_script;
  SocketFd m_listener;
  std::atomic<int> m_accepted{0};
  std::atomic<bool> m_stopping{false};
  std::mutex m_mutex; // guards the two lists
  std::list<Conversation> m_conversations;
  std::list<std::thread> m_threads;
  std::thread m_acceptor;

  void acceptAll();
};

} // namespace lockhouse::test
