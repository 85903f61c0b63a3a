// SPDX-License-Identifier: Apache-2.0
// What many releases are made of, and how they are told: which holds in which order, and a line each.
#include "core/release/result/script_result.h"
#include "tests/unit/ui/locks.h"
#include "ui/model/locks/cell_roles.h"
#include "ui/model/tables/holds_to_release.h"
#include "ui/model/tables/release_table_model.h"
#include "ui/model/text/verdict_text.h"

#include <QAbstractItemModelTester>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using testing::ElementsAre;
using tests::Locks;

std::vector<std::string> told(const std::vector<HoldToRelease> &holds) {
  std::vector<std::string> words;
  for (const HoldToRelease &hold : holds)
    words.push_back(hold.intent.lock.key.bytes() + "@" + hold.intent.lock.node.bytes() + " " + hold.intent.holder);
  return words;
}

LockRecordPtr awaited(const std::string &key, std::optional<std::uint64_t> waiters, std::vector<std::string> holders = {"h"}) {
  LockRecord lock = Locks::record(key, std::move(holders));
  lock.waiters = waiters;
  return Locks::share(std::move(lock));
}

TEST(HoldsToRelease, beginWithWhatNobodyIsKnownToWaitFor) {
  EXPECT_THAT(told(holdsToRelease({awaited("three", 3), awaited("unknown", {}), awaited("one", 1), awaited("none", 0)})),
              ElementsAre("unknown@a h", "none@a h", "one@a h", "three@a h"));
}

TEST(HoldsToRelease, areOneForEachHolderAndMaster) {
  LockRecord redlock = Locks::record("r", {"h"});
  redlock.members = {{NodeId("a"), 0, {}, {}}, {NodeId("c"), 0, {}, {}}};
  const auto holds = holdsToRelease({awaited("pool", 0, {"x", "y"}), Locks::share(redlock)});
  EXPECT_THAT(told(holds), ElementsAre("pool@a x", "pool@a y", "r@a h", "r@c h"));
  EXPECT_EQ(holds[0].lock, holds[1].lock);
  EXPECT_EQ(holds[2].lock, holds[3].lock);
  EXPECT_NE(holds[1].lock, holds[2].lock);
}

TEST(HoldsToRelease, ofATokenThatTheMajorityKeepsOutAreItsHoldersAlone) {
  LockRecord redlock = Locks::record("r", {"h"});
  redlock.members = {{NodeId("a"), 0, {}, {}}, {NodeId("b"), 0, {}, {}}, {NodeId("c"), 0, {}, {}, Holder{"other"}}};
  redlock.masters = 3;
  const auto lock = Locks::share(std::move(redlock));
  EXPECT_THAT(told(holdsToRelease({lock})), ElementsAre("r@a h", "r@b h"));
  EXPECT_THAT(told(holdsToRelease({lock}, "other")), ElementsAre("r@c other"));
  EXPECT_TRUE(mayBeHeldBy(*lock, "other"));
}

TEST(HoldsToRelease, areThoseThatAreMeant) {
  const MeansHold isOfX = [](const LockRecord &, const Holder &holder) { return holder.id == "x"; };
  EXPECT_THAT(told(holdsToRelease({awaited("pool", 0, {"x", "y"}), awaited("other", 0)}, {}, {}, isOfX)), ElementsAre("pool@a x"));
}

TEST(HoldsToRelease, areThoseOfOneHolderWhereOneIsMeant) {
  EXPECT_THAT(told(holdsToRelease({awaited("pool", 0, {"x", "y"}), awaited("other", 0)}, "y")), ElementsAre("pool@a y"));
}

TEST(HoldsToRelease, ofAThreadAreItsReadsAndThenItsWrites) {
  const std::string thread = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:1", write = thread + ":write";
  LockRecord lock = Locks::record("rw", {write, thread, "somebody else"});
  lock.holders[0].mode = HoldMode::Write;
  lock.holders[1].mode = lock.holders[2].mode = HoldMode::Read;
  EXPECT_THAT(told(holdsToRelease({Locks::share(lock)}, thread)), ElementsAre("rw@a " + thread, "rw@a " + write));
}

TEST(HoldsToRelease, ofOneHolderArePresumedWhereNotAllWereRead) {
  LockRecord cut = Locks::record("cut", {"read"});
  cut.type = ValueType::Hash;
  cut.unread = 9'000;
  EXPECT_TRUE(mayBeHeldBy(cut, "y"));
  const auto holds = holdsToRelease({awaited("seen", 0, {"y"}), Locks::share(cut)}, "y");
  EXPECT_THAT(told(holds), ElementsAre("seen@a y", "cut@a y"));
  EXPECT_FALSE(holds[0].intent.isPresumed);
  EXPECT_TRUE(holds[1].intent.isPresumed);
  EXPECT_FALSE(holds[1].intent.count);
  EXPECT_THAT(told(holdsToRelease({Locks::share(cut)})), ElementsAre("cut@a read")) << "of all holders nobody is presumed";
  cut.type = ValueType::List;
  EXPECT_FALSE(mayBeHeldBy(cut, "y")) << "there nobody can be asked for";
}

