// SPDX-License-Identifier: Apache-2.0
// release.
#include "tests/server/ctl/ctl_house.h"

#include "core/net/connection/subscriber.h"
#include "tests/support/eventually.h"

#include <filesystem>
#include <future>

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

TEST_F(ReleaseVerb, takesTheHolderAsListPrintsIt) {
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  for (const auto *words : {"", "--all"}) {
    for (const auto *key : {"rueidislock:0:my", "rueidislock:1:my", "rueidislock:2:my"})
      redis({"SET", key, votes, "PX", "60000"});
    const auto id = json({"list"})["locks"][0]["holders"][0]["id"].get<std::string>();
    auto release = apply("rueidislock:0:my", id);
    if (*words != 0) {
      release.erase(release.begin() + 1);
      release.emplace_back(words);
    }
    const auto ended = ctl(release);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(redis({"EXISTS", "rueidislock:0:my", "rueidislock:1:my"}).integer(), 0) << words;
  }
}

TEST_F(ReleaseVerb, leavesNoMajorityOfARueidislockOfAnyNumberOfKeys) {
  const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
  for (const int keys : {3, 5, 9, 11, 17}) {
    for (int i = 0; i < keys; ++i)
      redis({"SET", "rueidislock:" + std::to_string(i) + ":my", votes, "PX", "60000"});
    EXPECT_EQ(ctl(apply("rueidislock:0:my", "rueidislock:0:my")).code, 5) << "no such holder";
    auto words = apply("rueidislock:0:my", votes);
    EXPECT_EQ(ctl(words).code, 0);
    int left = 0;
    for (int i = 0; i < keys; ++i)
      left += redis({"DEL", "rueidislock:" + std::to_string(i) + ":my"}).integer() == 1 ? 1 : 0;
    EXPECT_LT(left * 2, keys) << keys;
  }
}

TEST_F(ReleaseVerb, freesAKeyThatLooksLikeDataWhereToldSo) {
  const std::string value = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
  redis({"SET", "account:42", value, "PX", "60000"});
  EXPECT_THAT(failed(ctl(apply("account:42", value)), 5), HasSubstr("with --all"));
  EXPECT_THAT(failed(ctl({"release", "--all", "--holder", value, "--reason", "x", "--apply"}), 5), HasSubstr("give that KEY with --all"));
  EXPECT_EQ(redis({"EXISTS", "account:42"}).integer(), 1);
  EXPECT_THAT(ctl({"--all", "release", "account:42", "--holder", value, "--reason", "x", "--plan"}).out, HasSubstr("make sure that it is one"));
  auto words = apply("account:42", value);
  words.emplace_back("--all");
  EXPECT_EQ(ctl(words).code, 0);
  EXPECT_EQ(redis({"EXISTS", "account:42"}).integer(), 0);
}

/// Who waits for a lock of Redisson's, as long as this is there.
class Waiter {
public:
  Waiter(const Uri &uri, const std::string &channel) {
    std::promise<void> listens;
    m_loop.call([&] {
      m_subscriber = std::make_unique<Subscriber>(m_loop, uri, ConnectionOptions{});
      m_subscriber->subscribe(Channel(channel), [&listens](const Result<void> &) { listens.set_value(); });
      m_subscriber->open();
    });
    listens.get_future().get();
  }
  ~Waiter() {
    m_loop.call([this] { m_subscriber.reset(); });
  }

private:
  Loop m_loop;
  std::unique_ptr<Subscriber> m_subscriber;
};

TEST_F(ReleaseVerb, saysOfALockWithoutHoldersWhyItCannotBeFreedThoughNobodyIsNamed) {
  redis({"SET", "sem", "0"});
  redis({"SET", "latch", "2"});
  const Waiter ofSemaphore(m_server.tcpUri(), "redisson_sc:{sem}"), ofLatch(m_server.tcpUri(), "redisson_countdownlatch__channel__{latch}");
  for (const auto &[key, instead] : {std::pair{"sem", "release() in any of its clients"}, std::pair{"latch", "countDown()"}})
    for (const auto *way : {"--plan", "--apply"}) {
      const auto bare = ctl({"release", key, "--reason", "x", way});
      EXPECT_THAT(failed(bare, 5), HasSubstr(instead));
      EXPECT_EQ(bare.err, ctl({"release", key, "--holder", "nobody", "--reason", "x", way}).err);
      const auto results = nlohmann::json::parse(ctl({"release", key, "--reason", "x", way, "--json"}).out)["results"];
      ASSERT_EQ(results.size(), 1U);
      EXPECT_EQ(results[0]["verdict"], "unreleasable");
      EXPECT_THAT(results[0]["detail"].get<std::string>(), HasSubstr(instead));
    }
  EXPECT_THAT(failed(ctl({"shorten", "sem", "--to", "5", "--reason", "x", "--plan"}), 5), HasSubstr("release() in any of its clients"));
  redis({"SET", "lock:a", token, "PX", "60000"});
  for (const auto *key : {"lock:a", "nothing"})
    EXPECT_THAT(failed(ctl({"release", key, "--reason", "x", "--apply"}), 2), HasSubstr("release needs --holder: the id that list shows"));
  EXPECT_EQ(redis({"EXISTS", "lock:a", "sem", "latch"}).integer(), 3);
}

TEST_F(ReleaseVerb, saysOfALockWithoutHoldersAmongManyWhyItCannotBeFreed) {
  redis({"SET", "sem", "0"});
  const Waiter waiter(m_server.tcpUri(), "redisson_sc:{sem}");
  const auto ended = ctl({"release", "--filter", "sem", "--reason", "x", "--plan", "--json"});
  EXPECT_EQ(ended.code, 5);
  const auto result = nlohmann::json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["verdict"], "unreleasable");
  EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("release() in any of its clients"));
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

