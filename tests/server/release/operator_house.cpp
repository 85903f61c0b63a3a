// SPDX-License-Identifier: Apache-2.0
#include "tests/server/release/operator_house.h"

#include "core/net/address/digest.h"
#include "core/release/make_plan.h"

#include <charconv>
#include <fmt/format.h>
#include <future>
#include <stdexcept>
#include <sys/socket.h>

namespace lockhouse::test {
namespace {

Sandbox startServer(Sandbox::Options options) {
  auto server = Sandbox::start(std::move(options));
  EXPECT_TRUE(server) << server.error().sentence();
  return std::move(*server);
}

} // namespace

RawRedis::RawRedis(const Uri &uri) : m_connection(std::make_unique<Connection>(m_loop, uri, ConnectionOptions{})) {
  std::promise<void> ready;
  m_loop.call([&] {
    m_connection->onState([&ready, told = false](Connection::State state, const Error *) mutable {
      if (state != Connection::State::Connecting && !std::exchange(told, true))
        ready.set_value();
    });
    m_connection->open();
  });
  ready.get_future().get();
}

RawRedis::~RawRedis() {
  m_loop.call([this] { m_connection.reset(); });
}

Result<Reply> RawRedis::send(Command command) {
  std::promise<Result<Reply>> answer;
  m_loop.post([&] { m_connection->send(std::move(command), milliseconds::max(), [&answer](Result<Reply> reply) { answer.set_value(std::move(reply)); }); });
  return answer.get_future().get();
}

Reply RawRedis::operator()(std::initializer_list<std::string_view> words) {
  auto reply = send(Command(words));
  EXPECT_TRUE(reply) << reply.error().sentence();
  return reply.value_or(Reply());
}

OperatorHouse::OperatorHouse(Sandbox::Options server)
    : m_server(startServer(std::move(server))), m_uri(m_server.unixUri()), redis(m_uri), m_auditPath(m_server.folder() + "/audit.sqlite") {}

OperatorHouse::~OperatorHouse() {
  m_keeper.reset();
  m_watcher.reset();
}

void OperatorHouse::enter(std::string user, std::string password) {
  m_keeper.reset();
  m_watcher.reset();
  m_uri.user = std::move(user);
  m_uri.password = std::move(password);
  WatcherOptions options;
  options.connection = m_options;
  options.families = m_families;
  std::promise<void> live;
  m_watcher = std::make_unique<Watcher>(m_loop, std::vector{m_uri}, options);
  m_watcher->onSnapshot([&live, told = false](const LockSnapshotPtr &snapshot) mutable {
    if (!told && !snapshot->nodes.empty() && snapshot->nodes.front().state != NodeState::Connecting) {
      told = true;
      live.set_value();
    }
  });
  m_watcher->start();
  live.get_future().get();
  m_keeper = std::make_unique<ReleaseService>(m_loop, *m_watcher, std::vector{m_uri}, m_options, m_auditPath);
  m_keeper->unlock();
}

LockId OperatorHouse::id(std::string key) const { return {NodeId(m_uri.address()), 0, LockName(std::move(key))}; }

LockRecordPtr OperatorHouse::read(const std::string &key) {
  if (!m_watcher)
    enter();
  std::promise<Result<LockRecordPtr>> answer;
  m_watcher->read(id(key), [&answer](Result<LockRecordPtr> record) { answer.set_value(std::move(record)); });
  auto record = answer.get_future().get();
  EXPECT_TRUE(record) << record.error().sentence();
  return record.value_or(nullptr);
}

ReleaseResult OperatorHouse::ask(bool isApply, ReleaseIntent intent) {
  if (!m_keeper)
    enter();
  std::promise<ReleaseResult> answer;
  auto done = [&answer](ReleaseResult result) { answer.set_value(std::move(result)); };
  isApply ? m_keeper->apply(std::move(intent), std::move(done)) : m_keeper->plan(std::move(intent), std::move(done));
  return answer.get_future().get();
}

ReleaseResult OperatorHouse::plan(const std::string &key, const std::string &holder) { return ask(false, {id(key), holder, {}, "stuck"}); }

ReleaseResult OperatorHouse::apply(const std::string &key, const std::string &holder, std::optional<std::int64_t> count) {
  return ask(true, {id(key), holder, count, "stuck"});
}

ReleaseResult OperatorHouse::shorten(const std::string &key, const std::string &holder, milliseconds to) {
  return ask(true, {id(key), holder, {}, "stuck", to});
}

ReleasePlan OperatorHouse::planNow(const std::string &key, const std::string &holder, std::optional<milliseconds> shortenTo) {
  const auto record = read(key);
  EXPECT_TRUE(record) << "no lock " << key;
  if (!record)
    return {};
  auto planned = planRelease(*record, {id(key), holder, {}, "stuck", shortenTo}, SteadyClock::now());
  EXPECT_TRUE(planned) << planned.error().detail.english();
  return planned.value_or(ReleasePlan{});
}

ScriptResult OperatorHouse::run(const ReleasePlan &plan) {
  const std::vector<std::string_view> keys(plan.keys.begin(), plan.keys.end());
  const std::vector<std::string_view> args(plan.args.begin(), plan.args.end());
  return answerOf(redis.send(Command::evalsha(*plan.script, keys, args)), plan, m_uri.address());
}

void OperatorHouse::fairLock(const std::string &key, const std::vector<std::string> &waiters, std::int64_t firstDeadline) {
  redis({"HSET", key, owner, "1"});
  redis({"PEXPIRE", key, "30000"});
  const auto now = serverNow();
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    const auto deadline = std::to_string(now + firstDeadline + 5000 * static_cast<std::int64_t>(i));
    redis({"RPUSH", fmt::format("redisson_lock_queue:{{{}}}", key), waiters[i]});
    redis({"ZADD", fmt::format("redisson_lock_timeout:{{{}}}", key), deadline, waiters[i]});
  }
}

