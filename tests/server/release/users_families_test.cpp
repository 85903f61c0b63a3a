// SPDX-License-Identifier: Apache-2.0
// Locks of a user's own families are freed as their file says, whatever type they have.
#include "tests/server/release/operator_house.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace lockhouse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view forms = R"(
[[family.form]]
type = "string"
key = "acme:string:{name}"
value = "{id:word}"
confidence = 0.9
[[family.form]]
type = "hash"
key = "acme:hash:{name}"
field = "{id:word}"
value = "{count:count}"
confidence = 0.9
[[family.form]]
type = "set"
key = "acme:set:{name}"
member = "{id:word}"
confidence = 0.9
[[family.form]]
type = "zset"
key = "acme:zset:{name}"
member = "{id:word}"
score = "until"
confidence = 0.9
[[family.form]]
type = "list"
key = "acme:list:{name}"
member = "{id:word}"
confidence = 0.9
)";

class UsersFamilies : public test::OperatorHouse {
protected:
  void know(std::string_view family, std::string_view rest = forms) {
    auto read = FamilyRegistry::with(fmt::format("[[family]]\nslug = \"acme\"\n{}{}", family, rest), "my.toml");
    ASSERT_TRUE(read) << read.error().sentence();
    m_families = *read;
    enter();
  }
  /// Held by w1.
  std::vector<std::string> locks() {
    redis({"SET", "acme:string:1", "w1"});
    redis({"HSET", "acme:hash:1", "w1", "2"});
    redis({"SADD", "acme:set:1", "w1"});
    redis({"ZADD", "acme:zset:1", std::to_string(serverNow() + 600'000), "w1"});
    redis({"RPUSH", "acme:list:1", "w1"});
    return {"acme:string:1", "acme:hash:1", "acme:set:1", "acme:zset:1", "acme:list:1"};
  }
};

TEST_F(UsersFamilies, thatPublishTellWhoListensWhateverTheirType) {
  know("release = \"B\"\nwaits = \"channel\"\nchannel = \"{lock}:bell\"\nalso_channel = \"{lock}:gong\"\n");
  for (const auto &key : locks()) {
    test::Listener waiter(m_uri, key + ":bell"), older(m_uri, key + ":gong");
    test::ShardListener sharded(m_uri, key + ":bell");
    const auto planned = plan(key, "w1");
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr(fmt::format("publishes {} on {}:bell", key, key))));
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr(fmt::format("publishes {} on {}:gong", key, key))));
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Not(Contains(HasSubstr("tells nobody"))));
    const auto done = apply(key, "w1");
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr("3 clients were told"));
    EXPECT_THAT(waiter.heard(), ElementsAre(key));
    EXPECT_THAT(older.heard(), ElementsAre(key));
    EXPECT_THAT(sharded.heard(), ElementsAre(key));
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 0);
  }
}

TEST_F(UsersFamilies, thatPushWakeWhoIsBlockedWhateverTheirType) {
  know("release = \"C\"\nwaits = \"blocked\"\n", fmt::format("{}[[family.beside]]\nkey = \"signal:{{lock}}\"\ntype = \"list\"\nrole = \"signal\"\n", forms));
  for (const auto &key : locks()) {
    const auto planned = plan(key, "w1");
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr(fmt::format("leaves one element in signal:{}", key))));
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Not(Contains(HasSubstr("tells nobody"))));
    test::RawRedis waiter(m_uri);
    std::jthread blocked([&] {
      const auto woken = waiter.send({"BLPOP", "signal:" + key, "10"});
      EXPECT_TRUE(woken && woken->array().size() == 2) << key;
    });
    while (redis({"INFO", "clients"}).text()->find("blocked_clients:1") == std::string_view::npos)
      std::this_thread::yield();
    const auto done = apply(key, "w1");
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    blocked.join();
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 0);
  }
}

TEST_F(UsersFamilies, leaveTheirWakeUpForAWhileToWhoComesTooLate) {
  know("release = \"C\"\nwaits = \"blocked\"\n", fmt::format("{}[[family.beside]]\nkey = \"signal:{{lock}}\"\ntype = \"list\"\nrole = \"signal\"\n", forms));
  for (const auto &key : locks()) {
    EXPECT_EQ(apply(key, "w1").verdict, Verdict::Released);
    EXPECT_EQ(redis({"LLEN", "signal:" + key}).integer(), 1);
    EXPECT_GT(redis({"PTTL", "signal:" + key}).integer(), 0) << key;
  }
}

TEST_F(UsersFamilies, anyHolderInAListIsTakenOut) {
  know("release = \"D\"\n");
  redis({"RPUSH", "acme:list:1", "w1", "w2", "w3"});
  EXPECT_EQ(apply("acme:list:1", "w3").verdict, Verdict::Released);
  EXPECT_EQ(apply("acme:list:1", "w2").verdict, Verdict::Released);
  EXPECT_EQ(apply("acme:list:1", "w2").verdict, Verdict::Changed);
  EXPECT_EQ(redis({"LLEN", "acme:list:1"}).integer(), 1);
  Command push{"RPUSH", "acme:list:1"};
  for (int i = 10; i < 1500; ++i)
    push.arg(fmt::format("w{}", i));
  ASSERT_FALSE(redis.send(std::move(push))->isFailure());
  EXPECT_EQ(apply("acme:list:1", "w1400").verdict, Verdict::Released) << "beyond those that are read";
  EXPECT_EQ(apply("acme:list:1", "w1400").verdict, Verdict::Changed);
  EXPECT_EQ(redis({"LLEN", "acme:list:1"}).integer(), 1490);
  EXPECT_EQ(*redis({"LINDEX", "acme:list:1", "0"}).bulk(), "w1");
}

