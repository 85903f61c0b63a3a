// SPDX-License-Identifier: Apache-2.0
// Exit codes, and what an error says.
#include "tests/server/ctl/ctl_house.h"

#include <csignal>
#include <fstream>

namespace lockhouse {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

using Usage = test::CtlHouse;

TEST_F(Usage, helpAndVersionNeedNothing) {
  for (const auto &words : {Words{"--help"}, Words{"--version"}, Words{"help"}, Words{"help", "json"}, Words{"primitives"}, Words{"stress", "--help"}}) {
    const auto ended = test::CtlProcess(words, {}).wait();
    EXPECT_EQ(ended.code, 0) << words[0];
    EXPECT_FALSE(ended.out.empty());
    EXPECT_TRUE(ended.err.empty());
  }
}

TEST_F(Usage, errorsAreOneLineAndCodeTwo) {
  for (const auto &words : {Words{}, Words{"lisst"}, Words{"--url", "ftp://x", "list"}, Words{"list", "--nope"}, Words{"show"}, Words{"release", "k"},
                            Words{"stress"}, Words{"release", "k", "--holder", "h", "--apply"}, Words{"stress", "--primitive", "Nope", "--count", "1"},
                            Words{"stress", "--policy", "nope", "--count", "1"}, Words{"list\nnext"}})
    failed(ctl(words), 2);
}

TEST_F(Usage, anUnreachableNodeIsCodeThree) {
  const auto gone = url();
  m_server.kill();
  for (const auto &words : {Words{"list"}, Words{"list", "--json"}, Words{"show", "k"}, Words{"watch"},
                            Words{"release", "k", "--holder", "h", "--reason", "x", "--plan"}, Words{"stress", "--count", "1"}})
    EXPECT_THAT(failed(ctl(words), 3), HasSubstr(address())) << words[0];
  failed(bare({"--url", "unix:///nowhere/redis.sock", "list"}), 3);
  failed(bare({"--url", "redis://no-such-host.invalid", "list"}), 3);
}

TEST_F(Usage, aRefusedLoginIsCodeFourAndNeverShowsThePassword) {
  const auto guarded = test::startServer({"--requirepass", "right"});
  const auto home = guarded.tcpUri().address();
  for (const auto &words : {Words{"list"}, Words{"watch"}, Words{"show", "k"}, Words{"stress", "--count", "1"},
                            Words{"release", "k", "--holder", "h", "--reason", "x", "--apply"}}) {
    auto arguments = words;
    arguments.insert(arguments.begin(), {"--url", "redis://:S3CR3T-CANARY@" + home});
    const auto error = failed(bare(arguments), 4);
    EXPECT_THAT(error, Not(HasSubstr("S3CR3T")));
    arguments[1] = "redis://" + home;
    failed(bare(arguments), 4);
  }
  EXPECT_EQ(bare({"--url", "redis://:right@" + home, "list"}).code, 0);
}

TEST_F(Usage, thePasswordIsNotInTheListOfProcesses) {
  const auto guarded = test::startServer({"--requirepass", "S3CR3T-CANARY"});
  test::CtlProcess watch({"--url", "redis://:S3CR3T-CANARY@" + guarded.tcpUri().address(), "watch", "--json"}, m_environment);
  redis({"PING"});
  Loop loop; // a lock appears: the first line shows that the program has long read its arguments
  {
    auto uri = guarded.unixUri();
    uri.password = "S3CR3T-CANARY";
    std::unique_ptr<Connection> connection;
    loop.call([&] {
      connection = std::make_unique<Connection>(loop, uri, ConnectionOptions{});
      connection->onState([&](Connection::State state, const Error *) {
        if (state == Connection::State::Ready)
          connection->send({"SET", "lock:a", test::token, "PX", "60000"}, [](const Result<Reply> &) {});
      });
      connection->open();
    });
    EXPECT_THAT(watch.line(), HasSubstr("lock:a"));
    loop.call([&] { connection.reset(); });
  }
  std::ifstream file("/proc/" + std::to_string(watch.pid()) + "/cmdline");
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(words, HasSubstr("watch"));
  EXPECT_THAT(words, Not(HasSubstr("S3CR3T")));
}

TEST_F(Usage, theEnvironmentNamesTheNodesToo) {
  redis({"SET", "lock:a", test::token, "PX", "60000"});
  m_environment.push_back("LOCKHOUSE_URL=" + url());
  EXPECT_THAT(bare({"list"}).out, HasSubstr("lock:a"));
}

TEST_F(Usage, aBadAuditFileIsCodeFive) { failed(ctl({"audit", "--audit", "/proc/version"}), 5); }

} // namespace
} // namespace lockhouse
