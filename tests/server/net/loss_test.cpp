// SPDX-License-Identifier: Apache-2.0
// A Connection whose server dies, stops, is not there, or does not let it in.
#include "tests/server/net/net_house.h"
#include "tests/support/proxy.h"
#include "tests/support/scripted_peer.h"

#include <filesystem>
#include <thread>

#include <sys/socket.h>

namespace lockhouse::test {
namespace {

std::size_t openFiles() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(Connection, comesBackAfterItsServerWasKilledAndStartedAgain) {
  auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  server.kill();
  ASSERT_TRUE(line.becomes(Connection::State::Down) || line.becomes(Connection::State::Connecting));
  EXPECT_EQ(line.whyDown().code, ErrorCode::Unreachable);
  ASSERT_TRUE(server.restart().has_value());
  EXPECT_TRUE(eventually([&] { return line.timesReady() == 2; }));
  EXPECT_TRUE(line.ask({"PING"}).has_value());
}

TEST(Connection, leavesWhatWasInFlightInDoubtWhenItsServerIsKilled) {
  auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  server.pause();
  const auto before = line.connection->counters().writes;
  auto answers = line.sendAll({{"INCR", "n"}, {"INCR", "n"}});
  ASSERT_TRUE(eventually([&] { return line.connection->counters().writes > before; }));
  server.kill();
  for (auto &answer : answers)
    EXPECT_EQ(answer.get().error().code, ErrorCode::InDoubt);
}

TEST(Connection, closesWhenItsServerStopsAndLeavesAllButTheLateOneInDoubt) {
  auto server = startServer();
  auto options = hasty();
  options.commandTimeout = milliseconds(100);
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  server.pause();
  auto answers = line.sendAll({{"SET", "first", "1"}, {"SET", "second", "1"}});
  EXPECT_EQ(answers[0].get().error().code, ErrorCode::Timeout);
  EXPECT_EQ(answers[1].get().error().code, ErrorCode::InDoubt);
  server.resume();
  EXPECT_TRUE(eventually([&] { return line.timesReady() == 2; })) << "on a new connection";
  EXPECT_TRUE(eventually([&] { return line.ask({"EXISTS", "first", "second"})->integer() == 2; })) << "in doubt means: it may have run, and here it did";
}

// Else who gave up on the server would be told of every later command that it may have run.
TEST(Connection, leavesNothingInDoubtThatItWasGivenAfterALateAnswer) {
  auto server = startServer();
  ConnectionOptions options;
  options.commandTimeout = milliseconds(50);
  options.backoffBase = options.backoffCap = std::chrono::hours(1);
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  server.pause();
  EXPECT_EQ(line.ask({"PING"}).error().code, ErrorCode::Timeout);
  ASSERT_TRUE(line.becomes(Connection::State::Down));
  EXPECT_EQ(line.ask({"PING"}).error().code, ErrorCode::Unreachable);
  server.resume();
}

TEST(Connection, closesWhenTheIdlePingIsNotAnswered) {
  auto server = startServer();
  auto options = hasty();
  options.idleTimeout = milliseconds(30);
  options.commandTimeout = milliseconds(50);
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  server.pause();
  EXPECT_EQ(line.whyDown().code, ErrorCode::Timeout);
  server.resume();
  EXPECT_TRUE(eventually([&] { return line.timesReady() >= 2; }));
}

TEST(Connection, saysThatNothingListens) {
  Uri uri;
  uri.host = "127.0.0.1";
  uri.port = static_cast<std::uint16_t>(SocketFd::listenOnLoopback().port()); // closed again at once
  Line line(uri);
  const auto why = line.whyDown();
  EXPECT_EQ(why.code, ErrorCode::Unreachable);
  EXPECT_NE(why.what.english().find("refused"), std::string::npos) << why.sentence();
  EXPECT_EQ(why.where, uri.address());
  EXPECT_EQ(line.ask({"PING"}).error().code, ErrorCode::Unreachable);
}

TEST(Connection, saysThatTheSocketDoesNotExist) {
  Uri uri;
  uri.kind = Uri::Kind::Unix;
  uri.path = "/nowhere/at/all.sock";
  Line line(uri);
  EXPECT_EQ(line.whyDown().code, ErrorCode::Unreachable);
  EXPECT_EQ(line.whyDown().where, uri.path);
}

TEST(Connection, saysThatASocketsPathIsTooLong) {
  Uri uri;
  uri.kind = Uri::Kind::Unix;
  uri.path = "/" + std::string(200, 'x');
  Line line(uri);
  EXPECT_EQ(line.whyDown().code, ErrorCode::Usage);
}

TEST(Connection, saysThatTheHostIsNotKnown) {
  Uri uri;
  uri.host = "no-such-host.invalid";
  Line line(uri);
  const auto why = line.whyDown();
  EXPECT_EQ(why.code, ErrorCode::Unreachable);
  EXPECT_FALSE(why.next.empty());
}

TEST(Connection, resolvesNamesAndTriesEveryAddress) {
  const auto server = startServer({}, true); // listens on 127.0.0.1 only, while localhost may be ::1 first
  auto uri = server.tcpUri();
  uri.host = "localhost";
  Line line(uri);
  EXPECT_TRUE(line.isReady());
}

// A listener whose queue is full swallows the next SYN.
TEST(Connection, givesABlackHoleUpAfterItsTime) {
  const auto hole = SocketFd::listenOnLoopback(0);
  Uri uri;
  uri.host = "127.0.0.1";
  uri.port = static_cast<std::uint16_t>(hole.port());
  const auto filler = SocketFd::connectTo(uri);
  auto options = hasty();
  options.connectTimeout = milliseconds(150);
  Line line(uri, options);
  const auto why = line.whyDown();
  EXPECT_EQ(why.code, ErrorCode::Unreachable);
  EXPECT_NE(why.what.english().find("150 ms"), std::string::npos) << why.sentence();
}

TEST(Connection, givesAServerUpThatAcceptsButDoesNotAnswer) {
  auto server = startServer();
  server.pause();
  auto options = hasty();
  options.connectTimeout = milliseconds(150);
  Line line(server.unixUri(), options);
  const auto why = line.whyDown();
  EXPECT_EQ(why.code, ErrorCode::Unreachable);
  EXPECT_NE(why.what.english().find("login"), std::string::npos) << why.sentence();
  server.resume();
  EXPECT_TRUE(line.isReady());
}

TEST(Connection, triesOnceWhenToldNotToReconnect) {
  ScriptedPeer peer([](Conversation &) {});
  auto options = hasty();
  options.reconnect = false;
  Line line(peer.uri(), options);
  EXPECT_EQ(line.whyDown().code, ErrorCode::Unreachable);
  line.loop.call([&] { EXPECT_EQ(line.connection->state(), Connection::State::Down); });
  EXPECT_EQ(peer.accepted(), 1);
}

TEST(Connection, readsRepliesThatComeByteByByte) {
  const auto server = startServer();
  Proxy proxy(server.unixUri());
  proxy.slice(true);
  Line line(proxy.uri());
  ASSERT_TRUE(line.isReady());
  for (int i = 0; i < 20; ++i)
    line.ask({"RPUSH", "list", std::string(50, 'x')});
  EXPECT_EQ(line.ask({"LRANGE", "list", "0", "-1"})->array().size(), 20U);
}

TEST(Connection, leavesACommandInDoubtWhoseReplyWasLostOnTheWay) {
  const auto server = startServer();
  Proxy proxy(server.unixUri());
  Line line(proxy.uri());
  Line direct(server.unixUri());
  ASSERT_TRUE(line.isReady() && direct.isReady());
  proxy.cutInsteadOfReply(3);
  EXPECT_EQ(line.ask({"INCR", "n"})->integer(), 1);
  EXPECT_EQ(line.ask({"INCR", "n"})->integer(), 2);
  EXPECT_EQ(line.ask({"INCR", "n"}).error().code, ErrorCode::InDoubt);
  EXPECT_EQ(*direct.ask({"GET", "n"})->bulk(), "3");
}

TEST(Connection, noticesANetworkThatSwallowsEverything) {
  const auto server = startServer();
  Proxy proxy(server.unixUri());
  auto options = hasty();
  options.commandTimeout = milliseconds(100);
  Line line(proxy.uri(), options);
  ASSERT_TRUE(line.isReady());
  proxy.blackHole(true);
  EXPECT_EQ(line.ask({"PING"}).error().code, ErrorCode::Timeout);
  proxy.blackHole(false);
  EXPECT_TRUE(eventually([&] { return line.ask({"PING"}).has_value(); }));
}

TEST(Connection, keepsCommandsInOrderOverASlowNetwork) {
  const auto server = startServer();
  Proxy proxy(server.unixUri());
  Line line(proxy.uri());
  ASSERT_TRUE(line.isReady());
  proxy.setDelay(milliseconds(5));
  std::vector<std::future<Result<Reply>>> answers;
  for (int i = 0; i < 200; ++i)
    answers.push_back(line.send({"INCR", "n"}));
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(answers[i].get()->integer(), static_cast<std::int64_t>(i) + 1);
}

TEST(Connection, doesNotLeakFilesOverTenThousandReconnects) {
  const auto listener = SocketFd::listenOnLoopback();
  std::thread server([&] {
    for (;;) {
      SocketFd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket)
        return;
      Conversation(std::move(socket)).answerLogin();
    }
  });
  Uri uri;
  uri.host = "127.0.0.1";
  uri.port = static_cast<std::uint16_t>(listener.port());
  auto options = hasty();
  options.backoffBase = options.backoffCap = milliseconds(0);
  {
    Line line(uri, options);
    ASSERT_TRUE(eventually([&] { return line.timesReady() >= 100; }));
    const auto before = openFiles();
    ASSERT_TRUE(eventually([&] { return line.timesReady() >= 10000; }, std::chrono::minutes(2)));
    line.loop.call([&] { line.connection->close(); });
    EXPECT_LE(openFiles(), before + 3);
  }
  listener.shutdown();
  server.join();
}

} // namespace
} // namespace lockhouse::test
