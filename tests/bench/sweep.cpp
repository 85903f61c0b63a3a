// SPDX-License-Identifier: Apache-2.0
// A full sweep of a Watcher over a million foreign keys and 100 000 locks of twelve families, as a ratio of a bare loop over the same
// Connection: SCAN COUNT 500, then one pipelined TYPE a key, the least it takes to tell a lock from data. Same server, same run, in
// turns; the median of each. Once with strings only, once with five types mixed. One JSON line each; memory is what the process grew by;
// *_server_s is what the server's thread spent on each, sweep_own_s what this process did, which says what a busy machine's ratio hides;
// first_s is when the first locks were shown; longest_us is the longest command that the server has noted of all the sweeps.
#include "core/client/watcher/watcher.h"
#include "core/lab/sandbox/sandbox.h"
#include "tests/support/open_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lockhouse;

constexpr int foreignKeys = 1'000'000;
constexpr int locks = 100'000;
constexpr int rounds = 5;

long residentKilobytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4;
}

double secondsSince(SteadyTime start) { return std::chrono::duration<double>(SteadyClock::now() - start).count(); }

/// The bare loop; it looks at nothing.
class Bare {
public:
  Bare(Loop &loop, const Uri &uri) : m_connection(loop, uri, {}) {}
  double run(Loop &loop) {
    loop.call([&] {
      m_connection.onState([this](Connection::State state, const Error *) {
        if (state == Connection::State::Ready)
          page();
      });
      m_start = SteadyClock::now();
      m_connection.open();
    });
    m_done.get_future().wait();
    const auto taken = secondsSince(m_start);
    loop.call([&] { m_connection.close(); });
    return taken;
  }

private:
  Connection m_connection;
  std::string m_cursor = "0";
  std::size_t m_pending = 0;
  SteadyTime m_start{};
  std::promise<void> m_done;

  void page() {
    m_connection.send(Command{"SCAN", m_cursor, "COUNT", "500"}, [this](Result<Reply> reply) {
      if (!reply || reply->array().size() != 2)
        return m_done.set_value();
      m_cursor = reply->array()[0].text().value_or("0");
      for (const auto &key : reply->array()[1].array())
        look(*key.bulk());
      next();
    });
  }
  void look(const std::string &key) {
    ++m_pending;
    m_connection.send(Command{"TYPE", key}, [this](const Result<Reply> &) {
      --m_pending;
      next();
    });
  }
  void next() {
    if (m_pending > 0)
      return;
    if (m_cursor == "0")
      m_done.set_value();
    else
      page();
  }
};

struct Scanned {
  double seconds = 0;
  double first = 0;
  std::size_t locks = 0;
  long kilobytes = 0;
};

Scanned watch(const Uri &uri) {
  const auto before = residentKilobytes();
  Loop loop;
  WatcherOptions options;
  options.background = false;
  Watcher watcher(loop, {uri}, options);
  std::promise<std::size_t> found;
  double first = 0;
  SteadyTime start{};
  watcher.onSnapshot([&, told = false](const LockSnapshotPtr &snapshot) mutable {
    if (first == 0 && !snapshot->locks.empty())
      first = secondsSince(start);
    if (snapshot->nodes.at(0).scanComplete && !std::exchange(told, true))
      found.set_value(snapshot->locks.size());
  });
  start = SteadyClock::now();
  watcher.start();
  const auto count = found.get_future().get();
  return {secondsSince(start), first, count, residentKilobytes() - before};
}

/// Of what the server's slow log has kept, in microseconds.
std::int64_t longestCommand(const Uri &uri) {
  Loop loop;
  std::promise<std::int64_t> longest;
  auto connection = test::openConnection(loop, uri);
  loop.call([&] {
    connection->send({"SLOWLOG", "GET", "128"}, [&](Result<Reply> reply) {
      std::int64_t most = 0;
      if (reply)
        for (const auto &entry : reply->array())
          if (entry.array().size() > 3 && entry.array()[3].array().size() > 0 && entry.array()[3].array()[0].text() != "DEBUG")
            most = std::max(most, entry.array()[2].integer().value_or(0));
      longest.set_value(most);
    });
  });
  const auto most = longest.get_future().get();
  loop.call([&] { connection.reset(); });
  return most;
}

/// Of the server's only thread that runs commands, so far.
double serverSeconds(const Uri &uri) {
  Loop loop;
  std::promise<double> told;
  auto connection = test::openConnection(loop, uri);
  loop.call([&] {
    connection->send({"INFO", "cpu"}, [&](const Result<Reply> &reply) {
      const auto text = std::string(reply ? reply->text().value_or("") : "");
      double sum = 0;
      for (const auto *field : {"used_cpu_user_main_thread:", "used_cpu_sys_main_thread:"})
        if (const auto at = text.find(field); at != text.npos)
          sum += std::strtod(text.c_str() + at + std::string_view(field).size(), nullptr);
      told.set_value(sum);
    });
  });
  const auto taken = told.get_future().get();
  loop.call([&] { connection.reset(); });
  return taken;
}

double ownSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

