// SPDX-License-Identifier: Apache-2.0
// A Subscriber against real servers: no message is missed while it is up, and it says when it was not.
#include "tests/server/net/net_house.h"
#include "tests/support/proxy.h"

#include <algorithm>

namespace lockhouse::test {
namespace {

TEST(Subscriber, hearsWhatIsPublishedOnceItIsConfirmed) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri());
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  ASSERT_TRUE(ear.subscribe("c").has_value());
  ASSERT_TRUE(ear.psubscribe("p*").has_value());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(line.ask(Command{"PUBLISH", "c", std::to_string(i)})->integer(), 1);
  line.ask({"PUBLISH", "pq", "by pattern"});
  ASSERT_TRUE(ear.ping().has_value());
  const auto heard = ear.heard();
  ASSERT_EQ(heard.size(), 101U);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(heard[i].payload, std::to_string(i));
  EXPECT_EQ(heard[100].channel, "pq");
  EXPECT_EQ(heard[100].pattern, "p*");
}

TEST(Subscriber, hearsShardedChannelsApartFromPlainOnes) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri());
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  std::promise<Result<void>> done;
  ear.loop.call([&] { ear.subscriber->ssubscribe(Channel("c"), [&](Result<void> result) { done.set_value(std::move(result)); }); });
  ASSERT_TRUE(done.get_future().get().has_value());
  EXPECT_EQ(line.ask({"PUBLISH", "c", "plain"})->integer(), 0);
  EXPECT_EQ(line.ask({"SPUBLISH", "c", "sharded"})->integer(), 1);
  ASSERT_TRUE(ear.subscribe("c").has_value()) << "of the same name, counted apart";
  EXPECT_EQ(line.ask({"PUBLISH", "c", "plain"})->integer(), 1);
  ear.loop.call([&] { ear.subscriber->sunsubscribe(Channel("c")); });
  ASSERT_TRUE(ear.ping().has_value());
  EXPECT_EQ(line.ask({"SPUBLISH", "c", "gone"})->integer(), 0);
  const auto heard = ear.heard();
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].payload, "sharded");
  EXPECT_EQ(heard[1].payload, "plain");
}

TEST(Subscriber, listensToItsShardedChannelsAgainAfterALoss) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri());
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  ear.loop.call([&] { ear.subscriber->ssubscribe(Channel("c")); });
  ASSERT_TRUE(ear.ping().has_value());
  line.ask({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_TRUE(eventually([&] { return line.ask({"SPUBLISH", "c", "back"})->integer() == 1; }));
}

TEST(Subscriber, pingIsABarrierWithAndWithoutSubscriptions) {
  const auto server = startServer();
  Ear ear(server.unixUri());
  EXPECT_EQ(ear.ping().error().code, ErrorCode::Unreachable);
  ear.open();
  ASSERT_TRUE(ear.isUp());
  EXPECT_TRUE(ear.ping().has_value());
  ear.subscribe("c");
  EXPECT_TRUE(ear.ping().has_value());
  ear.loop.call([&] { ear.subscriber->unsubscribe(Channel("c")); });
  EXPECT_TRUE(ear.ping().has_value());
}

TEST(Subscriber, carriesAnyBytes) {
  const auto server = startServer();
  const std::string channel("\0\r\n*\xff", 5), payload("\r\n\0$1", 5);
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), {channel});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  line.ask(Command{"PUBLISH", channel, payload});
  ASSERT_TRUE(eventually([&] { return ear.heard().size() == 1; }));
  EXPECT_EQ(ear.heard()[0].channel, channel);
  EXPECT_EQ(ear.heard()[0].payload, payload);
}

TEST(Subscriber, leavesAChannelWithTheLastOfAsManyUnsubscriptions) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), {"c", "c"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  const auto leave = [&] { ear.loop.call([&] { ear.subscriber->unsubscribe(Channel("c")); }); };
  leave();
  ASSERT_TRUE(ear.ping().has_value());
  EXPECT_EQ(line.ask({"PUBLISH", "c", "x"})->integer(), 1);
  leave();
  ASSERT_TRUE(ear.ping().has_value());
  EXPECT_EQ(line.ask({"PUBLISH", "c", "x"})->integer(), 0);
}

TEST(Subscriber, mayLeaveAndComeBackInOneTurn) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), {"c"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  ear.loop.call([&] { ear.subscriber->unsubscribe(Channel("c")); });
  ASSERT_TRUE(ear.subscribe("c").has_value());
  EXPECT_EQ(line.ask({"PUBLISH", "c", "x"})->integer(), 1);
  EXPECT_TRUE(eventually([&] { return ear.heard().size() == 1; }));
}

