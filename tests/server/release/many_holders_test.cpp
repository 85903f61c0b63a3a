// SPDX-License-Identifier: Apache-2.0
// Many holders of one lock, released as one: it is read once for all of them, and whoever lies beyond what is read is asked for.
#include "core/release/plan/hold_selection.h"
#include "core/release/scripts.h"
#include "tests/server/release/operator_house.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <set>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;

constexpr auto client = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
constexpr auto later = "1895300000000"; // ms since 1970

std::string justNow() { return std::to_string(std::chrono::duration_cast<milliseconds>(wallNow().time_since_epoch()).count()); }

/// A lock of a family, as its library leaves it when many hold it.
struct Crowded {
  std::string family, key;
  Command (*hold)(int i);
  std::vector<Command> besides = {};
};

void PrintTo(const Crowded &lock, std::ostream *out) { *out << lock.family; }

std::string base64Like(int i) { return fmt::format("{:043}=", i); }

std::vector<Crowded> crowded() {
  return {
      {"distributedlock-semaphore", "dsem:lock", [](int i) { return Command{"ZADD", "dsem:lock", later, fmt::format("web1_{}_{:032x}", i, i)}; }},
      {"distributedlock-rw", "doc.writer", [](int i) { return Command{"SADD", "doc.readers", fmt::format("web1_{}_{:032x}", i, i)}; }},
      {"redisson-rw", "doc", [](int i) { return Command{"HSET", "doc", fmt::format("{}:{}", client, i), "1"}; }, {{"HSET", "doc", "mode", "read"}}},
      {"redisson-permits",
       "permits",
       [](int i) { return Command{"ZADD", "{permits}:timeout", later, fmt::format("\xfe\x01{:014}", i)}; },
       {{"SET", "permits", "0"}}},
      {"redis-semaphore", "semaphore:s", [](int i) { return Command{"ZADD", "semaphore:s", justNow(), fmt::format("5b1c0a3e-6f0d-4f1a-9c58-{:012x}", i)}; }},
      {"symfony", "lock:shared", [](int i) { return Command{"ZADD", "lock:shared", later, base64Like(i)}; }},
      {"sidekiq-unique-jobs", "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED",
       [](int i) { return Command{"HSET", "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", fmt::format("{:024x}", i), "1795300000.5"}; }},
  };
}

class CrowdedHouse : public test::OperatorHouse {
protected:
  void fill(const Crowded &lock, int from, int to) {
    for (const auto &command : lock.besides)
      ASSERT_FALSE(redis.send(command)->isFailure());
    for (int i = from; i < to; ++i)
      ASSERT_FALSE(redis.send(lock.hold(i))->isFailure());
  }
  std::vector<ReleaseIntent> intentsOf(const LockRecord &lock) {
    std::vector<ReleaseIntent> intents;
    for (const auto &holder : lock.holders)
      intents.push_back({lock.id, holder.id, {}, "stuck"});
    return intents;
  }
  static std::vector<std::optional<std::string>> nextOf(const std::vector<ReleaseResult> &planned) {
    std::vector<std::optional<std::string>> next;
    for (const auto &result : planned)
      next.push_back(result.plan ? result.plan->next : result.detail.english());
    return next;
  }
  std::vector<ReleaseResult> planMany(std::vector<ReleaseIntent> intents, std::stop_token stop = {}, ReleaseService::ProgressHandler progress = {}) {
    if (!m_keeper)
      enter();
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->planMany(std::move(intents), std::move(stop), std::move(progress), [&answer](auto results) { answer.set_value(std::move(results)); });
    return answer.get_future().get();
  }
  std::vector<ReleaseResult> applyMany(std::vector<ReleaseResult> planned) {
    std::promise<std::vector<ReleaseResult>> answer;
    m_keeper->applyMany(std::move(planned), "stuck", {}, {}, [&answer](auto results) { answer.set_value(std::move(results)); });
    return answer.get_future().get();
  }
  std::int64_t reads() {
    std::int64_t sum = 0;
    for (const auto *command : {"zrange", "hscan", "sscan", "lrange", "get", "getrange", "pttl"})
      sum += calls(command);
    return sum;
  }
  static std::vector<Verdict> verdicts(const std::vector<ReleaseResult> &results) {
    std::vector<Verdict> all;
    for (const auto &result : results)
      all.push_back(result.verdict.value_or(Verdict::Kept));
    return all;
  }
};

