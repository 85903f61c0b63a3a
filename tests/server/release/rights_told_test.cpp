// SPDX-License-Identifier: Apache-2.0
// A plan names each right that its script needs and this user lacks, before anything is applied; and it names no other.
#include "core/release/check/required_acl.h"
#include "core/release/make_plan.h"
#include "core/release/scripts.h"
#include "tests/server/release/operator_house.h"

#include <future>
#include <map>
#include <set>

namespace lockhouse {
namespace {

using test::other;
using test::owner;
using test::token;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr auto uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";

// As the manual has them.
const std::vector<std::string> readingRules{"-@all",   "+scan",  "+type",  "+strlen", "+getrange", "+pttl", "+hlen",         "+hget",    "+hscan", "+llen",
                                            "+lrange", "+scard", "+sscan", "+zcard",  "+zrange",   "+ping", "+memory|usage", "+hstrlen", "+hkeys", "+info"};

struct Case {
  std::string key, holder;
  std::vector<std::vector<std::string>> made;
};

class RightsTold : public test::OperatorHouse {
protected:
  std::vector<Case> everyScript() {
    const auto now = serverNow();
    const auto later = std::to_string(now + 60'000), laterSeconds = std::to_string(now / 1000 + 60), early = std::to_string(now - 1);
    const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
    const std::string bytes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);
    const std::string client = std::string(other).substr(0, 36);
    const std::string push = "Zk9xT2w3dFp1R2hYc0pLbWJ2", net = "web-1_4711_3f786850e387550fdab836ed7e6dc881";
    return {
        {"lock:a", token, {{"SET", "lock:a", token}}},
        {"locks:orders", uuid, {{"SET", "locks:orders", uuid}}},
        {"lock:stock", push, {{"SET", "lock:stock", push}}},
        {"lock:owner:o", "web-0:4711", {{"SET", "lock:owner:o", "web-0:4711"}, {"SET", "lock:expire:o", laterSeconds}}},
        {"rueidislock:0:n", bytes, {{"SET", "rueidislock:0:n", bytes}, {"SET", "rueidislock:1:n", bytes}}},
        {"SEMAPHORE:gate:GRABBED", "0", {{"HSET", "SEMAPHORE:gate:GRABBED", "0", "1795300000.5"}}},
        {"uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED",
         "4e1f0a9b3c7d5e6f8a9b0c1d",
         {{"HSET", "uniquejobs:3f786850e387550fdab836ed7e6dc881:LOCKED", "4e1f0a9b3c7d5e6f8a9b0c1d", "1795300000.5"}}},
        {"uniquejobs:4f786850e387550fdab836ed7e6dc881:LOCKED",
         "4e1f0a9b3c7d5e6f8a9b0c1d",
         {{"HSET", "uniquejobs:4f786850e387550fdab836ed7e6dc881:LOCKED", "4e1f0a9b3c7d5e6f8a9b0c1d", R"({"at":1795300000.5})"}}},
        {"book.writer", net, {{"SADD", "book.readers", net}}},
        {"slots", net, {{"ZADD", "slots", later, net}}},
        {"lock:queue", uuid, {{"RPUSH", "lock:queue", uuid, "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02"}}},
        {"pool", permit, {{"SET", "pool", "2"}, {"ZADD", "{pool}:timeout", later, permit}}},
        {"gate",
         std::string(owner) + ":1",
         {{"SET", "gate", "1"}, {"SET", "lockhouse:capacity:{gate}", "2"}, {"ZADD", "lockhouse:permits:{gate}", later, std::string(owner) + ":1"}}},
        {"semaphore:s", uuid, {{"ZADD", "semaphore:s", std::to_string(now), std::string(uuid) + "_0", std::to_string(now), std::string(uuid) + "_1"}}},
        {"{w}:time",
         "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s=",
         {{"ZADD", "{w}:time", laterSeconds, "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s="},
          {"ZADD", "{w}:weight", "3", "AzazbxO8rkgWaIITaAWn0b5enydoEP33INAzyk8uU8s="}}},
        {"stock", owner, {{"HSET", "stock", owner, "1"}}},
        {"f",
         owner,
         {{"HSET", "f", owner, "1"}, {"RPUSH", "redisson_lock_queue:{f}", "gone", other}, {"ZADD", "redisson_lock_timeout:{f}", early, "gone", later, other}}},
        {"h",
         std::string(owner) + ":1795300000000007",
         {{"SET", "h", std::string(owner) + ":1795300000000007"},
          {"ZADD", "lockhouse:queue:{h}", "1", other},
          {"HSET", "lockhouse:deadlines:{h}", client, later}}},
        {"l", owner, {{"SET", "l", owner}, {"RPUSH", "lockhouse:line:{l}", other}, {"HSET", "lockhouse:deadlines:{l}", client, later}}},
        {"z", owner, {{"SET", "z", owner}, {"ZADD", "lockhouse:line:{z}", "1", other}, {"HSET", "lockhouse:deadlines:{z}", client, later}}},
        {"w",
         std::string("w/") + owner,
         {{"ZADD", "w", later, std::string("w/") + owner},
          {"ZADD", "lockhouse:queue:{w}", "1", std::string("r/") + other},
          {"HSET", "lockhouse:deadlines:{w}", client, later}}},
        {"p",
         owner,
         {{"ZADD", "p", later, std::string(owner) + "/1"},
          {"ZADD", "lockhouse:queue:{p}", "1", std::string("1/") + other},
          {"HSET", "lockhouse:deadlines:{p}", client, later}}},
        {"rw", owner, {{"HSET", "rw", "mode", "read", owner, "1"}}},
        {"rw2", owner, {{"HSET", "rw2", "mode", "read", owner, "1", other, "1"}}},
        {"rw3", std::string(owner) + ":write", {{"HSET", "rw3", "mode", "write", std::string(owner) + ":write", "1", owner, "1"}}},
    };
  }
  void make(const Case &made) {
    redis({"FLUSHALL"});
    for (const auto &words : made.made) {
      Command command;
      for (const auto &word : words)
        command.arg(word);
      ASSERT_FALSE(redis.send(std::move(command))->isFailure()) << made.key;
    }
  }
  std::map<std::string, std::string> dataset() {
    std::map<std::string, std::string> all;
    const auto keys = redis({"KEYS", "*"});
    for (const auto &key : keys.array())
      all.emplace(key.text().value(), redis({"DUMP", key.text().value()}).text().value());
    return all;
  }
  void enterWith(const std::vector<std::string> &rules) {
    Command user{"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "~*", "&*"};
    for (const auto &rule : rules)
      user.arg(rule);
    ASSERT_TRUE(redis.send(std::move(user))->isOk());
    enter("keeper", "pw");
  }
};

TEST_F(RightsTold, eachThatIsMissingIsNamedBeforeItIsRefused) {
  std::set<std::string_view> scripts;
  for (const auto &lock : everyScript()) {
    make(lock);
    enterWith({"+@all"});
    const auto whole = plan(lock.key, lock.holder);
    ASSERT_TRUE(whole.plan) << lock.key << ": " << whole.detail.english();
    EXPECT_THAT(englishOf(whole.plan->warnings), Each(Not(HasSubstr("lacks rights")))) << lock.key;
    scripts.insert(whole.plan->script->name);
    std::set<std::string> names;
    for (const auto &command : requiredAclOf(*whole.plan))
      if (names.emplace(command.name()).second && command.name() != "HGET" && command.name() != "GET" && command.name() != "PTTL") { // by which it is read
        make(lock);
        enterWith({"+@all", "-" + std::string(command.name())});
        const auto planned = plan(lock.key, lock.holder);
        if (command.name() == "ZRANGE" && planned.verdict == Verdict::NotAllowed) { // who holds it is seen by that
          EXPECT_THAT(planned.detail.english(), HasSubstr("'zrange' command")) << lock.key;
          continue;
        }
        ASSERT_TRUE(planned.plan) << lock.key << " without " << command.name() << ": " << planned.detail.english();
        EXPECT_THAT(englishOf(planned.plan->warnings).front(), HasSubstr("lacks rights, so this would be refused: " + std::string(command.name()))) << lock.key;
        const auto applied = apply(lock.key, lock.holder);
        EXPECT_EQ(applied.verdict, Verdict::NotAllowed) << lock.key << " without " << command.name();
        EXPECT_THAT(applied.detail.english(), testing::AnyOf(HasSubstr(std::string(command.name())), HasSubstr("NOPERM this user may not "))) << lock.key;
      }
  }
  for (const auto *script : release_scripts::all)
    EXPECT_EQ(script->name.starts_with("release-"), scripts.contains(script->name)) << script->name << ": everyScript() needs a lock that it releases";
}

TEST_F(RightsTold, thoseThatAreNeededAreEnough) {
  const test::Listener head(m_uri, std::string("redisson_lock__channel:{f}:") + other); // else it would lose its place, where that can be asked
  for (const auto &lock : everyScript()) {
    make(lock);
    enterWith({"+@all"});
    std::vector<std::string> rules = readingRules;
    rules.insert(rules.end(), {"+eval", "+evalsha"});
    const auto whole = plan(lock.key, lock.holder);
    ASSERT_TRUE(whole.plan) << lock.key;
    for (const auto &command : requiredAclOf(*whole.plan))
      rules.push_back("+" + std::string(command.name()));
    enterWith(rules);
    EXPECT_THAT(englishOf(plan(lock.key, lock.holder).plan->warnings), Each(Not(HasSubstr("lacks rights")))) << lock.key;
    const auto done = apply(lock.key, lock.holder);
    EXPECT_EQ(done.verdict, Verdict::Released) << lock.key << ": " << done.detail.english();
  }
}

TEST_F(RightsTold, aMessageToALibraryThatItOnlyMayBeIsLeftOut) {
  redis({"SET", "locks:orders", uuid, "PX", "60000"});
  enterWith({"+@all", "resetchannels", "&redisson*", "&__redis__:*"});
  const auto planned = plan("locks:orders", uuid);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->refusal, std::nullopt);
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("publishes nothing on locks-channel: this user may not")));
  const auto done = apply("locks:orders", uuid);
  EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
}

