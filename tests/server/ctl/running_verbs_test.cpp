// SPDX-License-Identifier: Apache-2.0
// watch, stress and demo: what runs until something ends it.
#include "tests/server/ctl/ctl_house.h"

#include "tests/support/eventually.h"

#include <csignal>
#include <filesystem>
#include <map>

namespace lockhouse {
namespace {

using test::CtlProcess;
using test::eventually;
using test::token;
using testing::HasSubstr;
using testing::IsEmpty;

class Watch : public test::CtlHouse {
protected:
  // A watch that has shown its first line: the lock that was there before.
  std::unique_ptr<CtlProcess> watching(std::vector<std::string> arguments) {
    redis({"SET", "lock:first", "89e6c98d92887913cadf06b2adb97f26", "PX", "600000"});
    auto watch = std::make_unique<CtlProcess>(withUrl(std::move(arguments)), m_environment);
    EXPECT_THAT(watch->line(), HasSubstr("lock:first"));
    return watch;
  }
};

TEST_F(Watch, tellsOfATokenUnderSeveralKeysWhatListDoes) {
  for (const std::string key : {"lock:a", "lock:b", "lock:c"})
    redis({"SET", key, token, "PX", "600000"});
  CtlProcess watch(withUrl({"watch", "--json"}), m_environment);
  std::map<std::string, std::string> families;
  const auto become = [&](const std::map<std::string, std::string> &wanted) {
    while (families != wanted) {
      const auto change = nlohmann::json::parse(watch.line(), nullptr, false);
      if (change.is_discarded())
        return false;
      families[change["key"]] = change["after"]["family"];
    }
    return true;
  };
  const auto listed = [&] {
    std::map<std::string, std::string> all;
    const auto list = json({"list"});
    for (const auto &lock : list["locks"])
      all[lock["key"]] = lock["family"];
    return all;
  };
  ASSERT_EQ(listed()["lock:b"], "node-redlock");
  EXPECT_TRUE(become(listed()));
  redis({"SET", "lock:y", "89e6c98d92887913cadf06b2adb97f26", "PX", "600000"});
  EXPECT_TRUE(become(listed()));
  EXPECT_EQ(families["lock:y"], "token");
  redis({"SET", "lock:z", "89e6c98d92887913cadf06b2adb97f26", "PX", "600000"});
  EXPECT_TRUE(become(listed())) << "both of them";
}

TEST_F(Watch, showsTheLocksOfARegistryWhateverTheirPathsSpeakOfAsListDoes) {
  const std::string instance = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  const auto watch = watching({"watch", "--json"});
  redis({"SET", "my-locks:session:7", instance, "PX", "600000"});
  redis({"SET", "lock:next", token, "PX", "600000"});
  EXPECT_EQ(nlohmann::json::parse(watch->line())["key"], "lock:next") << "by itself it may be data";
  redis({"SET", "my-locks:session:8", instance, "PX", "600000"});
  std::map<std::string, std::string> shown;
  for (int i = 0; i < 2; ++i) {
    const auto change = nlohmann::json::parse(watch->line());
    EXPECT_EQ(change["change"], "appeared");
    shown[change["key"]] = change["after"]["family"];
  }
  for (const std::string key : {"my-locks:session:7", "my-locks:session:8"})
    EXPECT_EQ(shown[key], "spring-integration");
  EXPECT_EQ(json({"list", "--filter", "my-locks"})["locks"].size(), 2U);
}

TEST_F(Watch, writesOneJsonLineForEachChangeAtOnce) {
  const auto watch = watching({"watch", "--json"});
  redis({"SET", "lock:a", token, "PX", "60000"});
  const auto appeared = nlohmann::json::parse(watch->line());
  EXPECT_EQ(appeared["key"], "lock:a");
  EXPECT_EQ(appeared["change"], "appeared");
  EXPECT_TRUE(appeared["before"].is_null());
  EXPECT_EQ(appeared["after"]["holders"][0]["id"], token);
  redis({"DEL", "lock:a"});
  const auto vanished = nlohmann::json::parse(watch->line());
  EXPECT_EQ(vanished["change"], "vanished");
  EXPECT_TRUE(vanished["cause"].is_null()) << "tracking does not tell deleted from renamed or evicted";
  EXPECT_TRUE(vanished["after"].is_null());
  EXPECT_GT(vanished["seq"], appeared["seq"]);
}

// Only rows that are surely enough locks are shown: one that ceases to be so is gone, one that becomes so has come.
TEST_F(Watch, tellsOfRowsThatBecomeLocksAndCeaseToBe) {
  const auto watch = watching({"watch", "--json"});
  const auto next = [&] { return nlohmann::json::parse(watch->line()); };
  redis({"SET", "lock:a", token, "PX", "60000"});
  EXPECT_EQ(next()["change"], "appeared");
  redis({"SET", "lock:a", "{\"a\":1}", "PX", "60000"});
  const auto vanished = next();
  EXPECT_EQ(vanished["change"], "vanished");
  EXPECT_EQ(vanished["cause"], "replaced");
  EXPECT_TRUE(vanished["after"].is_null());
  redis({"SET", "lock:a", token, "PX", "60000"});
  const auto appeared = next();
  EXPECT_EQ(appeared["change"], "appeared");
  EXPECT_TRUE(appeared["before"].is_null());
}

TEST_F(Watch, writesWordsWithoutJson) {
  const auto watch = watching({"watch"});
  redis({"SET", "lock:\x1b[31m", token});
  const auto line = watch->line();
  EXPECT_THAT(line, HasSubstr("appeared"));
  EXPECT_THAT(line, HasSubstr("lock:\\x1b[31m"));
  EXPECT_THAT(line, HasSubstr("never expires"));
}

TEST_F(Watch, endsWithCodeZeroOnASignal) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto watch = watching({"watch"});
    watch->signal(number);
    const auto ended = watch->wait();
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.err, IsEmpty());
  }
}

