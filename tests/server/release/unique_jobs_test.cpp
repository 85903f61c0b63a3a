// SPDX-License-Identifier: Apache-2.0
// sidekiq-unique-jobs: with the last job of a digest goes all that its library keeps of it.
#include "tests/server/release/families_house.h"

#include <future>

namespace lockhouse {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using UniqueJobs = test::FamiliesHouse;

TEST_F(UniqueJobs, theLastJobOfADigestTakesAllOfItWithHimAsItsLibraryDoes) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", first = "4e1f0a9b3c7d5e6f8a9b0c1d", second = "5e1f0a9b3c7d5e6f8a9b0c1d";
  redis({"HSET", digest + ":LOCKED", first, "1795300000.5", second, "1795300001.5"});
  redis({"SET", digest, first});
  redis({"SET", digest + ":INFO", "{}"});
  redis({"RPUSH", digest + ":PRIMED", first});
  for (const auto *registry : {"uniquejobs:digests", "uniquejobs:expiring_digests"})
    redis({"ZADD", registry, "1", digest, "2", "another"});
  redis({"RPUSH", digest + ":QUEUED", second});
  EXPECT_EQ(apply(digest + ":LOCKED", first).verdict, Verdict::Released);
  EXPECT_EQ(redis({"LLEN", digest + ":QUEUED"}).integer(), 2) << "who stands there stays, behind what wakes who is blocked";
  EXPECT_EQ(redis({"EXISTS", digest, digest + ":INFO", digest + ":PRIMED"}).integer(), 3) << "another job holds it still";
  EXPECT_THAT(englishOf(textsOf(plan(digest + ":LOCKED", second).plan->effects)), Contains(HasSubstr("clears the digest's marker")));
  EXPECT_EQ(apply(digest + ":LOCKED", second).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", digest, digest + ":INFO", digest + ":PRIMED", digest + ":LOCKED"}).integer(), 0);
  const auto queue = redis({"LRANGE", digest + ":QUEUED", "0", "-1"}).array();
  ASSERT_EQ(queue.size(), 1U) << "who stood there goes with the digest; who is blocked there is woken";
  EXPECT_EQ(queue.front().text(), "1");
  for (const auto *registry : {"uniquejobs:digests", "uniquejobs:expiring_digests"})
    EXPECT_EQ(redis({"ZCARD", registry}).integer(), 1) << registry << ": that of another stays";
}

TEST_F(UniqueJobs, aJobOfTheNinthVersionIsTakenOutAndNothingIsPushedForNobodyIsBlocked) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", job = "4e1f0a9b3c7d5e6f8a9b0c1d";
  redis({"HSET", digest + ":LOCKED", job, R"({"worker":"A","at":1795300000.5})", "5e1f0a9b3c7d5e6f8a9b0c1d", R"({"at":1795300001.5})"});
  redis({"ZADD", "uniquejobs:digests", "1", digest, "2", "another"});
  const auto first = plan(digest + ":LOCKED", job);
  EXPECT_EQ(first.plan->keys, (std::vector<std::string>{digest + ":LOCKED", "uniquejobs:digests"}));
  EXPECT_THAT(englishOf(textsOf(first.plan->effects)), Not(Contains(HasSubstr("clears"))));
  EXPECT_EQ(apply(digest + ":LOCKED", job).verdict, Verdict::Released);
  EXPECT_EQ(redis({"HLEN", digest + ":LOCKED"}).integer(), 1);
  EXPECT_EQ(redis({"ZCARD", "uniquejobs:digests"}).integer(), 2) << "another job holds it still";
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 2);
}

TEST_F(UniqueJobs, theLastJobOfADigestOfTheNinthVersionTakesItsEntryWithHim) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", job = "4e1f0a9b3c7d5e6f8a9b0c1d";
  redis({"HSET", digest + ":LOCKED", job, R"({"worker":"A","at":1795300000.5})"});
  redis({"ZADD", "uniquejobs:digests", "1", digest, "2", "another"});
  EXPECT_THAT(englishOf(textsOf(plan(digest + ":LOCKED", job).plan->effects)), Contains("clears the digest's entry in uniquejobs:digests"));
  const auto done = apply(digest + ":LOCKED", job);
  EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
  EXPECT_EQ(redis({"ZRANGE", "uniquejobs:digests", "0", "-1"}).array().at(0).text(), "another");
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 1) << "nothing is pushed: nobody is blocked";
  redis({"HSET", digest + ":LOCKED", job, R"({"worker":"A","at":1795300000.5})"});
  redis({"SET", "uniquejobs:digests", "a stranger's"});
  const auto odd = "uniquejobs:digests beside it holds something else and ";
  const auto leaves = plan(digest + ":LOCKED", job);
  EXPECT_THAT(englishOf(leaves.plan->warnings), Contains(std::string(odd) + "is left"));
  EXPECT_THAT(englishOf(textsOf(leaves.plan->effects)), AllOf(Contains("clears nothing in uniquejobs:digests"), Not(Contains(HasSubstr("entry")))));
  std::promise<std::vector<ReleaseResult>> many;
  m_keeper->planMany({{id(digest + ":LOCKED"), job, {}, "stuck"}}, {}, {}, [&many](std::vector<ReleaseResult> results) { many.set_value(std::move(results)); });
  EXPECT_THAT(englishOf(many.get_future().get().at(0).plan->warnings), Contains(std::string(odd) + "is left"));
  const auto left = apply(digest + ":LOCKED", job);
  EXPECT_EQ(left.verdict, Verdict::Released);
  EXPECT_THAT(left.detail.english(), HasSubstr(std::string(odd) + "was left"));
  EXPECT_EQ(redis({"GET", "uniquejobs:digests"}).text(), "a stranger's");
}

