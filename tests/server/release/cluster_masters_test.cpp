// SPDX-License-Identifier: Apache-2.0
// Over several masters of a cluster a lock whose names have no part in braces lies on more than one of them, and no script may take it whole.
#include "core/client/release/release_service.h"
#include "core/net/address/digest.h"
#include "tests/support/cluster.h"
#include "tests/support/eventually.h"
#include "tests/support/open_connection.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto pushed = "Zk9xT2w3dFp1R2hYc0pLbWJ2";
const std::string votes("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8\x19\xfa\x1b\xfc\x1d\xfe\x1f\x90", 24);

class OnItsMasters : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(redis.isUp()); }
  ~OnItsMasters() override {
    m_keeper.reset();
    m_watcher.reset();
  }
  /// With all of the masters, or with these.
  void enter(std::vector<std::size_t> nodes = {0, 1, 2}, const std::string &user = {}) {
    std::vector<Uri> uris;
    for (const auto node : nodes) {
      uris.push_back(redis.uri(node));
      uris.back().user = user;
      uris.back().password = user;
    }
    m_watcher = std::make_unique<Watcher>(m_loop, uris, WatcherOptions{});
    m_watcher->start();
    ASSERT_TRUE(eventually([&] {
      const auto snapshot = m_watcher->snapshot();
      return snapshot->nodes.size() == uris.size() && std::ranges::all_of(snapshot->nodes, [](const NodeStatus &node) { return node.scanComplete; });
    }));
    m_keeper = std::make_unique<ReleaseService>(m_loop, *m_watcher, uris, ConnectionOptions{}, auditPath());
    m_keeper->unlock();
  }
  std::string auditPath() const { return m_folder.folder() + "/audit.sqlite"; }
  LockId id(std::size_t node, const std::string &key) { return {NodeId(redis.uri(node).address()), 0, LockName(key)}; }
  ReleaseResult ask(bool isApply, std::size_t node, const std::string &key, const std::string &holder) {
    std::promise<ReleaseResult> answer;
    auto done = [&answer](ReleaseResult result) { answer.set_value(std::move(result)); };
    ReleaseIntent intent{id(node, key), holder, {}, "stuck"};
    isApply ? m_keeper->apply(std::move(intent), std::move(done)) : m_keeper->plan(std::move(intent), std::move(done));
    return answer.get_future().get();
  }
  std::vector<ReleaseResult> askMany(std::vector<ReleaseIntent> intents, bool isApply) {
    std::promise<std::vector<ReleaseResult>> planned, applied;
    m_keeper->planMany(std::move(intents), {}, {}, [&](std::vector<ReleaseResult> results) { planned.set_value(std::move(results)); });
    auto plans = planned.get_future().get();
    if (!isApply)
      return plans;
    m_keeper->applyMany(std::move(plans), "stuck", {}, {}, [&](std::vector<ReleaseResult> results) { applied.set_value(std::move(results)); });
    return applied.get_future().get();
  }
  /// A name whose lock and signal lie on different masters.
  std::string apartName() {
    return Cluster::nameWhere([this](const std::string &name) { return redis.ownerOf("lock:" + name) != redis.ownerOf("lock-signal:" + name); });
  }
  /// A rueidislock of three keys, no two of them on one master, if `areSpread`; else two on one.
  std::string votedName(bool areSpread) {
    return Cluster::nameWhere([&](const std::string &name) {
      std::set<std::size_t> owners;
      for (const auto *vote : {"rueidislock:0:", "rueidislock:1:", "rueidislock:2:"})
        owners.insert(redis.ownerOf(vote + name));
      return owners.size() == (areSpread ? 3 : 2);
    });
  }
  std::int64_t left(const std::string &name) {
    std::int64_t there = 0;
    for (const auto *vote : {"rueidislock:0:", "rueidislock:1:", "rueidislock:2:"})
      there += redis({"EXISTS", vote + name}).integer().value_or(0);
    return there;
  }
  void vote(const std::string &name) {
    for (const auto *vote : {"rueidislock:0:", "rueidislock:1:", "rueidislock:2:"})
      redis({"SET", vote + name, votes, "PX", "60000"});
  }

  Cluster redis;
  Sandbox m_folder = std::move(*Sandbox::start({}));
  Loop m_loop;
  std::unique_ptr<Watcher> m_watcher;
  std::unique_ptr<ReleaseService> m_keeper;
};

