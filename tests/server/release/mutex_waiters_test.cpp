// SPDX-License-Identifier: Apache-2.0
// Those who wait for a Mutex of Lockhouse's by policy pubsub are told by a release from outside as by its holder's own.
#include "tests/server/release/operator_house.h"

#include <future>

namespace lockhouse {
namespace {

using test::token;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto one = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02", two = "c3d2e1f0-9b8a-4776-a554-332211009f03";
constexpr auto listeners = "lockhouse:listeners:{order:7:lock}";

class MutexWaiters : public test::OperatorHouse {
protected:
  void hold(const std::string &value = token) {
    const auto later = std::to_string(serverNow() + 60'000);
    redis({"SET", "order:7:lock", value, "PX", "60000"});
    redis({"ZADD", listeners, later, std::string(one) + ":7", later, std::string(two) + ":8"});
  }
  void enterWith(const std::vector<std::string> &rules) {
    Command user{"ACL", "SETUSER", "keeper", "reset", "on", ">pw", "+@all"};
    for (const auto &rule : rules)
      user.arg(rule);
    ASSERT_TRUE(redis.send(std::move(user))->isOk());
    enter("keeper", "pw");
  }
};

TEST_F(MutexWaiters, makeItALockWhateverItsName) {
  redis({"SET", "acct:7", token, "PX", "60000"});
  EXPECT_LT(read("acct:7")->confidence, shownConfidence);
  redis({"ZADD", "lockhouse:listeners:{acct:7}", std::to_string(serverNow() + 60'000), std::string(one) + ":7"});
  const auto lock = read("acct:7");
  ASSERT_TRUE(lock);
  EXPECT_GE(lock->confidence, shownConfidence);
  EXPECT_EQ(lock->waiters, 1U);
}

TEST_F(MutexWaiters, areToldAtOnceAndNamedInThePlan) {
  test::Listener first(m_uri, std::string("lockhouse:inbox:") + one), second(m_uri, std::string("lockhouse:inbox:") + two);
  hold();
  const auto planned = plan("order:7:lock", token);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(planned.plan->wakes, testing::UnorderedElementsAre(std::string(one) + ":7", std::string(two) + ":8"));
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Not(Contains(HasSubstr("tells nobody"))));
  const auto done = apply("order:7:lock", token);
  EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
  EXPECT_EQ(done.detail.english(), "released; 2 clients were told");
  EXPECT_THAT(first.heard(), ElementsAre("Mutex 7 0 order:7:lock")) << "as mutex_release_wake.lua has it";
  EXPECT_THAT(second.heard(), ElementsAre("Mutex 8 0 order:7:lock"));
  EXPECT_EQ(redis({"DBSIZE"}).integer(), 0);
}

TEST_F(MutexWaiters, ofALockOfManyAreToldToo) {
  test::Listener first(m_uri, std::string("lockhouse:inbox:") + one);
  hold();
  enter();
  std::promise<std::vector<ReleaseResult>> plans, ends;
  m_keeper->planMany({{id("order:7:lock"), token, {}, "stuck"}}, {}, {}, [&](std::vector<ReleaseResult> all) { plans.set_value(std::move(all)); });
  m_keeper->applyMany(plans.get_future().get(), "stuck", {}, {}, [&](std::vector<ReleaseResult> all) { ends.set_value(std::move(all)); });
  EXPECT_EQ(ends.get_future().get().front().verdict, Verdict::Released);
  EXPECT_THAT(first.heard(), ElementsAre("Mutex 7 0 order:7:lock"));
}

TEST_F(MutexWaiters, areNotToldOfALockThatChanged) {
  test::Listener first(m_uri, std::string("lockhouse:inbox:") + one);
  hold();
  const auto planned = planNow("order:7:lock", token);
  redis({"SET", "order:7:lock", "ffffffffffffffffffffffffffffffff", "PX", "60000"});
  EXPECT_EQ(run(planned).verdict, Verdict::Changed);
  EXPECT_THAT(first.heard(), IsEmpty());
  EXPECT_EQ(redis({"ZCARD", listeners}).integer(), 2);
}

TEST_F(MutexWaiters, whatElseLiesUnderTheirNameIsLeft) {
  hold();
  const auto planned = planNow("order:7:lock", token);
  redis({"SET", listeners, "a stranger's"});
  const auto done = run(planned);
  EXPECT_EQ(done.verdict, Verdict::Released);
  EXPECT_THAT(done.detail.english(), HasSubstr(std::string(listeners) + " beside it holds something else and was left"));
  EXPECT_EQ(redis({"GET", listeners}).text(), "a stranger's");
  EXPECT_EQ(redis({"EXISTS", "order:7:lock"}).integer(), 0);
  redis({"DEL", listeners});
  redis({"SET", "order:7:lock", token, "PX", "60000"});
  redis({"ZADD", listeners, "1", "nobody", "2", std::string(one) + ":7"});
  EXPECT_EQ(run(planned).verdict, Verdict::Released) << "what is no waiter is told nothing";
}

TEST_F(MutexWaiters, ofALibraryThatItOnlyMayBeAreWokenBesides) {
  test::Listener first(m_uri, std::string("lockhouse:inbox:") + one);
  redis({"SET", "lock:stock", token, "PX", "60000"});
  redis({"ZADD", "lockhouse:listeners:{lock:stock}", std::to_string(serverNow() + 60'000), std::string(one) + ":7"});
  const auto row = read("lock:stock");
  ASSERT_TRUE(row);
  const auto done = apply("lock:stock", token);
  EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
  EXPECT_THAT(first.heard(), ElementsAre("Mutex 7 0 lock:stock"));
  for (const auto &library : row->mayBe)
    EXPECT_TRUE(library != "python-redis-lock" || redis({"LLEN", "lock-signal:stock"}).integer() == 1);
}

// They ask again by themselves: nobody is kept from a release for their sake.
TEST_F(MutexWaiters, whomThisUserMayNotTellAreNamedAndTheLockIsReleasedAllTheSame) {
  for (const auto &rules :
       std::vector<std::vector<std::string>>{{"~*", "resetchannels", "&__redis__:*"}, {"~*", "&*", "-zpopmax"}, {"~order:*", "%R~*", "&*"}}) {
    hold();
    enterWith(rules);
    const auto planned = plan("order:7:lock", token);
    ASSERT_TRUE(planned.plan) << planned.detail.english();
    EXPECT_EQ(planned.plan->refusal, std::nullopt);
    EXPECT_THAT(englishOf(textsOf(planned.plan->effects)),
                Contains(std::string("tells nobody in ") + listeners + ": this user may not, and they try again by themselves"));
    EXPECT_THAT(planned.plan->wakes, IsEmpty());
    const auto done = apply("order:7:lock", token);
    EXPECT_EQ(done.verdict, Verdict::Released) << done.detail.english();
    EXPECT_THAT(done.detail.english(), HasSubstr("they try again by themselves"));
    EXPECT_EQ(redis({"EXISTS", "order:7:lock"}).integer(), 0);
  }
}

} // namespace
} // namespace lockhouse
