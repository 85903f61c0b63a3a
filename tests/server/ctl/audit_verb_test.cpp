// SPDX-License-Identifier: Apache-2.0
// audit, and what release says of the log that it writes to.
#include "tests/server/ctl/ctl_house.h"

#include "core/store/database.h"
#include "tests/support/eventually.h"

#include <filesystem>
#include <fstream>
#include <sys/resource.h>

namespace lockhouse {
namespace {

using test::CtlProcess;
using test::owner;
using test::token;
using testing::HasSubstr;
using testing::Not;

class AuditVerb : public test::CtlHouse {
protected:
  static std::vector<std::string> apply(const std::string &key, const std::string &holder) {
    return {"release", key, "--holder", holder, "--reason", "stuck since noon", "--apply"};
  }
};

TEST_F(AuditVerb, showsAndChecksWhatAReleaseHasLeft) {
  redis({"HSET", "stock", owner, "3"});
  const auto ended = ctl(apply("stock", owner));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("released"));
  EXPECT_EQ(redis({"EXISTS", "stock"}).integer(), 0);
  const auto audit = json({"audit", "--verify"});
  EXPECT_EQ(audit["verified"], 2);
  ASSERT_EQ(audit["records"].size(), 2U);
  EXPECT_EQ(audit["records"][0]["verdict"], "intent");
  EXPECT_EQ(audit["records"][0]["reason"], "stuck since noon");
  EXPECT_EQ(audit["records"][0]["before"]["holders"][0]["count"], 3);
  EXPECT_EQ(audit["records"][1]["verdict"], "released");
  EXPECT_EQ(audit["records"][1]["subject"], audit["records"][0]["id"]);
  EXPECT_THAT(ctl({"audit", "--verify", "--last", "1"}).out, HasSubstr("sound: 2 records"));
  EXPECT_EQ(ctl({"audit", "--last", "0"}).out, "") << "none was asked for, which is not that there is none";
}

TEST_F(AuditVerb, warnsOfTheFirstBrokenLinkOfTheAuditLogAndGoesOnBehindIt) {
  for (const auto *key : {"lock:a", "lock:b", "lock:c"})
    redis({"SET", key, token, "PX", "60000"});
  EXPECT_EQ(ctl(apply("lock:a", token)).err, "");
  {
    auto log = Database::open(m_server.folder() + "/state/lockhouse/audit.sqlite");
    ASSERT_TRUE(log && log->run("DROP TRIGGER record_update; UPDATE record SET reason = x'00' WHERE seq = 1"));
  }
  constexpr auto link = "record 1 was altered after it was written";
  auto one = apply("lock:b", token);
  one.emplace_back("--json");
  const auto ended = ctl(one);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr("warning: the audit log is not sound, and goes on as it is"), HasSubstr(link)));
  const auto told = nlohmann::json::parse(ended.out);
  EXPECT_EQ(told["results"][0]["verdict"], "released");
  ASSERT_EQ(told["warnings"].size(), 1U);
  EXPECT_THAT(told["warnings"][0].get<std::string>(), HasSubstr(link));
  const auto many = ctl({"release", "--filter", "lock:c", "--reason", "x", "--apply"});
  EXPECT_EQ(many.code, 0);
  EXPECT_THAT(many.err, HasSubstr(link));
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
  const auto text = bare({"audit", "--verify"});
  EXPECT_EQ(text.code, 5);
  EXPECT_THAT(text.err, HasSubstr(link));
  EXPECT_THAT(text.out, testing::AllOf(HasSubstr("lock:b"), Not(HasSubstr("is sound")))) << "what it says is shown all the same";
  const auto broken = nlohmann::json::parse(bare({"audit", "--verify", "--json"}).out);
  EXPECT_EQ(broken["records"].size(), 6U);
  EXPECT_TRUE(broken["verified"].is_null());
  EXPECT_THAT(broken["error"].get<std::string>(), HasSubstr(link));
  EXPECT_EQ(nlohmann::json::parse(bare({"audit", "--json"}).out)["records"].size(), 6U);
}

TEST_F(AuditVerb, saysWithCodeFiveThatWhatWasDoneCouldNotBeRecorded) {
  for (const auto *key : {"lock:a", "lock:b", "lock:c", "lock:d"})
    redis({"SET", key, token, "PX", "60000"});
  EXPECT_EQ(ctl(apply("lock:a", token)).code, 0);
  {
    auto log = Database::open(m_server.folder() + "/state/lockhouse/audit.sqlite");
    ASSERT_TRUE(log && log->run("CREATE TRIGGER mute BEFORE INSERT ON record WHEN length(NEW.subject) > 0 BEGIN SELECT RAISE(IGNORE); END"));
  }
  auto one = apply("lock:b", token);
  one.emplace_back("--json");
  const auto ended = ctl(one);
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr("lock:b"), HasSubstr("could not be recorded"), HasSubstr("trigger")));
  const auto told = nlohmann::json::parse(ended.out);
  EXPECT_EQ(told["results"][0]["verdict"], "released");
  EXPECT_THAT(told["warnings"].dump(), testing::AllOf(HasSubstr("could not be recorded"), HasSubstr("none of Lockhouse's: mute")));
  const auto many = ctl({"release", "--filter", "lock:", "--reason", "x", "--apply"});
  EXPECT_EQ(many.code, 5);
  EXPECT_THAT(many.err, HasSubstr("could not be recorded"));
  const auto text = bare({"audit", "--verify"});
  EXPECT_EQ(text.code, 5);
  EXPECT_THAT(text.err, HasSubstr("none of Lockhouse's: mute"));
  {
    auto log = Database::open(m_server.folder() + "/state/lockhouse/audit.sqlite");
    ASSERT_TRUE(log && log->run("DROP TRIGGER mute"));
  }
  const auto sound = nlohmann::json::parse(bare({"audit", "--verify", "--json"}).out);
  ASSERT_GE(sound["unanswered"].size(), 1U);
  EXPECT_THAT(bare({"audit", "--verify"}).out, HasSubstr("no outcome: " + sound["unanswered"][0].get<std::string>()));
}

