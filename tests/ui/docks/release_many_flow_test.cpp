// SPDX-License-Identifier: Apache-2.0
// What becomes of a preview of many while it is read, on a real server.
#include "ui/page/release/release_many_flow.h"

#include "tests/ui/docks/live_engine.h"
#include "ui/model/tables/release_table_model.h"

namespace lockhouse::ui {
namespace {

using Phase = ReleaseManyFlow::Phase;

class ReleaseManyFlowTest : public tests::LiveEngine {
protected:
  static constexpr const char *thread = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b05:2";
  static constexpr const char *otherThread = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b06:7";
  std::unique_ptr<ReleaseManyFlow> m_flow;

  void hold(const std::string &key, const char *holder = thread) {
    (*m_redis)({"HSET", key, holder, "1"});
    (*m_redis)({"PEXPIRE", key, "600000"});
  }
  void begin() {
    hold("bulk:1");
    hold("bulk:2");
    ASSERT_TRUE(waitForLock("bulk:1", thread));
    ASSERT_TRUE(waitForLock("bulk:2", thread));
    m_flow = std::make_unique<ReleaseManyFlow>(*m_engine, holdsToRelease(m_snapshot->locks, {}, {}));
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_flow->phase() == Phase::Planned; }, patience));
    ASSERT_EQ(m_flow->openLocks(), 2U);
  }
  QString told(std::size_t place) const { return outcomeText(m_flow->results()[place], m_flow->holds()[place].intent); }
  bool comesToTell(std::size_t place, const QString &text) {
    return QTest::qWaitFor([&] { return told(place) == text; }, patience);
  }
};

TEST_F(ReleaseManyFlowTest, tellsOfTheSameHolderThatItsCountIsAnother) {
  begin();
  const QString planned = told(1);
  (*m_redis)({"HINCRBY", "bulk:2", thread, "1"});
  EXPECT_TRUE(comesToTell(1, QStringLiteral("Changed: the same holder's count is 2 now."))) << told(1).toStdString();
  EXPECT_EQ(m_flow->openLocks(), 1U);
  (*m_redis)({"HINCRBY", "bulk:2", thread, "1"});
  EXPECT_TRUE(comesToTell(1, QStringLiteral("Changed: the same holder's count is 3 now."))) << told(1).toStdString();
  (*m_redis)({"HSET", "bulk:2", thread, "1"}); // that is what was planned for
  EXPECT_TRUE(comesToTell(1, planned)) << told(1).toStdString();
  EXPECT_EQ(m_flow->openLocks(), 2U);
}

TEST_F(ReleaseManyFlowTest, followsWhatComesAfterTheFirstChange) {
  begin();
  (*m_redis)({"DEL", "bulk:1"});
  EXPECT_TRUE(comesToTell(0, QStringLiteral("Already free: the key is gone, or holds something else now."))) << told(0).toStdString();
  hold("bulk:1", otherThread);
  EXPECT_TRUE(QTest::qWaitFor([&] { return told(0).contains(u"Now held by 5b1c0a3e:7, count 1."); }, patience)) << told(0).toStdString();
  (*m_redis)({"DEL", "bulk:1"});
  EXPECT_TRUE(comesToTell(0, QStringLiteral("Already free: the key is gone, or holds something else now."))) << told(0).toStdString();
  hold("bulk:1"); // the one that was planned for, who came back
  EXPECT_TRUE(QTest::qWaitFor([&] { return told(0).startsWith(u"Changed: acquired again since it was seen."); }, patience)) << told(0).toStdString();
  EXPECT_EQ(m_flow->openLocks(), 1U);
}

TEST_F(ReleaseManyFlowTest, closesWhatLiesOnANodeThatWasLostUntilItIsFollowedAgain) {
  begin();
  const QString planned = told(0);
  m_server->pause();
  const QString lost = QStringLiteral("Its node is not followed any more: whether it is still held so is not known.");
  EXPECT_TRUE(comesToTell(0, lost)) << told(0).toStdString();
  EXPECT_EQ(m_flow->openLocks(), 0U);
  m_server->resume();
  EXPECT_TRUE(comesToTell(0, planned)) << told(0).toStdString();
  EXPECT_EQ(m_flow->openLocks(), 2U);
}

} // namespace
} // namespace lockhouse::ui
