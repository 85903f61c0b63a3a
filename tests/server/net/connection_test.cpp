// SPDX-License-Identifier: Apache-2.0
// A Connection against real servers: what it sends, and that it answers in order and once.
#include "tests/server/net/net_house.h"

#include <memory>

namespace lockhouse::test {
namespace {

constexpr Script one{"one", "return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"};

TEST(Connection, talksOverAUnixSocketAndOverTcp) {
  const auto server = startServer({}, true);
  for (const auto &uri : {server.unixUri(), server.tcpUri()}) {
    Line line(uri);
    ASSERT_TRUE(line.isReady());
    EXPECT_TRUE(line.ask({"SET", "k", "v"})->isOk());
    EXPECT_EQ(*line.ask({"GET", "k"})->bulk(), "v");
  }
}

TEST(Connection, marksItsTraffic) {
  const auto server = startServer();
  auto options = hasty();
  options.clientName = "keeper";
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  EXPECT_EQ(*line.ask({"CLIENT", "GETNAME"})->bulk(), "keeper");
}

TEST(Connection, selectsTheDatabaseOfItsUri) {
  const auto server = startServer();
  auto uri = server.unixUri();
  uri.db = 3;
  Line line(uri);
  ASSERT_TRUE(line.isReady());
  EXPECT_NE(line.ask({"CLIENT", "INFO"})->bulk()->find(" db=3 "), std::string::npos);
}

TEST(Connection, tellsThatADatabaseDoesNotExist) {
  const auto server = startServer();
  auto uri = server.unixUri();
  uri.db = 999;
  Line line(uri);
  EXPECT_EQ(line.whyDown().code, ErrorCode::Usage);
  EXPECT_EQ(line.timesReady(), 0);
}

TEST(Connection, carriesAnyBytes) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  std::string bytes(100000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 7);
  EXPECT_TRUE(line.ask(Command{"SET", bytes, bytes})->isOk());
  EXPECT_EQ(*line.ask(Command{"GET", bytes})->bulk(), bytes);
}

TEST(Connection, writesTheCommandsOfOneTurnTogetherAndAnswersThemInOrder) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  constexpr int count = 10000;
  const auto before = line.connection->counters();
  std::vector<std::int64_t> answers;
  std::promise<void> done;
  line.loop.call([&] {
    for (int i = 0; i < count; ++i)
      line.connection->send({"INCR", "n"}, [&](Result<Reply> reply) {
        answers.push_back(reply->integer().value_or(-1));
        if (answers.size() == count)
          done.set_value();
      });
    EXPECT_TRUE(answers.empty()) << "never inside send()";
  });
  done.get_future().get();
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(answers[static_cast<std::size_t>(i)], i + 1);
  const auto after = line.connection->counters();
  EXPECT_EQ(after.commands - before.commands, static_cast<std::uint64_t>(count));
  EXPECT_LE(after.writes - before.writes, 20U);
}

TEST(Connection, pipelinesWhatHandlersSendToo) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  constexpr int clients = 100, rounds = 50;
  const auto before = line.connection->counters();
  int done = 0;
  std::promise<void> all;
  std::function<void(int)> step = [&](int left) {
    if (left == 0) {
      if (++done == clients)
        all.set_value();
      return;
    }
    line.connection->send({"INCR", "n"}, [&step, left](Result<Reply>) { step(left - 1); });
  };
  line.loop.call([&] {
    for (int i = 0; i < clients; ++i)
      step(rounds);
  });
  all.get_future().get();
  const auto after = line.connection->counters();
  EXPECT_EQ(line.ask({"GET", "n"})->bulk()->c_str(), std::to_string(clients * rounds));
  EXPECT_LT(after.writes - before.writes, static_cast<std::uint64_t>(clients * rounds / 5)) << "many commands a write";
}

TEST(Connection, handsOnErrorRepliesAsReplies) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  line.ask({"LPUSH", "list", "x"});
  EXPECT_EQ(line.ask({"GET", "list"})->failureWord(), "WRONGTYPE");
  EXPECT_EQ(line.ask({"NOSUCHCOMMAND"})->failureWord(), "ERR");
  EXPECT_TRUE(line.ask({"PING"}).has_value()) << "the connection goes on";
}

TEST(Connection, refusesACommandWithoutWords) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  EXPECT_EQ(line.ask(Command{}).error().code, ErrorCode::Usage);
}

TEST(Connection, runsAScriptThatTheServerDoesNotKnowByEvalOnce) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  const auto before = line.connection->counters().commands;
  EXPECT_EQ(line.ask(Command::evalsha(one, {}, {}))->integer(), 1);
  EXPECT_EQ(line.connection->counters().commands - before, 2U);
  EXPECT_EQ(line.ask(Command::evalsha(one, {}, {}))->integer(), 1);
  EXPECT_EQ(line.connection->counters().commands - before, 3U) << "known from now on";
}

TEST(Connection, survivesScriptFlushInTheMiddleOfAPipeline) {
  const auto server = startServer();
  constexpr Script add{"add", "return redis.call('INCR',KEYS[1])", "da8455f0535fd532821b3713a4eccd80fc4b8457"};
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  constexpr int count = 300;
  std::vector<std::future<Result<Reply>>> answers;
  for (int i = 0; i < count; ++i) {
    answers.push_back(line.send(Command::evalsha(add, {"n"}, {})));
    if (i % 50 == 25)
      line.send({"SCRIPT", "FLUSH"});
  }
  for (auto &answer : answers)
    EXPECT_TRUE(answer.get()->integer().has_value());
  EXPECT_EQ(*line.ask({"GET", "n"})->bulk(), std::to_string(count)) << "each ran exactly once";
}