TEST_F(UsersFamilies, ofALineTheFirstIsTakenOutAndTheNextHasIt) {
  for (const std::string type : {"list", "zset"}) {
    know("release = \"D\"\nwaits = \"queue\"\n",
         fmt::format("[[family.form]]\ntype = \"{}\"\nkey = \"acme:line:{{name}}\"\nmember = \"{{id:word}}\"\nconfidence = 0.9\n{}", type,
                     type == "zset" ? "score = \"order\"\n" : ""));
    redis({"DEL", "acme:line:1"});
    type == "zset" ? redis({"ZADD", "acme:line:1", "1", "w1", "2", "w2", "3", "w3"}) : redis({"RPUSH", "acme:line:1", "w1", "w2", "w3"});
    const auto lock = read("acme:line:1");
    ASSERT_TRUE(lock) << type;
    ASSERT_EQ(lock->holders.size(), 1U) << type;
    EXPECT_EQ(lock->holders.front().id, "w1");
    EXPECT_EQ(lock->waiters, 2U);
    EXPECT_EQ(plan("acme:line:1", "w3").verdict, Verdict::Changed) << "he only waits";
    const auto planned = plan("acme:line:1", "w1");
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->next, "w2");
    EXPECT_EQ(apply("acme:line:1", "w1").verdict, Verdict::Released);
    EXPECT_EQ(read("acme:line:1")->holders.front().id, "w2");
  }
}

TEST_F(UsersFamilies, ofMoreLapsedEntriesThanAreReadWhetherItIsHeldIsNotKnown) {
  know("release = \"D\"\n", "[[family.form]]\ntype = \"list\"\nkey = \"acme:ends:{name}\"\nmember = \"{id:word}@{until:millis}\"\nconfidence = 0.9\n");
  const auto now = serverNow();
  std::vector<std::string> members;
  for (int i = 0; i < 1100; ++i)
    members.push_back(fmt::format("w{}@{}", i, now - 1000));
  members.push_back(fmt::format("live@{}", now + 600'000));
  Command push{"RPUSH", "acme:ends:1"};
  for (const auto &member : members)
    push.arg(member);
  ASSERT_FALSE(redis.send(std::move(push))->isFailure());
  const auto lock = read("acme:ends:1");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->holders.empty());
  EXPECT_EQ(lock->unread, 101U);
  EXPECT_EQ(std::ranges::count(englishOf(lock->evidence), "it has 1101 entries, of which 1000 were read"), 1);
  EXPECT_EQ(stateAt(*lock, SteadyClock::now()), LockState::Suspect);
}

// More of them than are read, most of which are over.
TEST_F(UsersFamilies, ofOneWhoWasNotReadAnothersEndIsNotTaken) {
  know("release = \"D\"\n", R"(
[[family.form]]
type = "hash"
key = "acme:hash:{name}"
field = "{id:word}"
value = "{until:millis}"
confidence = 0.9
[[family.form]]
type = "list"
key = "acme:list:{name}"
member = "{id:word}@{until:millis}"
confidence = 0.9
)");
  const auto end = [now = serverNow()](int i) { return std::to_string(now + (i < 1500 ? -1000 : 600'000)); };
  const auto inList = [&](int i) { return fmt::format("w{}@{}", i, end(i)); };
  Command fields{"HSET", "acme:hash:1"}, members{"RPUSH", "acme:list:1"};
  for (int i = 0; i < 1600; ++i) {
    fields.arg(fmt::format("w{}", i)).arg(end(i));
    members.arg(inList(i));
  }
  ASSERT_FALSE(redis.send(std::move(fields))->isFailure());
  ASSERT_FALSE(redis.send(std::move(members))->isFailure());
  for (const auto *key : {"acme:hash:1", "acme:list:1"}) {
    const auto lock = read(key);
    ASSERT_TRUE(lock);
    int unread = 1500;
    const auto name = [&] { return key == std::string_view("acme:hash:1") ? fmt::format("w{}", unread) : inList(unread); };
    while (std::ranges::find(lock->holders, name(), &Holder::id) != lock->holders.end())
      ++unread;
    ASSERT_LT(unread, 1600);
    const auto planned = plan(key, name());
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("the end of this hold was not read")));
    EXPECT_THAT(englishOf(planned.plan->warnings), Not(Contains(HasSubstr("still runs for"))));
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(testing::MatchesRegex("at most [0-9]+ other holds stay")));
    const auto done = apply(key, name());
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_THAT(done.detail.english(), Not(HasSubstr("other hold"))) << "most of which are over";
  }
}

TEST_F(UsersFamilies, whoMayNotTellTheWaitersChangesNothing) {
  const auto redisUri = m_uri;
  know("release = \"B\"\nwaits = \"channel\"\nchannel = \"{lock}:bell\"\nalso_channel = \"{lock}:gong\"\n");
  const auto keys = locks();
  redis({"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "~*", "+@all", "resetchannels", "&__redis__:*", "&*:bell"});
  enter("keeper", "pw");
  for (const auto &key : keys) {
    EXPECT_THAT(plan(key, "w1").plan->refusal.value_or(Message()).english(), HasSubstr(fmt::format("PUBLISH {}:gong", key)));
    EXPECT_EQ(apply(key, "w1").verdict, Verdict::NotAllowed);
    EXPECT_EQ(redis({"EXISTS", key}).integer(), 1) << key;
  }
}

} // namespace
} // namespace lockhouse