// Each in the light of those that go before it: the second gives the first in the queue what he waits for, and he holds it from then on.
TEST_F(CrowdedHouse, permitsOfOneLockAreGivenOnAsTheyComeFree) {
  const std::string one = std::string(test::owner).substr(0, 36), gone = std::string(test::other).substr(0, 36);
  const auto ends = std::to_string(serverNow() + 60'000);
  for (const auto *number : {"1", "2", "3"})
    redis({"ZADD", "desk", ends, one + ":" + number + "/1"});
  redis({"PEXPIRE", "desk", "60000"});
  redis({"SET", "lockhouse:capacity:{desk}", "3", "PX", "60000"});
  redis({"ZADD", "lockhouse:queue:{desk}", "1", "2/" + gone + ":1", "2", "3/" + gone + ":2"});
  redis({"HSET", "lockhouse:deadlines:{desk}", gone, ends});
  const auto lock = read("desk");
  ASSERT_TRUE(lock);
  ASSERT_EQ(lock->family, "lockhouse-semaphore");
  const auto planned = planMany(intentsOf(*lock));
  ASSERT_EQ(planned.size(), 3U);
  EXPECT_THAT(nextOf(planned), testing::ElementsAre(std::nullopt, "2/" + gone + ":1", std::nullopt));
  EXPECT_TRUE(planned[1].plan->isNextUnheard);
  EXPECT_THAT(englishOf(textsOf(planned[2].plan->effects)), testing::Contains(testing::HasSubstr("lets nobody in yet: 3/" + gone.substr(0, 4))));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  const auto rest = read("desk");
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->holders, (std::vector<Holder>{{gone + ":1", 2}}));
}

TEST_F(CrowdedHouse, aReaderBehindALapsedWriterIsLetInOnce) {
  const std::string one = std::string(test::owner).substr(0, 36), gone = std::string(test::third).substr(0, 36),
                    living = std::string(test::other).substr(0, 36);
  const auto ends = std::to_string(serverNow() + 60'000);
  for (const auto *number : {"1", "2", "3"})
    redis({"ZADD", "desk", ends, "r/" + one + ":" + number});
  redis({"ZADD", "lockhouse:queue:{desk}", "1", "w/" + gone + ":1", "2", "r/" + living + ":1", "3", "w/" + living + ":2"});
  redis({"HSET", "lockhouse:deadlines:{desk}", gone, "1", living, ends});
  const auto lock = read("desk");
  ASSERT_TRUE(lock);
  ASSERT_EQ(lock->family, "lockhouse-rw");
  const auto planned = planMany(intentsOf(*lock));
  EXPECT_THAT(nextOf(planned), testing::ElementsAre("r/" + living + ":1", std::nullopt, std::nullopt));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  const auto rest = read("desk");
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->holders.size(), 1U);
  EXPECT_EQ(rest->holders.front().id, "r/" + living + ":1");
}

// Or he would be the writer when it is his turn.
TEST_F(CrowdedHouse, aReaderWhoWaitsToBecomeTheWriterGoesFirst) {
  const std::string one = std::string(test::owner).substr(0, 36), two = std::string(test::other).substr(0, 36);
  const auto ends = std::to_string(serverNow() + 60'000);
  for (const auto *number : {"1", "2", "3"})
    redis({"ZADD", "desk", ends, "r/" + one + ":" + number});
  redis({"ZADD", "lockhouse:queue:{desk}", "-9007199254740992", "u1/" + one + ":2", "1", "w/" + two + ":9"});
  redis({"HSET", "lockhouse:deadlines:{desk}", one, ends, two, ends});
  const auto lock = read("desk");
  ASSERT_TRUE(lock);
  std::vector<ReleaseIntent> intents;
  for (const auto &hold : holdsOf(*lock, std::nullopt))
    intents.push_back({lock->id, hold.id, {}, "stuck"});
  const auto planned = planMany(std::move(intents));
  EXPECT_EQ(planned.front().holder, "r/" + one + ":2");
  EXPECT_THAT(nextOf(planned), testing::ElementsAre(std::nullopt, std::nullopt, "w/" + two + ":9"));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  const auto rest = read("desk");
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->holders.size(), 1U);
  EXPECT_EQ(rest->holders.front().id, "w/" + two + ":9");
}

