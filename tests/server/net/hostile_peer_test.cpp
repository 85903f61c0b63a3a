// SPDX-License-Identifier: Apache-2.0
// What a server may do to a connection or a subscriber that is logged in: each ends the connection with a reason; none aborts,
// hangs, or is taken for the answer to something else.
#include "tests/server/net/net_house.h"
#include "tests/support/scripted_peer.h"

namespace lockhouse::test {
namespace {

struct Hostile {
  const char *name;
  std::string says;
};

void PrintTo(const Hostile &hostile, std::ostream *out) { *out << hostile.name; }

// Lets the first connection log in and says `bytes` unasked; later ones live on in peace.
ScriptedPeer::Script unasked(std::string bytes) {
  return [bytes = std::move(bytes), first = std::make_shared<std::atomic<bool>>(true)](Conversation &conversation) {
    if (conversation.answerLogin() && first->exchange(false))
      conversation.say(bytes);
    conversation.waitForHangUp();
  };
}

const Hostile unaskedReplies[] = {
    {"aStatus", "+OK\r\n"},
    {"anError", "-ERR nobody asked\r\n"},
    {"anInteger", ":1\r\n"},
    {"aBulk", "$3\r\nabc\r\n"},
    {"anEmptyArray", "*0\r\n"},
    {"anArrayOfOne", "*1\r\n$7\r\nmessage\r\n"},
    {"aMessage", "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n"},
    {"aPatternMessage", "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\nc\r\n$1\r\nx\r\n"},
    {"aMessageWithAnIntegerForAChannel", "*3\r\n$7\r\nmessage\r\n:1\r\n$1\r\nx\r\n"},
    {"anUnsubscription", "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n"},
    {"aResp3Push", ">2\r\n+invalidate\r\n*0\r\n"},
    {"aTypeThatDoesNotExist", "!oops\r\n"},
};

class UnaskedReplies : public testing::TestWithParam<Hostile> {};

TEST_P(UnaskedReplies, endAConnection) {
  ScriptedPeer peer(unasked(GetParam().says));
  Line line(peer.uri());
  EXPECT_EQ(line.whyDown().code, ErrorCode::Protocol);
  EXPECT_TRUE(eventually([&] { return line.timesReady() == 2; }));
}

TEST_P(UnaskedReplies, endASubscriberThatIsNotSubscribed) {
  ScriptedPeer peer(unasked(GetParam().says));
  Ear ear(peer.uri());
  ear.open();
  EXPECT_TRUE(ear.isUp(2));
  ASSERT_EQ(ear.gaps().size(), 1U);
  EXPECT_EQ(ear.gaps()[0].code, ErrorCode::Protocol);
  EXPECT_TRUE(ear.heard().empty());
}

INSTANTIATE_TEST_SUITE_P(, UnaskedReplies, testing::ValuesIn(unaskedReplies), [](const auto &hostile) { return hostile.param.name; });

const Hostile wrongWhileSubscribed[] = {
    {"anEmptyArray", "*0\r\n"},
    {"anArrayOfOne", "*1\r\n$7\r\nmessage\r\n"},
    {"aMessageWithoutAPayload", "*2\r\n$7\r\nmessage\r\n$1\r\nc\r\n"},
    {"aMessageWithAnIntegerForAChannel", "*3\r\n$7\r\nmessage\r\n:1\r\n$1\r\nx\r\n"},
    {"aPatternMessageWithANilPattern", "*4\r\n$8\r\npmessage\r\n$-1\r\n$1\r\nc\r\n$1\r\nx\r\n"},
    {"anArrayThatBeginsWithAnInteger", "*3\r\n:7\r\n$1\r\nc\r\n$1\r\nx\r\n"},
    {"anArrayOfArrays", "*3\r\n*0\r\n*0\r\n*0\r\n"},
    {"aSecondConfirmation", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"},
    {"aPongThatNobodyAskedFor", "*2\r\n$4\r\npong\r\n$0\r\n\r\n"},
    {"aStatus", "+OK\r\n"},
};

class WrongWhileSubscribed : public testing::TestWithParam<Hostile> {};

TEST_P(WrongWhileSubscribed, endsTheSubscriber) {
  ScriptedPeer peer([first = std::make_shared<std::atomic<bool>>(true)](Conversation &conversation) {
    if (!conversation.answerLogin() || conversation.hear().empty())
      return;
    conversation.say("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\ngood\r\n");
    if (first->exchange(false))
      conversation.say(GetParam().says);
    conversation.waitForHangUp();
  });
  Ear ear(peer.uri(), hasty(), {"c"});
  ear.open();
  EXPECT_TRUE(ear.isUp(2));
  ASSERT_EQ(ear.gaps().size(), 1U);
  EXPECT_EQ(ear.gaps()[0].code, ErrorCode::Protocol);
  EXPECT_TRUE(eventually([&] { return ear.heard().size() == 2; }));
  for (const auto &heard : ear.heard())
    EXPECT_EQ(heard.payload, "good");
}

INSTANTIATE_TEST_SUITE_P(, WrongWhileSubscribed, testing::ValuesIn(wrongWhileSubscribed), [](const auto &hostile) { return hostile.param.name; });

const Hostile wrongConfirmations[] = {
    {"ofAnotherChannel", "*3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:1\r\n"},
    {"ofAnotherKind", "*3\r\n$10\r\npsubscribe\r\n$1\r\nc\r\n:1\r\n"},
    {"withoutACount", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n$1\r\n1\r\n"},
    {"withANumberForAChannel", "*3\r\n$9\r\nsubscribe\r\n:1\r\n:1\r\n"},
    {"asAStatus", "+OK\r\n"},
    {"asNil", "$-1\r\n"},
};

class WrongConfirmations : public testing::TestWithParam<Hostile> {};

TEST_P(WrongConfirmations, endTheSubscriber) {
  ScriptedPeer peer([first = std::make_shared<std::atomic<bool>>(true)](Conversation &conversation) {
    if (!conversation.answerLogin() || conversation.hear().empty())
      return;
    conversation.say(first->exchange(false) ? GetParam().says : "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    conversation.waitForHangUp();
  });
  Ear ear(peer.uri(), hasty(), {"c"});
  ear.open();
  EXPECT_TRUE(ear.isUp());
  ASSERT_EQ(ear.gaps().size(), 1U);
  EXPECT_EQ(ear.gaps()[0].code, ErrorCode::Protocol);
}

INSTANTIATE_TEST_SUITE_P(, WrongConfirmations, testing::ValuesIn(wrongConfirmations), [](const auto &hostile) { return hostile.param.name; });

TEST(Connection, endsAtOnceWhenMoreRepliesComeThanCommandsWent) {
  ScriptedPeer peer([](Conversation &conversation) {
    conversation.answerLogin();
    conversation.hear();
    conversation.say(":1\r\n:2\r\n");
    conversation.waitForHangUp();
  });
  Line line(peer.uri());
  ASSERT_TRUE(line.isReady());
  EXPECT_EQ(line.ask({"INCR", "n"})->integer(), 1);
  EXPECT_EQ(line.whyDown().code, ErrorCode::Protocol);
}

TEST(Connection, leavesWhatFollowsABrokenReplyInDoubt) {
  ScriptedPeer peer([](Conversation &conversation) {
    conversation.answerLogin();
    conversation.hear();
    conversation.say("$3\r\nabcd:2\r\n:3\r\n");
    conversation.waitForHangUp();
  });
  Line line(peer.uri());
  ASSERT_TRUE(line.isReady());
  for (auto &answer : line.sendAll({{"GET", "a"}, {"GET", "b"}}))
    EXPECT_EQ(answer.get().error().code, ErrorCode::InDoubt);
}

TEST(Connection, survivesAResetInTheMiddleOfAReply) {
  ScriptedPeer peer([](Conversation &conversation) {
    conversation.answerLogin();
    conversation.hear();
    conversation.say("$1000\r\nabc");
    conversation.reset();
  });
  Line line(peer.uri());
  ASSERT_TRUE(line.isReady());
  EXPECT_EQ(line.ask({"GET", "a"}).error().code, ErrorCode::InDoubt);
}

TEST(Connection, handsAKeyNameOfAStrangerOnThatIsTooLongToKeep) {
  const auto server = startServer();
  auto options = hasty();
  options.limits.bulk = 1000;
  Line line(server.unixUri(), options);
  ASSERT_TRUE(line.isReady());
  line.ask(Command{"SET", std::string(200000, 'k'), "1"});
  line.ask({"SET", "small", "1"});
  const auto keys = line.ask({"KEYS", "*"});
  ASSERT_EQ(keys->array().size(), 2U);
  EXPECT_EQ(keys->array()[0].elided().value_or(0) + keys->array()[1].elided().value_or(0), 200000U);
}

TEST(Connection, isNotFooledByAServerThatIsNoRedis) {
  for (const char *banner : {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail ESMTP\r\n"}) {
    ScriptedPeer peer([banner](Conversation &conversation) {
      conversation.say(banner);
      conversation.waitForHangUp();
    });
    Line line(peer.uri());
    EXPECT_EQ(line.whyDown().code, ErrorCode::Protocol) << banner;
    EXPECT_EQ(line.timesReady(), 0);
  }
}

} // namespace
} // namespace lockhouse::test