TEST_F(ReleaseVerb, namesTheOtherKeysOfATokenWhoeverWroteItInItsPlan) {
  const std::string digest = "0123456789abcdef0123456789abcdef01234567";                                  // of no library that is known
  redis({"EVAL", "for i = 1, 50000 do redis.call('SET', 'page:' .. i, 'some text of a page') end", "0"}); // longer to sweep than to plan
  for (const auto *key : {"lock:a", "lock:b", "lock:c"})
    redis({"SET", key, digest, "PX", "60000"});
  EXPECT_THAT(json({"list"})["locks"][0]["evidence"].dump(), HasSubstr("its holder has other keys here too: lock:b, lock:c"));
  const auto planned = json({"release", "lock:a", "--holder", digest, "--reason", "x", "--plan"})["results"][0];
  EXPECT_THAT(planned["plan"]["risks"].dump(), AllOf(HasSubstr("other keys here too: lock:b, lock:c"), HasSubstr("release --all --holder")));
  redis({"DEL", "lock:b", "lock:c"});
  EXPECT_THAT(ctl({"release", "lock:a", "--holder", digest, "--reason", "x", "--plan"}).out, Not(HasSubstr("other keys")));
}

TEST_F(ReleaseVerb, leavesWhatOthersHoldOfALockWhoseHolderAFilterNames) {
  const std::string one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42", other = "0d2f41aa-6f0d-4f1a-9c58-2f4f0e7a1b02:7";
  redis({"HSET", "rw", "mode", "read", one, "1", other, "1"});
  redis({"PEXPIRE", "rw", "60000"});
  EXPECT_EQ(ctl({"release", "--filter", "holder:5b1c0a3e rw", "--reason", "x", "--apply"}).code, 0);
  EXPECT_EQ(redis({"HEXISTS", "rw", one}).integer(), 0);
  EXPECT_EQ(redis({"HEXISTS", "rw", other}).integer(), 1);
}

TEST_F(ReleaseVerb, doesNotTakeAMarkForAHolderOfAllThatCarryIt) {
  for (const auto *mark : {"1", "locked", "", "1795559511", "1795559511123"}) {
    redis({"SET", "order:lock", mark, "PX", "60000"});
    redis({"SET", "cart:lock", mark, "PX", "60000"});
    EXPECT_THAT(failed(ctl({"release", "--all", "--holder", mark, "--reason", "x", "--apply"}), 5), HasSubstr("names nobody"));
    EXPECT_EQ(redis({"EXISTS", "order:lock", "cart:lock"}).integer(), 2);
    EXPECT_EQ(ctl({"release", "--filter", "order:lock", "--holder", mark, "--reason", "x", "--apply"}).code, 0) << "whoever says which";
    EXPECT_EQ(redis({"EXISTS", "order:lock", "cart:lock"}).integer(), 1);
  }
}

TEST_F(ReleaseVerb, leavesOutTheReplicaOfAMasterThatIsGivenToo) {
  auto replica = test::startServer({"--replicaof", "127.0.0.1", std::to_string(m_server.tcpUri().port)});
  const auto copy = "redis://" + replica.tcpUri().address();
  redis({"HSET", "stock", owner, "1"});
  ASSERT_TRUE(eventually([&] { return bare({"--url", copy, "show", "stock"}).out.contains(owner); }));
  auto words = apply("stock", owner);
  words.insert(words.begin(), {"--url", copy});
  words.emplace_back("--json");
  const auto ended = ctl(words);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out)["results"].size(), 1U);
  EXPECT_EQ(redis({"EXISTS", "stock"}).integer(), 0);
  EXPECT_EQ(json({"audit", "--verify"})["verified"], 2);
}

TEST_F(ReleaseVerb, ofAReplicaWithoutItsMasterEveryListSaysThatItMayBeOld) {
  auto replica = test::startServer({"--replicaof", "127.0.0.1", "1"});
  const auto listed = bare({"--url", "redis://" + replica.tcpUri().address(), "list"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("this replica has lost its master, so that what it has may be old; look at the master"));
}

TEST_F(ReleaseVerb, namesTheLockThatAKeyBelongsTo) {
  const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  redis({"SET", "pool", "3"});
  redis({"ZADD", "{pool}:timeout", "99999999999999", permit});
  EXPECT_THAT(failed(ctl(apply("{pool}:timeout", "nobody")), 5), AllOf(HasSubstr("zset that is no lock"), HasSubstr("it lies beside pool, as its")));
  redis({"ZADD", "scores", "1", "somebody"});
  EXPECT_THAT(failed(ctl(apply("scores", "nobody")), 5), AllOf(HasSubstr("zset that is no lock"), Not(HasSubstr("beside"))));
}

TEST_F(ReleaseVerb, takesAKeyForALockBesideAnotherAsListDoes) {
  redis({"HSET", "SEMAPHORE:lock:7:GRABBED", "0", "1795300010.5"});
  redis({"SET", "SEMAPHORE:lock:7:EXISTS", "1"});
  EXPECT_THAT(failed(ctl(apply("SEMAPHORE:lock:7:EXISTS", "1")), 5), HasSubstr("it lies beside SEMAPHORE:lock:7:GRABBED, as its part; release that lock"));
  redis({"SET", "lock:owner:orders", "web-0:4711"});
  redis({"SET", "lock:expire:orders", token, "PX", "60000"});
  EXPECT_EQ(json({"show", "lock:expire:orders"})["locks"][0]["key"], "lock:expire:orders") << "a time would be the end of the other";
  EXPECT_EQ(ctl(apply("lock:expire:orders", token)).code, 0);
  EXPECT_EQ(redis({"EXISTS", "lock:expire:orders"}).integer(), 0);
}

} // namespace
} // namespace lockhouse