// A sorted set is read from both ends, and of the rest it is known how many they are.
TEST_F(CrowdedHouse, permitsOfALockThatIsNotReadWholeAreGivenOnToo) {
  const std::string one = std::string(test::owner).substr(0, 36), living = std::string(test::other).substr(0, 36);
  const auto ends = std::to_string(serverNow() + 60'000);
  Command permits{"ZADD", "desk"};
  for (int i = 1; i <= 2100; ++i)
    permits.arg(ends).arg(fmt::format("{}:{}/1", one, i));
  ASSERT_FALSE(redis.send(std::move(permits))->isFailure());
  redis({"SET", "lockhouse:capacity:{desk}", "2100"});
  redis({"ZADD", "lockhouse:queue:{desk}", "1", "1/" + living + ":1", "2", "1/" + living + ":2"});
  redis({"HSET", "lockhouse:deadlines:{desk}", living, ends});
  const auto lock = read("desk");
  ASSERT_TRUE(lock);
  ASSERT_GT(lock->unread, 0U);
  std::vector<ReleaseIntent> intents;
  for (std::size_t i = 0; i < 3; ++i)
    intents.push_back({lock->id, lock->holders[i].id, {}, "stuck"});
  EXPECT_THAT(nextOf(planMany(std::move(intents))), testing::ElementsAre("1/" + living + ":1", "1/" + living + ":2", std::nullopt));
}

// Whoever releases many of them besides somebody else must not hold the server up.
TEST_F(CrowdedHouse, aHoldOfPermitsThatHasGoneIsNotLookedForLong) {
  const std::string one = std::string(test::owner).substr(0, 36);
  const auto ends = std::to_string(serverNow() + 60'000);
  for (const auto *member : {":1/1", ":2/1", ":2/3"}) // the second of his was taken by hand
    redis({"ZADD", "desk", ends, one + member});
  redis({"SET", "lockhouse:capacity:{desk}", "9", "PX", "60000"});
  redis({"HSET", "lockhouse:deadlines:{desk}", one, ends});
  const auto lock = read("desk");
  ASSERT_TRUE(lock);
  ASSERT_EQ(lock->family, "lockhouse-semaphore");
  const auto planned = planMany(intentsOf(*lock));
  redis({"ZREM", "desk", one + ":1/1"});
  const auto before = calls("zscore");
  EXPECT_THAT(verdicts(applyMany(planned)), testing::UnorderedElementsAre(Verdict::Changed, Verdict::Released));
  EXPECT_LT(calls("zscore") - before, 200);
  EXPECT_FALSE(read("desk"));
}

class CrowdedLock : public CrowdedHouse, public testing::WithParamInterface<Crowded> {};

TEST_P(CrowdedLock, isReadOnceForAllOfItsHolds) {
  const auto &[family, key, hold, besides] = GetParam();
  fill(GetParam(), 0, 900);
  const auto lock = read(key);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, family);
  ASSERT_EQ(lock->holders.size(), 900U);
  const auto before = reads();
  const auto planned = planMany(intentsOf(*lock));
  EXPECT_LT(reads() - before, 200) << "not once for each of 900";
  EXPECT_TRUE(std::ranges::all_of(planned, [](const ReleaseResult &result) { return result.plan && !result.verdict; }));
  std::size_t arguments = 0;
  for (const auto &result : planned)
    arguments += result.plan->keys.size() + result.plan->args.size();
  EXPECT_LT(arguments, 30 * planned.size()) << "no plan names all the others";
  EXPECT_TRUE(unreadHolds(planned).empty());
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  EXPECT_EQ(read(key), nullptr);
}

TEST_P(CrowdedLock, tellsHowManyOfItsHoldsWereNotReadAndFreesThoseThatWere) {
  const auto &[family, key, hold, besides] = GetParam();
  fill(GetParam(), 0, 2500);
  const auto lock = read(key);
  ASSERT_TRUE(lock);
  ASSERT_GE(lock->holders.size(), 1000U);
  const auto planned = planMany(intentsOf(*lock));
  EXPECT_TRUE(std::ranges::all_of(planned, [](const ReleaseResult &result) { return result.plan && !result.verdict; }));
  const auto left = 2500 - lock->holders.size();
  EXPECT_EQ(unreadHolds(planned), (std::vector<UnreadHolds>{{lock->id, left}}));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  const auto rest = read(key);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->holders.size() + rest->unread, left);
}

