// SPDX-License-Identifier: Apache-2.0
// list, show and primitives.
#include "tests/server/ctl/ctl_house.h"

#include "core/base/encoding.h"

#include <array>
#include <set>

namespace lockhouse {
namespace {

using test::owner;
using test::sendTo;
using test::token;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using List = test::CtlHouse;
using Show = test::CtlHouse;

TEST_F(Show, leadsFromAnyKeyOfALockToItsRow) {
  const std::string reader = "web-1_4711_3f786850e387550fdab836ed7e6dc881", uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SADD", "x.readers", reader});
  redis({"PEXPIRE", "x.readers", "60000"});
  redis({"HSET", "fair", owner, "1"});
  redis({"RPUSH", "redisson_lock_queue:{fair}", uuid + ":9"});
  redis({"ZADD", "redisson_lock_timeout:{fair}", "99999999999999", uuid + ":9"});
  redis({"HSET", "rw", "mode", "read", uuid + ":4", "1"});
  redis({"SET", "{rw}:" + uuid + ":4:rwlock_timeout:1", "1", "PX", "60000"});
  redis({"HSET", "SEMAPHORE:room:GRABBED", "0", "1795300010.5"});
  redis({"RPUSH", "SEMAPHORE:room:AVAILABLE", "1"});
  redis({"SET", "SEMAPHORE:room:EXISTS", "1"});
  const auto leads = [&](const std::string &key, const std::string &lock, const std::string &role) {
    const auto shown = json({"show", key});
    ASSERT_EQ(shown["locks"].size(), 1U) << key;
    EXPECT_EQ(shown["locks"][0]["key"], lock) << key;
    EXPECT_EQ(shown["beside"]["key"], key);
    EXPECT_EQ(shown["beside"]["role"], role) << key;
    EXPECT_THAT(ctl({"show", key}).out, StartsWith(key + " is no lock itself: it lies beside this one, as its " + role + ".\n"));
  };
  leads("x.readers", "x.writer", "readers");
  leads("redisson_lock_queue:{fair}", "fair", "queue");
  leads("redisson_lock_timeout:{fair}", "fair", "queue");
  leads("{rw}:" + uuid + ":4:rwlock_timeout:1", "rw", "lease of a reader");
  leads("SEMAPHORE:room:AVAILABLE", "SEMAPHORE:room:GRABBED", "part");
  EXPECT_TRUE(json({"show", "fair"})["beside"].is_null());
  EXPECT_EQ(json({"show", "lock-signal:nothing"})["locks"].size(), 0U);
}

TEST_F(List, tellsWhichReadersLeaseIsOver) {
  const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"HSET", "rw", "mode", "read", uuid + ":4", "1", uuid + ":5", "1"});
  redis({"SET", "{rw}:" + uuid + ":4:rwlock_timeout:1", "1", "PX", "60000"});
  const auto shown = ctl({"show", "rw"}).out;
  EXPECT_THAT(shown, HasSubstr(uuid + ":5  count 1  read  its lease is over"));
  EXPECT_THAT(shown, HasSubstr(uuid + ":4  count 1  read  expires in "));
}

