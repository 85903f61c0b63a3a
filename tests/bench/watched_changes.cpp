// SPDX-License-Identifier: Apache-2.0
// What it costs a server that somebody watches 20 000 changes a second of 2 000 locks: its time for each change beyond what the change takes
// itself, with a Watcher, and with a bare subscriber of the same feed (CLIENT TRACKING in broadcasting mode) that only drains it. Each
// round goes through the three states and takes the difference to its own unwatched one, since both costs are smaller than what a machine
// changes its pace by; the medians of these differences are told. Staleness is the time from before a change is sent, by another connection, to
// the call of the Watcher's handler that tells it. One JSON line.
//   watched_changes [SECONDS [ROUNDS]]
#include "core/base/histogram.h"
#include "core/client/watcher/watcher.h"
#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/subscriber.h"
#include "tests/support/open_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace lockhouse;

constexpr int locks = 2000;
constexpr int perSecond = 20'000;
constexpr milliseconds pause(5);

/// Takes locks over at a steady pace: each change gives a lock a new token, which names the instant at which it was sent.
class Writer {
public:
  explicit Writer(const Uri &uri) : m_timer(m_loop), m_connection(test::openConnection(m_loop, uri)) {}
  ~Writer() {
    m_loop.call([this] {
      m_timer.cancel();
      m_connection.reset();
    });
  }
  void run() {
    m_loop.post([this] {
      m_due = SteadyClock::now();
      burst();
    });
  }
  void stop() {
    m_loop.call([this] { m_timer.cancel(); });
  }
  std::int64_t sent() const { return m_sent; }
  Reply ask(const Command &command) {
    std::promise<Reply> answer;
    m_loop.post([&] { m_connection->send(command, [&answer](Result<Reply> reply) { answer.set_value(reply ? std::move(*reply) : Reply()); }); });
    return answer.get_future().get();
  }

private:
  Loop m_loop;
  Timer m_timer;
  std::unique_ptr<Connection> m_connection;
  SteadyTime m_due{};
  std::atomic<std::int64_t> m_sent = 0;

  void burst() {
    const auto now = SteadyClock::now();
    for (; m_due <= now; m_due += pause)
      for (int i = 0; i < perSecond * pause.count() / 1000; ++i) {
        const auto number = m_sent++;
        m_connection->send(
            Command{"SET", fmt::format("lock:{}", number % locks), fmt::format("{:016x}{:016x}", now.time_since_epoch().count(), number), "PX", "60000"},
            [](const Result<Reply> &) {});
      }
    m_timer.after(m_due - now, [this] { burst(); });
  }
};

/// Drains the feed and looks at nothing.
class Drain {
public:
  Drain(Loop &loop, const Uri &uri) : m_loop(loop) {
    loop.call([&] {
      m_feed = std::make_unique<Subscriber>(loop, uri, ConnectionOptions{});
      m_feed->onLogin([](std::int64_t id) { return std::vector{Command{"CLIENT", "TRACKING", "ON", "REDIRECT", std::to_string(id), "BCAST"}}; },
                      [](std::size_t, const Reply &) {});
      m_feed->onMessage([this](const Subscriber::Message &) { ++m_heard; });
      m_feed->subscribe(Channel("__redis__:invalidate"));
      m_feed->open();
    });
  }
  ~Drain() {
    m_loop.call([this] { m_feed.reset(); });
  }
  std::int64_t heard() const { return m_heard; }

private:
  Loop &m_loop;
  std::unique_ptr<Subscriber> m_feed;
  std::atomic<std::int64_t> m_heard = 0;
};

/// Seconds of the server's only thread that runs commands.
double serverSeconds(Writer &writer) {
  const auto reply = writer.ask({"INFO", "cpu"});
  const auto text = std::string(reply.text().value_or(""));
  double seconds = 0;
  for (const auto *field : {"used_cpu_user_main_thread:", "used_cpu_sys_main_thread:"})
    if (const auto at = text.find(field); at != text.npos)
      seconds += std::strtod(text.c_str() + at + std::string_view(field).size(), nullptr);
  return seconds;
}

