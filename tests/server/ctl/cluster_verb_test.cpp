// SPDX-License-Identifier: Apache-2.0
// lockhousectl over the masters of a cluster: one of them has the key, and the others are no nodes of its lock.
#include "tests/server/ctl/ctl_house.h"
#include "tests/support/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace lockhouse {
namespace {

using test::owner;
using testing::HasSubstr;

const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);

std::string byAnother(char first) {
  auto token = votes;
  token.front() = first;
  return token;
}

class ClusterVerb : public test::CtlHouse {
protected:
  void SetUp() override { ASSERT_TRUE(cluster.isUp()); }
  test::CtlProcess::Ended at(const std::vector<std::size_t> &nodes, std::vector<std::string> arguments) {
    for (const auto node : nodes)
      arguments.insert(arguments.begin(), {"--url", "redis://" + cluster.uri(node).address()});
    return bare(arguments);
  }
  std::vector<std::string> release(const std::string &key, const std::string &holder, const std::string &how) {
    return {"release", key, "--holder", holder, "--reason", "stuck", how, "--json"};
  }
  static nlohmann::json resultsOf(const test::CtlProcess::Ended &ended) { return nlohmann::json::parse(ended.out, nullptr, false)["results"]; }

  test::Cluster cluster;
};

TEST_F(ClusterVerb, onlyTheMasterThatHasTheKeyIsANodeOfItsLock) {
  cluster({"HSET", "stock", owner, "1"});
  const auto home = cluster.ownerOf("stock");
  for (const auto *how : {"--plan", "--apply"}) {
    const auto ended = at({0, 1, 2}, release("stock", owner, how));
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    const auto results = resultsOf(ended);
    ASSERT_EQ(results.size(), 1U) << ended.out;
    EXPECT_EQ(results[0]["node"], cluster.uri(home).address());
  }
  EXPECT_EQ(cluster({"EXISTS", "stock"}).integer(), 0);
  const auto again = at({0, 1, 2}, release("stock", owner, "--apply"));
  EXPECT_EQ(again.code, 5) << again.err;
  EXPECT_EQ(resultsOf(again)[0]["verdict"], "already-free");
}

TEST_F(ClusterVerb, whereNoMasterThatIsNamedHasTheKeyTheOneThatDoesIsTold) {
  cluster({"HSET", "stock", owner, "1"});
  const auto home = cluster.ownerOf("stock");
  const auto ended = at({(home + 1) % 3, (home + 2) % 3}, release("stock", owner, "--apply"));
  EXPECT_THAT(failed(ended, 3), HasSubstr(cluster.uri(home).address()));
  EXPECT_EQ(resultsOf(ended).size(), 1U);
}

TEST_F(ClusterVerb, showsAKeyThatIsNotThereAsNotThere) {
  EXPECT_EQ(at({0, 1, 2}, {"show", "nothing"}).code, 0);
  cluster({"HSET", "stock", owner, "1"});
  EXPECT_THAT(at({0, 1, 2}, {"show", "stock"}).out, HasSubstr("redisson-lock"));
  EXPECT_EQ(at({(cluster.ownerOf("stock") + 1) % 3}, {"show", "stock"}).code, 3);
}

TEST_F(ClusterVerb, freesARueidislockOnEveryMaster) {
  for (const auto *key : {"rueidislock:0:job", "rueidislock:1:job", "rueidislock:2:job"})
    cluster({"SET", key, votes, "PX", "60000"});
  auto preview = at({0, 1, 2}, {"release", "--filter", "family:rueidislock", "--reason", "stuck", "--plan", "--json"});
  EXPECT_EQ(preview.code, 0) << preview.err;
  for (const auto &result : resultsOf(preview)) {
    EXPECT_TRUE(result["verdict"].is_null()) << result;
    EXPECT_TRUE(result["plan"]["refusal"].is_null()) << result;
  }
  const auto ended = at({0, 1, 2}, {"release", "--filter", "family:rueidislock", "--reason", "stuck", "--apply", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  for (const auto *key : {"rueidislock:0:job", "rueidislock:1:job", "rueidislock:2:job"})
    EXPECT_EQ(cluster({"EXISTS", key}).integer(), 0) << key;
}

TEST_F(ClusterVerb, freesARueidislockUnderAPrefixOfItsUsersOnEveryMaster) {
  for (const auto *name : {"job20", "job15", "my"}) {
    const auto keyOf = [name](int i) { return fmt::format("app:lk:{}:{}", i, name); };
    for (int i = 0; i < 3; ++i)
      cluster({"SET", keyOf(i), votes, "PX", "60000"});
    const auto listed = nlohmann::json::parse(at({0, 1, 2}, {"list", "--json"}).out)["locks"];
    ASSERT_EQ(listed.size(), 1U) << listed;
    EXPECT_EQ(listed[0]["family"], "rueidislock");
    EXPECT_EQ(listed[0]["key"], keyOf(0));
    EXPECT_EQ(listed[0]["state"], "held");
    if (name == std::string_view("job15")) { // by any of its keys
      const auto ended = at({0, 1, 2}, release(keyOf(1), votes, "--apply"));
      EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), 0) << keyOf(i);
      continue;
    }
    const auto ended = at({0, 1, 2}, {"release", "--filter", "family:rueidislock", "--reason", "stuck", "--apply", "--json"});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), 0) << keyOf(i);
  }
}