TEST_F(List, saysThatThereIsNothing) {
  const auto ended = ctl({"list"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, StartsWith("No lock is held or waited for.\n"));
  EXPECT_EQ(json({"list"})["locks"].size(), 0U);
}

TEST_F(List, tellsOfDatabasesThatAreNotWatchedAsAReleaseOfAllOfAHolderDoes) {
  redis({"HSET", "order:1", owner, "1"});
  EXPECT_THAT(ctl({"list"}).out, Not(HasSubstr("other databases")));
  redis({"SELECT", "3"});
  redis({"HSET", "order:2", owner, "1"});
  redis({"SELECT", "0"});
  constexpr auto told = ": keys lie in other databases too, which are not watched (3): a --url may name each, redis://…/3";
  EXPECT_THAT(ctl({"list"}).out, HasSubstr(told));
  EXPECT_EQ(json({"list"})["nodes"][0]["unwatched_dbs"].dump(), "[3]");
  const auto planned = ctl({"release", "--all", "--holder", owner, "--plan"});
  EXPECT_EQ(planned.code, 0);
  EXPECT_THAT(planned.err, HasSubstr(told));
  EXPECT_THAT(json({"release", "--all", "--holder", owner, "--plan"})["warnings"].dump(), HasSubstr("not watched (3)"));
  EXPECT_THAT(ctl({"release", "--filter", "order", "--plan"}).err, Not(HasSubstr("other databases"))) << "what is watched was asked for";
}

TEST_F(List, saysHowManyRowsAreLeftOutAndHowTheyAreSeen) {
  redis({"SET", "order:7", token});
  const auto ended = ctl({"list"});
  EXPECT_THAT(ended.out, HasSubstr("1 more looks like data rather than like a lock (confidence below 0.5); --all shows it too.\n"));
  EXPECT_EQ(json({"list"})["left_out"], 1);
  EXPECT_EQ(json({"list", "--all"})["left_out"], 0);
  EXPECT_THAT(ctl({"show", "order:7"}).out, StartsWith("order:7 looks like data rather than like a lock, with a confidence of 0.30; --all shows it.\n"));
  EXPECT_EQ(json({"show", "order:7"})["left_out"], 1);
  EXPECT_THAT(ctl({"release", "order:7", "--holder", token, "--reason", "x", "--plan"}).err, HasSubstr("look again with lockhousectl show --all"));
  redis({"SET", "lock:a", token, "PX", "60000"});
  EXPECT_THAT(ctl({"list"}).out, HasSubstr("\n1 more looks like data"));
}

TEST_F(List, callsANodeLiveThatHasAnsweredOfTheKey) {
  redis({"EVAL", "for i = 1, 100000 do redis.call('SET', 'plain:' .. i, i) end", "0"});
  redis({"SET", "lock:report", token, "PX", "60000"});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(json({"show", "lock:report"})["nodes"][0]["state"], "live");
}

TEST_F(List, showsARowForEachLockAndALineForEachNode) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"HSET", "stock", owner, "3"});
  const auto ended = ctl({"list"});
  EXPECT_THAT(ended.out, HasSubstr("lock:a"));
  EXPECT_THAT(ended.out, HasSubstr("never-expires"));
  EXPECT_THAT(ended.out, HasSubstr(address() + " live, 2 keys looked at\n"));
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos) << "no colour into a pipe";
  const auto node = json({"list"})["nodes"][0];
  EXPECT_EQ(node["state"], "live");
  EXPECT_EQ(node["role"], "master");
  EXPECT_EQ(node["feed"], "poll");
  EXPECT_EQ(node["scan"]["complete"], true);
  EXPECT_EQ(node["scan"]["keys_scanned"], 2);
  EXPECT_EQ(node["run_id"].get<std::string>().size(), 40U);
}

TEST_F(List, keepsHostileNamesExactAndHarmless) {
  const std::vector<std::string> names{
      "lock:\x1b[31mred\x07", "lock:\u202egnp.exe", "lock:\xff\xfe", std::string("lock:a\0b", 8), "lock:" + std::string(100'000, 'k'),
      "lock:<b>&amp;%s%n{}",  "lock:\n\r\t"};
  for (const auto &name : names)
    redis({"SET", name, token, "PX", "60000"});
  const auto listing = json({"list"});
  std::set<std::string> seen;
  for (const auto &lock : listing["locks"])
    seen.insert(lock.contains("key_b64") ? fromBase64(lock["key_b64"].get<std::string>()).value_or("") : lock["key"].get<std::string>());
  EXPECT_EQ(seen, std::set<std::string>(names.begin(), names.end()));
  const auto text = ctl({"list"}).out;
  EXPECT_EQ(text.find_first_of("\x1b\x07\r\xff"), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("\u202e")));
  EXPECT_LT(text.size(), 5000U);
}

TEST_F(List, hidesDoubtfulRowsUnlessAsked) {
  redis({"SET", "job:17:owner", "4b1f0cfa-19ab-4b8a-8c0e-1f6f3f7d9e10", "PX", "60000"});
  EXPECT_EQ(json({"list"})["locks"].size(), 0U);
  const auto all = json({"list", "--all"})["locks"];
  ASSERT_EQ(all.size(), 1U);
  EXPECT_LT(all[0]["confidence"], 0.5);
}