TEST_F(OnItsMasters, aLockWhoseSignalLiesElsewhereIsFreedAndItsWaiterWokenThereAfterwards) {
  const auto name = apartName();
  const auto lock = "lock:" + name, signal = "lock-signal:" + name;
  const auto home = redis.ownerOf(lock), companion = redis.ownerOf(signal);
  redis({"SET", lock, pushed});
  enter();
  const auto planned = ask(false, home, lock, pushed);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_FALSE(planned.plan->refusal);
  EXPECT_EQ(planned.plan->script->name, "release-token");
  ASSERT_EQ(planned.plan->parts.size(), 1U);
  EXPECT_EQ(planned.plan->parts[0].lock.node.bytes(), redis.uri(companion).address());
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(AllOf(HasSubstr("another slot of this cluster"), HasSubstr(redis.uri(companion).address()))));
  EXPECT_THAT(englishOf(planned.plan->warnings), Each(Not(HasSubstr("slots"))));
  EXPECT_EQ(redis({"EXISTS", lock}).integer(), 1);

  Loop loop;
  auto waiter = openConnection(loop, redis.uri(companion));
  std::promise<Result<Reply>> woken;
  loop.post([&] { waiter->send({"BLPOP", signal, "0"}, milliseconds::max(), [&woken](Result<Reply> reply) { woken.set_value(std::move(reply)); }); });
  ASSERT_TRUE(eventually([&] { return redis.at(companion, {"INFO", "clients"}).text().value_or("").contains("blocked_clients:1"); }));
  const auto result = ask(true, home, lock, pushed);
  EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
  EXPECT_THAT(result.detail.english(), HasSubstr("one element was left in " + signal));
  EXPECT_EQ(redis({"EXISTS", lock}).integer(), 0);
  auto told = woken.get_future();
  ASSERT_EQ(told.wait_for(seconds(20)), std::future_status::ready);
  EXPECT_EQ(told.get()->array().at(1).text(), "1");
  loop.call([&] { waiter.reset(); });

  redis({"SET", lock, pushed});
  EXPECT_EQ(ask(true, home, lock, pushed).verdict, Verdict::Released);
  EXPECT_EQ(redis({"LLEN", signal}).integer(), 1) << "whoever comes too late finds it";
  EXPECT_GT(redis({"PTTL", signal}).integer().value_or(0), 0);
  const auto log = AuditLog::open(auditPath(), sha256);
  ASSERT_TRUE(log);
  EXPECT_THAT(log->latest(1)->front().script, AllOf(HasSubstr("release-token "), HasSubstr("wake-list ")));
}

TEST_F(OnItsMasters, aLockThatChangedWakesNobody) {
  const auto name = apartName();
  redis({"SET", "lock:" + name, pushed});
  enter();
  auto plans = askMany({{id(redis.ownerOf("lock:" + name), "lock:" + name), pushed, {}, "stuck"}}, false);
  ASSERT_TRUE(plans.at(0).plan);
  redis({"SET", "lock:" + name, "another1another2another3"});
  std::promise<std::vector<ReleaseResult>> applied;
  m_keeper->applyMany(std::move(plans), "stuck", {}, {}, [&](std::vector<ReleaseResult> results) { applied.set_value(std::move(results)); });
  EXPECT_EQ(applied.get_future().get().at(0).verdict, Verdict::Changed);
  EXPECT_EQ(redis({"EXISTS", "lock-signal:" + name}).integer(), 0);
}

TEST_F(OnItsMasters, aSignalThatCannotBeReachedIsTold) {
  const auto name = apartName();
  const auto lock = "lock:" + name, signal = "lock-signal:" + name;
  const auto home = redis.ownerOf(lock);
  redis({"SET", lock, pushed});
  enter({home});
  const auto planned = ask(false, home, lock, pushed);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(planned.plan->parts, IsEmpty());
  EXPECT_THAT(englishOf(planned.plan->warnings),
              Contains(AllOf(HasSubstr(signal + " lies on " + redis.uri(redis.ownerOf(signal)).address()), HasSubstr("push 1"))));
  EXPECT_EQ(ask(true, home, lock, pushed).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", signal}).integer(), 0);
}

TEST_F(OnItsMasters, aSignalThatIsNoListIsToldAndLeft) {
  const auto name = apartName();
  const auto lock = "lock:" + name, signal = "lock-signal:" + name;
  redis({"SET", lock, pushed});
  redis({"SET", signal, "something else"});
  enter();
  const auto planned = ask(false, redis.ownerOf(lock), lock, pushed);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("holds something else than the list")));
  EXPECT_EQ(ask(true, redis.ownerOf(lock), lock, pushed).verdict, Verdict::Released);
  EXPECT_EQ(redis({"GET", signal}).text(), "something else");
}