void OperatorHouse::readLock(const std::string &key, const std::vector<std::string> &readers, std::string_view lease) {
  redis({"HSET", key, "mode", "read"});
  for (const auto &reader : readers) {
    redis({"HSET", key, reader, "1"});
    redis({"SET", fmt::format("{{{}}}:{}:rwlock_timeout:1", key, reader), "1", "PX", lease});
  }
  redis({"PEXPIRE", key, "60000"});
}

std::int64_t OperatorHouse::serverNow() {
  const auto time = redis({"TIME"}).array();
  return std::stoll(*time.at(0).bulk()) * 1000 + std::stoll(*time.at(1).bulk()) / 1000;
}

std::int64_t OperatorHouse::calls(std::string_view command) {
  const auto stats = redis({"INFO", "commandstats"});
  const auto text = stats.text().value_or("");
  const auto line = text.find(fmt::format("cmdstat_{}:calls=", command));
  if (line == std::string_view::npos)
    return 0;
  const auto number = text.substr(text.find('=', line) + 1);
  std::int64_t count = 0;
  std::from_chars(number.data(), number.data() + number.size(), count);
  return count;
}

std::vector<AuditRecord> OperatorHouse::audited() const {
  const auto log = AuditLog::open(m_auditPath, sha256);
  EXPECT_TRUE(log) << log.error().sentence();
  if (!log)
    return {};
  const auto sound = log->verify();
  EXPECT_TRUE(sound) << sound.error().sentence();
  return log->latest(1000).value_or(std::vector<AuditRecord>{});
}

Listener::Listener(const Uri &uri, const std::string &channel) : m_subscriber(std::make_unique<Subscriber>(m_loop, uri, ConnectionOptions{})) {
  std::promise<void> ready;
  m_loop.call([&] {
    m_subscriber->onMessage([this](const Subscriber::Message &message) { m_messages.emplace_back(message.payload); });
    m_subscriber->subscribe(Channel(channel), [&ready](const Result<void> &) { ready.set_value(); });
    m_subscriber->open();
  });
  ready.get_future().get();
}

Listener::~Listener() {
  m_loop.call([this] { m_subscriber.reset(); });
}

std::vector<std::string> Listener::heard() {
  std::promise<std::vector<std::string>> answer;
  m_loop.post([&] { m_subscriber->ping([&](const Result<void> &) { answer.set_value(m_messages); }); });
  return answer.get_future().get();
}

ShardListener::ShardListener(const Uri &uri, std::string_view channel) : m_socket(SocketFd::connectTo(uri)) {
  m_socket.sendAll(fmt::format("SSUBSCRIBE {}\r\n", channel));
  EXPECT_EQ(next().array().at(0).text(), "ssubscribe");
}

std::vector<std::string> ShardListener::heard() {
  std::vector<std::string> messages;
  m_socket.sendAll("PING\r\n");
  for (auto reply = next(); reply.array().size() == 3; reply = next())
    messages.emplace_back(*reply.array()[2].bulk());
  return messages;
}

Reply ShardListener::next() {
  Reply reply;
  while (m_reader.next(reply) != ReplyReader::Step::Reply) {
    m_bytes.resize(4096);
    const auto size = ::recv(m_socket.get(), m_bytes.data(), m_bytes.size(), 0);
    if (size <= 0)
      throw std::runtime_error("the server went away");
    m_bytes.resize(static_cast<std::size_t>(size));
    m_reader.feed(m_bytes);
  }
  return reply;
}

} // namespace lockhouse::test