void compare(const Uri &uri, const char *data) {
  std::vector<double> bare, scanned, first, bareServer, scannedServer, own;
  Scanned last;
  long grown = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto before = serverSeconds(uri);
    Loop loop;
    auto least = std::make_unique<Bare>(loop, uri);
    bare.push_back(least->run(loop));
    loop.call([&] { least.reset(); });
    const auto between = serverSeconds(uri), ownBefore = ownSeconds();
    last = watch(uri);
    own.push_back(ownSeconds() - ownBefore);
    bareServer.push_back(between - before);
    scannedServer.push_back(serverSeconds(uri) - between);
    scanned.push_back(last.seconds);
    first.push_back(last.first);
    grown = std::max(grown, last.kilobytes);
  }
  fmt::print(
      "{{\"bench\":\"sweep\",\"data\":\"{}\",\"keys\":{},\"locks\":{},\"bare_s\":{:.3f},\"sweep_s\":{:.3f},\"ratio\":{:.3f},\"first_s\":{:.3f},\"grown_kb\":{},"
      "\"bytes_a_lock\":{},\"longest_us\":{},"
      "\"bare_server_s\":{:.3f},\"sweep_server_s\":{:.3f},\"sweep_own_s\":{:.3f}}}\n",
      data, foreignKeys, last.locks, median(bare), median(scanned), median(scanned) / median(bare), median(first), grown,
      grown * 1024 / static_cast<long>(std::max<std::size_t>(1, last.locks)), longestCommand(uri), median(bareServer), median(scannedServer), median(own));
}

void send(const Uri &uri, std::vector<Command> commands) {
  Loop loop;
  std::promise<void> done;
  auto connection = test::openConnection(loop, uri);
  std::size_t next = 0, open = 0;
  std::function<void()> more = [&] {
    for (; next < commands.size() && open < 5000; ++open)
      connection->send(std::move(commands[next++]), seconds(60), [&](const Result<Reply> &) {
        --open;
        if (open == 0 && next == commands.size())
          done.set_value();
        else if (open < 2500)
          more();
      });
  };
  loop.call(more);
  done.get_future().wait();
  loop.call([&] { connection.reset(); });
}

std::string uuid(int i) { return fmt::format("5b1c0a3e-6f0d-4f1a-9c58-{:012x}", i); }
std::string hex32(int i) { return fmt::format("{:08x}{:024x}", static_cast<unsigned>(i) * 2654435761U, i); }

/// The i-th lock, of one of twelve families, with what lies beside it.
void addLock(int i, std::vector<Command> &out) {
  constexpr auto until = "1895300000000";
  switch (i % 12) {
  case 0: out.push_back({"SET", fmt::format("lock:{}", i), hex32(i), "PX", "3600000"}); break;
  case 1: out.push_back({"HSET", fmt::format("order:{}", i), uuid(i) + ":1", "1"}); break;
  case 2:
    out.push_back({"HSET", fmt::format("turn:{}", i), uuid(i) + ":1", "1"});
    out.push_back({"RPUSH", fmt::format("redisson_lock_queue:{{turn:{}}}", i), uuid(i) + ":2"});
    out.push_back({"ZADD", fmt::format("redisson_lock_timeout:{{turn:{}}}", i), until, uuid(i) + ":2"});
    break;
  case 3: out.push_back({"HSET", fmt::format("report:{}", i), "mode", "read", uuid(i) + ":1", "1"}); break;
  case 4: out.push_back({"SET", fmt::format("job-lock:default:{}", i), "ADDED:2026-11-22T10:00:00.123Z@web-1:" + uuid(i), "PX", "3600000"}); break;
  case 5: out.push_back({"SET", fmt::format("redlock:{}", i), uuid(i), "PX", "3600000"}); break;
  case 6: out.push_back({"SET", fmt::format("SINGLETONLOCK_{}", hex32(i)), uuid(i)}); break;
  case 7:
    out.push_back({"SET", fmt::format("bull:mail:{}:lock", i), uuid(i) + ":1", "PX", "3600000"});
    out.push_back({"HSET", fmt::format("bull:mail:{}", i), "data", "{}", "opts", "{}", "timestamp", "1"});
    break;
  case 8: out.push_back({"ZADD", fmt::format("symf:{}", i), until, "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="}); break;
  case 9: out.push_back({"SADD", fmt::format("book:{}.readers", i), "web-1_4711_" + hex32(i)}); break;
  case 10: out.push_back({"HSET", fmt::format("uniquejobs:{}:LOCKED", hex32(i)), hex32(i).substr(0, 24), "1795300000.5"}); break;
  default:
    out.push_back({"SET", fmt::format("shop-database-shop-cache-{}", i), fmt::format("aZ3kP9qL{:08X}", static_cast<unsigned>(i) * 40503U), "EX", "3600"});
    break;
  }
}

std::vector<Command> someLocks() {
  std::vector<Command> commands{Command{"CONFIG", "SET", "slowlog-log-slower-than", "500"}, Command{"SLOWLOG", "RESET"}};
  for (int i = 0; i < locks; ++i)
    addLock(i, commands);
  return commands;
}

std::vector<Command> mixedData() {
  std::vector<Command> commands;
  for (int i = 0; i < foreignKeys / 5; ++i) {
    commands.push_back(Command{"SET", fmt::format("page:{}", i), "<html>"});
    commands.push_back(Command{"HSET", fmt::format("user:{}:profile", i), "name", "Alice", "age", "30"});
    commands.push_back(Command{"RPUSH", fmt::format("jobs:{}", i), "1"});
    commands.push_back(Command{"ZADD", fmt::format("board:{}", i), "1", "a"});
    commands.push_back(Command{"SADD", fmt::format("user:{}:tags", i), "a"});
  }
  return commands;
}

} // namespace

int main() {
  auto server = Sandbox::start({.tcp = false, .config = {"--enable-debug-command", "yes"}});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  const auto uri = server->unixUri();
  send(uri, {Command{"DEBUG", "POPULATE", std::to_string(foreignKeys)}});
  send(uri, someLocks());
  compare(uri, "strings");
  send(uri, {Command{"FLUSHALL"}});
  send(uri, mixedData());
  send(uri, someLocks());
  compare(uri, "mixed");
  return 0;
}
