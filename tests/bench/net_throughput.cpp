// SPDX-License-Identifier: Apache-2.0
// Commands a second over one Connection, as a ratio of what redis-benchmark reaches when it sends the same two commands raw
// (50 connections, 64 in a pipeline), same server, same run; and the processor time of the loop's thread that a command takes,
// all of the client's side: format, its share of the write and the read, parse, handler. One JSON line per number of clients.
#include "core/lab/sandbox/sandbox.h"
#include "core/net/connection/connection.h"
#include "core/net/loop/loop.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace lockhouse;

constexpr std::string_view token = "0123456789abcdef0123456789abcdef";
constexpr Script giveBack{"give-back", "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end",
                          "b998f9dfb154cdbea8cda65ad5177aadf0e945a2"};

// The last "… requests per second" that it prints.
double rawRate(const Sandbox &server, const std::string &command) {
  const std::string line = "redis-benchmark -q -s " + server.unixUri().path + " -c 50 -P 64 -n 1000000 -r 1000 " + command + " 2>/dev/null";
  std::FILE *pipe = ::popen(line.c_str(), "r");
  std::string text;
  std::array<char, 4096> piece{};
  while (pipe != nullptr && std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr)
    text += piece.data();
  if (pipe != nullptr)
    ::pclose(pipe);
  const auto unit = text.rfind(" requests per second");
  return unit == text.npos ? 0 : std::strtod(text.c_str() + text.rfind(' ', unit - 1), nullptr);
}

double rawPairs(const Sandbox &server) {
  const double take = rawRate(server, "SET bound:__rand_int__ " + std::string(token) + " NX PX 30000");
  const double give = rawRate(server, "EVALSHA " + std::string(giveBack.sha1) + " 1 bound:__rand_int__ " + std::string(token));
  return 1 / (1 / take + 1 / give);
}

/// Clients that take and give back a key of their own, as fast as the answers come.
class Clients {
public:
  Clients(Connection &connection, std::size_t count) : m_connection(connection), m_keys(count) {
    for (std::size_t i = 0; i < count; ++i)
      m_keys[i] = "own:" + std::to_string(i);
  }
  void start() {
    for (std::size_t i = 0; i < m_keys.size(); ++i)
      take(i);
  }
  void stop() { m_stopping = true; }
  std::uint64_t pairs() const { return m_pairs; }

private:
  Connection &m_connection;
  std::vector<std::string> m_keys;
  std::uint64_t m_pairs = 0;
  bool m_stopping = false;

  void take(std::size_t i) {
    if (!m_stopping)
      m_connection.send({"SET", m_keys[i], token, "NX", "PX", "30000"}, [this, i](Result<Reply> reply) {
        if (reply && reply->isOk())
          give(i);
      });
  }
  void give(std::size_t i) {
    m_connection.send(Command::evalsha(giveBack, {m_keys[i]}, {token}), [this, i](Result<Reply> reply) {
      if (!reply || reply->integer() != 1)
        return;
      ++m_pairs;
      take(i);
    });
  }
};

struct Pace {
  double pairs = 0;           // a second
  double nanosPerCommand = 0; // of the loop's thread
};

double threadNanos() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

Pace ourPace(const Sandbox &server, std::size_t count) {
  Loop loop;
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Clients> clients;
  std::promise<void> ready;
  loop.call([&] {
    connection = std::make_unique<Connection>(loop, server.unixUri(), ConnectionOptions{});
    connection->onState([&](Connection::State state, const Error *) {
      if (state == Connection::State::Ready)
        ready.set_value();
    });
    connection->open();
  });
  ready.get_future().get();
  std::promise<Pace> pace;
  std::unique_ptr<Timer> timer;
  loop.call([&] {
    clients = std::make_unique<Clients>(*connection, count);
    timer = std::make_unique<Timer>(loop);
    const auto begin = SteadyClock::now();
    timer->after(seconds(3), [&, begin, nanos = threadNanos()] {
      clients->stop();
      const auto pairs = static_cast<double>(clients->pairs());
      pace.set_value({pairs / std::chrono::duration<double>(SteadyClock::now() - begin).count(), (threadNanos() - nanos) / (2 * pairs)});
    });
    clients->start();
  });
  const auto result = pace.get_future().get();
  loop.call([&] {
    timer.reset();
    connection.reset();
    clients.reset();
  });
  return result;
}

} // namespace

int main() {
  auto server = Sandbox::start({.tcp = false, .config = {}});
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().sentence().c_str());
    return 3;
  }
  for (const std::size_t count : {1U, 16U, 256U, 1000U}) {
    const double before = rawPairs(*server);
    const auto ours = ourPace(*server, count);
    const double bound = (before + rawPairs(*server)) / 2;
    std::printf("{\"clients\": %zu, \"pairs_per_s\": %.0f, \"bound_pairs_per_s\": %.0f, \"ratio\": %.3f, \"client_ns_per_command\": %.0f}\n", count, ours.pairs,
                bound, ours.pairs / bound, ours.nanosPerCommand);
    std::fflush(stdout);
  }
  return 0;
}
