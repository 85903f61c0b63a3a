// SPDX-License-Identifier: Apache-2.0
// Nodes that answer, but not with their locks; nodes that do not answer at all.
#include "tests/server/ctl/ctl_house.h"

#include "tests/support/eventually.h"

#include <csignal>
#include <fstream>

namespace lockhouse {
namespace {

using test::CtlProcess;
using test::eventually;
using test::token;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class NodeTrouble : public test::CtlHouse {
protected:
  static std::string urlOf(const Sandbox &server) { return "redis://" + server.tcpUri().address(); }
  // The program has come so far that signals do not end it any more.
  static bool heedsSignals(const CtlProcess &process) {
    std::ifstream status("/proc/" + std::to_string(process.pid()) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigBlk:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
    return false;
  }
};

TEST_F(NodeTrouble, aBusyServerIsNotAnEmptyOne) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"CONFIG", "SET", "lua-time-limit", "50"});
  Loop loop;
  std::unique_ptr<Connection> endless;
  loop.call([&] {
    endless = std::make_unique<Connection>(loop, m_server.unixUri(), ConnectionOptions{});
    endless->onState([&](Connection::State state, const Error *) {
      if (state == Connection::State::Ready)
        endless->send({"EVAL", "while true do end", "0"}, [](const Result<Reply> &) {});
    });
    endless->open();
  });
  EXPECT_TRUE(eventually([this] { return redis({"GET", "lock:a"}).failureWord() == "BUSY"; }));
  for (const auto &words : {Words{"list"}, Words{"list", "--json"}, Words{"show", "lock:a"}, Words{"watch", "--for", "0.5"},
                            Words{"release", "lock:a", "--holder", token, "--reason", "x", "--plan"}}) {
    const auto ended = ctl(words);
    EXPECT_THAT(ended.out, Not(HasSubstr("No lock"))) << words[0];
    EXPECT_THAT(failed(ended, 3), HasSubstr("SCRIPT KILL")) << words[0];
  }
  redis({"SCRIPT", "KILL"});
  loop.call([&] { endless.reset(); });
}

TEST_F(NodeTrouble, aServerWithoutACommandThatWeNeedIsNotAnEmptyOne) {
  for (const auto *command : {"INFO", "SCAN"}) {
    const auto lame = test::startServer({"--rename-command", command, ""});
    const auto ended = bare({"--url", urlOf(lame), "list"});
    EXPECT_THAT(failed(ended, 3), HasSubstr(command));
    EXPECT_THAT(ended.err, HasSubstr("renamed"));
  }
}

TEST_F(NodeTrouble, aNodeThatCouldNotBeReadIsNamedBesideTheOthers) {
  const auto lame = test::startServer({"--rename-command", "SCAN", ""});
  const auto ended = ctl({"--url", urlOf(lame), "list"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, Not(HasSubstr("No lock is held or waited for")));
  EXPECT_THAT(ended.out, HasSubstr("No lock was found among what could be read"));
  EXPECT_THAT(ended.out, HasSubstr(lame.tcpUri().address() + " "));
  EXPECT_THAT(ended.out, HasSubstr("its locks are not known"));
}

TEST_F(NodeTrouble, aNodeThatIsDownHasAFeedOfTheContract) {
  auto gone = test::startServer();
  const auto there = urlOf(gone);
  gone.kill();
  const auto listing = json({"--url", there, "list"});
  EXPECT_EQ(listing["nodes"].size(), 2U);
  for (const auto &node : listing["nodes"]) {
    EXPECT_EQ(node["feed"], "poll");
    EXPECT_THAT(node["state"].get<std::string>(), testing::AnyOf("live", "down"));
  }
  EXPECT_THAT(json({"show", "k"})["nodes"][0]["state"].get<std::string>(), testing::AnyOf("live", "stale"));
}

TEST_F(NodeTrouble, aNodeThatIsDownIsNamedByAReleaseOfManyWhichIsNotDoneThen) {
  auto gone = test::startServer();
  const auto there = gone.tcpUri().address(), gap = urlOf(gone);
  gone.kill();
  redis({"SET", "lock:a", token, "PX", "60000"});
  for (const auto *how : {"--plan", "--apply"}) {
    const auto ended = ctl({"--url", gap, "release", "--filter", "lock:a", "--reason", "x", how, "--json"});
    EXPECT_THAT(failed(ended, 3), testing::AllOf(HasSubstr(there), HasSubstr("stays")));
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_EQ(json["results"].size(), 1U);
    EXPECT_EQ(json["nodes"][0]["scan"]["complete"], true);
    EXPECT_EQ(json["nodes"][1]["scan"]["complete"], false);
  }
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 0);
  for (const auto &what : {Words{"--filter", "lock:a"}, Words{"--all", "--holder", token}}) {
    Words words{"--url", gap, "release", "--reason", "x", "--plan"};
    words.insert(words.end(), what.begin(), what.end());
    EXPECT_THAT(failed(ctl(words), 3), testing::AllOf(HasSubstr("on the nodes that could be looked at"), HasSubstr(there)));
  }
}

