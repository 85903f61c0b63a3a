// SPDX-License-Identifier: Apache-2.0
// What lockhousectl release of many says where there is nothing that it could free.
#include "tests/server/ctl/ctl_house.h"

namespace lockhouse {
namespace {

using test::owner;
using test::token;
using testing::ContainsRegex;
using testing::HasSubstr;

class NothingFreed : public test::CtlHouse {
protected:
  NothingFreed() { redis({"SET", "lock:a", token, "PX", "600000"}); }
  static std::vector<std::string> release(std::vector<std::string> meant, const char *how = "--plan") {
    meant.insert(meant.begin(), "release");
    meant.insert(meant.end(), {"--reason", "x", how});
    return meant;
  }
};

TEST_F(NothingFreed, isOneObjectThatSaysSo) {
  for (const auto *how : {"--plan", "--apply"})
    for (const auto &[meant, words] : {std::pair(std::vector<std::string>{"--all", "--holder", owner}, "holds nothing on these nodes"),
                                       std::pair(std::vector<std::string>{"--filter", "name:nowhere"}, "the filter lets no hold through on these nodes")}) {
      auto asked = release(meant, how);
      asked.emplace_back("--json");
      const auto ended = ctl(asked);
      EXPECT_THAT(failed(ended, 5), HasSubstr(words));
      const auto told = nlohmann::json::parse(ended.out, nullptr, false);
      ASSERT_TRUE(told.is_object()) << ended.out;
      EXPECT_EQ(told["results"].size(), 0U);
      EXPECT_EQ(told["nodes"].at(0)["scan"]["complete"], true);
      ASSERT_EQ(told["warnings"].size(), 1U);
      EXPECT_THAT(told["warnings"][0].get<std::string>(), HasSubstr(words));
    }
  EXPECT_EQ(ctl(release({"--all", "--holder", owner})).out, "");
}

TEST_F(NothingFreed, ofAReplicaDoesNotSayThatItsMasterHasNothing) {
  redis({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_THAT(failed(ctl(release({"--all", "--holder", owner})), 5), HasSubstr("of which " + address() + " is a replica: its master may have it"));
  auto one = release({"lock:absent", "--holder", token});
  const auto told = failed(ctl(one), 5);
  EXPECT_THAT(told, HasSubstr("there is no such key; this node is a replica of 127.0.0.1:1, cut off from it"));
  EXPECT_THAT(told, testing::Not(HasSubstr("look again")));
  one.emplace_back("--json");
  EXPECT_EQ(json(one)["results"][0]["verdict"], "read-only");
}

TEST_F(NothingFreed, ofAJobsLockNamesHolderAndCount) {
  redis({"HSET", "bull:mail:7", "name", "send", "data", "{}", "opts", "{}", "timestamp", "1795300000000"});
  redis({"SET", "bull:mail:7:lock", owner, "PX", "600000"});
  for (const auto &meant : {std::vector<std::string>{"--all", "--holder", owner}, std::vector<std::string>{"--filter", "name:mail"}}) {
    EXPECT_THAT(ctl(release(meant)).out, ContainsRegex(std::string(owner) + " +1 +unreleasable: "));
    auto asked = release(meant);
    asked.emplace_back("--json");
    EXPECT_EQ(json(asked)["results"].at(0)["holder"], owner);
  }
}

} // namespace
} // namespace lockhouse
