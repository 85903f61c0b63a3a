// SPDX-License-Identifier: Apache-2.0
// Locks that several hold on several masters, each holder on masters of his own.
#include "tests/server/ctl/ctl_house.h"

#include <algorithm>
#include <array>

namespace lockhouse {
namespace {

using test::sendTo;
using testing::HasSubstr;

constexpr auto one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
constexpr auto two = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
constexpr auto three = "1e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e03";

class SharedOnMasters : public test::CtlHouse {
protected:
  SharedOnMasters() {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    const auto take = [&](const Sandbox &server, const char *who) { sendTo(server, {"ZADD", "semaphore:x", std::to_string(now), who}); };
    for (const auto *server : servers)
      take(*server, one);
    take(m_server, two);
    take(second, two);
    take(third, three);
  }
  test::CtlProcess::Ended all(const std::vector<std::string> &what) {
    std::vector<std::string> words;
    for (const auto *server : servers)
      words.insert(words.end(), {"--url", "redis://" + server->tcpUri().address()});
    words.insert(words.end(), what.begin(), what.end());
    return bare(words);
  }
  nlohmann::json json(std::vector<std::string> what) {
    what.emplace_back("--json");
    return nlohmann::json::parse(all(what).out, nullptr, false);
  }
  std::vector<std::string> idsOf(const nlohmann::json &holders) {
    std::vector<std::string> ids;
    for (const auto &holder : holders)
      ids.push_back(holder["id"]);
    std::ranges::sort(ids);
    return ids;
  }

  Sandbox second = test::startServer(), third = test::startServer();
  std::array<const Sandbox *, 3> servers{&m_server, &second, &third};
};

TEST_F(SharedOnMasters, areOneRowWhoseHoldersEachHaveAMajority) {
  for (const std::vector<std::string> &way : {std::vector<std::string>{"list"}, {"show", "semaphore:x"}}) {
    const auto locks = json(way)["locks"];
    ASSERT_EQ(locks.size(), 1U) << locks;
    EXPECT_EQ(idsOf(locks[0]["holders"]), (std::vector<std::string>{two, one}));
    ASSERT_EQ(locks[0]["members"].size(), 3U);
    for (const auto &member : locks[0]["members"])
      if (member["node"] == third.tcpUri().address()) {
        EXPECT_EQ(idsOf(member["holders"]), (std::vector<std::string>{three, one}));
      } else {
        EXPECT_FALSE(member.contains("holders")) << member;
      }
  }
  const auto page = all({"show", "semaphore:x"}).out;
  EXPECT_THAT(page, HasSubstr("held there by "));
  EXPECT_THAT(page, HasSubstr(std::string("doubtful    ") + three + "  count 1  on 1 of 3 masters, too few to hold it"));
}

TEST_F(SharedOnMasters, areFreedOfOneHolderWhereHeIs) {
  const auto results = json({"release", "semaphore:x", "--holder", two, "--reason", "x", "--plan"})["results"];
  ASSERT_EQ(results.size(), 3U) << results;
  for (const auto &result : results)
    if (result["node"] == third.tcpUri().address())
      EXPECT_EQ(result["verdict"], "already-free") << result;
    else
      EXPECT_THAT(result["plan"]["effects"].dump(), HasSubstr("1 other hold stays")) << result;
  const auto ended = all({"release", "semaphore:x", "--holder", two, "--reason", "x", "--apply"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto locks = json({"list"})["locks"];
  ASSERT_EQ(locks.size(), 1U) << locks;
  EXPECT_EQ(idsOf(locks[0]["holders"]), std::vector<std::string>{one});
  EXPECT_EQ(locks[0]["members"].size(), 3U);
}

TEST_F(SharedOnMasters, areFreedOfAHolderWhomTooFewMastersHave) {
  const auto results = json({"release", "--all", "--holder", three, "--reason", "x", "--apply"})["results"];
  ASSERT_EQ(results.size(), 1U) << results;
  EXPECT_EQ(results[0]["verdict"], "released");
  EXPECT_FALSE(json({"list"})["locks"][0]["members"][2].contains("holders"));
}

TEST_F(SharedOnMasters, areFreedAsAWholeOfThoseWhoHoldThem) {
  const auto results = json({"release", "--filter", "semaphore:x", "--reason", "x", "--apply"})["results"];
  ASSERT_EQ(results.size(), 5U) << results;
  for (const auto &result : results)
    EXPECT_EQ(result["verdict"], "released") << result;
  const auto locks = json({"list"})["locks"];
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(idsOf(locks[0]["holders"]), std::vector<std::string>{three}) << "whom the others kept out of it";
}

} // namespace
} // namespace lockhouse
