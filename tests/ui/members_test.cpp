// SPDX-License-Identifier: Apache-2.0
// A Redlock on three real servers in the window: one row, its masters in the details.
#include "core/lab/sandbox/sandbox.h"
#include "tests/server/lab/raw_redis.h"
#include "ui/bridge/engine.h"
#include "ui/page/locks/details_pane.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/release/release_many_dialog.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/page/window/main_window.h"
#include "ui/widget/parts/line_list.h"

#include <QDateTime>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

class Members : public ::testing::Test {
protected:
  static constexpr int patience = 20'000;
  static constexpr const char *token = "3f786850e387550fdab836ed7e6dc881";
  QTemporaryDir m_folder;
  std::vector<Sandbox> m_servers;
  std::vector<std::unique_ptr<test::RawRedis>> m_redis;
  std::unique_ptr<Engine> m_engine;
  std::unique_ptr<MainWindow> m_window;

  void SetUp() override {
    Engine::Options options;
    for (int i = 0; i < 3; ++i) {
      auto server = Sandbox::start({});
      ASSERT_TRUE(server) << server.error().sentence();
      m_servers.push_back(std::move(*server));
      m_redis.push_back(std::make_unique<test::RawRedis>(m_servers.back().unixUri().path));
      options.nodes.push_back(m_servers.back().unixUri());
    }
    options.auditPath = m_folder.filePath(u"audit.sqlite"_s).toStdString();
    m_engine = std::make_unique<Engine>(std::move(options));
    m_window = std::make_unique<MainWindow>(*m_engine);
    m_window->show();
    m_engine->start();
  }
  void take(const std::vector<std::size_t> &nodes) {
    for (const auto node : nodes)
      (*m_redis[node])({"SET", "lock:order:7", token, "PX", "600000"});
  }
  QString nodeCell() {
    const LockTableModel &table = m_window->locks().table();
    QStringList cells;
    for (int row = 0; row < table.rowCount(); ++row)
      cells << table.text(table.row(row), LockTableModel::Node);
    return cells.join(u'\n');
  }
  bool comesToCell(const QString &text) {
    return QTest::qWaitFor([&] { return nodeCell() == text; }, patience);
  }
  std::string members() {
    for (const LineList *lines : m_window->locks().details().findChildren<LineList *>())
      if (lines->accessibleName() == u"Members" && lines->isVisible())
        return lines->accessibleDescription().toStdString();
    return {};
  }
  std::string path(std::size_t node) const { return m_servers[node].unixUri().path; }
};

TEST_F(Members, nameThoseOfASharedLockWhomTooFewMastersHave) {
  const std::string one = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01", two = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02";
  const auto now = std::to_string(QDateTime::currentMSecsSinceEpoch());
  for (auto &redis : m_redis)
    (*redis)({"ZADD", "semaphore:x", now, one});
  (*m_redis[1])({"ZADD", "semaphore:x", now, two});
  ASSERT_TRUE(comesToCell(u"a +2"_s)) << nodeCell().toStdString();
  ASSERT_TRUE(QTest::qWaitFor([&] { return members().find("too few") != std::string::npos; }, patience)) << members();
  EXPECT_THAT(members(), ::testing::HasSubstr("there held by 2 holders"));
  EXPECT_THAT(members(), ::testing::HasSubstr(two + ": on 1 of 3 masters, too few to hold it"));
}

TEST_F(Members, areOneRowWithEachMasterInTheDetails) {
  take({0, 1, 2});
  ASSERT_TRUE(comesToCell(u"a +2"_s)) << nodeCell().toStdString();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !members().empty(); }, patience));
  EXPECT_THAT(members(), ::testing::StartsWith("a " + path(0)));
  for (std::size_t node = 0; node < 3; ++node)
    EXPECT_THAT(members(), ::testing::HasSubstr(path(node) + " 10 min"));
}

TEST_F(Members, ofWhichOneIsMissingAreSaidToBeThere) {
  take({0, 2});
  ASSERT_TRUE(comesToCell(u"a +1"_s)) << nodeCell().toStdString();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !members().empty(); }, patience));
  EXPECT_THAT(members(), ::testing::HasSubstr("b " + path(1) + " not there"));
  EXPECT_THAT(m_window->locks().details().text().toStdString(), ::testing::HasSubstr("Its token lies on 2 of 3 masters."));
  (*m_redis[1])({"SET", "lock:order:7", token, "PX", "600000"});
  EXPECT_TRUE(comesToCell(u"a +2"_s));
}

