// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/connection.h"
#include "core/net/connection/subscriber.h"
#include "core/net/loop/loop.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lockhouse::test {

inline Sandbox startServer(std::vector<std::string> config = {}, bool tcp = false) {
  auto server = Sandbox::start({.tcp = tcp, .config = std::move(config)});
  if (!server)
    throw std::runtime_error(server.error().sentence());
  return std::move(*server);
}

/// Options with which a test need not wait.
inline ConnectionOptions hasty() {
  ConnectionOptions options;
  options.backoffBase = milliseconds(1);
  options.backoffCap = milliseconds(20);
  return options;
}

/// A connection on a loop of its own, driven from the test's thread: what happens is noted, what is asked is waited for.
class Line {
public:
  explicit Line(const Uri &uri, ConnectionOptions options = hasty()) {
    loop.call([&] {
      connection = std::make_unique<Connection>(loop, uri, std::move(options));
      connection->onState([this](Connection::State state, const Error *why) { note(state, why); });
      connection->open();
    });
  }
  ~Line() {
    loop.call([&] { connection.reset(); });
  }

  bool becomes(Connection::State state) {
    return eventually([&] {
      const std::lock_guard hold(m_mutex);
      return m_last == state;
    });
  }
  bool isReady() { return becomes(Connection::State::Ready); }
  /// Waits for the next loss, or one that has been, and tells why.
  Error whyDown() {
    eventually([&] {
      const std::lock_guard hold(m_mutex);
      return m_why.has_value();
    });
    const std::lock_guard hold(m_mutex);
    return m_why.value_or(Error{});
  }
  /// The same of its first loss, whatever the tries after it have met.
  Error whyFirstDown() {
    whyDown();
    const std::lock_guard hold(m_mutex);
    return m_whyFirst.value_or(Error{});
  }
  int timesReady() {
    const std::lock_guard hold(m_mutex);
    return m_timesReady;
  }

  /// Sends from the loop's thread, all in one turn.
  std::vector<std::future<Result<Reply>>> sendAll(std::vector<Command> commands) {
    std::vector<std::future<Result<Reply>>> answers;
    loop.call([&] {
      for (auto &command : commands)
        connection->send(std::move(command), noting(answers.emplace_back()));
    });
    return answers;
  }
  std::future<Result<Reply>> send(Command command, std::optional<milliseconds> timeout = {}) {
    std::future<Result<Reply>> answer;
    loop.call([&] {
      if (timeout)
        connection->send(std::move(command), *timeout, noting(answer));
      else
        connection->send(std::move(command), noting(answer));
    });
    return answer;
  }
  Result<Reply> ask(Command command) { return send(std::move(command)).get(); }

  Loop loop;
  std::unique_ptr<Connection> connection; // touched on the loop

private:
  std::mutex m_mutex;
  std::optional<Connection::State> m_last;
  std::optional<Error> m_why, m_whyFirst;
  int m_timesReady = 0;

  static Connection::Handler noting(std::future<Result<Reply>> &future) {
    auto answer = std::make_unique<std::promise<Result<Reply>>>();
    future = answer->get_future();
    return [answer = std::move(answer)](Result<Reply> reply) { answer->set_value(std::move(reply)); };
  }
  void note(Connection::State state, const Error *why) {
    const std::lock_guard hold(m_mutex);
    m_last = state;
    if (why != nullptr) {
      m_why = *why;
      m_whyFirst = m_whyFirst.value_or(*why);
    }
    m_timesReady += state == Connection::State::Ready ? 1 : 0;
  }
};

/// A subscriber on a loop of its own, in the same way.
class Ear {
public:
  struct Heard {
    std::string channel, payload, pattern;
    Reply raw;
    bool operator==(const Heard &) const = default;
  };

  explicit Ear(const Uri &uri, ConnectionOptions options = hasty(), const std::vector<std::string> &channels = {}) {
    loop.call([&] {
      subscriber = std::make_unique<Subscriber>(loop, uri, std::move(options));
      subscriber->onMessage([this](const Subscriber::Message &message) {
        const std::lock_guard hold(m_mutex);
        m_heard.push_back({std::string(message.channel), std::string(message.payload), std::string(message.pattern), *message.raw});
        ++heardCount;
      });
      subscriber->onUp([this](std::int64_t id) {
        clientId = id;
        ++ups;
      });
      subscriber->onGap([this](const Error &why) {
        const std::lock_guard hold(m_mutex);
        m_gaps.push_back(why);
      });
      for (const auto &channel : channels)
        subscriber->subscribe(Channel(channel));
    });
  }
  ~Ear() {
    loop.call([&] { subscriber.reset(); });
  }

  void open() {
    loop.call([&] { subscriber->open(); });
  }
  bool isUp(int times = 1) {
    return eventually([&] { return ups >= times; });
  }
  std::vector<Error> gaps() {
    const std::lock_guard hold(m_mutex);
    return m_gaps;
  }
  std::vector<Heard> heard() {
    const std::lock_guard hold(m_mutex);
    return m_heard;
  }
  Result<void> subscribe(const std::string &channel) {
    return wait([&](Subscriber::Done done) { subscriber->subscribe(Channel(channel), std::move(done)); });
  }
  Result<void> psubscribe(const std::string &pattern) {
    return wait([&](Subscriber::Done done) { subscriber->psubscribe(Channel(pattern), std::move(done)); });
  }
  Result<void> ping() {
    return wait([&](Subscriber::Done done) { subscriber->ping(std::move(done)); });
  }

  Loop loop;
  std::unique_ptr<Subscriber> subscriber; // touched on the loop
  std::atomic<int> ups{0};
  std::atomic<std::size_t> heardCount{0};
  std::atomic<std::int64_t> clientId{0};

private:
  std::mutex m_mutex;
  std::vector<Heard> m_heard;
  std::vector<Error> m_gaps;

  template <class Call> Result<void> wait(Call call) {
    std::promise<Result<void>> outcome;
    loop.call([&] { call([&](Result<void> result) { outcome.set_value(std::move(result)); }); });
    return outcome.get_future().get();
  }
};

} // namespace lockhouse::test
