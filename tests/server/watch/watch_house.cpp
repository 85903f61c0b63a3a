// SPDX-License-Identifier: Apache-2.0
#include "tests/server/watch/watch_house.h"

#include <algorithm>
#include <future>

namespace lockhouse::test {

RawRedis::RawRedis(const Uri &uri) {
  std::promise<void> ready;
  m_loop.call([&] {
    m_connection = std::make_unique<Connection>(m_loop, uri, ConnectionOptions{});
    m_connection->onState([&ready](Connection::State state, const Error *) {
      if (state == Connection::State::Ready)
        ready.set_value();
    });
    m_connection->open();
  });
  ready.get_future().wait();
  m_loop.call([&] { m_connection->onState([](Connection::State, const Error *) {}); });
}

RawRedis::~RawRedis() {
  m_loop.call([&] { m_connection.reset(); });
}

Reply RawRedis::operator()(std::initializer_list<std::string_view> words) { return send(Command(words)); }

Reply RawRedis::send(Command command) {
  std::vector<Command> one;
  one.push_back(std::move(command));
  return std::move(pipeline(std::move(one)).front());
}

std::vector<Reply> RawRedis::pipeline(std::vector<Command> commands) {
  std::vector<Reply> replies;
  std::promise<void> done;
  const auto all = commands.size();
  m_loop.call([&] {
    for (auto &command : commands)
      m_connection->send(std::move(command), seconds(30), [&](Result<Reply> reply) {
        replies.push_back(reply ? std::move(*reply) : Reply(Reply::Failure{reply.error().sentence()}));
        if (replies.size() == all)
          done.set_value();
      });
  });
  done.get_future().wait();
  return replies;
}

Watched::Watched(std::vector<Uri> nodes, WatcherOptions options) : m_watcher(m_loop, std::move(nodes), std::move(options)) {
  m_watcher.onChanges([this](std::span<const LockChange> changes) {
    const std::lock_guard guard(m_mutex);
    m_changes.insert(m_changes.end(), changes.begin(), changes.end());
  });
  m_watcher.start();
}

Watched::~Watched() = default;

NodeStatus Watched::status(std::size_t node) const {
  const auto now = snapshot();
  return node < now->nodes.size() ? now->nodes[node] : NodeStatus{};
}

bool Watched::becomesLive() const {
  return eventually([&] {
    const auto now = snapshot();
    return !now->nodes.empty() && std::ranges::all_of(now->nodes, [](const NodeStatus &node) { return node.state == NodeState::Live; });
  });
}

LockRecordPtr Watched::lock(std::string_view key) const {
  const auto now = snapshot();
  const auto found = std::ranges::find(now->locks, key, [](const LockRecordPtr &record) { return std::string_view(record->id.key.bytes()); });
  return found == now->locks.end() ? nullptr : *found;
}

std::vector<std::string> Watched::keys() const {
  std::vector<std::string> keys;
  for (const auto &record : snapshot()->locks)
    if (record->confidence >= 0.5)
      keys.push_back(record->id.key.bytes());
  return keys;
}

std::vector<LockChange> Watched::changes() const {
  const std::lock_guard guard(m_mutex);
  return m_changes;
}

std::string Watched::story(std::string_view key) const {
  std::string told;
  for (const auto &change : changes()) {
    if (change.id.key.bytes() != key)
      continue;
    told.append(told.empty() ? "" : ", ").append(name(change.kind));
    if (change.cause)
      told.append(" (").append(name(*change.cause)).append(")");
  }
  return told;
}

bool Watched::tells(std::string_view key, std::string_view wanted) const {
  return eventually([&] { return story(key) == wanted; });
}

bool Watched::catchesUp() const {
  const auto since = SteadyClock::now();
  return eventually([&] {
    const auto now = snapshot();
    return std::ranges::all_of(now->nodes, [&](const NodeStatus &node) { return node.state == NodeState::Live && node.exactAsOf && *node.exactAsOf >= since; });
  });
}

WatcherOptions onceOnly() {
  WatcherOptions options;
  options.background = false;
  return options;
}

Sandbox startServer(Sandbox::Options options) {
  options.config.insert(options.config.end(), {"--enable-debug-command", "yes"});
  auto server = Sandbox::start(std::move(options));
  if (!server)
    ADD_FAILURE() << server.error().sentence();
  return std::move(*server);
}

WatchHouse::WatchHouse(Sandbox::Options options) : m_server(startServer(std::move(options))), m_redis(std::make_unique<RawRedis>(m_server.unixUri())) {}

Uri WatchHouse::uri(std::string user, std::string password) const {
  auto uri = m_server.unixUri();
  uri.user = std::move(user);
  uri.password = std::move(password);
  return uri;
}

void WatchHouse::fairLock(const std::string &name, const std::vector<std::string> &waiters) {
  redis({"HSET", name, owner1, "1"});
  redis({"PEXPIRE", name, "30000"});
  auto deadline = std::chrono::duration_cast<milliseconds>(wallNow().time_since_epoch()).count() + 300'000;
  for (const auto &waiter : waiters) {
    const auto braced = name.find('{') == name.npos ? "{" + name + "}" : name;
    redis({"RPUSH", "redisson_lock_queue:" + braced, waiter});
    redis({"ZADD", "redisson_lock_timeout:" + braced, std::to_string(deadline), waiter});
    deadline += 5000;
  }
}

std::map<std::string, std::uint64_t> WatchHouse::calls() {
  std::map<std::string, std::uint64_t> counts;
  const auto reply = redis({"INFO", "commandstats"});
  auto text = reply.text().value_or("");
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto at = line.find(":calls=");
    if (line.starts_with("cmdstat_") && at != line.npos)
      counts[std::string(line.substr(8, at - 8))] = std::stoull(std::string(line.substr(at + 7)));
  }
  return counts;
}

std::uint64_t WatchHouse::bytesSent() {
  constexpr std::string_view name = "total_net_output_bytes:";
  const auto reply = redis({"INFO", "stats"});
  const auto text = reply.text().value_or("");
  const auto at = text.find(name);
  return at == text.npos ? 0 : std::stoull(std::string(text.substr(at + name.size(), 20)));
}

} // namespace lockhouse::test
