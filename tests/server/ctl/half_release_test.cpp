// SPDX-License-Identifier: Apache-2.0
// Where most masters of a lock would refuse, none of the others is released: its holder would keep it.
#include "tests/server/ctl/ctl_house.h"

#include <array>

namespace lockhouse {
namespace {

using test::sendTo;
using test::token;
using testing::HasSubstr;

constexpr auto other = "89e6c98d92887913cadf06b2adb97f26";

class HalfRelease : public test::CtlHouse {
protected:
  HalfRelease() {
    for (const auto *server : servers) {
      sendTo(*server, {"SET", "lock:rl", token, "PX", "600000"});
      sendTo(*server, {"ACL", "SETUSER", "op", "reset", "on", ">pw", "~*", "&*", "+@all", "-@scripting"});
    }
  }
  /// With so many masters at which the user may run no scripts.
  test::CtlProcess::Ended release(std::size_t closed, const std::vector<std::string> &what, const char *how) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < servers.size(); ++i)
      words.insert(words.end(), {"--url", (i + closed < servers.size() ? "redis://" : "redis://op:pw@") + servers.at(i)->tcpUri().address()});
    words.emplace_back("release");
    words.insert(words.end(), what.begin(), what.end());
    words.insert(words.end(), {"--reason", "x", how, "--json"});
    return bare(words);
  }
  nlohmann::json locks(const std::vector<std::string> &what) {
    std::vector<std::string> words;
    for (const auto *server : servers)
      words.insert(words.end(), {"--url", "redis://" + server->tcpUri().address()});
    words.insert(words.end(), what.begin(), what.end());
    words.emplace_back("--json");
    return nlohmann::json::parse(bare(words).out, nullptr, false)["locks"];
  }
  static nlohmann::json resultsOf(const test::CtlProcess::Ended &ended) { return nlohmann::json::parse(ended.out, nullptr, false)["results"]; }

  Sandbox second = test::startServer(), third = test::startServer();
  std::array<const Sandbox *, 3> servers{&m_server, &second, &third};
  const std::vector<std::vector<std::string>> ways{{"lock:rl", "--holder", token}, {"--filter", "lock:rl"}};
};

TEST_F(HalfRelease, takesNothingWhereTheMajorityRefuses) {
  for (const auto &way : ways) {
    for (const auto &result : resultsOf(release(2, way, "--plan")))
      EXPECT_FALSE(result["plan"]["refusal"].is_null()) << result;
    const auto ended = release(2, way, "--apply");
    EXPECT_EQ(ended.code, 4) << ended.err;
    const auto results = resultsOf(ended);
    ASSERT_EQ(results.size(), 3U) << ended.out;
    std::size_t kept = 0;
    for (const auto &result : results) {
      EXPECT_TRUE(result["audit_id"].is_null()) << result;
      EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("nothing was changed"));
      kept += result["verdict"] == "unreleasable";
      if (result["verdict"] == "unreleasable") {
        EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("refused by 2 of 3 masters, so its holder would keep it"));
      }
    }
    EXPECT_EQ(kept, 1U);
    EXPECT_EQ(redis({"EXISTS", "lock:rl"}).integer(), 1);
  }
}

// Of many only what was seen is planned: masters whose keys this user may not read have the token all the same.
TEST_F(HalfRelease, takesNothingWhereTheMajorityMayNotBeReadAndSaysWhatAMinorityMayKeep) {
  for (const auto *server : servers) {
    sendTo(*server, {"SET", "redlock:x", token, "PX", "600000"});
    sendTo(*server, {"ACL", "SETUSER", "op", "reset", "on", ">pw", "~other*", "&*", "+@all"});
  }
  const auto left = [this] {
    std::int64_t there = 0;
    for (const auto *server : servers)
      there += sendTo(*server, {"EXISTS", "redlock:x"}).integer().value_or(0);
    return there;
  };
  for (const auto &way : {std::vector<std::string>{"--filter", "redlock:x"}, {"--all", "--holder", token}}) {
    const auto ended = release(2, way, "--apply");
    EXPECT_EQ(ended.code, 5) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("refused by 2 of 3 masters, so its holder would keep it; nothing was changed"));
    EXPECT_EQ(left(), 3);
  }
  const auto ended = release(1, {"--filter", "redlock:x"}, "--apply");
  EXPECT_THAT(ended.out, HasSubstr("1 of 3 masters refuse its key or could not be reached: if it lies there too, it stays on 1 of 3 masters, no majority"));
  EXPECT_EQ(left(), 1);
}