TEST_F(AuditVerb, isCodeFourWithoutAnAuditLog) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  auto arguments = apply("lock:a", token);
  arguments.insert(arguments.end(), {"--audit", "/proc/lockhouse/audit.sqlite"});
  EXPECT_THAT(failed(ctl(arguments), 4), HasSubstr("audit log"));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(AuditVerb, isCodeFourWhereFilesMayGrowNoFurther) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto ended = ctl(apply("lock:a", token));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(failed(ended, 4), HasSubstr("audit log"));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(AuditVerb, saysThatThereIsNothingAndMakesNoFile) {
  const auto ended = ctl({"audit"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("No release has been recorded"));
  EXPECT_THAT(failed(ctl({"audit", "--verify"}), 5), HasSubstr("no audit log to verify")) << "a log that was removed is not sound";
  EXPECT_THAT(failed(ctl({"audit", "--verify", "--audit", "/nonexistent/x"}), 5), HasSubstr("/nonexistent/x"));
  EXPECT_THAT(json({"audit", "--verify"})["error"].get<std::string>(), HasSubstr("no audit log to verify"));
  EXPECT_FALSE(std::filesystem::exists(m_server.folder() + "/state"));
}

TEST_F(AuditVerb, saysOfAFileWithoutAByteThatItWasEmptied) {
  const auto file = m_server.folder() + "/emptied";
  std::ofstream(file).close();
  for (const std::vector<std::string> &how : {std::vector<std::string>{"audit"}, {"audit", "--verify"}}) {
    auto arguments = how;
    arguments.insert(arguments.end(), {"--audit", file});
    EXPECT_THAT(failed(ctl(arguments), 5), HasSubstr("whatever was in it is gone"));
  }
}

// Taken away while a release is under way: what was begun in it cannot be told there any more.
TEST_F(AuditVerb, ofWhatIsRemovedInTheMiddleSaysThatTheOutcomeIsNotRecorded) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"CLIENT", "PAUSE", "600000", "WRITE"});
  CtlProcess release(withUrl(apply("lock:a", token)), m_environment);
  const auto file = m_server.folder() + "/state/lockhouse/audit.sqlite";
  const auto isMeant = [&] {
    const auto told = nlohmann::json::parse(bare({"audit", "--json"}).out, nullptr, false);
    return told.is_object() && told["records"].size() == 1;
  };
  ASSERT_TRUE(test::eventually(isMeant));
  std::filesystem::rename(file, file + ".away");
  redis({"CLIENT", "UNPAUSE"});
  const auto ended = release.wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr("could not be recorded"), HasSubstr("removed, renamed or replaced")));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 0);
}

// Other programs make a new index of the journal then, and know nothing of what the first writes there, nor it of what they do.
TEST_F(AuditVerb, whatOthersRecordStaysWhereTheIndexOfTheJournalIsRemovedInTheMiddle) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"CLIENT", "PAUSE", "600000", "WRITE"});
  CtlProcess release(withUrl(apply("lock:a", token)), m_environment);
  const auto file = m_server.folder() + "/state/lockhouse/audit.sqlite";
  const auto records = [&] {
    const auto told = nlohmann::json::parse(bare({"audit", "--json"}).out, nullptr, false);
    return told.is_object() ? told["records"].size() : 0;
  };
  ASSERT_TRUE(test::eventually([&] { return records() == 1; }));
  std::filesystem::remove(file + "-shm");
  const auto other = test::startServer();
  for (const auto *key : {"lock:b", "lock:c"}) {
    test::sendTo(other, {"SET", key, token, "PX", "60000"});
    auto words = apply(key, token);
    words.insert(words.begin(), {"--url", "redis://" + other.tcpUri().address()});
    EXPECT_EQ(bare(words).code, 0) << key;
  }
  redis({"CLIENT", "UNPAUSE"});
  const auto ended = release.wait();
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr("could not be recorded"), HasSubstr("-shm file taken away")));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 0);
  const auto told = bare({"audit", "--json"}).out;
  for (const auto *key : {"lock:b", "lock:c"})
    EXPECT_THAT(told, HasSubstr(key)) << "what was recorded of it stays";
}

} // namespace
} // namespace lockhouse