TEST(Subscriber, subscribesAgainAndTellsOfTheGapAfterClientKill) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), {"a", "b"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  const auto firstId = ear.clientId.load();
  EXPECT_EQ(line.ask(Command{"CLIENT", "KILL", "ID", std::to_string(firstId)})->integer(), 1);
  ASSERT_TRUE(ear.isUp(2));
  EXPECT_EQ(ear.gaps().size(), 1U);
  EXPECT_NE(ear.clientId, firstId);
  EXPECT_EQ(line.ask({"PUBLISH", "a", "x"})->integer(), 1);
  EXPECT_EQ(line.ask({"PUBLISH", "b", "x"})->integer(), 1);
}

TEST(Subscriber, comesBackAfterItsServerWasKilledAndStartedAgain) {
  auto server = startServer();
  Ear ear(server.unixUri(), hasty(), {"a"});
  ear.open();
  ASSERT_TRUE(ear.isUp());
  server.kill();
  ASSERT_TRUE(eventually([&] { return !ear.gaps().empty(); }));
  EXPECT_EQ(ear.ping().error().code, ErrorCode::Unreachable);
  ASSERT_TRUE(server.restart().has_value());
  ASSERT_TRUE(ear.isUp(2));
  EXPECT_TRUE(ear.ping().has_value());
}

TEST(Subscriber, endsAWaitForAConfirmationThatWasLost) {
  auto server = startServer();
  Ear ear(server.unixUri());
  ear.open();
  ASSERT_TRUE(ear.isUp());
  server.kill();
  EXPECT_FALSE(ear.subscribe("c").has_value()) << "remembered, but the caller does not wait for ever";
  ASSERT_TRUE(server.restart().has_value());
  ASSERT_TRUE(ear.isUp(2));
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  EXPECT_EQ(line.ask({"PUBLISH", "c", "x"})->integer(), 1);
}

TEST(Subscriber, noticesAServerThatStopped) {
  auto server = startServer();
  auto options = hasty();
  options.commandTimeout = milliseconds(100);
  Ear ear(server.unixUri(), options, {"c"});
  ear.open();
  ASSERT_TRUE(ear.isUp());
  server.pause();
  EXPECT_EQ(ear.ping().error().code, ErrorCode::Timeout);
  server.resume();
  EXPECT_TRUE(ear.isUp(2));
}

TEST(Subscriber, tellsOfARefusedChannelAndKeepsTheOthers) {
  const auto server = startServer({"--user", "ear", "on", "nopass", "resetchannels", "&open", "-@all", "+subscribe", "+psubscribe", "+ping"});
  auto uri = server.unixUri();
  uri.user = "ear";
  Ear ear(uri);
  ear.open();
  ASSERT_TRUE(ear.isUp());
  EXPECT_EQ(ear.clientId, 0) << "CLIENT ID is not permitted either";
  EXPECT_EQ(ear.subscribe("shut").error().code, ErrorCode::NotPermitted);
  EXPECT_TRUE(ear.subscribe("open").has_value());
  EXPECT_EQ(ear.psubscribe("*").error().code, ErrorCode::NotPermitted);
  EXPECT_TRUE(ear.ping().has_value());
}

TEST(Subscriber, losesTheConnectionWhenTheServerTakesTheChannelAway) {
  const auto server = startServer({"--user", "ear", "on", "nopass", "resetchannels", "&open", "-@all", "+subscribe", "+ping"});
  auto uri = server.unixUri();
  uri.user = "ear";
  Line line(server.unixUri());
  Ear ear(uri, hasty(), {"open"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  line.ask({"ACL", "SETUSER", "ear", "resetchannels"});
  EXPECT_TRUE(ear.isUp(2)) << "connected again, the channel refused";
  EXPECT_EQ(line.ask({"PUBLISH", "open", "x"})->integer(), 0);
}

TEST(Subscriber, hearsInvalidationsThatItRedirectsToItself) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), {"__redis__:invalidate"});
  std::atomic<int> accepted{0};
  ear.loop.call([&] {
    ear.subscriber->onLogin(
        [](std::int64_t id) { return std::vector<Command>{{"CLIENT", "TRACKING", "ON", "REDIRECT", std::to_string(id), "BCAST"}, {"NOSUCHCOMMAND"}}; },
        [&](std::size_t index, const Reply &reply) { accepted += index == 0 ? reply.isOk() : reply.failureWord() == "ERR"; });
  });
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  EXPECT_EQ(accepted, 2);
  line.ask({"SET", "k", "v"});
  ASSERT_TRUE(ear.ping().has_value());
  line.ask({"FLUSHALL"});
  ASSERT_TRUE(ear.ping().has_value());
  const auto heard = ear.heard();
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].raw, Reply(Reply::Array{Reply(std::string("k"))}));
  EXPECT_TRUE(heard[1].raw.isNil());
  line.ask(Command{"CLIENT", "KILL", "ID", std::to_string(ear.clientId)});
  ASSERT_TRUE(ear.isUp(2));
  EXPECT_EQ(accepted, 4) << "on every connection again";
}