TEST_F(HalfRelease, saysThatOtherNodesMayHaveItOnlyWhereMostWereNotSeen) {
  constexpr auto unknown = "if this key is one of several nodes of a Redlock";
  for (const auto &way : ways) {
    const auto results = resultsOf(release(0, way, "--plan"));
    ASSERT_EQ(results.size(), 3U);
    for (const auto &result : results)
      EXPECT_THAT(result["plan"]["risks"].dump(), testing::Not(HasSubstr(unknown)));
    auto alone = std::vector<std::string>{"release", "--plan"};
    alone.insert(alone.end(), way.begin(), way.end());
    EXPECT_THAT(json(alone)["results"][0]["plan"]["risks"].dump(), HasSubstr(unknown));
  }
}

TEST_F(HalfRelease, goesOnWhereAMinorityRefuses) {
  for (const auto &way : ways) {
    redis({"SET", "lock:rl", token, "PX", "600000"});
    sendTo(second, {"SET", "lock:rl", token, "PX", "600000"});
    EXPECT_EQ(release(1, way, "--apply").code, 4);
    EXPECT_EQ(redis({"EXISTS", "lock:rl"}).integer(), 0);
  }
}

TEST_F(HalfRelease, ofOneMasterAloneSaysThatTheLockStaysHeldOrLosesItsMajority) {
  const auto only = [](const Sandbox &server) { return std::vector<std::string>{"--node", server.tcpUri().address()}; };
  sendTo(third, {"EVAL", "for i = 1, 50000 do redis.call('SET', 'page:' .. i, 'x') end", "0"}); // still being swept when the other two have been
  for (auto way : ways) {
    for (const auto *server : servers)
      sendTo(*server, {"SET", "lock:rl", token, "PX", "600000"});
    const auto node = only(second);
    way.insert(way.end(), node.begin(), node.end());
    const auto planned = resultsOf(release(0, way, "--plan"));
    ASSERT_EQ(planned.size(), 1U);
    EXPECT_EQ(planned[0]["plan"]["risks"][0], "on 1 of the 3 masters that have it alone: it stays held by its majority, on 2 of 3 masters");
    const auto done = resultsOf(release(0, way, "--apply"));
    EXPECT_EQ(done[0]["verdict"], "released");
    EXPECT_THAT(done[0]["detail"].get<std::string>(), HasSubstr("released; it stays held by its majority, on 2 of 3 masters"));
    way.back() = third.tcpUri().address();
    const auto last = resultsOf(release(0, way, "--apply"));
    EXPECT_THAT(last[0]["detail"].get<std::string>(), HasSubstr("it stays on 1 of 3 masters, no majority, until its lease ends there"));
    way.resize(way.size() - 2);
    for (const auto &result : resultsOf(release(0, way, "--apply")))
      EXPECT_THAT(result["detail"].get<std::string>(), testing::Not(HasSubstr("stays"))) << "no majority was left";
  }
}

TEST_F(HalfRelease, saysWhatMayStayOnMastersThatCannotBeReached) {
  const auto gone = [](int port) { return "redis://127.0.0.1:" + std::to_string(port); };
  const auto of = [&](const std::string &verb, const char *how) {
    std::vector<std::string> words{"--url", "redis://" + address(), "--url", gone(1), "--url", gone(2), verb, "lock:rl", "--holder", token};
    if (verb == "shorten")
      words.insert(words.end(), {"--to", "9000"});
    words.insert(words.end(), {"--reason", "x", how, "--json"});
    return bare(words);
  };
  const auto planned = of("release", "--plan");
  ASSERT_EQ(resultsOf(planned).size(), 3U) << planned.err;
  EXPECT_EQ(resultsOf(planned)[0]["plan"]["risks"][0],
            "2 of 3 masters could not be reached: if it lies there too, it stays held by its majority, on 2 of 3 masters");
  for (const auto *node : {"127.0.0.1:1 ", "127.0.0.1:2 "})
    EXPECT_THAT(planned.err, HasSubstr(node));
  EXPECT_THAT(resultsOf(of("shorten", "--apply"))[0]["detail"].get<std::string>(),
              HasSubstr("if it lies there too, its lease stays as it is on 2 of 3 masters"));
  const auto done = of("release", "--apply");
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(resultsOf(done)[0]["detail"],
            "released; 2 of 3 masters could not be reached: if it lies there too, it stays held by its majority, on 2 of 3 masters");
}

