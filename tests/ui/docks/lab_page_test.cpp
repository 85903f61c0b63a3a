// SPDX-License-Identifier: Apache-2.0
#include "ui/page/stress/stress_page.h"

#include "tests/ui/docks/live_engine.h"
#include "ui/page/stress/stress_choices.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace lockhouse::ui {
namespace {

class LabPageTest : public tests::LiveEngine {
protected:
  std::unique_ptr<StressPage> m_page;

  void SetUp() override {
    tests::LiveEngine::SetUp();
    m_page = std::make_unique<StressPage>(*m_engine);
    m_page->resize(1200, 800);
    m_page->show();
    takeLock("lock:seen");
    ASSERT_TRUE(waitForLock("lock:seen")); // a snapshot has come: the page knows the node
    (*m_redis)({"DEL", "lock:seen"});
  }

  QPushButton *start() const { return m_page->findChildren<QPushButton *>().at(0); }
  QPushButton *stop() const { return m_page->findChildren<QPushButton *>().at(1); }
  QSpinBox *number(const QString &name) const {
    for (QSpinBox *box : m_page->findChildren<QSpinBox *>())
      if (box->accessibleName() == name)
        return box;
    return nullptr;
  }
  QLineEdit *confirmation() const {
    for (QLineEdit *line : m_page->findChild<StressChoices *>()->findChildren<QLineEdit *>(QString(), Qt::FindDirectChildrenOnly))
      return line;
    return nullptr;
  }
  void confirm() { QTest::keyClicks(confirmation(), QString::fromStdString(m_server->unixUri().path)); }
  bool says(const QString &text) const {
    const auto labels = m_page->findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->isVisible() && label->text().contains(text); });
  }
  bool comesToSay(const QString &text) {
    return QTest::qWaitFor([&] { return says(text); }, patience);
  }
};

TEST_F(LabPageTest, wantsTheNameOfAServerThatIsNotTheDemo) {
  EXPECT_FALSE(start()->isEnabled());
  QTest::keyClicks(confirmation(), QStringLiteral("yes"));
  EXPECT_FALSE(start()->isEnabled());
  confirmation()->clear();
  confirm();
  EXPECT_TRUE(start()->isEnabled());
  EXPECT_EQ(start()->text(), u"Allow this run and start");
}

TEST_F(LabPageTest, offersEveryPrimitiveWithItsPolicies) {
  const auto boxes = m_page->findChildren<QComboBox *>();
  ASSERT_GE(boxes.size(), 2);
  EXPECT_GE(boxes[0]->findText(QStringLiteral("Mutex")), 0);
  EXPECT_GE(boxes[0]->findText(QStringLiteral("ReentrantLock")), 0);
  for (int i = 0; i < boxes[0]->count(); ++i) {
    boxes[0]->setCurrentIndex(i);
    EXPECT_GT(boxes[1]->count(), 0);
  }
}

TEST_F(LabPageTest, asksForStripesWhereThereAreAnyAndRunsWithThem) {
  auto *primitive = m_page->findChildren<QComboBox *>().at(0);
  auto *stripes = number(QStringLiteral("Stripes"));
  ASSERT_NE(stripes, nullptr);
  EXPECT_FALSE(stripes->isVisible());
  primitive->setCurrentText(QStringLiteral("FallbackLock"));
  EXPECT_FALSE(stripes->isVisible());
  primitive->setCurrentText(QStringLiteral("StripedLock"));
  EXPECT_TRUE(stripes->isVisible());
  EXPECT_EQ(m_page->findChild<StressChoices *>()->options().stripes, 64U);
  stripes->setValue(3);
  EXPECT_EQ(m_page->findChild<StressChoices *>()->options().stripes, 3U);
  confirm();
  number(QStringLiteral("Time"))->setValue(1'000);
  start()->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("mutual exclusion holds so far")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return start()->isEnabled(); }, patience));
  EXPECT_TRUE(says(QStringLiteral("mutual exclusion holds")));
  EXPECT_EQ(m_redis->number({"DBSIZE"}), 0);
}

TEST_F(LabPageTest, runsALatchAndSpeaksOfIt) {
  auto *primitive = m_page->findChildren<QComboBox *>().at(0);
  primitive->setCurrentText(QStringLiteral("CountDownLatch"));
  EXPECT_TRUE(says(QStringLiteral("All clients meet at one latch")));
  EXPECT_FALSE(number(QStringLiteral("Lease"))->isVisible());
  confirm();
  number(QStringLiteral("Time"))->setValue(1'000);
  start()->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("nobody went on too early so far")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return start()->isEnabled(); }, patience));
  EXPECT_TRUE(says(QStringLiteral("nobody went on before all had counted down")));
  EXPECT_FALSE(says(QStringLiteral("mutual exclusion")));
  EXPECT_EQ(m_redis->number({"DBSIZE"}), 0);
  primitive->setCurrentText(QStringLiteral("Mutex"));
  EXPECT_TRUE(number(QStringLiteral("Lease"))->isVisible());
  EXPECT_TRUE(says(QStringLiteral("All clients want one lock")));
}

TEST_F(LabPageTest, runsToItsEndAndGivesAVerdict) {
  confirm();
  number(QStringLiteral("Time"))->setValue(1'000);
  number(QStringLiteral("Hold"))->setValue(0);
  start()->click();
  EXPECT_FALSE(m_engine->isUnlocked()) << "what is allowed is this run";
  EXPECT_FALSE(start()->isEnabled());
  EXPECT_TRUE(stop()->isEnabled());
  EXPECT_TRUE(comesToSay(QStringLiteral("mutual exclusion holds so far")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return start()->isEnabled(); }, patience));
  EXPECT_TRUE(says(QStringLiteral("mutual exclusion holds")));
  EXPECT_FALSE(says(QStringLiteral("so far")));
  EXPECT_TRUE(says(QStringLiteral("nobody entered while another was inside")));
  EXPECT_EQ(m_page->findChild<QProgressBar *>()->value(), m_page->findChild<QProgressBar *>()->maximum());
  EXPECT_EQ(m_redis->number({"DBSIZE"}), 0);
}

TEST_F(LabPageTest, stopsWhenToldAndLeavesNothing) {
  confirm();
  number(QStringLiteral("Time"))->setValue(3'600'000);
  start()->click();
  ASSERT_TRUE(comesToSay(QStringLiteral("mutual exclusion holds so far")));
  stop()->click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return start()->isEnabled(); }, patience));
  EXPECT_EQ(m_redis->number({"DBSIZE"}), 0);
}

TEST_F(LabPageTest, saysWhyARunDidNotGoThrough) {
  confirm();
  m_server->kill();
  start()->click();
  EXPECT_TRUE(comesToSay(QStringLiteral("The run did not go through.")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return start()->isEnabled(); }, patience));
  EXPECT_FALSE(says(QStringLiteral("mutual exclusion holds")));
}

} // namespace
} // namespace lockhouse::ui