TEST_F(RightsTold, aChannelThatIsClosedIsNamed) {
  redis({"HSET", "stock", owner, "1"});
  enterWith({"+@all", "resetchannels", "&__redis__:*"});
  EXPECT_THAT(englishOf(plan("stock", owner).plan->warnings),
              Contains("this user lacks rights, so this would be refused: PUBLISH redisson_lock__channel:{stock}"));
}

TEST_F(RightsTold, whatAShorterLeaseNeedsIsNamedToo) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  enterWith({"+@all", "-pexpire"});
  auto short_ = ReleaseIntent{id("lock:a"), token, {}, "stuck", milliseconds(1000)};
  std::promise<ReleaseResult> answer;
  m_keeper->plan(short_, [&answer](ReleaseResult result) { answer.set_value(std::move(result)); });
  const auto planned = answer.get_future().get();
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains("this user lacks rights, so this would be refused: PEXPIRE lock:a"));
}

TEST_F(RightsTold, withoutEvalWhatElseIsNeededIsSaid) {
  redis({"HSET", "stock", owner, "1"});
  enterWith({"+@all", "-eval", "-evalsha", "-publish"});
  EXPECT_THAT(englishOf(plan("stock", owner).plan->warnings),
              Contains("whether it may do the rest cannot be asked without EVAL: HLEN stock, HGET stock, DEL stock, PUBLISH redisson_lock__channel:{stock}"));
}