TEST(HoldsToRelease, keepTheCountThatWasSeenAndTheLengthThatIsMeant) {
  LockRecord deep = Locks::record("d", {"h"});
  deep.holders.front().count = 3;
  const auto holds = holdsToRelease({Locks::share(deep)}, {}, milliseconds(10'000));
  EXPECT_EQ(holds.front().intent.count, 3);
  EXPECT_EQ(holds.front().intent.shortenTo, milliseconds(10'000));
  EXPECT_TRUE(holds.front().intent.reason.empty());
}

Message said(const char *words) { return Message::ofFamily("PlanWords", words); }

class ReleaseManyModelTest : public testing::Test {
protected:
  std::vector<ReleaseIntent> m_intents;
  std::vector<ReleaseResult> m_results;
  ReleaseTableModel m_model;
  QAbstractItemModelTester m_tester{&m_model, QAbstractItemModelTester::FailureReportingMode::Fatal};

  void add(const std::string &key, std::optional<Verdict> verdict, Message detail = {}) {
    m_intents.push_back({Locks::id(key), "holder-of-it", 2, {}});
    ReleaseResult result;
    result.lock = m_intents.back().lock;
    result.verdict = verdict;
    result.detail = std::move(detail);
    if (!verdict || *verdict == Verdict::Released) {
      result.plan = ReleasePlan();
      result.plan->expectHolder = "holder-of-it";
      result.plan->expectCount = 2;
    }
    m_results.push_back(std::move(result));
  }
  void show() {
    std::vector<const ReleaseIntent *> intents;
    for (const ReleaseIntent &intent : m_intents)
      intents.push_back(&intent);
    m_model.show(std::move(intents), m_results, NodeNames({Locks::node("a")}));
  }
  std::string text(int row, ReleaseTableModel::Column column) const { return m_model.index(row, column).data().toString().toStdString(); }
};

TEST_F(ReleaseManyModelTest, saysOfEachWhatWouldHappenAndWhatStandsInTheWayFirst) {
  add("first", {});
  add("gone", Verdict::AlreadyFree, said("already free: the key is gone"));
  add("awaited", {});
  m_results[2].now = awaited("awaited", 3);
  add("queued", {});
  m_results[3].plan->next = "web-1:4";
  add("unheard", {});
  m_results[4].plan->next = "web-1:4";
  m_results[4].plan->isNextUnheard = true;
  show();
  ASSERT_EQ(m_model.rowCount(), 5);
  EXPECT_EQ(text(0, ReleaseTableModel::Lock), "gone");
  EXPECT_EQ(text(0, ReleaseTableModel::Outcome), "Already free: the key is gone.");
  EXPECT_TRUE(m_model.index(0, ReleaseTableModel::Outcome).data(needsPersonRole).toBool());
  EXPECT_EQ(text(1, ReleaseTableModel::Lock), "first");
  EXPECT_EQ(text(1, ReleaseTableModel::Node), "a");
  EXPECT_EQ(text(1, ReleaseTableModel::Count), "2");
  EXPECT_EQ(text(1, ReleaseTableModel::Outcome), "free; whether anybody waits is not known");
  EXPECT_FALSE(m_model.index(1, ReleaseTableModel::Outcome).data(needsPersonRole).toBool());
  EXPECT_EQ(text(2, ReleaseTableModel::Outcome), "3 wait: whoever tries first gets it");
  EXPECT_EQ(text(3, ReleaseTableModel::Outcome), "web-1:4 gets it next");
  EXPECT_EQ(text(4, ReleaseTableModel::Outcome), "web-1:4 alone may take it next, and nobody was seen to listen for it");
}

TEST_F(ReleaseManyModelTest, saysThatNobodyWaitsWhereNobodyCan) {
  add("mark", {});
  m_results[0].plan->isWaitedFor = false;
  show();
  EXPECT_EQ(text(0, ReleaseTableModel::Outcome), "free; nobody waits");
}

TEST_F(ReleaseManyModelTest, callsNoLockFreeThatOthersHoldToo) {
  add("shared", {});
  m_results[0].now = awaited("shared", 0, {"holder-of-it", "other"});
  add("awaited", {});
  m_results[1].now = awaited("awaited", 3, {"holder-of-it", "other"});
  show();
  EXPECT_EQ(text(0, ReleaseTableModel::Outcome), "this hold ends; nobody waits");
  EXPECT_EQ(text(1, ReleaseTableModel::Outcome), "this hold ends; 3 wait");
}

TEST_F(ReleaseManyModelTest, callsInDoubtWhatWasSentAndGotNoAnswer) {
  ReleaseResult result;
  result.verdict = Verdict::Unreachable;
  EXPECT_THAT(outcomeText(result, {}).toStdString(), testing::StartsWith("The node could not be reached"));
  result.inDoubt = true;
  EXPECT_THAT(outcomeText(result, {}).toStdString(), testing::StartsWith("In doubt: it was sent"));
}

TEST_F(ReleaseManyModelTest, headsWhatCameOfEachByThatItIsAVerdict) {
  const auto heading = [this] { return m_model.headerData(ReleaseTableModel::Outcome, Qt::Horizontal).toString().toStdString(); };
  EXPECT_EQ(heading(), "After");
  m_model.show({}, {}, {}, true);
  EXPECT_EQ(heading(), "Verdict");
}

TEST_F(ReleaseManyModelTest, namesAPermitByItsDigits) {
  add("permits", {});
  m_results[0].family = "redisson-permits";
  m_intents[0].holder = std::string("\x01\xff\x80\x03\x9a\xbc\xde\xf0\x11\x92\x13\xf4\x15\x96\x17\xf8", 16);
  show();
  EXPECT_EQ(m_model.index(0, ReleaseTableModel::HolderColumn).data(Qt::AccessibleTextRole).toString(), u"01ff80039abcdef0119213f4159617f8");
}

TEST_F(ReleaseManyModelTest, saysWhatCameOfEach) {
  add("done", Verdict::Released, said("released; 2 clients were told"));
  add("changed", Verdict::Changed, nowHeldWithCount("other", 1));
  m_results[1].now = awaited("changed", 0, {"other"});
  add("left", Verdict::Stopped, said("not tried: it was stopped before"));
  add("closed", Verdict::NotAllowed, said("a reason is needed"));
  show();
  EXPECT_EQ(text(0, ReleaseTableModel::Outcome), "Changed: now held by other, count 1.");
  EXPECT_EQ(text(1, ReleaseTableModel::Outcome), "Not tried: stopped before");
  EXPECT_EQ(text(2, ReleaseTableModel::Outcome), "Not allowed: A reason is needed.");
  EXPECT_EQ(text(3, ReleaseTableModel::Outcome), "Released; 2 clients were told.");
}

TEST_F(ReleaseManyModelTest, callsNothingFreeThatThisUserMayNotFree) {
  add("open", {});
  add("closed", {});
  m_results[1].plan->refusal = said("this user lacks rights, so this would be refused: DEL closed");
  show();
  EXPECT_EQ(text(0, ReleaseTableModel::Lock), "closed") << "what stands in the way comes first";
  EXPECT_EQ(text(0, ReleaseTableModel::Outcome), "This user lacks rights, so this would be refused: DEL closed.");
  EXPECT_TRUE(m_model.index(0, ReleaseTableModel::Outcome).data(needsPersonRole).toBool());
}

TEST_F(ReleaseManyModelTest, saysFirstWhyOneCannotBeFreed) {
  add("bull:mail:1:lock", Verdict::Unreleasable, said("nothing tells who holds it, so nobody's hold can be taken away"));
  show();
  EXPECT_EQ(text(0, ReleaseTableModel::Outcome), "Nothing tells who holds it, so nobody's hold can be taken away.");
}

TEST_F(ReleaseManyModelTest, theTooltipHasTheWholePlanAsPlainText) {
  add("a", {});
  m_results[0].plan->effects = {{Effect::Kind::Deletes, said("deletes a if its value is still <b>")}};
  m_results[0].plan->warnings = {said("1 waits for this lock")};
  show();
  const QString tip = m_model.index(0, ReleaseTableModel::Outcome).data(Qt::ToolTipRole).toString();
  EXPECT_TRUE(tip.contains(u"Deletes a if its value is still &lt;b&gt;.")) << tip.toStdString();
  EXPECT_TRUE(tip.contains(u"1 waits for this lock."));
  m_model.clear();
  EXPECT_EQ(m_model.rowCount(), 0);
}

TEST(FreedBy, areTheLocksOfWhichNoHoldIsLeft) {
  const auto planned = [](const LockRecordPtr &now, const std::string &holder) {
    ReleaseResult result{now->id, now->family, ReleasePlan(), {}, now, {}, {}};
    result.plan->expectHolder = holder;
    return result;
  };
  const auto pool = awaited("pool", 0, {"x", "y"}), alone = awaited("alone", 0, {"x"});
  EXPECT_THAT(freedBy(std::vector{planned(pool, "x"), planned(alone, "x")}), ElementsAre(alone->id));
  EXPECT_THAT(freedBy(std::vector{planned(pool, "x"), planned(pool, "y")}), ElementsAre(pool->id));
  auto refused = planned(pool, "y");
  refused.plan->refusal = said("refused");
  EXPECT_TRUE(freedBy(std::vector{planned(pool, "x"), refused}).empty());
}

TEST(VerdictExplanation, speaksOfOneStepWhereThereWasOne) {
  ReleaseResult result;
  result.verdict = Verdict::Released;
  result.plan.emplace();
  EXPECT_TRUE(verdictExplanation(result).startsWith(u"The hold was compared and ended in one step."));
  result.plan->parts.emplace_back();
  EXPECT_TRUE(verdictExplanation(result).startsWith(u"Its keys lie in several slots of a cluster: it was done by scripts one after the other"));
}

} // namespace
} // namespace lockhouse::ui