TEST_F(Members, areReleasedOnEveryMasterWithAVerdictForEach) {
  take({0, 1, 2});
  ASSERT_TRUE(comesToCell(u"a +2"_s));
  m_engine->unlock();
  m_window->openRelease();
  auto *dialog = m_window->findChild<ReleaseManyDialog *>();
  ASSERT_TRUE(dialog) << "one lock, three scripts";
  auto *flow = dialog->findChild<ReleaseManyFlow *>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Planned; }, patience));
  EXPECT_EQ(flow->locks(), 1U);
  const auto labels = dialog->findChildren<QLabel *>();
  EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel *label) { return label->text() == u"Release lock:order:7?"_s; }));
  EXPECT_EQ(flow->openLocks(), 1U);
  flow->apply(u"holder hangs"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Done; }, patience));
  ASSERT_EQ(flow->results().size(), 3U);
  for (std::size_t node = 0; node < 3; ++node) {
    EXPECT_EQ(flow->results()[node].verdict, Verdict::Released) << node;
    EXPECT_EQ(m_redis[node]->number({"EXISTS", "lock:order:7"}), 0) << node;
  }
  EXPECT_EQ(flow->openLocks(), 1U);
  dialog->reject();
}

TEST_F(Members, ofWhichTheFirstIsGoneKeepTheLockChosen) {
  take({0, 1, 2});
  ASSERT_TRUE(comesToCell(u"a +2"_s));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !members().empty(); }, patience));
  (*m_redis[0])({"DEL", "lock:order:7"});
  ASSERT_TRUE(comesToCell(u"b +1"_s)) << nodeCell().toStdString();
  EXPECT_TRUE(QTest::qWaitFor([&] { return members().find("b " + path(1)) != std::string::npos; }, patience)) << members();
  EXPECT_THAT(m_window->locks().details().text().toStdString(), ::testing::HasSubstr("Its token lies on 2 of 3 masters."));
}

TEST_F(Members, ofWhichOneRefusesAreToldBeforeTheReleaseByTheirNode) {
  take({0, 1, 2});
  ASSERT_TRUE(comesToCell(u"a +2"_s));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !members().empty(); }, patience));
  (*m_redis[1])({"ACL", "SETUSER", "default", "-@scripting"});
  m_window->openRelease();
  auto *dialog = m_window->findChild<ReleaseManyDialog *>();
  ASSERT_TRUE(dialog);
  auto *flow = dialog->findChild<ReleaseManyFlow *>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Planned; }, patience));
  QStringList said;
  for (const QLabel *label : dialog->findChildren<QLabel *>())
    said << label->text();
  const std::string all = said.join(u'\n').toStdString();
  EXPECT_THAT(all, ::testing::HasSubstr("1 locks would stay on some masters. The first is lock:order:7, on " + path(1) + ": 1 of 3"));
  EXPECT_THAT(all, ::testing::HasSubstr("On " + path(1)));
  dialog->reject();
}

TEST_F(Members, ofWhichTooFewAreLeftMakeTheLockAReleasedOne) {
  take({0, 1, 2});
  ASSERT_TRUE(comesToCell(u"a +2"_s));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !members().empty(); }, patience));
  m_engine->unlock();
  m_window->openRelease();
  auto *dialog = m_window->findChild<ReleaseManyDialog *>();
  ASSERT_TRUE(dialog);
  auto *flow = dialog->findChild<ReleaseManyFlow *>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Planned; }, patience));
  m_servers[2].kill();
  flow->apply(u"holder hangs"_s);
  ASSERT_TRUE(QTest::qWaitFor([&] { return flow->phase() == ReleaseManyFlow::Phase::Done; }, patience));
  EXPECT_EQ(std::ranges::count(flow->results(), std::optional(Verdict::Released), &ReleaseResult::verdict), 2);
  EXPECT_EQ(flow->openLocks(), 1U) << "two of three masters let somebody else in";
  QStringList said;
  for (const QLabel *label : dialog->findChildren<QLabel *>())
    said << label->text();
  const std::string all = said.join(u'\n').toStdString();
  EXPECT_THAT(all, ::testing::HasSubstr("1 of 1 locks released"));
  EXPECT_THAT(all, ::testing::HasSubstr(
                       "1 locks are free, though not on every master. The first is lock:order:7, there or not known on 1 of 3, too few to keep anybody out."));
  dialog->reject();
}

} // namespace
} // namespace lockhouse::ui