TEST_F(OnItsMasters, whoMayNotWakeReleasesNothing) {
  const auto name = apartName();
  const auto lock = "lock:" + name, signal = "lock-signal:" + name;
  for (std::size_t node = 0; node < redis.size(); ++node)
    redis.at(node, {"ACL", "SETUSER", "meek", "on", ">meek", "~*", "&*", "+@all", "-lpush"});
  redis({"SET", lock, pushed});
  enter({0, 1, 2}, "meek");
  const auto planned = ask(false, redis.ownerOf(lock), lock, pushed);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("LPUSH"));
  const auto result = ask(true, redis.ownerOf(lock), lock, pushed);
  EXPECT_EQ(result.verdict, Verdict::NotAllowed);
  EXPECT_THAT(result.detail.english(), HasSubstr("nothing was changed"));
  EXPECT_EQ(askMany({{id(redis.ownerOf(lock), lock), pushed, {}, "stuck"}}, true).at(0).verdict, Verdict::NotAllowed);
  EXPECT_EQ(redis({"EXISTS", lock}).integer(), 1);
}

TEST_F(OnItsMasters, whoMayNotWakeWhereItOnlyMayBeReleasesItAndIsTold) {
  const auto name = apartName();
  const auto lock = "lock:" + name, signal = "lock-signal:" + name;
  redis.at(redis.ownerOf(signal), {"ACL", "SETUSER", "default", "-lpush"});
  redis({"SET", lock, "alice", "PX", "60000"});
  enter();
  const auto planned = ask(false, redis.ownerOf(lock), lock, "alice");
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_FALSE(planned.plan->refusal) << planned.plan->refusal->english();
  EXPECT_THAT(englishOf(textsOf(planned.plan->effects)), Contains(HasSubstr("pushes nothing to " + signal + ": this user may not")));
  const auto result = ask(true, redis.ownerOf(lock), lock, "alice");
  EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
}

TEST_F(OnItsMasters, aLockThatNoScriptCanTakeWholeSaysSoInItsPlanToo) {
  const auto name = Cluster::nameWhere([this](const std::string &one) { return redis.ownerOf("lock:owner:" + one) != redis.ownerOf("lock:expire:" + one); });
  const auto lock = "lock:owner:" + name, end = "lock:expire:" + name;
  const auto home = redis.ownerOf(lock);
  redis({"SET", lock, "web-1:4711"});
  redis({"SET", end, "4102444000"});
  enter();
  const auto planned = ask(false, home, lock, "web-1:4711");
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_FALSE(planned.verdict);
  EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("several slots"));
  EXPECT_THAT(englishOf(planned.plan->warnings), Contains(AllOf(HasSubstr("by hand"), HasSubstr(lock), HasSubstr(end))));
  const auto many = askMany({{id(home, lock), "web-1:4711", {}, "stuck"}}, false);
  ASSERT_TRUE(many.at(0).plan) << many.at(0).detail.english();
  EXPECT_EQ(many.at(0).plan->refusal, planned.plan->refusal);
  EXPECT_EQ(ask(true, home, lock, "web-1:4711").verdict, Verdict::Unreleasable);
  EXPECT_EQ(askMany({{id(home, lock), "web-1:4711", {}, "stuck"}}, true).at(0).verdict, Verdict::Unreleasable);
  EXPECT_EQ(redis({"EXISTS", lock}).integer(), 1);

  std::promise<Result<LockRecordPtr>> read;
  m_watcher->read(id(redis.ownerOf(end), lock), [&](Result<LockRecordPtr> record) { read.set_value(std::move(record)); });
  const auto elsewhere = read.get_future().get();
  ASSERT_FALSE(elsewhere) << "what lies beside it is here, and it is not";
  EXPECT_TRUE(isMoved(elsewhere.error())) << elsewhere.error().sentence();
}