/// Server time for each change in `length` of writing, in microseconds.
double measure(Writer &writer, std::chrono::duration<double> length) {
  writer.run();
  std::this_thread::sleep_for(milliseconds(300)); // until it is even
  const auto sent = writer.sent();
  const auto before = serverSeconds(writer);
  std::this_thread::sleep_for(length);
  const auto after = serverSeconds(writer);
  const auto changes = writer.sent() - sent;
  writer.stop();
  return (after - before) * 1e6 / static_cast<double>(std::max<std::int64_t>(1, changes));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Told {
  Histogram staleness;
  std::int64_t changes = 0;
};

double measureWatched(Writer &writer, const Uri &uri, std::chrono::duration<double> length, Told &told) {
  Loop loop;
  Watcher watcher(loop, {uri}, {});
  std::promise<void> live;
  watcher.onSnapshot([&live, is = false](const LockSnapshotPtr &snapshot) mutable {
    if (!is && !snapshot->nodes.empty() && snapshot->nodes[0].scanComplete)
      is = true, live.set_value();
  });
  std::atomic<bool> counts = false;
  watcher.onChanges([&](std::span<const LockChange> changes) {
    const auto now = SteadyClock::now().time_since_epoch().count();
    for (const auto &change : changes) {
      if (!counts || !change.after || change.after->holders.empty() || change.kind != ChangeKind::Holder)
        continue;
      std::int64_t at = 0;
      const auto &token = change.after->holders.front().id;
      if (token.size() == 32 && std::from_chars(token.data(), token.data() + 16, at, 16).ec == std::errc{})
        told.staleness.add(std::chrono::nanoseconds(now - at));
      ++told.changes;
    }
  });
  watcher.start();
  live.get_future().get();
  counts = true;
  const auto cost = measure(writer, length);
  counts = false;
  return cost;
}

/// Keeps what this thread starts from now on to the first processor, or off it: whoever watches would otherwise drive the server from its caches,
/// as no client on another machine does.
void keepTo(bool first) {
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  if (all < 2)
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = first ? 0 : 1; i < (first ? 1 : all); ++i)
    CPU_SET(static_cast<std::size_t>(i), &set);
  sched_setaffinity(0, sizeof set, &set);
}

} // namespace

int main(int argc, char **argv) {
  const std::chrono::duration<double> length(argc > 1 ? std::atof(argv[1]) : 2.0);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  keepTo(true);
  auto server = Sandbox::start({.tcp = false, .config = {}});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  keepTo(false);
  const auto uri = server->unixUri();
  Writer writer(uri);
  std::vector<double> alone, ofBare, ofOurs;
  Told told;
  std::int64_t heard = 0;
  for (int round = 0; round < rounds; ++round) {
    alone.push_back(measure(writer, length));
    {
      Loop loop;
      Drain drain(loop, uri);
      ofBare.push_back(measure(writer, length) - alone.back());
      heard += drain.heard();
    }
    ofOurs.push_back(measureWatched(writer, uri, length, told) - alone.back());
  }
  const auto bare = median(ofBare), ours = median(ofOurs);
  fmt::print("{{\"bench\":\"watched_changes\",\"per_s\":{},\"locks\":{},\"change_us\":{:.2f},\"bare_us\":{:.2f},\"ours_us\":{:.2f},\"ratio\":{:.2f},"
             "\"messages\":{},\"told\":{},\"staleness_p50_us\":{},\"staleness_p99_us\":{}}}\n",
             perSecond, locks, median(alone), bare, ours, ours / bare, heard, told.changes,
             std::chrono::duration_cast<microseconds>(told.staleness.quantile(0.5)).count(),
             std::chrono::duration_cast<microseconds>(told.staleness.quantile(0.99)).count());
  return 0;
}
