// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/connection/connection.h"
#include "core/net/connection/subscriber.h"

#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace lockhouse::test {

/// Plain commands to one server, one after the other, and what was heard on its channels.
class Probe {
public:
  Probe(Loop &loop, Uri node);
  ~Probe();
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  Reply operator()(std::initializer_list<std::string_view> words) { return (*this)(std::span(words.begin(), words.size())); }
  Reply operator()(std::span<const std::string_view> words);
  std::int64_t number(std::initializer_list<std::string_view> words) { return (*this)(words).integer().value_or(-99); }
  std::string text(std::initializer_list<std::string_view> words) { return std::string((*this)(words).text().value_or("(nothing)")); }
  /// From now on heard() tells "channel message" of every publication.
  void listenToAll();
  std::vector<std::string> heard();
  std::size_t subscriptions(); ///< channels that somebody listens to, sharded ones too
  std::size_t blocked();       ///< clients that block
  /// How often `command` ran, inside scripts too.
  std::uint64_t calls(const std::string &command);
  /// Whether so many replicas are sent, and acknowledge, what is written now.
  bool isFollowedBy(int replicas);

private:
  std::uint64_t infoNumber(std::string_view section, const std::string &field);

  Loop &m_loop;
  std::unique_ptr<Connection> m_connection;
  std::unique_ptr<Subscriber> m_subscriber;
  std::mutex m_mutex; // guards m_heard
  std::vector<std::string> m_heard;
};

} // namespace lockhouse::test