TEST_F(OnItsMasters, theKeysOfARueidislockAreFreedWhereverTheyLie) {
  for (const bool areSpread : {true, false}) {
    const auto name = votedName(areSpread), key = "rueidislock:0:" + name;
    vote(name);
    enter();
    const auto row = m_watcher->snapshot()->find(id(redis.ownerOf(key), key));
    ASSERT_TRUE(row);
    ASSERT_EQ(row->members.size(), areSpread ? 3U : 2U);
    for (const auto &member : row->members) { // no queue of another library's beside it, and none that is closed: it lies in another slot
      std::promise<Result<LockRecordPtr>> read;
      m_watcher->read({member.node, member.db, row->id.key}, [&](Result<LockRecordPtr> lock) { read.set_value(std::move(lock)); });
      const auto lock = read.get_future().get();
      ASSERT_TRUE(lock && *lock);
      EXPECT_THAT(englishOf((*lock)->evidence), Not(Contains(HasSubstr("may not be read by this user"))));
    }
    std::vector<ReleaseIntent> intents;
    for (const auto &member : row->members)
      intents.push_back({{member.node, member.db, row->id.key}, votes, {}, "stuck"});
    for (const auto &planned : askMany(intents, false)) {
      ASSERT_TRUE(planned.plan && !planned.verdict) << planned.detail.english();
      EXPECT_FALSE(planned.plan->refusal) << planned.plan->refusal->english();
      EXPECT_EQ(planned.plan->script->name, "release-token");
      EXPECT_THAT(englishOf(planned.plan->warnings), Contains(HasSubstr("most of its keys")));
    }
    for (const auto &result : askMany(intents, true))
      EXPECT_EQ(result.verdict, Verdict::Released) << result.detail.english();
    EXPECT_EQ(left(name), 0);
  }
}

TEST_F(OnItsMasters, ofARueidislockOnlyTheKeysOfItsHolderAreFreed) {
  const auto name = votedName(true);
  vote(name);
  const auto key = "rueidislock:2:" + name;
  redis({"SET", key, std::string(24, '\xee')});
  enter();
  const auto result = ask(true, redis.ownerOf(key), "rueidislock:0:" + name, votes);
  EXPECT_EQ(result.verdict, Verdict::Changed) << result.detail.english();
  EXPECT_EQ(ask(true, redis.ownerOf("rueidislock:0:" + name), "rueidislock:0:" + name, votes).verdict, Verdict::Released);
  EXPECT_EQ(redis({"EXISTS", key}).integer(), 1);
}

TEST_F(OnItsMasters, aLockWhoseSlotIsOnItsWaySaysSo) {
  const std::string lock = "lock:{n}"; // its signal has the same slot, and is not there
  const auto home = redis.ownerOf(lock), next = (home + 1) % redis.size();
  redis({"SET", lock, pushed, "PX", "60000"});
  const auto slot = std::to_string(redis.at(0, {"CLUSTER", "KEYSLOT", lock}).integer().value_or(-1));
  const auto nameOf = [this](std::size_t node) { return std::string(redis.at(node, {"CLUSTER", "MYID"}).text().value_or("")); };
  ASSERT_TRUE(redis.at(next, {"CLUSTER", "SETSLOT", slot, "IMPORTING", nameOf(home)}).isOk());
  ASSERT_TRUE(redis.at(home, {"CLUSTER", "SETSLOT", slot, "MIGRATING", nameOf(next)}).isOk());
  enter();
  const auto planned = askMany({{id(home, lock), pushed, {}, "stuck"}}, false).at(0);
  ASSERT_TRUE(planned.plan) << planned.detail.english();
  EXPECT_THAT(planned.plan->refusal.value_or(Message()).english(), HasSubstr("the cluster is moving the slot of these keys"));
  const auto applied = ask(true, home, lock, pushed);
  EXPECT_EQ(applied.verdict, Verdict::Unreachable) << applied.detail.english();
  EXPECT_THAT(applied.detail.english(), HasSubstr("wait until the cluster has moved the slot"));
  EXPECT_EQ(redis({"EXISTS", lock}).integer(), 1);
  ASSERT_TRUE(redis.at(home, {"MIGRATE", "127.0.0.1", std::to_string(redis.uri(next).port), lock, "0", "5000"}).isOk());
  const auto gone = ask(false, home, lock, pushed);
  EXPECT_EQ(gone.verdict, Verdict::Unreachable) << gone.detail.english();
  EXPECT_THAT(gone.detail.english(), HasSubstr("wait until the cluster has moved the slot"));
}

} // namespace
} // namespace lockhouse::test
