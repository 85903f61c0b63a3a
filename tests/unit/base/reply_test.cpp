// SPDX-License-Identifier: Apache-2.0
#include "core/base/reply.h"

#include <gtest/gtest.h>

namespace lockhouse {
namespace {

const Reply nil;
const Reply number(std::int64_t{-7});
const Reply bulk(std::string("value"));
const Reply status(Reply::Status{"QUEUED"});
const Reply failure(Reply::Failure{"WRONGTYPE Operation against a key"});
const Reply elided(Reply::Elided{1'000'000});
const Reply array(Reply::Array{number, bulk, nil});

TEST(Reply, eachKindAnswersOnlyForItself) {
  const std::vector<const Reply *> all{&nil, &number, &bulk, &status, &failure, &elided, &array};
  for (const Reply *reply : all) {
    EXPECT_EQ(reply->isNil(), reply == &nil);
    EXPECT_EQ(reply->isFailure(), reply == &failure);
    EXPECT_EQ(reply->isElided(), reply == &elided);
    EXPECT_EQ(reply->isArray(), reply == &array);
    EXPECT_EQ(reply->integer().has_value(), reply == &number);
    EXPECT_EQ(reply->bulk() != nullptr, reply == &bulk);
    EXPECT_EQ(reply->text().has_value(), reply == &bulk || reply == &status);
    EXPECT_EQ(reply->elided().has_value(), reply == &elided);
    EXPECT_EQ(reply->array().empty(), reply != &array);
    EXPECT_EQ(reply->failure().empty(), reply != &failure);
    EXPECT_FALSE(reply->isOk());
  }
}

TEST(Reply, givesItsValue) {
  EXPECT_EQ(number.integer(), -7);
  EXPECT_EQ(*bulk.bulk(), "value");
  EXPECT_EQ(bulk.text(), "value");
  EXPECT_EQ(status.text(), "QUEUED");
  EXPECT_EQ(elided.elided(), 1'000'000U);
  EXPECT_EQ(array.array()[1], bulk);
}

TEST(Reply, onlyTheStatusOkIsOk) {
  EXPECT_TRUE(Reply(Reply::Status{"OK"}).isOk());
  EXPECT_FALSE(Reply(std::string("OK")).isOk()) << "a stored value that reads OK is not an acknowledgement";
}

TEST(Reply, writingToTheArrayOfAnotherKindMakesItOne) {
  Reply reply(std::string("old"));
  reply.array().push_back(number);
  EXPECT_TRUE(reply.isArray());
  EXPECT_EQ(reply.array().size(), 1U);
}

TEST(Reply, failureWordIsTheFirstWord) {
  EXPECT_EQ(failure.failureWord(), "WRONGTYPE");
  EXPECT_EQ(Reply(Reply::Failure{"ERR"}).failureWord(), "ERR");
  EXPECT_EQ(Reply(Reply::Failure{""}).failureWord(), "");
  EXPECT_EQ(bulk.failureWord(), "");
}

TEST(ErrorOf, classifiesByTheFirstWord) {
  const auto code = [](std::string text) { return errorOf(Reply(Reply::Failure{std::move(text)}), "n").code; };
  EXPECT_EQ(code("NOPERM this user has no permissions to run the 'set' command"), ErrorCode::NotPermitted);
  EXPECT_EQ(code("NOAUTH Authentication required."), ErrorCode::AuthFailed);
  EXPECT_EQ(code("WRONGPASS invalid username-password pair"), ErrorCode::AuthFailed);
  EXPECT_EQ(code("READONLY You can't write against a read only replica."), ErrorCode::ReadOnly);
  EXPECT_EQ(code("ERR NOPERM is only mentioned"), ErrorCode::Server);
  EXPECT_EQ(code("NOPERMX"), ErrorCode::Server);
}

TEST(ErrorOf, saysWhereAndWhatToDo) {
  const auto error = errorOf(Reply(Reply::Failure{"NOAUTH Authentication required."}), "10.0.0.7:6379");
  EXPECT_EQ(error.where, "10.0.0.7:6379");
  EXPECT_FALSE(error.next.empty());
}

TEST(ErrorOf, saysWhatToDoAboutWhatServersSayMostOften) {
  for (const auto *text :
       {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", "LOADING Redis is loading the dataset in memory",
        "OOM command not allowed when used memory > 'maxmemory'.", "CLUSTERDOWN The cluster is down", "CROSSSLOT Keys in request don't hash to the same slot",
        "MOVED 1 127.0.0.1:7001", "MISCONF Redis is configured to save RDB snapshots", "NOREPLICAS Not enough good replicas to write.",
        "ERR unknown command 'GETRANGE', with args beginning with: ", "WRONGTYPE Operation against a key holding the wrong kind of value"}) {
    const auto error = errorOf(Reply(Reply::Failure{text}), "n");
    EXPECT_EQ(error.code, ErrorCode::Server) << text;
    EXPECT_FALSE(error.next.empty()) << text;
  }
  EXPECT_TRUE(errorOf(Reply(Reply::Failure{"BUSYGROUP Consumer Group name already exists"}), "n").next.empty());
}

TEST(ErrorOf, knowsARefusalInsideAScriptAndADatabaseThatIsNotThere) {
  const auto code = [](std::string text) { return errorOf(Reply(Reply::Failure{std::move(text)}), "n").code; };
  EXPECT_EQ(code("ERR The user executing the script can't run this command or subcommand script: 0a, on @user_script:1."), ErrorCode::NotPermitted);
  EXPECT_EQ(code("ERR ACL failure in script: User w has no permissions to run the 'del' command script: 0a, on @user_script:34."), ErrorCode::NotPermitted);
  EXPECT_EQ(code("ERR DB index is out of range"), ErrorCode::Usage);
}

TEST(ErrorOf, makesTheServersWordsSafe) {
  const auto error = errorOf(Reply(Reply::Failure{"ERR \x1b[31mred\xe2\x80\xae\n" + std::string(10000, 'x')}), "n");
  EXPECT_EQ(error.what.english().find('\x1b'), std::string::npos);
  EXPECT_EQ(error.what.english().find('\n'), std::string::npos);
  EXPECT_LT(error.what.english().size(), 300U);
}

} // namespace
} // namespace lockhouse