TEST_F(RightsTold, ofManyPlansEachTellsItsOwn) {
  redis({"HSET", "stock", owner, "1"});
  redis({"SET", "lock:a", token});
  enterWith({"+@all", "-publish"});
  std::promise<std::vector<ReleaseResult>> answer;
  m_keeper->planMany({{id("stock"), owner, {}, "stuck"}, {id("lock:a"), token, {}, "stuck"}}, {}, {},
                     [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  const auto planned = answer.get_future().get();
  EXPECT_THAT(englishOf(planned[0].plan->warnings), Contains(HasSubstr("refused: PUBLISH redisson_lock__channel:{stock}")));
  EXPECT_THAT(englishOf(planned[1].plan->warnings), Each(Not(HasSubstr("lacks rights"))));
  EXPECT_EQ(planned[0].plan->refusal, planned[0].plan->warnings.front());
  EXPECT_EQ(planned[1].plan->refusal, std::nullopt);
}

TEST_F(RightsTold, ofHundredsOfPlansEachTellsItsOwn) {
  std::vector<ReleaseIntent> intents;
  for (int i = 0; i < 200; ++i) {
    const auto key = (i % 2 == 0 ? "open:lock:" : "lock:") + std::to_string(i);
    redis({"SET", key, token});
    intents.push_back({id(key), token, {}, "stuck"});
  }
  enterWith({"+@all", "-del", "(+del ~open:*)"});
  const auto before = calls("eval");
  std::promise<std::vector<ReleaseResult>> answer;
  m_keeper->planMany(std::move(intents), {}, {}, [&answer](std::vector<ReleaseResult> results) { answer.set_value(std::move(results)); });
  const auto planned = answer.get_future().get();
  EXPECT_LE(calls("eval") - before, 4);
  for (int i = 0; i < 200; ++i) {
    const auto &refusal = planned[static_cast<std::size_t>(i)].plan->refusal;
    EXPECT_EQ(refusal.value_or(Message()).english(), i % 2 == 0 ? "" : "this user lacks rights, so this would be refused: DEL lock:" + std::to_string(i));
  }
}

TEST_F(RightsTold, toTheTimeoutKeysOfAReaderAndTheLeaseOfTheOthersAreAskedFor) {
  const std::vector<std::pair<const char *, std::string>> rights{{"-del", "DEL {rw}:" + std::string(owner)}, {"-pexpire", "PEXPIRE rw"}};
  for (const auto &[rule, missing] : rights) {
    readLock("rw", {owner, other});
    const std::string before(*redis({"DUMP", "rw"}).bulk());
    enterWith({"+@all", rule});
    const auto planned = plan("rw", owner);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("this user lacks rights, so this would be refused: " + missing)) << rule;
    EXPECT_EQ(apply("rw", owner).verdict, Verdict::NotAllowed) << rule;
    EXPECT_EQ(*redis({"DUMP", "rw"}).bulk(), before);
  }
}

TEST_F(RightsTold, withoutEvalAloneTheScriptHasToBeKnown) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  enterWith({"+@all", "-eval"});
  std::promise<std::vector<ReleaseResult>> many;
  const auto alone = plan("lock:a", token);
  m_keeper->planMany({{id("lock:a"), token, {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> results) { many.set_value(std::move(results)); });
  for (const auto &planned : {alone, many.get_future().get().front()}) {
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("may not run EVAL, and the server does not know the script yet"));
    EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("cannot be asked without EVAL: STRLEN lock:a, GET lock:a, DEL lock:a")));
  }
  EXPECT_EQ(apply("lock:a", token).verdict, Verdict::NotAllowed);
  EXPECT_EQ(redis({"EXISTS", "lock:a"}).integer(), 1);
  redis({"SCRIPT", "LOAD", plan("lock:a", token).plan->script->body});
  const auto planned = plan("lock:a", token);
  EXPECT_EQ(planned.plan->refusal, std::nullopt);
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("may not run EVAL: this is done only if the server knows the script already")));
  EXPECT_EQ(apply("lock:a", token).verdict, Verdict::Released);
}