TEST_F(NodeTrouble, aNodeThatIsLostWhileAReleaseOfManyRunsIsNamed) {
  const auto second = test::startServer();
  redis({"SET", "lock:a", token, "PX", "600000"});
  test::sendTo(second, {"SET", "lock:b", token, "PX", "600000"});
  redis({"CLIENT", "PAUSE", "600000", "WRITE"}); // scripts wait; reads go on
  CtlProcess release({"--url", url(), "--url", urlOf(second), "release", "--filter", "lock", "--reason", "x", "--apply", "--json"}, m_environment);
  ASSERT_TRUE(eventually([this] { return redis({"INFO", "clients"}).text()->find("blocked_clients:1") != std::string_view::npos; }));
  m_server.kill();
  const auto ended = release.wait();
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("lost meanwhile: " + address()));
  const auto told = nlohmann::json::parse(ended.out);
  ASSERT_EQ(told["results"].size(), 2U) << told;
  for (const auto &result : told["results"])
    EXPECT_EQ(result["verdict"], result["key"] == "lock:a" ? "unreachable" : "released");
  ASSERT_EQ(told["nodes"].size(), 2U);
  EXPECT_THAT(told["nodes"][0]["state"].get<std::string>(), testing::AnyOf("down", "stale"));
  EXPECT_FALSE(told["nodes"][0]["error"].is_null());
  EXPECT_EQ(told["nodes"][1]["state"], "live");
}

// What was not begun when most masters of a lock were lost is left on the others too.
TEST_F(NodeTrouble, aReleaseOfManyLeavesLocksWhoseMajorityIsLostMeanwhile) {
  constexpr auto plant = "for i = 1, 2000 do redis.call('SET', 'redlock:' .. i, ARGV[1] .. string.format('%04d', i), 'PX', 600000) end";
  bool isSeen = false;
  for (int attempt = 0; attempt < 5 && !isSeen; ++attempt) { // it may be done before it is stopped
    redis({"FLUSHALL"});
    auto second = test::startServer(), third = test::startServer();
    for (const auto *server : std::initializer_list<const Sandbox *>{&m_server, &second, &third})
      test::sendTo(*server, {"EVAL", plant, "0", "3f786850e387550fdab836ed7e6d"});
    CtlProcess release({"--url", url(), "--url", urlOf(second), "--url", urlOf(third), "release", "--filter", "redlock", "--reason", "x", "--apply", "--json"},
                       m_environment);
    ASSERT_TRUE(eventually([&] { return redis({"DBSIZE"}).integer().value_or(0) < 2000; }, std::chrono::minutes(1)));
    ::kill(release.pid(), SIGSTOP);
    second.kill();
    third.kill();
    ::kill(release.pid(), SIGCONT);
    const auto ended = release.wait();
    std::int64_t left = 0;
    const auto told = nlohmann::json::parse(ended.out);
    for (const auto &result : told["results"])
      if (result["detail"].get<std::string>().find("most of its masters were lost meanwhile") != std::string::npos) {
        EXPECT_EQ(result["verdict"], "unreleasable");
        ++left;
      }
    EXPECT_GE(redis({"DBSIZE"}).integer().value_or(0), left) << "nothing was changed";
    isSeen = left > 0;
  }
  EXPECT_TRUE(isSeen);
}

