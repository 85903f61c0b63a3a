// SPDX-License-Identifier: Apache-2.0
// --apply does what the plan told, of the hold that it told of, or nothing.
#include "tests/server/ctl/ctl_house.h"

namespace lockhouse {
namespace {

using test::token;
using testing::AllOf;
using testing::HasSubstr;

class SeenHold : public test::CtlHouse {
protected:
  static std::vector<std::string> apply(const std::string &key, const std::string &holder) {
    return {"release", key, "--holder", holder, "--reason", "stuck since noon", "--apply"};
  }
};

TEST_F(SeenHold, itsKeyMayBeGivenAsListShowsIt) {
  using namespace std::string_literals;
  const std::string key = "\xac\xed\x00\x05t\x00\nstock-lock"s, shown = R"(\xac\xed\x00\x05t\x00\nstock-lock)";
  redis({"SET", key, token, "PX", "600000"});
  ASSERT_THAT(ctl({"list"}).out, HasSubstr(shown));
  EXPECT_THAT(ctl({"show", shown}).out, HasSubstr(token));
  EXPECT_EQ(json({"release", shown, "--holder", token, "--plan"})["results"][0]["key"], shown);
  redis({"SET", shown, token, "PX", "600000"});
  EXPECT_EQ(ctl(apply(shown, token)).code, 0);
  EXPECT_EQ(redis({"EXISTS", shown}).integer(), 0) << "a key of these very bytes is meant first";
  EXPECT_EQ(redis({"EXISTS", key}).integer(), 1);
  EXPECT_EQ(ctl(apply(shown, token)).code, 0);
  EXPECT_EQ(redis({"EXISTS", key}).integer(), 0);
}

// A lock of another type came under its name, by the same holder.
TEST_F(SeenHold, takesTheTypeOfTheKeyThatThePlanTold) {
  redis({"SET", "t:lock", token, "PX", "600000"});
  EXPECT_THAT(ctl({"release", "t:lock", "--holder", token, "--plan"}).out,
              HasSubstr("give --type string with --apply, and who has a lock of another type by then keeps it"));
  EXPECT_EQ(json({"release", "t:lock", "--holder", token, "--plan"})["results"][0]["plan"]["type"], "string");
  redis({"DEL", "t:lock"});
  redis({"HSET", "t:lock", token, "1"});
  redis({"PEXPIRE", "t:lock", "600000"});
  auto seen = apply("t:lock", token);
  seen.insert(seen.end(), {"--type", "string"});
  EXPECT_THAT(failed(ctl(seen), 5), HasSubstr("the key was a string when it was seen, and is a hash now"));
  EXPECT_EQ(redis({"EXISTS", "t:lock"}).integer(), 1);
  seen.back() = "hash";
  EXPECT_EQ(ctl(seen).code, 0);
  seen.back() = "bag";
  EXPECT_EQ(ctl(seen).code, 2);
}

TEST_F(SeenHold, takesTheTimeOfTheHoldThatThePlanTold) {
  const std::string job = "4e1f0a9b3c7d5e6f8a9b0c1d", digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED";
  const std::string later = "uniquejobs:0f786850e387550fdab836ed7e6dc881:LOCKED";
  struct Hold {
    std::string key, holder, before, after, time;
  };
  const std::vector<Hold> holds{{"SEMAPHORE:pool:GRABBED", "0", "1795549000.10000", "1795549100.10000", "1795549000.10000"},
                                {digest, job, "1795549000.5", "1795549001.5", "1795549000.5"},
                                {later, job, R"({"time":1795549000.5})", R"({"time":1795549002.5})", "1795549000.5"}};
  redis({"SET", "SEMAPHORE:pool:EXISTS", "1"});
  for (const auto &[key, holder, before, after, time] : holds) {
    redis({"HSET", key, holder, before});
    EXPECT_THAT(ctl({"release", key, "--holder", holder, "--plan"}).out, HasSubstr("give --time " + time + " with --apply")) << key;
    EXPECT_EQ(json({"release", key, "--holder", holder, "--plan"})["results"][0]["plan"]["expect"]["time"], time) << key;
    redis({"HSET", key, holder, after}); // given back, and taken by another
    auto seen = apply(key, holder);
    seen.insert(seen.end(), {"--time", time});
    EXPECT_THAT(failed(ctl(seen), 5), HasSubstr("acquired again since it was seen")) << key;
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 1) << key;
    redis({"HSET", key, holder, before});
    EXPECT_EQ(ctl(seen).code, 0) << key;
  }
  redis({"SET", "lock:a", token});
  EXPECT_FALSE(json({"release", "lock:a", "--holder", token, "--plan"})["results"][0]["plan"]["expect"].contains("time"));
  auto none = apply("lock:a", token);
  none.insert(none.end(), {"--time", "1795549000"});
  EXPECT_THAT(failed(ctl(none), 5), HasSubstr("no time is there to compare"));
}

TEST_F(SeenHold, ofManyIsAnotherWhereItsFenceOrItsTimeIs) {
  const auto mark = [this](const std::string &filter) { return json({"release", "--filter", filter, "--plan"})["mark"].get<std::string>(); };
  const auto refused = [this](const std::string &filter, const std::string &seen) {
    EXPECT_THAT(failed(ctl({"release", "--filter", filter, "--reason", "x", "--apply", "--expect", seen}), 5), HasSubstr("nothing has been changed")) << filter;
  };
  redis({"HSET", "SEMAPHORE:pool:GRABBED", "0", "1795549000.5"});
  redis({"SET", "SEMAPHORE:pool:EXISTS", "1"});
  const auto pool = mark("pool");
  redis({"HSET", "SEMAPHORE:pool:GRABBED", "0", "1795549100.5"}); // given back, and taken by another
  refused("pool", pool);
  redis({"HSET", "fe", test::owner, "1"});
  redis({"PEXPIRE", "fe", "60000"});
  redis({"SET", "redisson_lock_token:{fe}", "4"});
  const auto fenced = mark("fe");
  EXPECT_EQ(mark("fe"), fenced);
  redis({"SET", "redisson_lock_token:{fe}", "5"});
  refused("fe", fenced);
  redis({"SET", "lock:long", std::string(2000, 'a') + "1", "PX", "60000"});
  const auto cut = mark("lock:long");
  redis({"SET", "lock:long", std::string(2000, 'a') + "2", "PX", "60000"});
  refused("lock:long", cut);
  EXPECT_EQ(redis({"EXISTS", "fe", "lock:long", "SEMAPHORE:pool:GRABBED"}).integer(), 3);
}

TEST_F(SeenHold, ofMlanettsMayHaveBeenExtendedByItsHolder) {
  const std::string owner = "lock:owner:report", end = "lock:expire:report";
  redis({"SET", owner, "web-1:1234"});
  redis({"SET", end, "1895549000"});
  EXPECT_THAT(ctl({"release", owner, "--holder", "web-1:1234", "--plan"}).out,
              HasSubstr("give --time 1895549000 with --apply, and who has extended or acquired it again by then keeps it"));
  auto seen = apply(owner, "web-1:1234");
  seen.insert(seen.end(), {"--time", "1895549000"});
  redis({"SET", end, "1895549010"});
  EXPECT_THAT(failed(ctl(seen), 5), HasSubstr("extended or acquired again since it was seen"));
  EXPECT_EQ(redis({"EXISTS", owner, end}).integer(), 2);
}

TEST_F(SeenHold, ofAFenceOnEachOfSeveralMastersIsNamedWithItsMaster) {
  const auto second = test::startServer(), third = test::startServer();
  int fence = 5;
  for (const auto *server : {&std::as_const(m_server), &second, &third}) {
    test::sendTo(*server, {"HSET", "rl", test::owner, "1"});
    test::sendTo(*server, {"PEXPIRE", "rl", "60000"});
    test::sendTo(*server, {"SET", "redisson_lock_token:{rl}", std::to_string(fence++)});
  }
  const auto urlOf = [](const Sandbox &server) { return "redis://" + server.tcpUri().address(); };
  const std::vector<std::string> args{"--url", urlOf(second), "--url", urlOf(third), "release", "rl", "--holder", test::owner, "--plan"};
  const auto page = ctl(args).out;
  for (fence = 5; fence < 8; ++fence)
    EXPECT_THAT(page, testing::ContainsRegex("give --fence " + std::to_string(fence) + " and --node [^ ]+ with --apply")) << page;
}

TEST_F(SeenHold, promisesNoMoreThanItCompares) {
  redis({"SET", "lock:job", "1", "PX", "60000"});
  const auto alike = ctl({"release", "lock:job", "--holder", "1", "--plan"}).out;
  EXPECT_THAT(alike, AllOf(HasSubstr("another holder is refused, the same again is not"), HasSubstr("every owner writes the same there")));
  redis({"SET", "lock:a", token, "PX", "60000"});
  EXPECT_THAT(ctl({"release", "lock:a", "--holder", token, "--plan"}).out, HasSubstr("anything else is refused"));
}

TEST_F(SeenHold, ofManyIsShortenedToNoOtherLengthThanThePlanTold) {
  redis({"SET", "lock:a", token, "PX", "600000"});
  const std::vector<std::string> all{"shorten", "--holder", token, "--all", "--to", "60000"};
  auto plan = all;
  plan.emplace_back("--plan");
  auto other = all;
  other.back() = "5000";
  for (const auto *word : {"--apply", "--reason", "x", "--expect"})
    other.emplace_back(word);
  other.push_back(json(plan)["mark"].get<std::string>());
  EXPECT_THAT(failed(ctl(other), 5), HasSubstr("nothing has been changed"));
}

TEST_F(SeenHold, ofManyReleasesNothingWhereTheyAreNotThoseThatThePlanTold) {
  const std::string other = "5f4e3d2c1b0a9f8e7d6c5b4a39281706";
  redis({"SET", "lock:a", token, "PX", "60000"});
  const auto plan = [this] { return ctl({"release", "--filter", "lock", "--plan"}).out; };
  const auto page = plan();
  const auto at = page.find("Give --expect 1-");
  ASSERT_NE(at, page.npos) << page;
  const auto mark = page.substr(at + 14, 14);
  EXPECT_EQ(json({"release", "--filter", "lock", "--plan"})["mark"], mark);
  const std::vector<std::string> one{"release", "--filter", "lock", "--reason", "stuck", "--apply", "--expect", mark};
  redis({"SET", "lock:b", token, "PX", "60000"});
  EXPECT_THAT(failed(ctl(one), 5), HasSubstr("--expect says " + mark + ", and it would be 2-"));
  redis({"DEL", "lock:b"});
  redis({"SET", "lock:a", other, "PX", "60000"}); // the next owner
  EXPECT_THAT(failed(ctl(one), 5), HasSubstr("and it would be 1-"));
  auto asJson = one;
  asJson.emplace_back("--json");
  const auto told = nlohmann::json::parse(ctl(asJson).out);
  EXPECT_EQ(told["results"].size(), 0U);
  EXPECT_THAT(told["warnings"][0].get<std::string>(), HasSubstr("nothing has been changed"));
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
  redis({"SET", "lock:a", token, "PX", "60000"});
  EXPECT_THAT(plan(), HasSubstr(mark)) << "the same holds";
  EXPECT_EQ(ctl(one).code, 0);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 0);
}

TEST_F(SeenHold, ofACountedLockNamesTheCountToBeGiven) {
  const std::string owner = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42";
  redis({"HSET", "o", owner, "1"});
  redis({"PEXPIRE", "o", "60000"});
  EXPECT_THAT(ctl({"release", "o", "--holder", owner, "--plan"}).out, HasSubstr("give --count 1 with --apply"));
  redis({"HINCRBY", "o", owner, "1"});
  auto deeper = apply("o", owner);
  deeper.insert(deeper.end(), {"--count", "1"});
  EXPECT_THAT(failed(ctl(deeper), 5), HasSubstr("changed"));
  redis({"SET", "lock:a", token});
  EXPECT_THAT(ctl({"release", "lock:a", "--holder", token, "--plan"}).out, testing::Not(HasSubstr("--count"))) << "it is held once";
}

} // namespace
} // namespace lockhouse