TEST_F(UniqueJobs, ofADigestPromiseNothingOfARegistryThatHoldsSomethingElse) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", job = "4e1f0a9b3c7d5e6f8a9b0c1d";
  redis({"HSET", digest + ":LOCKED", job, "1795300000.5"});
  redis({"ZADD", "uniquejobs:expiring_digests", "1", digest});
  const auto clears = [&] { return englishOf(textsOf(plan(digest + ":LOCKED", job).plan->effects)).at(1); };
  EXPECT_EQ(clears(), "clears the digest's marker, :PRIMED, :INFO and its entries in uniquejobs:digests and uniquejobs:expiring_digests");
  redis({"SET", "uniquejobs:digests", "a stranger's"});
  EXPECT_EQ(clears(), "clears the digest's marker, :PRIMED, :INFO and its entry in uniquejobs:expiring_digests");
  redis({"DEL", "uniquejobs:expiring_digests"});
  redis({"SET", "uniquejobs:expiring_digests", "a stranger's"});
  EXPECT_EQ(clears(), "clears the digest's marker, :PRIMED and :INFO");
  EXPECT_EQ(apply(digest + ":LOCKED", job).verdict, Verdict::Released);
}

TEST_F(UniqueJobs, aJobInANamespaceIsClearedFromTheRegistriesOfThatNamespaceAlone) {
  const std::string digest = "my:ns:uniquejobs:3f786850e387550fdab836ed7e6dc881", job = "4e1f0a9b3c7d5e6f8a9b0c1d";
  for (const bool isNinth : {false, true}) {
    redis({"FLUSHALL"});
    redis({"HSET", digest + ":LOCKED", job, isNinth ? R"({"worker":"A","at":1795300000.5})" : "1795300000.5"});
    for (const auto *space : {"", "my:ns:", "ns:", "my:"})
      for (const auto *registry : {"uniquejobs:digests", "uniquejobs:expiring_digests"})
        redis({"ZADD", std::string(space) + registry, "1", digest, "2", "another"});
    const auto planned = plan(digest + ":LOCKED", job);
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr(" in my:ns:uniquejobs:digests")));
    EXPECT_THAT(planned.plan->keys, AllOf(Contains("my:ns:uniquejobs:digests"), Not(Contains("uniquejobs:digests"))));
    EXPECT_EQ(apply(digest + ":LOCKED", job).verdict, Verdict::Released);
    EXPECT_EQ(redis({"ZCARD", "my:ns:uniquejobs:digests"}).integer(), 1);
    EXPECT_EQ(redis({"ZCARD", "my:ns:uniquejobs:expiring_digests"}).integer(), isNinth ? 2 : 1) << "the ninth version has none";
    for (const auto *space : {"", "ns:", "my:"})
      for (const auto *registry : {"uniquejobs:digests", "uniquejobs:expiring_digests"})
        EXPECT_EQ(redis({"ZCARD", std::string(space) + registry}).integer(), 2) << space << registry;
  }
}

TEST_F(UniqueJobs, thePlanOfAJobSaysWhatBecomesOfTheQueue) {
  const std::string digest = "uniquejobs:3f786850e387550fdab836ed7e6dc881", first = "4e1f0a9b3c7d5e6f8a9b0c1d", second = "5e1f0a9b3c7d5e6f8a9b0c1d";
  redis({"HSET", digest + ":LOCKED", first, "1795300000.5", second, "1795300001.5"});
  redis({"RPUSH", digest + ":QUEUED", "6e1f0a9b3c7d5e6f8a9b0c1d"});
  EXPECT_THAT(englishOf(textsOf(plan(digest + ":LOCKED", first).plan->effects)), Contains("lets all of " + digest + ":QUEUED lapse in 5.0 s"));
  redis({"HDEL", digest + ":LOCKED", first});
  EXPECT_THAT(englishOf(textsOf(plan(digest + ":LOCKED", second).plan->effects)), Contains("empties " + digest + ":QUEUED"));
}

} // namespace
} // namespace lockhouse