TEST_F(Show, readsOneLockAndOpensWithASentence) {
  redis({"HSET", "stock", owner, "3"});
  const auto ended = ctl({"show", "stock"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, StartsWith(std::string("stock is held by ") + owner + ", 3 deep; it never expires"));
  const auto shown = json({"show", "stock"});
  EXPECT_EQ(shown["locks"][0]["key"], "stock");
  EXPECT_EQ(shown["nodes"].size(), 1U);
}

TEST_F(Show, saysThatThereIsNoSuchLock) {
  const auto ended = ctl({"show", "nothing"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "There is no lock nothing on " + address() + ".\n");
  EXPECT_EQ(json({"show", "nothing"})["locks"].size(), 0U);
}

TEST_F(Show, takesBytesInBase64) {
  redis({"SET", std::string("lock:\x00\xff", 7), token, "PX", "60000"});
  EXPECT_EQ(json({"show", "--key-b64", base64(std::string("lock:\x00\xff", 7))})["locks"][0]["key_b64"], base64(std::string("lock:\x00\xff", 7)));
}

TEST_F(Show, looksOnEveryNodeOrOnTheOneNamed) {
  const auto other = test::startServer();
  redis({"SET", "lock:a", token, "PX", "60000"});
  const std::string second = "redis://" + other.tcpUri().address();
  EXPECT_EQ(json({"--url", second, "show", "lock:a"})["locks"].size(), 1U);
  const auto there = json({"--url", second, "show", "lock:a", "--node", other.tcpUri().address()});
  EXPECT_EQ(there["locks"].size(), 0U);
  EXPECT_EQ(there["nodes"].size(), 1U);
  failed(ctl({"show", "lock:a", "--node", "elsewhere:1"}), 2);
}

TEST_F(Show, aTokenThatIsALockByLyingOnSeveralMastersIsFreedOnAll) {
  const auto second = test::startServer(), third = test::startServer();
  const std::array<const Sandbox *, 3> servers{&m_server, &second, &third};
  for (const auto *server : servers)
    sendTo(*server, {"SET", "orders", token, "PX", "60000"});
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--url", "redis://" + second.tcpUri().address(), "--url", "redis://" + third.tcpUri().address()});
    return words;
  };
  EXPECT_EQ(json({"list"})["locks"].size(), 0U) << "on one alone it is data";
  ASSERT_EQ(json(with({"list"}))["locks"].size(), 1U);
  EXPECT_EQ(json(with({"show", "orders"}))["locks"].size(), 1U);
  for (const auto &words : {std::vector<std::string>{"release", "orders", "--holder", token, "--reason", "x", "--apply"},
                            std::vector<std::string>{"release", "--filter", "orders", "--reason", "x", "--apply"}}) {
    const auto results = json(with(words))["results"];
    ASSERT_EQ(results.size(), 3U) << results;
    for (const auto &result : results)
      EXPECT_EQ(result["verdict"], "released") << result;
    for (const auto *server : servers)
      sendTo(*server, {"SET", "orders", token, "PX", "60000"});
  }
}

TEST_F(Show, putsARedlockOnSeveralMastersIntoOneRow) {
  const auto second = test::startServer(), third = test::startServer();
  redis({"SET", "lock:a", token, "PX", "60000"});
  for (const auto *server : {&second, &third})
    sendTo(*server, {"SET", "lock:a", token, "PX", "50000"});
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--url", "redis://" + second.tcpUri().address(), "--url", "redis://" + third.tcpUri().address()});
    return words;
  };
  for (const auto &words : {std::vector<std::string>{"list"}, std::vector<std::string>{"show", "lock:a"}}) {
    const auto locks = json(with(words))["locks"];
    ASSERT_EQ(locks.size(), 1U) << locks;
    EXPECT_EQ(locks[0]["members"].size(), 3U);
    EXPECT_EQ(locks[0]["state"], "held");
    EXPECT_LE(locks[0]["ttl_ms"], 50'000) << "then only one of three is left";
  }
  EXPECT_THAT(ctl(with({"show", "lock:a"})).out, HasSubstr("3 of 3 masters"));
  const auto results = json(with({"release", "--filter", "lock:a", "--reason", "x", "--apply"}))["results"];
  ASSERT_EQ(results.size(), 3U);
  for (const auto &result : results)
    EXPECT_EQ(result["verdict"], "released");
  EXPECT_EQ(json(with({"list"}))["locks"].size(), 0U);
}

// One lock on three masters each, whatever it lies in.
TEST_F(Show, putsALockThatSeveralMayHoldIntoOneRowAndFreesItOnAllMasters) {
  const auto second = test::startServer(), third = test::startServer();
  const std::array<const Sandbox *, 3> servers{&m_server, &second, &third};
  const auto onAll = [&](const Command &command) {
    for (const auto *server : servers)
      sendTo(*server, command);
  };
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  const std::string php = "q0vbVkVm3kGzUQdFz1yXo9m2nJtB6c8ErT5wLhAaKs0=", end = std::to_string(now.count() + 60'000);
  const std::string machine = "web-1_4711_3f786850e387550fdab836ed7e6dc881", uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const std::string writer = std::string(owner) + ":write", since = std::to_string(now.count());
  onAll({"HSET", "rw", "mode", "write", writer, "1"});
  onAll({"ZADD", "php", end, php, end, "__write__"});
  onAll({"SADD", "net.readers", machine});
  onAll({"ZADD", "semaphore:s", since, uuid});
  for (const auto *key : {"rw", "php", "net.readers", "semaphore:s"})
    onAll({"PEXPIRE", key, "60000"});
  sendTo(second, {"SET", "net.writer", "web-2_4711_89e6c98d92887913cadf06b2adb97f26_WRITERWAITING", "PX", "60000"});

  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--url", "redis://" + second.tcpUri().address(), "--url", "redis://" + third.tcpUri().address()});
    return words;
  };
  const std::array<std::pair<std::string, std::string>, 4> held{{{"net.writer", machine}, {"php", php}, {"rw", writer}, {"semaphore:s", uuid}}};
  const auto locks = json(with({"list"}))["locks"];
  ASSERT_EQ(locks.size(), held.size()) << locks;
  for (const auto &lock : locks) {
    EXPECT_EQ(lock["members"].size(), 3U) << lock;
    EXPECT_THAT(lock["state"], AnyOf("held", "contended")) << lock;
  }
  for (const auto &[key, holder] : held) {
    EXPECT_EQ(json(with({"show", key}))["locks"].size(), 1U) << key;
    for (const auto *how : {"--plan", "--apply"}) {
      const auto results = json(with({"release", key, "--holder", holder, "--reason", "x", how}))["results"];
      ASSERT_EQ(results.size(), 3U) << results;
      for (const auto &result : results) {
        EXPECT_FALSE(result["plan"].is_null()) << result;
        EXPECT_TRUE(how == std::string_view("--plan") || result["verdict"] == "released") << result;
      }
    }
  }
  EXPECT_EQ(json(with({"list"}))["locks"].size(), 1U) << "a writer waits still";
}

TEST_F(Show, freesTheHoldersOfOneRowThroughAFilterOnAllMasters) {
  const auto second = test::startServer(), third = test::startServer();
  const std::array<std::string, 2> readers{"q0vbVkVm3kGzUQdFz1yXo9m2nJtB6c8ErT5wLhAaKs0=", "A0vbVkVm3kGzUQdFz1yXo9m2nJtB6c8ErT5wLhAaKs0="};
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  auto end = now.count() + 60'000;
  for (const auto *server : std::array<const Sandbox *, 3>{&m_server, &second, &third}) {
    end += server == &third ? -500 : 0; // there they lie in the other order
    sendTo(*server, {"ZADD", "php", std::to_string(end), readers[server == &third], std::to_string(end + 1), readers[server != &third]});
    sendTo(*server, {"PEXPIRE", "php", "60000"});
  }
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--url", "redis://" + second.tcpUri().address(), "--url", "redis://" + third.tcpUri().address()});
    return words;
  };
  const auto locks = json(with({"list"}))["locks"];
  ASSERT_EQ(locks.size(), 1U) << locks;
  EXPECT_EQ(locks[0]["members"].size(), 3U);
  const auto results = json(with({"release", "--filter", "php", "--reason", "x", "--apply"}))["results"];
  ASSERT_EQ(results.size(), 6U) << results;
  for (const auto &result : results)
    EXPECT_EQ(result["verdict"], "released") << result;
  EXPECT_EQ(json(with({"list"}))["locks"].size(), 0U);
}

