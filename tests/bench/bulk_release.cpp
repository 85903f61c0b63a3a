// SPDX-License-Identifier: Apache-2.0
// 10 000 locks of four families released by a ReleaseService, audit log included, as a ratio of the same scripts sent raw: all of them
// pipelined on one Connection to the same server, in the same run, in turns; the median of each. The plan is made before and not counted; what it
// takes is told beside. One JSON line.
#include "core/client/release/release_service.h"
#include "core/lab/sandbox/sandbox.h"
#include "tests/support/open_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace lockhouse;

constexpr int locks = 10'000;
constexpr int rounds = 5;

double secondsSince(SteadyTime start) { return std::chrono::duration<double>(SteadyClock::now() - start).count(); }

/// A connection that sends everything it is given at once and waits for the last answer.
class Pipe {
public:
  explicit Pipe(const Uri &uri) : m_connection(test::openConnection(m_loop, uri)) {}
  ~Pipe() {
    m_loop.call([this] { m_connection.reset(); });
  }
  double send(std::vector<Command> commands) {
    std::promise<void> done;
    auto open = commands.size();
    const auto start = SteadyClock::now();
    m_loop.call([&] {
      for (auto &command : commands)
        m_connection->send(std::move(command), seconds(60), [&](const Result<Reply> &reply) {
          m_failed += !reply || reply->isFailure();
          if (--open == 0)
            done.set_value();
        });
    });
    done.get_future().get();
    return secondsSince(start);
  }
  std::size_t failed() const { return m_failed; }

private:
  Loop m_loop;
  std::unique_ptr<Connection> m_connection;
  std::size_t m_failed = 0;
};

struct Lock {
  std::string key, holder;
};

std::string uuid(int i) { return fmt::format("5b1c0a3e-6f0d-4f1a-9c58-{:012x}", i); }

Lock lockOf(int i) {
  switch (i % 4) {
  case 0: return {fmt::format("lock:{}", i), fmt::format("{:032x}", i)};
  case 1: return {fmt::format("order:{}", i), uuid(i) + ":1"};
  case 2: return {fmt::format("turn:{}", i), uuid(i) + ":1"};
  default: return {fmt::format("lock:py:{}", i), uuid(i)};
  }
}

std::vector<Command> acquisitions() {
  std::vector<Command> commands;
  for (int i = 0; i < locks; ++i) {
    const auto [key, holder] = lockOf(i);
    if (i % 4 == 1 || i % 4 == 2)
      commands.push_back({"HSET", key, holder, "1"});
    else
      commands.push_back({"SET", key, holder, "PX", "3600000"});
    if (i % 4 == 2) {
      commands.push_back({"RPUSH", fmt::format("redisson_lock_queue:{{{}}}", key), uuid(i) + ":2"});
      commands.push_back({"ZADD", fmt::format("redisson_lock_timeout:{{{}}}", key), "1895300000000", uuid(i) + ":2"});
    }
  }
  return commands;
}

std::vector<ReleaseResult> planned(ReleaseService &keeper, const Uri &uri) {
  std::vector<ReleaseIntent> intents;
  for (int i = 0; i < locks; ++i) {
    const auto [key, holder] = lockOf(i);
    intents.push_back({{NodeId(uri.address()), 0, LockName(key)}, holder, {}, "bench"});
  }
  std::promise<std::vector<ReleaseResult>> answer;
  keeper.planMany(std::move(intents), {}, {}, [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  return answer.get_future().get();
}

Command scriptOf(const ReleasePlan &plan) {
  const std::vector<std::string_view> keys(plan.keys.begin(), plan.keys.end()), args(plan.args.begin(), plan.args.end());
  return Command::evalsha(*plan.script, keys, args);
}

// What wakes the waiters of another library that may have written the token is a script of its own.
std::vector<Command> scriptsOf(const std::vector<ReleaseResult> &results) {
  std::vector<Command> commands;
  for (const auto &result : results) {
    commands.push_back(scriptOf(*result.plan));
    for (const auto &part : result.plan->parts)
      commands.push_back(scriptOf(part));
  }
  return commands;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

} // namespace

int main() {
  auto server = Sandbox::start({.tcp = false, .config = {}});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  const auto uri = server->unixUri();
  Loop loop;
  WatcherOptions options;
  options.background = false;
  Watcher watcher(loop, {uri}, options);
  watcher.start();
  ReleaseService keeper(loop, watcher, {uri}, {}, server->folder() + "/audit.sqlite");
  keeper.unlock();
  Pipe pipe(uri);
  pipe.send(acquisitions());
  const auto began = SteadyClock::now();
  const auto plans = planned(keeper, uri);
  const auto planning = secondsSince(began);
  std::vector<double> raw, ours;
  std::size_t released = 0;
  for (int round = 0; round < rounds; ++round) {
    pipe.send(acquisitions()); // the same holders again, so that the plan fits
    raw.push_back(pipe.send(scriptsOf(plans)));
    pipe.send(acquisitions());
    std::promise<std::vector<ReleaseResult>> answer;
    auto handed = plans; // copied before the clock starts, as the raw commands are made before theirs
    const auto start = SteadyClock::now();
    keeper.applyMany(std::move(handed), "bench", {}, {}, [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
    const auto results = answer.get_future().get();
    ours.push_back(secondsSince(start));
    released += static_cast<std::size_t>(std::ranges::count(results, Verdict::Released, &ReleaseResult::verdict));
  }
  fmt::print("{{\"bench\":\"bulk_release\",\"locks\":{},\"released\":{},\"raw_s\":{:.3f},\"ours_s\":{:.3f},\"ratio\":{:.3f},\"locks_per_s\":{:.0f},"
             "\"plan_s\":{:.3f},\"failed\":{}}}\n",
             locks, released, median(raw), median(ours), median(ours) / median(raw), locks / median(ours), planning, pipe.failed());
  return released == static_cast<std::size_t>(locks) * rounds && pipe.failed() == 0 ? 0 : 1;
}