TEST(Subscriber, hearsAFloodWhole) {
  const auto server = startServer();
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), {"c"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  constexpr std::size_t count = 50000;
  line.loop.call([&] {
    for (std::size_t i = 0; i < count; ++i)
      line.connection->send(Command{"PUBLISH", "c", std::to_string(i)}, [](Result<Reply>) {});
  });
  EXPECT_TRUE(eventually([&] { return ear.heardCount == count; }, std::chrono::minutes(1)));
  EXPECT_EQ(ear.heard().back().payload, std::to_string(count - 1));
  EXPECT_TRUE(ear.gaps().empty());
}

TEST(Subscriber, subscribesThousandsAgain) {
  const auto server = startServer();
  std::vector<std::string> channels;
  for (int i = 0; i < 3000; ++i)
    channels.push_back("channel:" + std::to_string(i));
  Line line(server.unixUri());
  Ear ear(server.unixUri(), hasty(), channels);
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  line.ask(Command{"CLIENT", "KILL", "ID", std::to_string(ear.clientId)});
  ASSERT_TRUE(ear.isUp(2));
  EXPECT_EQ(line.ask({"PUBSUB", "CHANNELS"})->array().size(), 3000U);
}

TEST(Subscriber, mayBeDestroyedInsideAnyHandler) {
  const auto server = startServer();
  Line line(server.unixUri());
  ASSERT_TRUE(line.isReady());
  for (const bool onMessage : {false, true}) {
    Loop loop;
    std::unique_ptr<Subscriber> subscriber;
    std::promise<void> gone;
    const auto end = [&] {
      subscriber.reset();
      gone.set_value();
    };
    loop.call([&] {
      subscriber = std::make_unique<Subscriber>(loop, server.unixUri(), hasty());
      subscriber->onMessage([&](const Subscriber::Message &) { end(); });
      subscriber->onUp([&, onMessage](std::int64_t) {
        if (!onMessage)
          return end();
        line.loop.post([&] { line.connection->send({"PUBLISH", "c", "x"}, [](Result<Reply>) {}); });
      });
      subscriber->subscribe(Channel("c"));
      subscriber->open();
    });
    gone.get_future().get();
    loop.call([] {});
  }
}

TEST(Subscriber, tellsEveryoneBeforeCloseReturnsToOneOfThem) {
  auto server = startServer();
  Ear ear(server.unixUri());
  ear.open();
  ASSERT_TRUE(ear.isUp());
  server.pause();
  std::vector<std::string> story;
  ear.loop.call([&] {
    ear.subscriber->subscribe(Channel("a"), [&](const Result<void> &) {
      ear.subscriber->close();
      story.emplace_back("closed");
    });
    ear.subscriber->subscribe(Channel("b"), [&](const Result<void> &result) { story.emplace_back(result ? "heard" : "an error"); });
  });
  server.kill();
  EXPECT_TRUE(eventually([&] {
    std::size_t told = 0;
    ear.loop.call([&] { told = story.size(); });
    return told == 2;
  }));
  EXPECT_EQ(story, (std::vector<std::string>{"an error", "closed"}));
}

TEST(Subscriber, tellsWhoWaitsThatItWasCancelledWhenClosed) {
  auto server = startServer();
  Ear ear(server.unixUri());
  ear.open();
  ASSERT_TRUE(ear.isUp());
  server.pause();
  std::promise<Result<void>> outcome;
  ear.loop.call([&] {
    ear.subscriber->subscribe(Channel("c"), [&](Result<void> result) { outcome.set_value(std::move(result)); });
    ear.subscriber->close();
  });
  EXPECT_EQ(outcome.get_future().get().error().code, ErrorCode::Cancelled);
  EXPECT_EQ(ear.subscribe("d").error().code, ErrorCode::Cancelled);
  server.resume();
}

TEST(Subscriber, noticesAMessageSwallowedByTheNetworkAtTheNextBarrier) {
  const auto server = startServer();
  Proxy proxy(server.unixUri());
  auto options = hasty();
  options.commandTimeout = milliseconds(100);
  Line line(server.unixUri());
  Ear ear(proxy.uri(), options, {"c"});
  ear.open();
  ASSERT_TRUE(line.isReady() && ear.isUp());
  proxy.dropReplies(true);
  line.ask({"PUBLISH", "c", "lost"});
  EXPECT_FALSE(ear.ping().has_value());
  proxy.dropReplies(false);
  EXPECT_TRUE(ear.isUp(2));
  EXPECT_TRUE(ear.heard().empty());
}

} // namespace
} // namespace lockhouse::test
