// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace lockhouse::test {

/// A blocking client that shares no code with ours: what a test trusts when it asks a server what is really there.
/// Replies come as redis-cli would print them raw: elements of arrays on lines of their own, nil as nothing, errors with a leading '-'.
class RawRedis {
public:
  explicit RawRedis(const std::string &socket) {
    m_fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket.c_str(), std::min(socket.size() + 1, sizeof(address.sun_path) - 1));
    const timeval patience{5, 0};
    ::setsockopt(m_fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    m_connected = ::connect(m_fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) == 0;
  }
  ~RawRedis() { ::close(m_fd); }
  RawRedis(const RawRedis &) = delete;
  RawRedis &operator=(const RawRedis &) = delete;

  bool isConnected() const { return m_connected; }

  std::vector<std::string> lines(std::initializer_list<std::string_view> words) {
    std::string out = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto word : words)
      out.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
    std::vector<std::string> into;
    if (::send(m_fd, out.data(), out.size(), MSG_NOSIGNAL) < 0)
      return {"-no connection"};
    read(into);
    return into;
  }
  std::string operator()(std::initializer_list<std::string_view> words) {
    std::string all;
    for (const auto &line : lines(words))
      all.append(all.empty() ? "" : "\n").append(line);
    return all;
  }
  long number(std::initializer_list<std::string_view> words) {
    const auto text = (*this)(words);
    return text.empty() || text.front() == '-' ? -1 : std::stol(text);
  }

private:
  bool fill() {
    std::array<char, 65536> some{};
    const auto got = ::recv(m_fd, some.data(), some.size(), 0);
    if (got <= 0)
      return false;
    m_in.append(some.data(), static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t size) {
    while (m_in.size() < size)
      if (!fill())
        return {};
    auto bytes = m_in.substr(0, size);
    m_in.erase(0, size);
    return bytes;
  }
  std::string line() {
    std::size_t end = 0;
    while ((end = m_in.find("\r\n")) == std::string::npos)
      if (!fill())
        return "-no answer";
    return take(end + 2).substr(0, end);
  }
  void read(std::vector<std::string> &into) {
    const auto head = line();
    const auto rest = head.substr(1);
    if (head[0] == '-')
      into.push_back(head);
    else if (head[0] == '*')
      for (long left = std::stol(rest); left > 0; --left)
        read(into);
    else if (head[0] != '$')
      into.push_back(rest);
    else if (rest != "-1") {
      const auto size = std::stoul(rest);
      into.push_back(take(size + 2).substr(0, size));
    }
  }

  int m_fd = -1;
  bool m_connected = false;
  std::string m_in;
};

} // namespace lockhouse::test
