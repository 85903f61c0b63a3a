// SPDX-License-Identifier: Apache-2.0
// What is said of a release that is recorded behind a broken link of the audit log.
#include "ui/model/tables/release_table_model.h"
#include "ui/page/release/release_flow.h"
#include "ui/page/release/release_many_flow.h"
#include "ui/page/release/release_many_view.h"
#include "ui/page/release/result_view.h"
#include "ui/widget/parts/banner.h"

#include "core/net/address/digest.h"
#include "core/store/audit_log.h"
#include "core/store/database.h"
#include "tests/ui/docks/live_engine.h"

#include <QLabel>
#include <QTableView>

#include <algorithm>

namespace lockhouse::ui {
namespace {

class ReleaseAuditTest : public tests::LiveEngine {
protected:
  void breakLog() {
    const auto path = m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString();
    auto log = AuditLog::open(path, sha256);
    ASSERT_TRUE(log && log->append(AuditRecord{}));
    auto raw = Database::open(path);
    ASSERT_TRUE(raw && raw->run("DROP TRIGGER record_update; UPDATE record SET reason = x'00'"));
  }
  /// By a trigger that somebody has put into the file.
  void loseOutcomes() {
    const auto path = m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString();
    ASSERT_TRUE(AuditLog::open(path, sha256));
    auto raw = Database::open(path);
    ASSERT_TRUE(raw && raw->run("CREATE TRIGGER thief BEFORE INSERT ON record WHEN length(NEW.subject) > 0 BEGIN SELECT RAISE(IGNORE); END"));
  }
  template <class Flow> bool isPlanned(const Flow &flow) {
    return QTest::qWaitFor([&flow] { return flow.phase() == Flow::Phase::Planned; }, patience);
  }
  template <class Flow> bool isApplied(Flow &flow) {
    m_engine->unlock();
    flow.apply(QStringLiteral("holder hangs"));
    return QTest::qWaitFor([&flow] { return flow.phase() == Flow::Phase::Done; }, patience);
  }
  static bool says(const QWidget &view, const QString &words) {
    const auto labels = view.findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&](const QLabel *label) { return label->text().contains(words); });
  }
  static bool namesTheLink(const QWidget &view) {
    return says(view, QStringLiteral("The audit log is not sound, and goes on as it is:")) &&
           says(view, QStringLiteral("record 1 was altered after it was written"));
  }
};

TEST_F(ReleaseAuditTest, namesTheLinkWithTheResultOfOne) {
  breakLog();
  takeLock("lock:a");
  ReleaseFlow flow(*m_engine, waitForLock("lock:a"));
  ASSERT_TRUE(isPlanned(flow) && isApplied(flow));
  EXPECT_EQ(flow.answer().verdict, Verdict::Released);
  ResultView view;
  view.show(flow);
  EXPECT_TRUE(namesTheLink(view));
}

TEST_F(ReleaseAuditTest, namesALinkThatBrokeSinceTheLogWasOpened) {
  for (const auto *key : {"lock:a", "lock:b"}) {
    takeLock(key);
    ReleaseFlow flow(*m_engine, waitForLock(key));
    ASSERT_TRUE(isPlanned(flow) && isApplied(flow));
    ResultView view;
    view.show(flow);
    EXPECT_EQ(namesTheLink(view), key == std::string_view("lock:b"));
    if (!namesTheLink(view))
      breakLog();
  }
}

TEST_F(ReleaseAuditTest, doesNotCallGoodWhatIsNotRecorded) {
  loseOutcomes();
  takeLock("lock:a");
  ReleaseFlow flow(*m_engine, waitForLock("lock:a"));
  ASSERT_TRUE(isPlanned(flow) && isApplied(flow));
  EXPECT_EQ(flow.answer().verdict, Verdict::Released);
  ResultView view;
  view.show(flow);
  const auto boxes = view.findChildren<Banner *>();
  ASSERT_EQ(boxes.size(), 2);
  EXPECT_FALSE(says(*boxes[0], QStringLiteral("Released"))) << "the green one";
  EXPECT_TRUE(says(*boxes[1], QStringLiteral("could not be recorded")));
  EXPECT_TRUE(says(view, QStringLiteral("without its outcome")));
}

TEST_F(ReleaseAuditTest, ofManyDoesNotCallGoodWhatIsNotRecorded) {
  loseOutcomes();
  takeLock("lock:a");
  ReleaseManyFlow flow(*m_engine, holdsToRelease({waitForLock("lock:a")}, {}, {}));
  ASSERT_TRUE(isPlanned(flow) && isApplied(flow));
  EXPECT_EQ(flow.results().front().verdict, Verdict::Released);
  ReleaseManyView view;
  view.show(flow, NodeNames(m_snapshot->nodes));
  EXPECT_TRUE(view.findChildren<Banner *>().front()->sentences().isEmpty()) << "the green one";
  EXPECT_TRUE(says(view, QStringLiteral("The audit log has no outcome of")));
  EXPECT_FALSE(says(view, QStringLiteral("the audit log has the verdicts of all")));
  const auto *table = view.findChild<QTableView *>();
  EXPECT_TRUE(table->model()->index(0, ReleaseTableModel::Outcome).data().toString().startsWith(u"Not recorded: "));
}

TEST_F(ReleaseAuditTest, namesTheLinkWithTheResultsOfMany) {
  breakLog();
  takeLock("lock:a");
  ReleaseManyFlow flow(*m_engine, holdsToRelease({waitForLock("lock:a")}, {}, {}));
  ASSERT_TRUE(isPlanned(flow));
  ReleaseManyView view;
  view.show(flow, NodeNames(m_snapshot->nodes));
  EXPECT_FALSE(namesTheLink(view));
  ASSERT_TRUE(isApplied(flow));
  view.show(flow, NodeNames(m_snapshot->nodes));
  EXPECT_TRUE(namesTheLink(view));
  EXPECT_EQ(m_redis->number({"EXISTS", "lock:a"}), 0);
}

} // namespace
} // namespace lockhouse::ui