// Where one of its keys alone lies on a master it would be a token there, by such a name.
TEST_F(ClusterVerb, ofARueidislockUnderAPrefixThatSpeaksOfALockOneRowTells) {
  const auto rival = byAnother('\x02');
  for (const auto *prefix : {"lock", "locks", "my_lock"}) {
    const auto keyOf = [prefix](int i) { return fmt::format("{}:{}:x", prefix, i); };
    for (int i = 0; i < 3; ++i)
      cluster({"SET", keyOf(i), i == 1 ? rival : votes, "PX", "60000"});
    const auto listed = nlohmann::json::parse(at({0, 1, 2}, {"list", "--json"}).out)["locks"];
    ASSERT_EQ(listed.size(), 1U) << listed;
    EXPECT_EQ(listed[0]["family"], "rueidislock");
    EXPECT_EQ(listed[0]["key"], keyOf(0));
    EXPECT_EQ(listed[0]["state"], "held") << "by two of three";
    const auto ended = at({0, 1, 2}, release(keyOf(2), votes, "--apply"));
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), i == 1 ? 1 : 0) << keyOf(i);
    cluster({"DEL", keyOf(1)});
  }
}

// A master that refuses the names of all keys says so of those, too, that it has not: what is done does not hang on who answers first.
TEST_F(ClusterVerb, ofARueidislockWhatIsReleasedIsTheSameWhoeverAnswersFirst) {
  const auto keyOf = [](int i) { return fmt::format("rueidislock:{}:my", i); }; // on a master each
  const auto closed = cluster.ownerOf(keyOf(1));
  for (std::size_t node = 0; node < cluster.size(); ++node)
    ASSERT_TRUE(cluster.at(node, {"ACL", "SETUSER", "op", "reset", "on", ">pw", node == closed ? "~other*" : "~*", "&*", "+@all"}).isOk());
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 3; ++i)
      cluster({"SET", keyOf(i), votes, "PX", "60000"});
    std::vector<std::string> words{"release", "--filter", "rueidislock", "--reason", "stuck", "--apply", "--json"};
    for (std::size_t node = 0; node < cluster.size(); ++node)
      words.insert(words.begin(), {"--url", "redis://op:pw@" + cluster.uri(node).address()});
    const auto ended = bare(words);
    const auto results = resultsOf(ended);
    ASSERT_EQ(results.size(), 2U) << ended.out << ended.err;
    for (const auto &result : results)
      EXPECT_EQ(result["verdict"], "released") << result;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), i == 1 ? 1 : 0) << keyOf(i);
  }
}

// Nor does what a user may release who may read one of its keys alone.
TEST_F(ClusterVerb, ofARueidislockNothingGoesWhereMostOfItsKeysMayNotBeRead) {
  for (const std::string prefix : {"rueidislock", "lock"}) {
    const auto keyOf = [&prefix](int i) { return fmt::format("{}:{}:my", prefix, i); };
    for (std::size_t node = 0; node < cluster.size(); ++node)
      ASSERT_TRUE(cluster.at(node, {"ACL", "SETUSER", "op", "reset", "on", ">pw", "~" + prefix + ":0:*", "&*", "+@all"}).isOk());
    for (int i = 0; i < 3; ++i)
      cluster({"SET", keyOf(i), votes, "PX", "60000"});
    for (int round = 0; round < 4; ++round)
      for (const auto &way : {std::vector<std::string>{"--filter", "my"}, {keyOf(0), "--holder", votes}, {keyOf(1), "--holder", votes}}) {
        std::vector<std::string> words;
        for (std::size_t node = 0; node < cluster.size(); ++node)
          words.insert(words.end(), {"--url", "redis://op:pw@" + cluster.uri(node).address()});
        words.emplace_back("release");
        words.insert(words.end(), way.begin(), way.end());
        words.insert(words.end(), {"--reason", "stuck", "--apply"});
        const auto ended = bare(words);
        EXPECT_NE(ended.code, 0) << ended.out << ended.err;
        for (int i = 0; i < 3; ++i)
          EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), 1) << keyOf(i) << " " << way.front() << " " << ended.out << ended.err;
      }
    for (int i = 0; i < 3; ++i)
      cluster({"DEL", keyOf(i)});
  }
}