TEST_F(Watch, endsAfterItsTime) { EXPECT_EQ(ctl({"watch", "--for", "0.2"}).code, 0); }

TEST_F(Watch, endsQuietlyWhenNobodyReads) {
  const auto watch = watching({"watch"});
  watch->closeOutput();
  int written = 0;
  EXPECT_TRUE(eventually([&] {
    redis({"SET", "lock:" + std::to_string(written++), token, "PX", "60000"});
    return watch->hasEnded();
  }));
  const auto ended = watch->wait();
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, IsEmpty());
}

class Stress : public test::CtlHouse {};

TEST_F(Stress, reportsItsFiguresAndLeavesNothing) {
  const auto report = json({"stress", "--clients", "8", "--keys", "2", "--count", "200"});
  EXPECT_EQ(report["pairs"], 200);
  EXPECT_EQ(report["violations"], 0);
  EXPECT_EQ(report["keys"], 2);
  EXPECT_EQ(report["stopped"], false);
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  EXPECT_THAT(ctl({"stress", "--count", "10"}).out, HasSubstr("nobody was inside who should not have been"));
}

TEST_F(Stress, reportsAndLeavesNothingWhenInterrupted) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CtlProcess stress(withUrl({"stress", "--clients", "8", "--keys", "1", "--hold", "20", "--duration", "600", "--json"}), m_environment);
    ASSERT_TRUE(eventually([this] { return redis({"DBSIZE"}).integer() == 1; }));
    stress.signal(number);
    const auto ended = stress.wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(nlohmann::json::parse(ended.out)["stopped"], true);
    EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  }
}

TEST_F(Stress, endsInOneSentenceWhenItsServerGoesOrStandsStill) {
  for (const bool killed : {false, true}) {
    CtlProcess stress(withUrl({"stress", "--clients", "8", "--keys", "1", "--hold", "20", "--duration", "600", "--json"}), m_environment);
    ASSERT_TRUE(eventually([this] { return redis({"DBSIZE"}).integer() == 1; }));
    killed ? m_server.kill() : m_server.pause();
    EXPECT_THAT(failed(stress.wait(), 3), HasSubstr(address()));
    m_server.resume();
  }
}

TEST_F(Stress, endsWhenItIsInterruptedWhileItsServerStandsStill) {
  CtlProcess stress(withUrl({"stress", "--clients", "8", "--keys", "1", "--hold", "20", "--duration", "600"}), m_environment);
  ASSERT_TRUE(eventually([this] { return redis({"DBSIZE"}).integer() == 1; }));
  m_server.pause();
  stress.signal(SIGTERM);
  EXPECT_THAT(failed(stress.wait(), 3), HasSubstr("did not confirm every release; what is left ends with its lease"));
  m_server.resume();
}

class DemoVerb : public test::CtlHouse {};

TEST_F(DemoVerb, printsUrlsThatWorkAndTakesItsServersWithIt) {
  CtlProcess demo({"demo", "--json"}, m_environment);
  const auto nodes = nlohmann::json::parse(demo.line())["nodes"];
  ASSERT_EQ(nodes.size(), 3U);
  std::vector<std::string> arguments;
  for (const auto &node : nodes)
    arguments.insert(arguments.end(), {"--url", node.get<std::string>()});
  arguments.insert(arguments.end(), {"list", "--json"});
  EXPECT_TRUE(eventually([&] { return !nlohmann::json::parse(bare(arguments).out)["locks"].empty(); }));
  demo.signal(SIGTERM);
  EXPECT_EQ(demo.wait().code, 0);
  for (const auto &node : nodes)
    EXPECT_FALSE(std::filesystem::exists(node.get<std::string>().substr(std::string("unix://").size())));
}

TEST_F(DemoVerb, saysInOneSentenceThatThereIsNoServer) {
  const auto ended = CtlProcess({"demo"}, {"PATH=/nowhere"}).wait();
  EXPECT_THAT(failed(ended, 3), HasSubstr("redis-server"));
}

} // namespace
} // namespace lockhouse
