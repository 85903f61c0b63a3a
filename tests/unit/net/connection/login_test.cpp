// SPDX-License-Identifier: Apache-2.0
#include "core/net/connection/login.h"

#include <gtest/gtest.h>

#include <string>

namespace lockhouse {
namespace {

const Reply ok(Reply::Status{"OK"});
const Reply pong(Reply::Status{"PONG"});

Reply failure(const char *text) { return Reply(Reply::Failure{text}); }

std::vector<std::string> words(const std::vector<Command> &commands) {
  std::vector<std::string> lines;
  for (const auto &command : commands) {
    std::string line;
    for (std::size_t i = 0; i < command.size(); ++i)
      line += (i == 0 ? "" : " ") + std::string(command[i]);
    lines.push_back(line);
  }
  return lines;
}

ConnectionOptions named(std::string name) {
  ConnectionOptions options;
  options.clientName = std::move(name);
  return options;
}

TEST(Login, marksTheConnectionAndAsksForASignOfLife) {
  Login login({.host = "h"}, named("me"), false);
  const auto said = words(login.next());
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[0], "CLIENT SETNAME me");
  EXPECT_EQ(said[1], "CLIENT SETINFO LIB-NAME lockhouse");
  EXPECT_EQ(said[2].substr(0, 22), "CLIENT SETINFO LIB-VER");
  EXPECT_EQ(said[3], "PING");
  EXPECT_EQ(login.on(ok), false);
  EXPECT_EQ(login.on(ok), false);
  EXPECT_EQ(login.on(ok), false);
  EXPECT_EQ(login.on(pong), true);
}

TEST(Login, saysNothingMoreUntilAuthIsAnswered) {
  Login login({.host = "h", .db = 2, .user = "u", .password = "p"}, named(""), false);
  EXPECT_EQ(words(login.next()), std::vector<std::string>{"AUTH u p"});
  EXPECT_TRUE(login.next().empty());
  EXPECT_EQ(login.on(ok), false);
  EXPECT_EQ(words(login.next())[0], "SELECT 2");
}

TEST(Login, authenticatesTheDefaultUserByPasswordAlone) {
  Login login({.host = "h", .password = "p"}, named(""), false);
  EXPECT_EQ(words(login.next()), std::vector<std::string>{"AUTH p"});
}

TEST(Login, endsOnAnyErrorOfAuth) {
  for (const char *text : {"WRONGPASS invalid username-password pair or user is disabled.", "ERR invalid password",
                           "ERR Client sent AUTH, but no password is set", "NOPERM this user"}) {
    Login login({.host = "h", .password = "p"}, named(""), false);
    login.next();
    const auto result = login.on(failure(text));
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::AuthFailed) << text;
    EXPECT_TRUE(login.next().empty()) << "nothing is sent after a refused AUTH";
  }
}

TEST(Login, endsOnAnAnswerToAuthThatIsNoAnswer) {
  Login login({.host = "h", .password = "p"}, named(""), false);
  login.next();
  EXPECT_EQ(login.on(Reply(std::string("OK"))).error().code, ErrorCode::AuthFailed);
}

TEST(Login, tellsThatThePasswordIsMissing) {
  Login login({.host = "h"}, named("me"), false);
  login.next();
  const auto result = login.on(failure("NOAUTH Authentication required."));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::AuthFailed);
}

TEST(Login, doesWithoutWhatAnOldServerOrANarrowAclRefuses) {
  Login login({.host = "h"}, named("me"), true);
  EXPECT_EQ(login.next().size(), 5U);
  EXPECT_EQ(login.on(failure("NOPERM this user has no permissions")), false);
  EXPECT_EQ(login.on(failure("ERR Unknown subcommand")), false);
  EXPECT_EQ(login.on(failure("ERR Unknown subcommand")), false);
  EXPECT_EQ(login.on(failure("NOPERM this user has no permissions")), false);
  EXPECT_EQ(login.on(failure("NOPERM this user has no permissions")), true);
  EXPECT_EQ(login.clientId(), 0);
}

TEST(Login, learnsTheClientId) {
  Login login({.host = "h"}, named(""), true);
  EXPECT_EQ(words(login.next())[2], "CLIENT ID");
  (void)login.on(ok);
  (void)login.on(ok);
  (void)login.on(Reply(std::int64_t{81}));
  EXPECT_EQ(login.on(pong), true);
  EXPECT_EQ(login.clientId(), 81);
}

TEST(Login, endsWhenTheDatabaseIsRefused) {
  Login login({.host = "h", .db = 99}, named(""), false);
  login.next();
  const auto result = login.on(failure("ERR DB index is out of range"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::Usage);
  EXPECT_NE(result.error().what.english().find("99"), std::string::npos);
}

TEST(Login, takesATurnAwayForWhatItIsAndNotForAWrongPassword) {
  for (const char *text :
       {"ERR max number of clients reached", "DENIED Redis is running in protected mode", "LOADING Redis is loading the dataset in memory"}) {
    Login login({.host = "h", .password = "p"}, named(""), false);
    login.next();
    const auto result = login.on(failure(text));
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::Unreachable) << text;
  }
}

TEST(Login, takesATurnAwayBeforeItSaidAnything) {
  Login login({.host = "h"}, named(""), false);
  EXPECT_EQ(login.on(failure("ERR max number of clients reached")).error().code, ErrorCode::Unreachable);
  EXPECT_EQ(login.on(ok).error().code, ErrorCode::Protocol);
}

} // namespace
} // namespace lockhouse