TEST_F(HalfRelease, takesNothingOfARedlockWhoseMajorityCannotBeReachedUnlessOneNodeIsMeant) {
  redis({"SET", "redlock:x", token, "PX", "600000"});
  const auto of = [this](const std::vector<std::string> &what) {
    std::vector<std::string> words{"--url", "redis://" + address(), "--url", "redis://127.0.0.1:1", "--url", "redis://127.0.0.1:2", "release"};
    words.insert(words.end(), what.begin(), what.end());
    words.insert(words.end(), {"--reason", "x", "--apply", "--json"});
    return bare(words);
  };
  for (const auto &way : {std::vector<std::string>{"redlock:x", "--holder", token}, {"--filter", "redlock:x"}, {"--all", "--holder", token}}) {
    const auto ended = of(way);
    EXPECT_NE(ended.code, 0);
    EXPECT_THAT(ended.out, HasSubstr("2 of 3 masters cannot be reached, so its holder may keep it: wait until they answer, or name it alone, with --node, to "
                                     "free it here; nothing was changed"))
        << ended.err;
    EXPECT_EQ(redis({"EXISTS", "redlock:x"}).integer(), 1);
  }
  EXPECT_THAT(of({"redlock:x", "--holder", token, "--node", address()}).out, HasSubstr("it stays held by its majority, on 2 of 3 masters"));
  EXPECT_EQ(redis({"EXISTS", "redlock:x"}).integer(), 0);
}

// Scripts wait there, as in a failover: whether they would be run is not answered in time.
TEST_F(HalfRelease, goesOnWhereAMinorityDoesNotAnswerAndTakesNothingWhereTheMajorityDoesNot) {
  sendTo(third, {"CLIENT", "PAUSE", "600000", "WRITE"});
  EXPECT_EQ(release(0, ways[0], "--apply").code, 3);
  EXPECT_EQ(redis({"EXISTS", "lock:rl"}).integer(), 0);
  EXPECT_EQ(sendTo(second, {"EXISTS", "lock:rl"}).integer(), 0);
  for (const auto *server : std::initializer_list<const Sandbox *>{&m_server, &second})
    sendTo(*server, {"SET", "lock:rl", token, "PX", "600000"});
  sendTo(second, {"CLIENT", "PAUSE", "600000", "WRITE"});
  const auto ended = release(0, ways[0], "--apply");
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("refused by 2 of 3 masters, so its holder would keep it; nothing was changed"));
  EXPECT_THAT(ended.out, HasSubstr("did not answer in time whether it would do this"));
  EXPECT_EQ(redis({"EXISTS", "lock:rl"}).integer(), 1);
}

TEST_F(HalfRelease, ofAVoteThatNobodyIsSeenToHaveWonSaysWhatMayStayWhereNobodyLooked) {
  sendTo(second, {"SET", "lock:rl", other, "PX", "600000"});
  std::vector<std::vector<std::string>> several{{"--all", "--holder", token}, {"lock:rl", "--holder", token}};
  several.push_back(several[1]);
  several.back().insert(several.back().end(), {"--node", address()});
  for (const auto &way : several) {
    std::vector<std::string> words{"--url", "redis://" + address(), "--url", "redis://" + second.tcpUri().address(), "--url", "redis://127.0.0.1:1", "release"};
    words.insert(words.end(), way.begin(), way.end());
    words.insert(words.end(), {"--plan", "--json"});
    const auto ended = bare(words);
    EXPECT_THAT(resultsOf(ended)[0]["plan"]["risks"].dump(),
                HasSubstr("1 of 3 masters could not be reached: if it lies there too, it stays on 1 of 3 masters, no majority"))
        << ended.err;
  }
}

TEST_F(HalfRelease, ofOneMasterAloneTellsThoseThatRefuseItsKeyFromThoseThatCannotBeReached) {
  sendTo(third, {"ACL", "SETUSER", "op", "reset", "on", ">pw", "~other*", "&*", "+@all"});
  const auto planned = release(1, {"lock:rl", "--holder", token, "--node", second.tcpUri().address()}, "--plan");
  EXPECT_THAT(resultsOf(planned)[0]["plan"]["risks"].dump(),
              HasSubstr("1 of 3 masters refuse its key or could not be reached: if it lies there too, it stays held by its majority, on 2 of 3 masters"))
      << planned.err;
}

TEST_F(HalfRelease, ofALeaseCountsThoseThatEndSoonerAnyway) {
  const auto shorten = [this](const std::vector<std::string> &more) {
    std::vector<std::string> words;
    for (const auto *server : servers)
      words.insert(words.end(), {"--url", "redis://" + server->tcpUri().address()});
    words.insert(words.end(), {"shorten", "lock:rl", "--to", "9000", "--holder", token, "--reason", "x", "--apply", "--json"});
    words.insert(words.end(), more.begin(), more.end());
    return resultsOf(bare(words));
  };
  const auto one = shorten({"--node", second.tcpUri().address()});
  EXPECT_THAT(one[0]["detail"].get<std::string>(), HasSubstr("its lease stays as it is on 2 of 3 masters"));
  for (const auto &result : shorten({})) {
    EXPECT_EQ(result["verdict"], result["node"] == second.tcpUri().address() ? "kept" : "shortened");
    EXPECT_THAT(result["detail"].get<std::string>(), testing::Not(HasSubstr("stays")));
  }
}