// How many keys it has nobody knows who may not read the others.
TEST_F(ClusterVerb, ofARueidislockNothingGoesByAUserWhoMayReadTwoOfItsFiveKeys) {
  const auto keyOf = [](int i) { return fmt::format("rueidislock:{}:my", i); };
  for (std::size_t node = 0; node < cluster.size(); ++node)
    ASSERT_TRUE(cluster.at(node, {"ACL", "SETUSER", "op", "reset", "on", ">pw", "~rueidislock:0:*", "~rueidislock:1:*", "&*", "+@all"}).isOk());
  for (int i = 0; i < 5; ++i)
    cluster({"SET", keyOf(i), votes, "PX", "600000"});
  for (const auto &way : std::vector<std::vector<std::string>>{{keyOf(0), "--holder", votes}, {"--filter", "rueidislock"}}) {
    std::vector<std::string> words{"release", "--reason", "stuck", "--apply", "--json"};
    words.insert(words.end(), way.begin(), way.end());
    for (std::size_t node = 0; node < cluster.size(); ++node)
      words.insert(words.begin(), {"--url", "redis://op:pw@" + cluster.uri(node).address()});
    const auto ended = bare(words);
    EXPECT_EQ(ended.code, 4) << ended.out << ended.err;
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), 1) << keyOf(i);
  }
}

// Two of its three keys lie on a master that refuses: what the third gives up frees nothing.
TEST_F(ClusterVerb, ofARueidislockNothingGoesWhereMostOfItsKeysStay) {
  std::string name;
  for (int i = 0; name.empty(); ++i) {
    const auto each = fmt::format("job{}", i);
    const auto at = [&](int key) { return cluster.ownerOf(fmt::format("rueidislock:{}:{}", key, each)); };
    if (at(0) == at(1) && at(1) != at(2))
      name = each;
  }
  const auto keyOf = [&name](int i) { return fmt::format("rueidislock:{}:{}", i, name); };
  for (int i = 0; i < 3; ++i)
    cluster({"SET", keyOf(i), votes, "PX", "60000"});
  cluster.at(cluster.ownerOf(keyOf(0)), {"ACL", "SETUSER", "default", "-evalsha", "-eval"});
  for (const auto *how : {"--plan", "--apply"}) {
    const auto ended = at({0, 1, 2}, {"release", "--filter", "family:rueidislock", "--reason", "stuck", how, "--json"});
    EXPECT_EQ(ended.code, how == std::string("--plan") ? 0 : 4) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("refused for 2 of its 3 keys, so its holder would keep it"));
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cluster({"EXISTS", keyOf(i)}).integer(), 1) << keyOf(i);
}

