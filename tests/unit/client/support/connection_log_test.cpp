// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/connection_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lockhouse {
namespace {

using testing::ElementsAre;
using Kind = LogEvent::Kind;
using State = Connection::State;

class LineLogTest : public testing::Test {
protected:
  std::vector<Kind> told;
  std::string lastText;
  ConnectionLog log{[this](const LogEvent &event) {
                      told.push_back(event.kind);
                      lastText = event.text;
                      EXPECT_EQ(event.node, NodeId("a:1"));
                    },
                    "a:1"};
  const Error why{ErrorCode::Unreachable, Message::verbatim("connection refused"), "a:1", Message::verbatim("start it")};
};

TEST_F(LineLogTest, tellsALossOnceHoweverOftenItIsTriedAgain) {
  log.connection(State::Ready, nullptr);
  log.connection(State::Down, &why);
  EXPECT_EQ(lastText, why.sentence());
  for (int i = 0; i < 3; ++i) {
    log.connection(State::Connecting, nullptr);
    log.connection(State::Down, &why);
  }
  log.connection(State::Connecting, nullptr);
  log.connection(State::Ready, nullptr);
  EXPECT_THAT(told, ElementsAre(Kind::Connected, Kind::ConnectionLost, Kind::ConnectionBack));
}

TEST_F(LineLogTest, tellsThatTheMessagesAreBackOnlyIfTheyWereGone) {
  log.messagesBack();
  log.messagesInterrupted(why);
  log.messagesInterrupted(why);
  log.messagesBack();
  EXPECT_THAT(told, ElementsAre(Kind::MessagesInterrupted, Kind::MessagesBack));
}

TEST(LineLogWithoutASink, saysNothing) {
  const ConnectionLog log({}, "a:1");
  EXPECT_FALSE(log.hasSink());
  log.serverRestarted();
}

TEST(LogEvent, namesEveryKindAndLevelDifferently) {
  std::vector<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(Kind::FallbackLeft); ++kind)
    names.push_back(name(static_cast<Kind>(kind)));
  for (const auto level : {LogEvent::Level::Info, LogEvent::Level::Warning, LogEvent::Level::Error})
    names.push_back(name(level));
  EXPECT_THAT(names, testing::Each(testing::Not(testing::IsEmpty())));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

} // namespace
} // namespace lockhouse
