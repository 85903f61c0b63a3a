// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_peer.h"

#include <array>
#include <cstdlib>

#include <sys/socket.h>

namespace lockhouse::test {

bool Conversation::hearMore() {
  std::array<char, 16 * 1024> piece{};
  const auto size = ::recv(m_socket.get(), piece.data(), piece.size(), 0);
  if (size <= 0)
    return false;
  m_heard.append(piece.data(), static_cast<std::size_t>(size));
  return true;
}

bool Conversation::hearLine(std::string &line) {
  std::size_t end = 0;
  while ((end = m_heard.find("\r\n")) == std::string::npos)
    if (!hearMore())
      return false;
  line = m_heard.substr(0, end);
  m_heard.erase(0, end + 2);
  return true;
}

std::vector<std::string> Conversation::hear() {
  std::string line;
  if (!hearLine(line) || !line.starts_with('*'))
    return {};
  std::vector<std::string> words(std::strtoul(line.c_str() + 1, nullptr, 10));
  for (auto &word : words) {
    if (!hearLine(line))
      return {};
    const auto size = std::strtoul(line.c_str() + 1, nullptr, 10);
    while (m_heard.size() < size + 2)
      if (!hearMore())
        return {};
    word = m_heard.substr(0, size);
    m_heard.erase(0, size + 2);
  }
  return words;
}

bool Conversation::answerLogin() {
  for (auto words = hear(); !words.empty(); words = hear()) {
    const bool isId = words.size() == 2 && words[1] == "ID";
    if (words[0] == "PING")
      return say("+PONG\r\n");
    say(isId ? ":7\r\n" : "+OK\r\n");
  }
  return false;
}

void Conversation::waitForHangUp() {
  while (hearMore())
    m_heard.clear();
}

ScriptedPeer::ScriptedPeer(Script script) : m_script(std::move(script)), m_listener(SocketFd::listenOnLoopback()), m_acceptor([this] { acceptAll(); }) {}

ScriptedPeer::~ScriptedPeer() {
  m_stopping = true;
  m_listener.shutdown();
  m_acceptor.join();
  {
    const std::lock_guard hold(m_mutex);
    for (auto &conversation : m_conversations)
      conversation.hangUp();
  }
  for (auto &thread : m_threads)
    thread.join();
}

Uri ScriptedPeer::uri() const {
  Uri uri;
  uri.host = "127.0.0.1";
  uri.port = static_cast<std::uint16_t>(m_listener.port());
  return uri;
}

void ScriptedPeer::acceptAll() {
  while (!m_stopping) {
    SocketFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket)
      continue;
    ++m_accepted;
    const std::lock_guard hold(m_mutex);
    auto &conversation = m_conversations.emplace_back(std::move(socket));
    m_threads.emplace_back([this, &conversation] {
      m_script(conversation);
      conversation.hangUp();
    });
  }
}

} // namespace lockhouse::test