TEST_F(ClusterVerb, ofARueidislockTheKeysOfOthersStay) {
  const std::vector<std::string> keys{"rueidislock:0:my", "rueidislock:1:my", "rueidislock:2:my"}; // on a master each
  const auto others = byAnother('\xee');
  cluster({"SET", keys[0], others, "PX", "600000"});
  cluster({"SET", keys[1], votes, "PX", "600000"});
  cluster({"SET", keys[2], votes, "PX", "600000"});
  const auto locks = nlohmann::json::parse(at({0, 1, 2}, {"list", "--json"}).out)["locks"];
  ASSERT_EQ(locks.size(), 1U) << locks;
  EXPECT_EQ(locks[0]["state"], "held");
  EXPECT_EQ(locks[0]["members"].size(), 3U);
  const auto ended = at({0, 1, 2}, {"release", "--filter", "family:rueidislock", "--reason", "stuck", "--apply", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(cluster({"EXISTS", keys[0]}).integer(), 1) << "somebody else's";
  EXPECT_EQ(cluster({"EXISTS", keys[1]}).integer(), 0);
  EXPECT_EQ(cluster({"EXISTS", keys[2]}).integer(), 0);
}

// a:0 and a:2 lie on one master, a:1 on another.
TEST_F(ClusterVerb, ofARueidislockAKeyBesideAnothersOnOneMasterIsReleased) {
  std::string name;
  const auto keyOf = [&name](int i) { return fmt::format("rueidislock:{}:{}", i, name); };
  for (int i = 0; name.empty() || cluster.ownerOf(keyOf(0)) != cluster.ownerOf(keyOf(2)) || cluster.ownerOf(keyOf(0)) == cluster.ownerOf(keyOf(1)); ++i)
    name = fmt::format("n{}", i);
  for (const bool isLess : {true, false}) { // whosever token comes first
    const auto others = byAnother(isLess ? '\x00' : '\xee');
    cluster({"SET", keyOf(0), others, "PX", "600000"});
    cluster({"SET", keyOf(1), votes, "PX", "600000"});
    cluster({"SET", keyOf(2), votes, "PX", "600000"});
    const auto ended = at({0, 1, 2}, {"release", "--filter", "family:rueidislock", "--reason", "stuck", "--apply", "--json"});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_EQ(cluster({"EXISTS", keyOf(0)}).integer(), 1) << "somebody else's";
    EXPECT_EQ(cluster({"EXISTS", keyOf(1)}).integer(), 0);
    EXPECT_EQ(cluster({"EXISTS", keyOf(2)}).integer(), 0);
  }
}

TEST_F(ClusterVerb, ofAUsersLockWhoseQueueLiesOnAnotherMasterOneRowTells) {
  const std::string lock = "acme:orders:lock", queue = lock + ":q";
  ASSERT_NE(cluster.ownerOf(lock), cluster.ownerOf(queue)) << "the names lie so";
  const auto path = m_server.folder() + "/families.toml";
  std::ofstream(path) << R"([[family]]
slug = "acme"
about = "a lock"
release = "A"
waits = "queue"
[[family.form]]
type = "string"
key = "acme:{name}:lock"
value = "{id}"
confidence = 0.9
evidence = "an Acme lock"
[[family.beside]]
key = "acme:{name}:lock:q"
type = "list"
role = "queue"
)";
  cluster({"SET", lock, "web-1:1", "PX", "600000"});
  cluster({"RPUSH", queue, "web-2:2"});
  const auto locks = nlohmann::json::parse(at({0, 1, 2}, {"list", "--json", "--families", path}).out)["locks"];
  ASSERT_EQ(locks.size(), 1U) << locks;
  EXPECT_EQ(locks[0]["holders"].size(), 1U);
}

TEST_F(ClusterVerb, saysThatLocksMayBeMissingWhileSlotsMove) {
  cluster({"HSET", "stock", owner, "1"});
  const auto home = cluster.ownerOf("stock"), next = (home + 1) % 3;
  const auto slot = std::to_string(*cluster.at(home, {"CLUSTER", "KEYSLOT", "stock"}).integer());
  const auto other = *cluster.at(next, {"CLUSTER", "MYID"}).bulk();
  const auto moved = [this] {
    const auto nodes = nlohmann::json::parse(at({0, 1, 2}, {"list", "--json"}).out)["nodes"];
    return std::ranges::count_if(nodes, [](const nlohmann::json &node) { return node["scan"]["slots_moved"].get<bool>(); });
  };
  EXPECT_EQ(moved(), 0);
  EXPECT_TRUE(cluster.at(home, {"CLUSTER", "SETSLOT", slot, "MIGRATING", other}).isOk());
  EXPECT_EQ(moved(), 1);
  const auto ended = at({0, 1, 2}, {"release", "--filter", "stock", "--reason", "stuck", "--plan"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("slots of the cluster moved while its keys were looked at"));
  EXPECT_TRUE(cluster.at(home, {"CLUSTER", "SETSLOT", slot, "STABLE"}).isOk());
  EXPECT_EQ(moved(), 0);
}

TEST_F(ClusterVerb, listSaysHowManyMastersAreNotWatched) {
  EXPECT_THAT(at({0}, {"list"}).out, HasSubstr("Masters of this cluster that are not watched: 2."));
  EXPECT_THAT(at({0, 1, 2}, {"list"}).out, testing::Not(HasSubstr("Masters of this cluster")));
  EXPECT_EQ(nlohmann::json::parse(at({0}, {"list", "--json"}).out)["nodes"][0]["cluster_masters"], 3);
}

TEST_F(ClusterVerb, takesNoKeyOfARueidislockWhoseMajorityLiesOnMastersThatAreNotWatched) {
  const std::vector<std::string> keys{"rueidislock:0:my", "rueidislock:1:my", "rueidislock:2:my"};
  std::set<std::size_t> homes;
  for (const auto &key : keys) {
    cluster({"SET", key, votes, "PX", "600000"});
    homes.insert(cluster.ownerOf(key));
  }
  ASSERT_EQ(homes.size(), 3U) << "the names lie so";
  const std::vector<std::vector<std::string>> ways{{keys[1], "--holder", votes}, {"--filter", "family:rueidislock"}};
  for (const auto &way : ways) {
    std::vector<std::string> words{"release"};
    words.insert(words.end(), way.begin(), way.end());
    words.insert(words.end(), {"--reason", "stuck", "--apply", "--json"});
    const auto ended = at({cluster.ownerOf(keys[1])}, words);
    EXPECT_EQ(ended.code, 5) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr(cluster.uri(cluster.ownerOf(keys[0])).address()));
    EXPECT_THAT(ended.err, HasSubstr("watch these too (--url)"));
    for (const auto &key : keys)
      EXPECT_EQ(cluster({"EXISTS", key}).integer(), 1) << key;
  }
  const auto most = at({cluster.ownerOf(keys[0]), cluster.ownerOf(keys[1])}, release(keys[1], votes, "--apply"));
  EXPECT_EQ(most.code, 0) << most.err << most.out;
  EXPECT_EQ(cluster({"EXISTS", keys[0]}).integer(), 0);
  EXPECT_EQ(cluster({"EXISTS", keys[2]}).integer(), 1);
}

TEST_F(ClusterVerb, ofManyAMasterThatIsNamedAndDoesNotAnswerIsNotSaidToBeUnwatched) {
  cluster({"HSET", test::Cluster::nameWhere([&](const std::string &name) { return cluster.ownerOf(name) == 0; }), owner, "1"});
  cluster.at(2, {"CLIENT", "PAUSE", "600000"});
  const auto ended = at({0, 1, 2}, {"release", "--all", "--holder", owner, "--plan", "--json"});
  EXPECT_EQ(ended.code, 3) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr(cluster.uri(2).address()));
  EXPECT_THAT(ended.out + ended.err, testing::Not(HasSubstr("that are not watched")));
  EXPECT_THAT(at({0, 2}, {"release", "--all", "--holder", owner, "--plan"}).err,
              HasSubstr("masters of this cluster that are not watched: " + cluster.uri(1).address() + ";"));
}

