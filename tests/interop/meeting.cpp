// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/meeting.h"

#include <algorithm>
#include <iterator>
#include <ostream>

namespace lockhouse::test {
namespace {

const std::string uuidAndThread = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:[0-9]+";

} // namespace

std::vector<Format> formats() {
  using enum Format::Wake;
  return {
      {.name = "redissonLock", .library = "redisson", .kind = "lock", .primitive = "ReentrantLock", .wake = ByChannel, .holder = uuidAndThread},
      {.name = "redissonFair", .library = "redisson", .kind = "fair", .primitive = "FairLock", .wake = ByQueue, .holder = uuidAndThread},
      {.name = "redissonFenced", .library = "redisson", .kind = "fenced", .primitive = "FencedLock", .wake = ByChannel, .holder = uuidAndThread},
      {.name = "redissonWrite",
       .library = "redisson",
       .kind = "write",
       .primitive = "ReadWriteLock",
       .wake = ByChannel,
       .holder = uuidAndThread,
       .mark = ":write"},
      {.name = "redisPy",
       .library = "redis-py",
       .kind = "lock",
       .primitive = "Mutex",
       .wake = ByPolling,
       .holder = "[0-9a-f]{32}",
       .poll = 100ms,
       .asksWith = "set"},
      {.name = "pythonRedisLock",
       .library = "python-redis-lock",
       .kind = "lock",
       .primitive = "BlockingLock",
       .wake = ByList,
       .holder = "[A-Za-z0-9+/]{24}",
       .prefix = "lock:"},
      {.name = "nodeRedlock",
       .library = "node-redlock",
       .kind = "lock",
       .primitive = "Mutex",
       .wake = ByPolling,
       .holder = "[0-9a-f]{32}",
       .poll = 50ms,
       .asksWith = "exists"},
      {.name = "redsync",
       .library = "redsync",
       .kind = "lock",
       .primitive = "Mutex",
       .wake = ByPolling,
       .holder = "[A-Za-z0-9+/]{22}==",
       .poll = 50ms,
       .asksWith = "set"},
  };
}

std::vector<Format> formatsThat(const std::function<bool(const Format &)> &suit) {
  std::vector<Format> chosen;
  std::ranges::copy_if(formats(), std::back_inserter(chosen), suit);
  return chosen;
}

void PrintTo(const Format &format, std::ostream *out) { *out << format.library << " and " << format.primitive; }

std::string formatName(const testing::TestParamInfo<Format> &info) { return info.param.name; }

void Meeting::SetUp() {
  auto server = Sandbox::start({.tcp = true, .config = {}});
  ASSERT_TRUE(server) << server.error().sentence();
  m_server = std::move(*server);
  m_loop = std::make_unique<Loop>();
  m_probe = std::make_unique<Probe>(*m_loop, m_server->unixUri());
  auto client = Client::connect(m_server->tcpUri());
  ASSERT_TRUE(client) << client.error().sentence();
  m_client.emplace(std::move(*client));
  auto foreign = Foreign::start(format().library, {m_server->tcpUri().port});
  ASSERT_TRUE(foreign) << foreign.error().sentence();
  m_foreign = std::move(*foreign);
}

void Meeting::TearDown() {
  m_foreign.reset();
  m_client.reset();
  if (m_probe && !HasFatalFailure()) {
    EXPECT_EQ(probe().number({"EXISTS", key()}), 0) << "the lock is left";
  }
  m_probe.reset();
  m_loop.reset();
}

Lock Meeting::ours(LockOptions options) {
  switch (format().wake) {
  case Format::Wake::ByPolling: break;
  case Format::Wake::ByChannel: options.policy = AcquirePolicy::pubSub(1h); break;
  case Format::Wake::ByQueue: break; // its default, which polls to keep its place
  case Format::Wake::ByList: options.policy = AcquirePolicy::blocking(1h); break;
  }
  return m_client->lock(*Primitive::find(format().primitive), LockName(key()), options);
}

std::future<Foreign::Answer> Meeting::theirs(const std::string &owner, const std::string &verb, const std::string &more) {
  return foreign().ask(owner, format().kind + " " + verb + " k" + more);
}

Foreign::Answer Meeting::takeTheirs(const std::string &owner, milliseconds lease) { return theirs(owner, "take", " " + std::to_string(lease.count())).get(); }

std::future<Foreign::Answer> Meeting::waitTheirs(const std::string &owner, milliseconds limit) {
  return theirs(owner, "wait", " 30000 " + std::to_string(limit.count())); // python-redis-lock waits no longer than its lease
}

std::future<LockResult> Meeting::waitOurs(LockOptions options) {
  options.waitLimit = 25s;
  return std::async(std::launch::async, [lock = ours(options)] { return lock.acquire(); });
}

std::string Meeting::withoutMark(std::string field) { return field.ends_with(format().mark) ? field.substr(0, field.size() - format().mark.size()) : field; }

std::string Meeting::holder() {
  if (probe().text({"TYPE", key()}) == "string")
    return probe().text({"GET", key()});
  const Reply fields = probe()({"HKEYS", key()});
  for (const auto &field : fields.array())
    if (field.text() != "mode")
      return withoutMark(std::string(field.text().value_or("")));
  return "";
}

// Polls are seen by what was asked so far: ours is any command of our client, theirs the one that the format names.
std::uint64_t Meeting::askedSoFar() { return format().wake == Format::Wake::ByPolling ? m_client->commandsSent() + probe().calls(format().asksWith) : 0; }

bool Meeting::isWaitedFor(std::uint64_t askedBefore) {
  switch (format().wake) {
  case Format::Wake::ByPolling: return askedSoFar() >= askedBefore + 2;
  case Format::Wake::ByChannel: return !probe()({"PUBSUB", "CHANNELS"}).array().empty();
  case Format::Wake::ByQueue: return probe().number({"LLEN", "redisson_lock_queue:{k}"}) > 0;
  case Format::Wake::ByList: return probe().text({"INFO", "clients"}).find("blocked_clients:0") == std::string::npos;
  }
  return false;
}

} // namespace lockhouse::test