TEST_F(Show, tellsALoserOfARedlockFromItsHolder) {
  const auto second = test::startServer(), third = test::startServer();
  constexpr auto loser = "89e6c98d92887913cadf06b2adb97f26";
  for (const auto *server : std::array<const Sandbox *, 2>{&m_server, &second})
    sendTo(*server, {"SET", "redlock:split", token, "PX", "60000"});
  sendTo(third, {"SET", "redlock:split", loser, "PX", "60000"});
  const auto locks = json({"--url", "redis://" + second.tcpUri().address(), "--url", "redis://" + third.tcpUri().address(), "list"})["locks"];
  ASSERT_EQ(locks.size(), 1U) << locks;
  EXPECT_EQ(locks[0]["state"], "held");
  EXPECT_EQ(locks[0]["holders"][0]["id"], token);
  ASSERT_EQ(locks[0]["members"].size(), 3U);
  EXPECT_EQ(locks[0]["members"][2]["holder"]["id"], loser);
}

TEST_F(Show, tellsWhatIsTooLongToBeReadWhole) {
  redis({"EVAL", "for i = 1, 150000 do redis.call('HSET', KEYS[1], i, 'a result') end", "1", "huey.results.app"});
  redis({"EVAL", "redis.call('ZADD', KEYS[1], 1, string.rep('x', 10000000))", "1", "semaphore:z"});
  EXPECT_EQ(json({"list"})["nodes"][0]["scan"]["keys_cut"], 2);
  EXPECT_THAT(ctl({"list"}).out, HasSubstr("2 of them are too long to be read whole, and a lock in there may not be shown"));
  EXPECT_THAT(ctl({"show", "huey.results.app"}).out, HasSubstr("There is no lock")) << "of one key more is read";
  EXPECT_THAT(failed(ctl({"show", "semaphore:z"}), 5), HasSubstr("semaphore:z holds entries that are too long to be fetched"));
  const auto freed = ctl({"release", "semaphore:z", "--holder", "x", "--reason", "x", "--apply"});
  EXPECT_THAT(failed(freed, 5), HasSubstr("too long to be fetched"));
  EXPECT_EQ(redis({"ZCARD", "semaphore:z"}).integer(), 1);
  redis({"HSET", "huey.results.app", "app.lock.nightly", "1"});
  EXPECT_THAT(ctl({"show", "huey.results.app"}).out, HasSubstr("app.lock.nightly"));
}

TEST_F(Show, fetchesNoValueToKnowAFieldByItsName) {
  redis({"EVAL", "redis.call('HSET', KEYS[1], 'z.lock.a', string.rep('x', 10000000))", "1", "huey.results.z"});
  redis({"CONFIG", "RESETSTAT"});
  const auto locks = json({"list"})["locks"];
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0]["holders"][0]["id"], "z.lock.a");
  const std::string stats(redis({"INFO", "stats"}).text().value_or(""));
  const auto at = stats.find("total_net_output_bytes:");
  ASSERT_NE(at, stats.npos);
  EXPECT_LT(std::stoul(std::string(stats.substr(at + std::string_view("total_net_output_bytes:").size()))), 1'000'000U);
}

TEST_F(Show, namesEveryPrimitiveWithItsPromises) {
  const auto primitives = json({"primitives"})["primitives"];
  ASSERT_GE(primitives.size(), 2U);
  for (const auto &primitive : primitives) {
    EXPECT_FALSE(primitive["not_promised"].empty());
    EXPECT_FALSE(primitive["policies"].empty());
  }
}

} // namespace
} // namespace lockhouse