TEST_F(RightsTold, withoutEvalAndScriptItIsSaidThatTheScriptHasToBeKnown) {
  redis({"SET", "lock:a", token, "PX", "60000"});
  enterWith({"+@all", "-eval", "-script"});
  const auto planned = plan("lock:a", token);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_EQ(planned.plan->refusal, std::nullopt);
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("may not run EVAL: this is done only if the server knows the script already")));
}

TEST_F(RightsTold, whoIsNextIsNotGuessedWhereTheQueueOrItsDeadlinesMayNotBeRead) {
  std::size_t told = 0;
  for (const auto &lock : everyScript())
    for (const auto *missing : {"hscan", "lrange", "zrange"})
      if (std::set<std::string>{"h", "l", "z", "w", "p"}.contains(lock.key)) {
        make(lock);
        enterWith({"+@all", std::string("-") + missing});
        const auto planned = plan(lock.key, lock.holder);
        if (planned.verdict == Verdict::NotAllowed) // who holds it is not seen either
          continue;
        ASSERT_TRUE(planned.plan) << lock.key << " without " << missing << ": " << planned.detail.english();
        for (const auto &effect : planned.plan->effects)
          EXPECT_THAT(effect.text.english(), testing::AllOf(Not(HasSubstr("empty")), Not(HasSubstr("lapsed")))) << lock.key << " without " << missing;
        const bool isRead = planned.plan->next.has_value();
        EXPECT_EQ(isRead, missing != std::string_view("hscan") && !planned.plan->refusal) << lock.key << " without " << missing;
        EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(isRead ? HasSubstr("PUBLISH") : HasSubstr("the first in the queue"))) << lock.key;
        ++told;
      }
  EXPECT_EQ(told, 13U);
}