TEST_F(ClusterVerb, ofManyTheMastersThatAreNotWatchedAreToldAndTheirsIsNoPlainSuccess) {
  std::vector<std::string> keys;
  for (std::size_t node = 0; node < 3; ++node)
    keys.push_back(test::Cluster::nameWhere([&](const std::string &name) { return cluster.ownerOf(name) == node; }));
  for (const auto &key : keys)
    cluster({"HSET", key, owner, "1"});
  const std::vector<std::vector<std::string>> ways{{"--all", "--holder", owner}, {"--filter", "family:redisson-lock"}};
  for (const auto &way : ways) {
    std::vector<std::string> words{"release", "--plan", "--json"};
    words.insert(words.end(), way.begin(), way.end());
    const auto ended = at({0}, words);
    EXPECT_EQ(ended.code, 3) << ended.out;
    const auto told = nlohmann::json::parse(ended.out, nullptr, false);
    EXPECT_EQ(told["results"].size(), 1U);
    ASSERT_EQ(told["warnings"].size(), 1U) << ended.out;
    for (const auto &heard : {ended.err, told["warnings"][0].get<std::string>()}) {
      EXPECT_THAT(heard, HasSubstr("masters of this cluster that are not watched"));
      EXPECT_THAT(heard, testing::AllOf(HasSubstr(cluster.uri(1).address()), HasSubstr(cluster.uri(2).address())));
    }
    EXPECT_EQ(at({0, 1, 2}, words).code, 0);
  }
  const auto ended = at({0}, {"release", "--all", "--holder", owner, "--reason", "stuck", "--apply"});
  EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 of 1 done"));
  EXPECT_EQ(at({0, 1, 2}, {"release", "--all", "--holder", owner, "--reason", "stuck", "--apply"}).code, 0);
}

} // namespace
} // namespace lockhouse
