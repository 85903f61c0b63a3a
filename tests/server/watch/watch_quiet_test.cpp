// SPDX-License-Identifier: Apache-2.0
// Where nobody writes a watcher tells nothing, however long each of its reads is on its way.
#include "tests/server/watch/watch_house.h"
#include "tests/support/proxy.h"
#include "tests/unit/watch/corpus/lock_corpus.h"

#include <fmt/format.h>

namespace lockhouse::test {
namespace {

struct WatchQuiet : WatchHouse {
  const std::string longLease = "600000";
  WatchQuiet() : WatchHouse({.tcp = true, .config = {}}) {}

  void lease(std::initializer_list<std::string> keys) {
    for (const auto &key : keys)
      EXPECT_EQ(redis({"PEXPIRE", key, longLease}).integer(), 1) << key;
  }
  std::string machine(int number) const { return fmt::format("web-{}_1_{}", number, number == 1 ? hex32 : otherHex32); }

  void writeDotNets() {
    redis({"SADD", "tariff.readers", machine(1), machine(2)});
    redis({"SADD", "stat.readers", machine(1)});
    lease({"tariff.readers", "stat.readers"});
    redis({"SET", "stat.writer", machine(3) + "_WRITERWAITING", "PX", "300000"});
    redis({"ZADD", "pool", std::to_string(serverNow() + 60'000), machine(1)});
    lease({"pool"});
  }
  void writeNumbered() {
    const std::string token("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
    for (const auto *key : {"rueidislock:0:a", "rueidislock:1:a", "rueidislock:1:b", "rueidislock:2:b", "lk:0:c", "lk:2:c"})
      redis({"SET", key, token, "PX", "120000"});
  }
  void writeRedissons() {
    redis({"HSET", "rw", "mode", "read", owner1, "1", owner2, "1"});
    for (const auto &owner : {owner1, owner2})
      redis({"SET", "{rw}:" + owner + ":rwlock_timeout:1", "1", "PX", longLease});
    redis({"HSET", "plain", owner1, "2"});
    lease({"rw", "plain"});
    fairLock("fair", {owner2});
    redis({"SET", "permits", "3"});
    redis({"ZADD", "{permits}:timeout", std::to_string(serverNow() + 600'000),
           std::string("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8", 16)});
  }
  void writeOthers() {
    redis({"SET", "lock:owner:gem", "web-1:77"});
    redis({"SET", "lock:expire:gem", std::to_string(serverNow() / 1000 + 600)});
    redis({"SET", "lock:signalled", hex32, "PX", longLease});
  }
  std::int64_t serverNow() {
    const auto time = redis({"TIME"});
    return std::stoll(*time.array()[0].bulk()) * 1000 + std::stoll(*time.array()[1].bulk()) / 1000;
  }
};

// Each sweep finds the server at another distance.
void scanNearAndFar(const Watched &watched, Proxy &proxy) {
  for (const auto delay : {milliseconds(15), milliseconds(0), milliseconds(25), milliseconds(0)}) {
    proxy.setDelay(delay);
    for (int scan = 0; scan < 2; ++scan) {
      const auto before = watched.status().scannedAt;
      ASSERT_TRUE(eventually([&] { return watched.status().scannedAt != before; }));
    }
  }
}

WatcherOptions restless() {
  WatcherOptions options;
  options.reconcileEvery = milliseconds(20);
  return options;
}

TEST_F(WatchQuiet, tellsNothingOfLeasesThatLieBesideTheirLocks) {
  writeDotNets();
  writeNumbered();
  writeRedissons();
  writeOthers();
  Proxy proxy(m_server.tcpUri());
  Watched watched({proxy.uri()}, restless());
  ASSERT_TRUE(watched.becomesLive());
  for (const auto *key : {"tariff.writer", "stat.writer", "pool", "rueidislock:0:a", "rueidislock:0:b", "lk:0:c", "rw", "plain", "permits", "lock:owner:gem"})
    ASSERT_TRUE(watched.lock(key)) << key;
  EXPECT_EQ(watched.lock("stat.writer")->holders.size(), 1U);
  ASSERT_TRUE(watched.catchesUp());
  const auto atFirst = watched.changes().size();
  scanNearAndFar(watched, proxy);
  const auto changes = watched.changes();
  for (auto i = atFirst; i < changes.size(); ++i)
    ADD_FAILURE() << changes[i].id.key.bytes() << ": " << name(changes[i].kind);
  EXPECT_EQ(watched.status().divergences, 0U);
}

TEST_F(WatchQuiet, tellsARenewalOfNoLibrarysLock) {
  for (const auto &state : lockCorpus()) {
    m_redis->pipeline(commandsFor(state, milliseconds(serverNow())));
    if (state.hasLease)
      redis({"PEXPIRE", state.key, "240000"});
  }
  Proxy proxy(m_server.tcpUri());
  Watched watched({proxy.uri()}, restless());
  ASSERT_TRUE(watched.becomesLive());
  EXPECT_GT(watched.keys().size(), lockCorpus().size() / 2);
  scanNearAndFar(watched, proxy);
  for (const auto &change : watched.changes())
    EXPECT_TRUE(change.kind != ChangeKind::Lease && change.kind != ChangeKind::Shortened) << change.id.key.bytes();
}

} // namespace
} // namespace lockhouse::test