TEST(Connection, sendsAPingWhenNothingCameForLong) {
  const auto server = startServer();
  auto options = hasty();
  options.idleTimeout = milliseconds(20);
  options.commandTimeout = milliseconds(300); // the timer is lazy: a PING may come later by as much
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  const auto before = line.connection->counters().commands;
  EXPECT_TRUE(eventually([&] { return line.connection->counters().commands >= before + 3; }));
  EXPECT_EQ(line.timesReady(), 1);
}

TEST(Connection, letsABlockingCommandHaveADeadlineOfItsOwn) {
  const auto server = startServer();
  auto options = hasty();
  options.commandTimeout = milliseconds(300);
  Line line(server.unixUri(), options), other(server.unixUri(), options);
  ASSERT_TRUE(line.isReady() && other.isReady());
  auto popped = line.send({"BLPOP", "list", "0"}, milliseconds(60000));
  auto behind = line.send({"PING"});
  EXPECT_EQ(popped.wait_for(milliseconds(700)), std::future_status::timeout) << "neither it nor what waits behind it is late";
  other.ask({"RPUSH", "list", "x"});
  EXPECT_EQ(popped.get()->array().size(), 2U);
  EXPECT_TRUE(behind.get().has_value());
}

TEST(Connection, refusesMoreThanItMayHoldUnwritten) {
  auto server = startServer();
  auto options = hasty();
  options.commandTimeout = milliseconds(60000);
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  server.pause();
  std::atomic<int> refused{0};
  line.loop.call([&] {
    const std::string value(4 << 20, 'x');
    for (int i = 0; i < 40; ++i)
      line.connection->send(Command{"SET", "k", value}, [&](Result<Reply> reply) {
        if (!reply && reply.error().code == ErrorCode::Unreachable)
          ++refused;
      });
  });
  EXPECT_TRUE(eventually([&] { return refused > 10; }));
  server.resume();
  EXPECT_TRUE(line.ask({"PING"}).has_value());
}

TEST(Connection, mayBeDestroyedInsideAHandler) {
  const auto server = startServer();
  Loop loop;
  std::unique_ptr<Connection> connection;
  std::atomic<int> cancelled{0};
  std::promise<void> gone;
  loop.call([&] {
    connection = std::make_unique<Connection>(loop, server.unixUri(), hasty());
    connection->onState([&](Connection::State state, const Error *) {
      if (state != Connection::State::Ready)
        return;
      connection->send({"PING"}, [&](Result<Reply>) {
        connection.reset();
        gone.set_value();
      });
      for (int i = 0; i < 10; ++i)
        connection->send({"PING"}, [&](Result<Reply> reply) { cancelled += !reply && reply.error().code == ErrorCode::Cancelled ? 1 : 0; });
    });
    connection->open();
  });
  gone.get_future().get();
  EXPECT_EQ(cancelled, 10) << "told before the destructor returns";
}

TEST(Connection, mayBeDestroyedInsideItsStateHandler) {
  const auto server = startServer();
  for (const auto end : {Connection::State::Connecting, Connection::State::Ready}) {
    Loop loop;
    std::unique_ptr<Connection> connection;
    std::promise<void> gone;
    loop.call([&] {
      connection = std::make_unique<Connection>(loop, server.unixUri(), hasty());
      connection->onState([&, end](Connection::State state, const Error *) {
        if (state != end)
          return;
        connection.reset();
        gone.set_value();
      });
      connection->open();
    });
    gone.get_future().get();
    loop.call([] {});
  }
}

TEST(Connection, tellsEveryHandlerBeforeCloseReturnsToOneOfThem) {
  auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  server.pause();
  std::vector<std::string> story;
  line.loop.call([&] {
    line.connection->send({"PING"}, [&](const Result<Reply> &) {
      story.emplace_back("first");
      line.connection->close();
      story.emplace_back("closed");
    });
    for (int i = 0; i < 2; ++i)
      line.connection->send({"PING"}, [&](const Result<Reply> &reply) { story.emplace_back(reply ? "an answer" : "an error"); });
  });
  server.kill();
  EXPECT_TRUE(eventually([&] {
    std::size_t told = 0;
    line.loop.call([&] { told = story.size(); });
    return told == 4;
  }));
  EXPECT_EQ(story, (std::vector<std::string>{"first", "an error", "an error", "closed"}));
}

TEST(Connection, tellsWhoSendsAfterCloseAtTheLatestWhenItIsDestroyed) {
  const auto server = startServer();
  Loop loop;
  std::vector<ErrorCode> told;
  loop.call([&] {
    Connection connection(loop, server.unixUri(), hasty());
    connection.open();
    connection.close();
    connection.send({"PING"}, [&](const Result<Reply> &reply) { told.push_back(reply.error().code); });
    EXPECT_TRUE(told.empty()) << "never inside the call itself";
  });
  EXPECT_EQ(told, std::vector<ErrorCode>{ErrorCode::Cancelled});
  loop.call([] {});
  EXPECT_EQ(told.size(), 1U);
}

TEST(Connection, tellsWhatWaitsThatItWasCancelledWhenClosed) {
  auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  server.pause();
  auto waiting = line.send({"PING"});
  line.loop.call([&] { line.connection->close(); });
  EXPECT_EQ(waiting.get().error().code, ErrorCode::Cancelled);
  EXPECT_EQ(line.ask({"PING"}).error().code, ErrorCode::Cancelled) << "closed for good";
  server.resume();
}

} // namespace
} // namespace lockhouse::test
