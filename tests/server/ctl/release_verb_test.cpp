// SPDX-License-Identifier: Apache-2.0
// release and audit.
#include "tests/server/ctl/ctl_house.h"

#include "tests/support/eventually.h"

#include <filesystem>

namespace lockhouse {
namespace {

using test::CtlProcess;
using test::eventually;
using test::owner;
using test::token;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ReleaseVerb : public test::CtlHouse {
protected:
  std::vector<std::string> apply(const std::string &key, const std::string &holder) {
    return {"release", key, "--holder", holder, "--reason", "stuck since noon", "--apply"};
  }
};

TEST_F(ReleaseVerb, plansInWordsAndWritesNothing) {
  redis({"HSET", "stock", owner, "3"});
  const auto ended = ctl({"release", "stock", "--holder", owner, "--reason", "x", "--plan"});
  EXPECT_EQ(ended.code, 0);
  for (const auto part : {"nothing has been changed", "release-redisson-lock", "redisson_lock__channel:{stock}", "count 3", "never expires", "is not told"})
    EXPECT_THAT(ended.out, HasSubstr(part));
  EXPECT_EQ(redis({"EXISTS", "stock"}).integer(), 1);
  EXPECT_FALSE(std::filesystem::exists(m_server.folder() + "/state"));
}

TEST_F(ReleaseVerb, releasesAndKeepsAnAuditChain) {
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
}

TEST_F(ReleaseVerb, refusesWithCodeFiveAndSaysWhoHoldsIt) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  auto changed = apply("lock:a", "00000000000000000000000000000000");
  EXPECT_THAT(failed(ctl(changed), 5), HasSubstr(token));
  changed.emplace_back("--json");
  const auto result = nlohmann::json::parse(ctl(changed).out)["results"][0];
  EXPECT_EQ(result["verdict"], "changed");
  EXPECT_EQ(result["now"]["holders"][0]["id"], token);
  EXPECT_TRUE(result["audit_id"].is_null());
  failed(ctl(apply("nothing", token)), 5);
  redis({"SET", "data", "some text"});
  failed(ctl(apply("data", "some text")), 5);
  EXPECT_EQ(redis({"EXISTS", "lock:a", "data"}).integer(), 2);
}

TEST_F(ReleaseVerb, isCodeFourWithoutTheRight) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  redis({"ACL", "SETUSER", "eye", "on", ">pw", "~*", "&*", "+@read", "+@connection", "+info"});
  auto arguments = apply("lock:a", token);
  arguments.insert(arguments.begin(), {"--url", "redis://eye:pw@" + address()});
  EXPECT_THAT(failed(bare(arguments), 4), HasSubstr("ACL"));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(ReleaseVerb, isCodeFourWithoutAnAuditLog) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  auto arguments = apply("lock:a", token);
  arguments.insert(arguments.end(), {"--audit", "/proc/lockhouse/audit.sqlite"});
  EXPECT_THAT(failed(ctl(arguments), 4), HasSubstr("audit log"));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(ReleaseVerb, releasesOnEveryNodeThatHasIt) {
  const auto second = test::startServer();
  const auto third = test::startServer();
  redis({"SET", "lock:a", token, "PX", "60000"});
  std::vector<std::string> urls{"--url", "redis://" + second.tcpUri().address(), "--url", "redis://" + third.tcpUri().address()};
  auto arguments = apply("lock:a", token);
  arguments.insert(arguments.begin(), urls.begin(), urls.end());
  const auto results = json(arguments)["results"];
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0]["verdict"], "released");
  EXPECT_EQ(results[1]["verdict"], "already-free");
  EXPECT_EQ(results[2]["node"], third.tcpUri().address());
  redis({"SET", "lock:a", token, "PX", "60000"});
  EXPECT_EQ(ctl(arguments).code, 0) << "released somewhere, free on the rest";
}

TEST_F(ReleaseVerb, releasesOnTheNamedNodeOnly) {
  const auto second = test::startServer();
  redis({"SET", "lock:a", token, "PX", "60000"});
  auto arguments = apply("lock:a", token);
  arguments.insert(arguments.end(), {"--url", "redis://" + second.tcpUri().address(), "--node", second.tcpUri().address()});
  failed(ctl(arguments), 5);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
}

TEST_F(ReleaseVerb, saysWhichNodeCouldNotBeReached) {
  auto second = test::startServer();
  const auto gone = second.tcpUri().address();
  second.kill();
  redis({"SET", "lock:a", token, "PX", "60000"});
  auto arguments = apply("lock:a", token);
  arguments.insert(arguments.end(), {"--url", "redis://" + gone, "--json"});
  const auto ended = ctl(arguments);
  EXPECT_THAT(failed(ended, 3), HasSubstr(gone));
  const auto results = nlohmann::json::parse(ended.out)["results"];
  EXPECT_EQ(results[0]["verdict"], "released");
  EXPECT_EQ(results[1]["verdict"], "unreachable");
}

