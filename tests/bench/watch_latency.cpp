// SPDX-License-Identifier: Apache-2.0
// From a change in Redis to its change line: the time from before a command that takes or frees a lock is sent, by another
// connection, to the call of Watcher's handler. Once on an idle server, once while other clients write foreign keys. One JSON line each.
#include "core/base/histogram.h"
#include "core/client/watcher/watcher.h"
#include "core/lab/sandbox/sandbox.h"
#include "tests/support/open_connection.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>

namespace {

using namespace lockhouse;

constexpr int changes = 4000;

/// A connection that others can use from outside its loop.
class Client {
public:
  explicit Client(const Uri &uri) : m_connection(test::openConnection(m_loop, uri)) {}
  ~Client() {
    m_loop.call([&] { m_connection.reset(); });
  }
  void send(Command command) {
    m_loop.post([this, command = std::move(command)]() mutable { m_connection->send(std::move(command), [](const Result<Reply> &) {}); });
  }
  /// Writes 100 foreign keys every 5 ms until the client goes.
  void bustle() {
    m_loop.post([this] { writeOn(); });
  }

private:
  Loop m_loop;
  std::unique_ptr<Connection> m_connection;
  Timer m_pause{m_loop};
  int m_round = 0;

  void writeOn() {
    if (!m_connection)
      return;
    for (int i = 0; i < 100; ++i)
      m_connection->send(Command{"SET", fmt::format("page:{}", (m_round * 100 + i) % 5000), fmt::format("<html>{}", m_round)}, [](const Result<Reply> &) {});
    ++m_round;
    m_pause.after(milliseconds(5), [this] { writeOn(); });
  }
};

Histogram measure(const Uri &uri) {
  Loop loop;
  std::counting_semaphore<> heard(0);
  std::atomic<SteadyTime::rep> heardAt{0};
  Watcher watcher(loop, {uri}, {});
  std::promise<void> live;
  watcher.onChanges([&](std::span<const LockChange> told) {
    heardAt = SteadyClock::now().time_since_epoch().count();
    heard.release(static_cast<std::ptrdiff_t>(told.size()));
  });
  watcher.onSnapshot([&, told = false](const LockSnapshotPtr &snapshot) mutable {
    if (snapshot->nodes.at(0).state == NodeState::Live && !std::exchange(told, true))
      live.set_value();
  });
  watcher.start();
  live.get_future().wait();
  Client client(uri);
  Histogram latency;
  for (int i = 0; i < changes; ++i) {
    const auto start = SteadyClock::now();
    client.send(i % 2 ? Command{"DEL", "lock:order:7"} : Command{"SET", "lock:order:7", "3f786850e387550fdab836ed7e6dc881", "NX", "PX", "600000"});
    heard.acquire();
    latency.add(SteadyTime(std::chrono::nanoseconds(heardAt)) - start);
  }
  return latency;
}

void report(const char *server, const Histogram &latency) {
  const auto micros = [](std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000; };
  fmt::print("{{\"bench\":\"watch_latency\",\"server\":\"{}\",\"changes\":{},\"p50_us\":{:.0f},\"p99_us\":{:.0f},\"max_us\":{:.0f}}}\n", server,
             latency.count(), micros(latency.quantile(0.5)), micros(latency.quantile(0.99)), micros(latency.max()));
}

} // namespace

int main() {
  auto server = Sandbox::start({});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  report("idle", measure(server->unixUri()));
  Client others(server->unixUri());
  others.bustle();
  report("20000 foreign writes a second", measure(server->unixUri()));
  return 0;
}