TEST_F(NodeTrouble, keysThatMayNotBeReadAreNamedByAReleaseOfMany) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"SET", "hidden:lock:a", token, "PX", "60000"});
  redis({"ACL", "SETUSER", "op", "reset", "on", ">pw", "~lock:*", "&*", "+@all"});
  const auto asOp = [this](std::vector<std::string> meant) {
    meant.insert(meant.begin(), {"--url", "redis://op:pw@" + address(), "--json", "release", "--reason", "x"});
    return bare(meant);
  };
  for (const auto *how : {"--plan", "--apply"}) { // who has named what he means has it, and what else there may be is told
    const auto ended = asOp({"--filter", "name:lock:a", how});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("1 of its keys may not be read by this user"));
    EXPECT_THAT(nlohmann::json::parse(ended.out)["warnings"].dump(), HasSubstr("1 of its keys may not be read by this user"));
  }
  redis({"SET", "lock:a", token, "PX", "60000"});
  for (const auto *how : {"--plan", "--apply"}) {
    const auto ended = asOp({"--all", "--holder", token, how});
    EXPECT_THAT(failed(ended, 4), HasSubstr("1 of its keys may not be read by this user; a lock among them is not among these and stays"));
    const auto told = nlohmann::json::parse(ended.out);
    EXPECT_EQ(told["results"].size(), 1U);
    EXPECT_THAT(told["warnings"].dump(), HasSubstr("1 of its keys may not be read by this user"));
  }
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 0);
}

TEST_F(NodeTrouble, aWatchThatReachedNothingSaysSo) {
  m_server.pause();
  const auto frozen = failed(ctl({"watch", "--for", "0.3"}), 3);
  m_server.resume();
  EXPECT_THAT(frozen, HasSubstr(address()));
  auto gone = test::startServer();
  const auto there = urlOf(gone);
  gone.kill();
  failed(bare({"--url", there, "watch", "--for", "0"}), 3);
  failed(bare({"--url", there, "watch", "--for", "5"}), 3);
  EXPECT_EQ(ctl({"--url", there, "watch", "--for", "1"}).code, 0) << "one of two is enough";
}

TEST_F(NodeTrouble, aDatabaseThatIsNotThereIsAUsageError) {
  for (const auto &words : {Words{"list"}, Words{"show", "k"}, Words{"watch"}, Words{"stress", "--count", "1"},
                            Words{"release", "k", "--holder", "h", "--reason", "x", "--plan"}}) {
    auto arguments = words;
    arguments.insert(arguments.begin(), {"--url", url() + "/99"});
    EXPECT_THAT(failed(bare(arguments), 2), HasSubstr("database 99")) << words[0];
  }
}

TEST_F(NodeTrouble, aStressRunThatIsStoppedBeforeItBeginsReportsNothingDone) {
  m_server.pause();
  CtlProcess stress(withUrl({"stress", "--count", "5", "--json"}), m_environment);
  EXPECT_TRUE(eventually([&] { return heedsSignals(stress); }));
  stress.signal(SIGTERM);
  const auto ended = stress.wait();
  m_server.resume();
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto report = nlohmann::json::parse(ended.out);
  EXPECT_EQ(report["stopped"], true);
  EXPECT_EQ(report["pairs"], 0);
}

TEST_F(NodeTrouble, aHangUpEndsTheDemoWithItsFolders) {
  CtlProcess demo({"demo", "--json"}, m_environment);
  const auto nodes = nlohmann::json::parse(demo.line())["nodes"];
  demo.signal(SIGHUP);
  EXPECT_EQ(demo.wait().code, 0);
  for (const auto &node : nodes)
    EXPECT_FALSE(std::ifstream(node.get<std::string>().substr(std::string("unix://").size()))) << node;
}

} // namespace
} // namespace lockhouse