TEST_F(ReleaseVerb, saysThatItMayHaveHappenedAndWhatToDoWhenTheAnswerIsLost) {
  redis({"SET", "lock:a", token, "PX", "600000"});
  redis({"CLIENT", "PAUSE", "600000", "WRITE"}); // the release is sent and waits; reads go on
  auto arguments = apply("lock:a", token);
  arguments.emplace_back("--json");
  CtlProcess release(withUrl(arguments), m_environment);
  ASSERT_TRUE(eventually([this] { return redis({"INFO", "clients"}).text()->find("blocked_clients:1") != std::string_view::npos; }));
  m_server.kill();
  const auto ended = release.wait();
  EXPECT_THAT(failed(ended, 3), testing::AllOf(HasSubstr("may have happened"), HasSubstr("look again")));
  const auto result = nlohmann::json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["verdict"], "unreachable");
  EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("may have happened"));
  EXPECT_FALSE(result["audit_id"].is_null());
  const auto audit = bare({"audit", "--json"});
  EXPECT_EQ(nlohmann::json::parse(audit.out)["records"][1]["verdict"], "in-doubt");
}

TEST_F(ReleaseVerb, showsHostileBytesSafely) {
  const std::string key = "lock:\x1b[31m\xff";
  redis({"SET", key, token, "PX", "60000"});
  const auto ended = ctl(apply(key, token));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out.find_first_of("\x1b\xff"), std::string::npos);
  EXPECT_EQ(ctl({"audit"}).out.find_first_of("\x1b\xff"), std::string::npos);
}

TEST_F(ReleaseVerb, reachesALockWhoseKeyIsTheEmptyString) {
  for (const auto &words : {std::vector<std::string>{""}, {"--key-b64", ""}, {"--key-b64="}}) {
    redis({"HSET", "", owner, "2"});
    EXPECT_EQ(json({"list"})["locks"][0]["key"], "");
    EXPECT_THAT(ctl({"list"}).out, HasSubstr("  \"\"  "));
    auto show = words, release = words;
    show.emplace(show.begin(), "show");
    EXPECT_THAT(ctl(show).out, testing::StartsWith(std::string("\"\" is held by ") + owner));
    release.insert(release.begin(), {"release", "--holder", owner, "--count", "2", "--reason", "stuck since noon", "--apply"});
    const auto ended = ctl(release);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, testing::StartsWith("\"\" on "));
    EXPECT_EQ(redis({"EXISTS", ""}).integer(), 0);
    EXPECT_THAT(ctl(show).out, HasSubstr("no lock \"\" on"));
  }
  EXPECT_THAT(ctl({"audit"}).out, HasSubstr("  \"\"  "));
}

TEST_F(ReleaseVerb, auditSaysThatThereIsNothingAndMakesNoFile) {
  const auto ended = ctl({"audit"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("No release has been recorded"));
  EXPECT_THAT(failed(ctl({"audit", "--verify"}), 5), HasSubstr("no audit log to verify")) << "a log that was removed is not sound";
  EXPECT_THAT(failed(ctl({"audit", "--verify", "--audit", "/nonexistent/x"}), 5), HasSubstr("/nonexistent/x"));
  EXPECT_FALSE(std::filesystem::exists(m_server.folder() + "/state"));
}

TEST_F(ReleaseVerb, namesTheOtherKeysOfALockOfSeveralResourcesAsListDoes) {
  const std::string resources = "8f786850e387050fcab836ed7e6dc881"; // of neither a time-based nor a random UUID
  for (const auto *key : {"lock:a", "lock:b"})
    redis({"SET", key, resources, "PX", "60000"});
  const auto lock = json({"show", "lock:a"})["locks"][0];
  EXPECT_EQ(lock["family"], "node-redlock");
  EXPECT_THAT(lock["evidence"].dump(), HasSubstr("its holder has other keys here too: lock:b"));
  const auto planned = json({"release", "lock:a", "--holder", resources, "--reason", "x", "--plan"})["results"][0];
  EXPECT_EQ(planned["family"], "node-redlock");
  EXPECT_THAT(planned["plan"]["risks"].dump(), AllOf(HasSubstr("other keys here too: lock:b"), HasSubstr("release --all --holder")));
  redis({"DEL", "lock:b"});
  EXPECT_THAT(json({"show", "lock:a"})["locks"][0]["evidence"].dump(), Not(HasSubstr("other keys")));
}

} // namespace
} // namespace lockhouse