// What is read of it may be others than were read before: those who came first in the order have gone, and nobody who was read is left.
TEST_P(CrowdedLock, isNotFreeWhereThoseWhoWereReadHaveGone) {
  const auto &[family, key, hold, besides] = GetParam();
  fill(GetParam(), 0, 2500);
  const auto lock = read(key);
  ASSERT_TRUE(lock);
  auto intents = intentsOf(*lock);
  std::set<std::string> known;
  for (const auto &holder : lock->holders)
    known.insert(holder.id);
  for (int i = 0; i < 2500; ++i)
    if (const auto command = hold(i); true)
      for (std::size_t word = 2; word < command.size(); ++word)
        if (const std::string name(command[word]); intents.size() < lock->holders.size() + 3 && name.size() > 15 && !known.contains(name))
          intents.push_back({lock->id, name, {}, "stuck"});
  ASSERT_EQ(intents.size(), lock->holders.size() + 3);
  const auto planned = planMany(intents);
  EXPECT_TRUE(std::ranges::all_of(planned, [](const ReleaseResult &result) { return result.plan && !result.verdict; })) << planned.back().detail.english();
  EXPECT_EQ(unreadHolds(planned), (std::vector<UnreadHolds>{{lock->id, 2500 - intents.size()}}));
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  intents.resize(intents.size() + 1, {lock->id, "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1bff:99999", {}, "stuck"});
  fill(GetParam(), 0, 2500);
  const auto again = planMany(intents);
  EXPECT_EQ(again.back().verdict, Verdict::Changed) << "who is not there: " << again.back().detail.english();
}

INSTANTIATE_TEST_SUITE_P(FamilyRegistry, CrowdedLock, testing::ValuesIn(crowded()), [](const auto &named) {
  auto name = named.param.family;
  std::erase(name, '-');
  return name;
});

TEST_F(CrowdedHouse, ofALongLineOfTicketsTheFirstAloneHoldsIt) {
  const auto ticket = [](int i) { return fmt::format("{:08}-1111-4111-8111-111111111111", i); };
  for (int i = 1; i <= 1500; ++i)
    ASSERT_FALSE(redis.send({"RPUSH", "queue:lock:q", ticket(i)})->isFailure());
  const auto lock = read("queue:lock:q");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->holders, (std::vector<Holder>{{ticket(1)}}));
  EXPECT_EQ(lock->unread, 0U);
  EXPECT_EQ(lock->waiters, 1499U);
  EXPECT_THAT(englishOf(lock->evidence), Contains("1499 wait, of whom 999 were read"));
  const auto planned = planMany(intentsOf(*lock));
  EXPECT_TRUE(unreadHolds(planned).empty());
  ASSERT_TRUE(planned[0].plan) << planned[0].detail.english();
  EXPECT_EQ(planned[0].plan->next, ticket(2));
  EXPECT_THAT(englishOf(textsOf(planned[0].plan->effects)), testing::Not(Contains(HasSubstr("stay")))) << "nobody else holds it";
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  EXPECT_EQ(read("queue:lock:q")->holders, (std::vector<Holder>{{ticket(2)}}));
}

TEST_F(CrowdedHouse, whatWasRefusedOfOneLockIsReadAgainOnce) {
  const auto lock = crowded().front();
  fill(lock, 0, 900);
  const auto planned = planMany(intentsOf(*read(lock.key)));
  redis({"DEL", lock.key});
  fill(lock, 5000, 5400);
  const auto before = reads();
  const auto results = applyMany(planned);
  EXPECT_LT(reads() - before, 200);
  EXPECT_THAT(verdicts(results), Each(Verdict::Changed));
  ASSERT_TRUE(results.back().now);
  EXPECT_EQ(results.back().now->holders.size(), 400U);
}

TEST_F(CrowdedHouse, aStopEndsThePlansForAllHoldsOfOneLock) {
  const auto lock = crowded().front();
  fill(lock, 0, 1500);
  std::stop_source stop;
  const auto planned = planMany(intentsOf(*read(lock.key)), stop.get_token(), [&stop](BulkProgress) { stop.request_stop(); });
  EXPECT_THAT(verdicts(planned), Each(Verdict::Stopped));
}