TEST_F(RightsTold, whoComesInIsNotGuessedWhereTheCapacityMayNotBeRead) {
  const auto later = std::to_string(serverNow() + 60'000);
  redis({"ZADD", "p", later, std::string(owner) + "/1", later, std::string(test::third) + "/1"});
  redis({"SET", "lockhouse:capacity:{p}", "5"});
  redis({"ZADD", "lockhouse:queue:{p}", "1", std::string("2/") + other});
  redis({"HSET", "lockhouse:deadlines:{p}", std::string(other).substr(0, 36), later});
  enterWith({"+@all", "-getrange"});
  const auto planned = plan("p", owner);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains("lets in who of the queue fits: how many permits there are cannot be read"));
  EXPECT_EQ(planned.plan->next, std::nullopt);
  EXPECT_EQ(apply("p", owner).verdict, Verdict::Released);
  EXPECT_EQ(redis({"ZCARD", "p"}).integer(), 3) << "he fits";
}

// Redis before 7 cannot be asked for rights: there each command is tried where it changes nothing.
TEST_F(RightsTold, whereTheServerCannotBeAskedNothingIsHalfDoneEither) {
  std::set<std::string_view> scripts;
  std::size_t refused = 0;
  for (const auto &lock : everyScript()) {
    make(lock);
    enterWith({"+@all"});
    const auto whole = plan(lock.key, lock.holder);
    ASSERT_TRUE(whole.plan) << lock.key << ": " << whole.detail.english();
    const auto &script = *whole.plan->script;
    if (script.body.find("isRefusedAt") == std::string_view::npos) // it is no lock of ours
      continue;
    const auto unasked = "local redis = setmetatable({acl_check_cmd = false}, {__index = redis})\n" + std::string(script.body);
    Command eval{"EVAL", unasked};
    eval.arg(static_cast<std::int64_t>(whole.plan->keys.size()));
    for (const auto &words : {whole.plan->keys, whole.plan->args})
      for (const auto &word : words)
        eval.arg(word);
    std::set<std::string> rights{"+@all"};
    for (const auto &command : requiredAclOf(*whole.plan))
      if (command.name() != "PUBLISH")
        rights.insert("-" + std::string(command.name()));
    for (const auto &right : rights) {
      make(lock);
      enterWith({"+@all", right});
      test::RawRedis keeper(m_uri);
      ASSERT_TRUE(keeper({"AUTH", "keeper", "pw"}).isOk());
      const auto before = dataset();
      const auto answer = keeper.send(Command(eval));
      ASSERT_TRUE(answer);
      const bool isRefused = right.starts_with('-');
      EXPECT_EQ(answer->isFailure(), isRefused) << script.name << " of " << lock.key << " with " << right;
      EXPECT_EQ(dataset() == before, isRefused) << script.name << " of " << lock.key << " with " << right << ": " << answer->failure();
      refused += isRefused ? 1 : 0;
    }
    scripts.insert(script.name);
  }
  EXPECT_EQ(scripts.size(), 4U);
  EXPECT_GT(refused, 30U);
}

// Its script asks before it changes anything, whoever of the queue comes in by this release.
TEST_F(RightsTold, whoeverMayNotPublishToTheQueueOfALockOfOursIsToldBeforehand) {
  const auto later = std::to_string(serverNow() + 60'000);
  const std::string client = std::string(other).substr(0, 36), two = test::third;
  redis({"ZADD", "desk", later, std::string("r/") + owner, later, "r/" + two});
  redis({"ZADD", "lockhouse:queue:{desk}", "1", std::string("w/") + other});
  redis({"HSET", "lockhouse:deadlines:{desk}", client, later});
  enterWith({"+@all", "resetchannels", "&__redis__:*"});
  const std::string reader = std::string("r/") + owner;
  const auto planned = plan("desk", reader);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_TRUE(planned.plan->wakes.empty());
  EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("PUBLISH lockhouse:inbox:" + client));
  const auto done = apply("desk", reader);
  EXPECT_EQ(done.verdict, Verdict::NotAllowed) << done.detail.english();
  EXPECT_EQ(redis({"ZCARD", "desk"}).integer(), 2);
}

} // namespace
} // namespace lockhouse