TEST_F(HalfRelease, namesTheNodeThatDecidesTheExitCode) {
  redis({"DEL", "lock:rl"});
  std::vector<std::string> words;
  for (const auto *server : servers)
    words.insert(words.end(), {"--url", "redis://" + server->tcpUri().address()});
  words.insert(words.end(), {"--url", "redis://127.0.0.1:1", "release", "lock:rl", "--holder", token, "--reason", "x", "--plan"});
  const auto ended = bare(words);
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("127.0.0.1:1"));
}

TEST_F(HalfRelease, leavesATokenThatTheMajorityKeepsOutAndSaysSo) {
  for (const std::vector<std::string> &way : {std::vector<std::string>{"list"}, {"show", "lock:rl"}}) {
    redis({"SET", "lock:rl", other, "PX", "600000"});
    const auto rows = locks(way);
    ASSERT_EQ(rows.size(), 1U) << rows;
    EXPECT_EQ(rows[0]["state"], "held");
    EXPECT_EQ(rows[0]["holders"][0]["id"], token);
    ASSERT_EQ(rows[0]["members"].size(), 3U);
    EXPECT_EQ(rows[0]["members"][2]["holder"]["id"], other);
    EXPECT_EQ(rows[0]["members"][2]["node"], address());
  }
  const auto planned = resultsOf(release(0, ways[1], "--plan"));
  ASSERT_EQ(planned.size(), 2U) << planned;
  EXPECT_THAT(planned[0]["plan"]["risks"].dump(), HasSubstr("masters on which another token lies under this name, which stays there: 1"));
  const auto ended = release(0, ways[0], "--apply");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(resultsOf(ended).size(), 3U);
  for (const auto &result : resultsOf(ended))
    EXPECT_EQ(result["verdict"], result["node"] == address() ? "already-free" : "released") << result;
  for (const auto *server : {&second, &third})
    sendTo(*server, {"SET", "lock:rl", token, "PX", "600000"});
  EXPECT_EQ(release(0, ways[1], "--apply").code, 0);
  EXPECT_EQ(redis({"GET", "lock:rl"}).text(), other);
  const auto left = resultsOf(release(0, {"--all", "--holder", other}, "--apply"));
  ASSERT_EQ(left.size(), 1U) << left;
  EXPECT_EQ(redis({"EXISTS", "lock:rl"}).integer(), 0);
}

TEST_F(HalfRelease, freesWhatTheMajorityKeepsOutWhereItsHolderIsMeant) {
  redis({"SET", "lock:rl", other, "PX", "600000"});
  const auto results = resultsOf(release(0, {"--all", "--holder", other}, "--apply"));
  ASSERT_EQ(results.size(), 1U) << results;
  EXPECT_EQ(results[0]["verdict"], "released");
  const auto rows = locks({"list"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["members"].size(), 2U);
}

TEST_F(HalfRelease, theErrorNamesWhatWasRefusedNotTheMasterThatWasFree) {
  redis({"SET", "lock:rl", other, "PX", "600000"});
  const auto ended = release(0, {"lock:rl", "--holder", token, "--count", "2"}, "--apply");
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, testing::AllOf(HasSubstr(second.tcpUri().address()), HasSubstr("changed: now held by")));
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("already free")));
}

TEST_F(HalfRelease, aRedlockByItsNameOnOneOfThreeMastersIsSuspectAndAnyOtherTokenIsHeld) {
  redis({"SET", "redlock:min", other, "PX", "600000"});
  redis({"SET", "lock:max", "aaf4c61ddcc5e8a2dabede0f3b482cd9", "PX", "600000"});
  for (const auto &[key, state] : {std::pair("redlock:min", "suspect"), {"lock:max", "held"}})
    for (const std::vector<std::string> &way : {std::vector<std::string>{"list", "--filter", key}, {"show", key}}) {
      const auto rows = locks(way);
      ASSERT_EQ(rows.size(), 1U) << rows;
      EXPECT_EQ(rows[0]["state"], state) << rows;
      EXPECT_EQ(rows[0]["members"].size(), rows[0]["state"] == "suspect" ? 1U : 0U);
    }
}

} // namespace
} // namespace lockhouse