TEST_F(CrowdedHouse, ofReadersTheLastWhoGoesShortensTheLeaseToThoseWhoStay) {
  const std::string prefix = std::string(client) + ":";
  readLock("doc", {prefix + "1", prefix + "2", prefix + "3", prefix + "4"});
  const auto planned = planMany({{id("doc"), prefix + "1", {}, "stuck"}, {id("doc"), prefix + "2", {}, "stuck"}, {id("doc"), prefix + "3", {}, "stuck"}});
  ASSERT_TRUE(planned[0].plan && planned[2].plan);
  EXPECT_THAT(englishOf(textsOf(planned[0].plan->effects)), Contains(HasSubstr("leaves the lease as it is")));
  EXPECT_THAT(englishOf(textsOf(planned[0].plan->effects)), Contains(HasSubstr("3 other holds stay")));
  EXPECT_THAT(englishOf(textsOf(planned[2].plan->effects)), Contains(HasSubstr("shortens the lease to the longest of those that stay")));
  redis({"PEXPIRE", "doc", "90000"});
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  EXPECT_LE(redis({"PTTL", "doc"}).integer(), 30000);
  EXPECT_EQ(redis({"HLEN", "doc"}).integer(), 2);
}

TEST_F(CrowdedHouse, permitsOfOneHolderGoTogetherThoughOnlySomeWereRead) {
  const std::string many = std::string(client) + ":1", few = std::string(client) + ":2";
  for (int i = 1; i <= 3000; ++i)
    redis({"ZADD", "desk", later, fmt::format("{}/{}", many, i)});
  for (int i = 1; i <= 5; ++i)
    redis({"ZADD", "desk", later, fmt::format("{}/{}", few, i)});
  const auto lock = read("desk");
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->family, "lockhouse-semaphore");
  EXPECT_EQ(lock->unread, 1005U);
  const auto planned = plan("desk", many);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->expectCount, 3000);
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("with it go all 3000 of its permits"));
  EXPECT_EQ(shorten("desk", many, seconds(100)).verdict, Verdict::Shortened);
  EXPECT_EQ(redis({"ZCOUNT", "desk", later, "+inf"}).integer(), 5) << "all of his";
  EXPECT_EQ(apply("desk", many).verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZCARD", "desk"}).integer(), 5);
}

TEST_F(CrowdedHouse, permitsAreCountedAsFarAsTheirReleaseTakesThem) {
  const auto holder = fmt::format("{}:1", client);
  redis({"EVAL", "for i = 1, 12000 do redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2] .. '/' .. i) end", "1", "desk", later, holder});
  EXPECT_EQ(redis.send({"EVAL", release_scripts::countLeasedPermits.body, "1", "desk", holder})->integer(), 10'000);
  EXPECT_EQ(run(planNow("desk", holder)).verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZCARD", "desk"}).integer(), 2'000);
}

TEST_F(CrowdedHouse, oddCountsAmongThoseWhoGoLaterDoNotMakeTheFirstTheLast) {
  const std::string prefix = std::string(client) + ":";
  readLock("doc", {prefix + "1", prefix + "2", prefix + "3", prefix + "4"});
  redis({"HSET", "doc", prefix + "2", "x", prefix + "3", "y"});
  std::vector<ReleaseIntent> intents;
  for (const auto *reader : {"1", "2", "3", "9", "4"})
    intents.push_back({id("doc"), prefix + reader, {}, "stuck"});
  auto planned = planMany(intents);
  EXPECT_EQ(planned[3].verdict, Verdict::Changed) << "who is not there, whoever else goes later";
  planned.resize(1);
  EXPECT_THAT(verdicts(applyMany(planned)), Each(Verdict::Released));
  EXPECT_EQ(redis({"HLEN", "doc"}).integer(), 4);
}

TEST_F(CrowdedHouse, oneBeyondWhatWasReadGoesThoughAllThatWasReadHaveLapsed) {
  const std::string owner = std::string(client) + ":77";
  const auto hold = [&](int i, std::string_view until) {
    const auto value = fmt::format("{:022}", i), field = value + ":" + owner;
    redis({"HSET", "grp", value, owner, field + ":expire_time", until, field + ":lock_count", "1"});
    return field;
  };
  const auto first = hold(0, "1795300000000");
  for (int i = 1; i < 1600; ++i)
    hold(i, "1795300000000");
  redis({"PEXPIRE", "grp", "600000"});
  const auto lock = read("grp");
  ASSERT_TRUE(lock && lock->holders.empty());
  EXPECT_GT(lock->unread, 0U);
  EXPECT_EQ(stateAt(*lock, SteadyClock::now()), LockState::Suspect);
  EXPECT_EQ(lock->family, "redisson-multilock");
  const auto planned = plan("grp", first);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(apply("grp", first).verdict, Verdict::Released);
  EXPECT_EQ(redis({"HEXISTS", "grp", first + ":lock_count"}).integer(), 0);
}

} // namespace
} // namespace lockhouse
