// SPDX-License-Identifier: Apache-2.0
// Logging in to real servers: passwords, ACL users, a full or a loading server.
#include "tests/server/net/net_house.h"
#include "tests/support/scripted_peer.h"

#include <mutex>

namespace lockhouse::test {
namespace {

Uri with(Uri uri, std::string user, std::string password) {
  uri.user = std::move(user);
  uri.password = std::move(password);
  return uri;
}

TEST(LoginToAServer, worksWithThePassword) {
  const auto server = startServer({"--requirepass", "right"});
  Line line(with(server.unixUri(), "", "right"));
  ASSERT_TRUE(line.isReady());
  EXPECT_TRUE(line.ask({"SET", "k", "v"})->isOk());
}

TEST(LoginToAServer, isRefusedWithAWrongPassword) {
  const auto server = startServer({"--requirepass", "right"});
  Line line(with(server.unixUri(), "", "S3CR3T-CANARY"));
  const auto why = line.whyDown();
  EXPECT_EQ(why.code, ErrorCode::AuthFailed);
  EXPECT_EQ(why.sentence().find("S3CR3T"), std::string::npos);
  EXPECT_EQ(line.ask({"PING"}).error().code, ErrorCode::AuthFailed);
}

TEST(LoginToAServer, isRefusedWithoutThePassword) {
  const auto server = startServer({"--requirepass", "right"});
  Line line(server.unixUri());
  EXPECT_EQ(line.whyDown().code, ErrorCode::AuthFailed);
}

// There the server itself would let the connection go on as the default user.
TEST(LoginToAServer, isRefusedWithAWrongPasswordEvenWhereNoneIsNeeded) {
  const auto server = startServer();
  Line line(with(server.unixUri(), "ann", "wrong"));
  EXPECT_EQ(line.whyDown().code, ErrorCode::AuthFailed);
  EXPECT_EQ(line.timesReady(), 0);
}

TEST(LoginToAServer, sendsNothingAfterARefusedPassword) {
  std::mutex mutex;
  std::vector<std::string> heard;
  ScriptedPeer peer([&](Conversation &conversation) {
    for (auto words = conversation.hear(); !words.empty(); words = conversation.hear()) {
      {
        const std::lock_guard hold(mutex);
        heard.push_back(words[0]);
      }
      conversation.say("-WRONGPASS invalid username-password pair\r\n");
    }
  });
  auto uri = with(peer.uri(), "ann", "wrong");
  uri.db = 2;
  Line line(uri);
  EXPECT_TRUE(eventually([&] { return peer.accepted() >= 3; }));
  line.loop.call([&] { line.connection->close(); });
  const std::lock_guard hold(mutex);
  for (const auto &word : heard)
    EXPECT_EQ(word, "AUTH");
}

TEST(LoginToAServer, waitsTheLongestPauseBetweenRefusedPasswords) {
  const auto server = startServer({"--requirepass", "right"});
  auto options = hasty();
  options.backoffCap = std::chrono::hours(1);
  Line line(with(server.unixUri(), "", "wrong"), options);
  line.whyDown();
  Line right(with(server.unixUri(), "", "right"));
  ASSERT_TRUE(right.isReady());
  for (int i = 0; i < 100; ++i)
    right.ask({"PING"});
  const auto stats = *right.ask({"INFO", "stats"})->bulk();
  EXPECT_NE(stats.find("total_connections_received:3\r\n"), std::string::npos) << "the sandbox's own, one of each";
}

TEST(LoginToAServer, worksForAnAclUserWithFewRights) {
  const auto server = startServer({"--user", "watcher", "on", ">pw", "resetchannels", "~lock:*", "-@all", "+get", "+ping"});
  Line line(with(server.unixUri(), "watcher", "pw"));
  ASSERT_TRUE(line.isReady());
  EXPECT_TRUE(line.ask({"GET", "lock:a"})->isNil());
  EXPECT_EQ(line.ask({"SET", "lock:a", "1"})->failureWord(), "NOPERM");
  EXPECT_EQ(line.ask({"GET", "other"})->failureWord(), "NOPERM");
}

TEST(LoginToAServer, worksForAUserThatMayNotEvenPing) {
  const auto server = startServer({"--user", "narrow", "on", "nopass", "~*", "-@all", "+get"});
  Line line(with(server.unixUri(), "narrow", ""));
  EXPECT_TRUE(line.isReady());
}

TEST(LoginToAServer, isTriedAgainWhileTheServerIsFull) {
  const auto server = startServer({"--maxclients", "2"});
  Line first(server.unixUri()), second(server.unixUri());
  ASSERT_TRUE(first.isReady() && second.isReady());
  Line third(server.unixUri());
  const auto why = third.whyDown();
  EXPECT_EQ(why.code, ErrorCode::Unreachable);
  EXPECT_NE(why.what.english().find("max number of clients"), std::string::npos) << why.sentence();
  second.loop.call([&] { second.connection->close(); });
  EXPECT_TRUE(third.isReady());
}

TEST(LoginToAServer, isTriedAgainWhileTheServerIsLoading) {
  std::atomic<bool> loading{true};
  ScriptedPeer peer([&](Conversation &conversation) {
    if (!loading) {
      conversation.answerLogin();
      return conversation.waitForHangUp();
    }
    while (!conversation.hear().empty() && conversation.say("-LOADING Redis is loading the dataset in memory\r\n")) {}
  });
  Line line(peer.uri());
  EXPECT_NE(line.whyDown().what.english().find("LOADING"), std::string::npos);
  loading = false;
  EXPECT_TRUE(line.isReady());
}

} // namespace
} // namespace lockhouse::test
