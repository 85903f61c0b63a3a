// SPDX-License-Identifier: Apache-2.0
// The lab at every size and in every font: nothing of the verdict is cut, and the panel leaves room for the figures.
#include "tests/ui/docks/fonts.h"
#include "tests/unit/ui/locks.h"
#include "ui/bridge/engine.h"
#include "ui/page/stress/stress_choices.h"
#include "ui/page/stress/stress_figures.h"
#include "ui/page/stress/stress_page.h"
#include "ui/plot/live_chart.h"
#include "ui/widget/parts/elided_combo.h"
#include "ui/widget/parts/number_spin_box.h"
#include "ui/widget/style/app_style.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QProgressBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using tests::Locks;

StressReport goodReport() {
  StressReport report;
  report.seconds = 5;
  report.pairs = 123'456;
  report.commandsPerPair = 2.01;
  report.serverCallsPerPair = 5.9;
  report.perClientMin = 7'400;
  report.perClientMax = 8'000;
  return report;
}

TEST(LabLayout, cutsNothingInAnyFontAtAnySize) {
  for (const QString &family : tests::testFonts()) {
    const tests::FontFor font(family);
    for (const QSize &size : {QSize(1253, 760), QSize(837, 500), QSize(773, 440)}) { // the page in windows of 1440, 1024 and 960
      Engine engine{Engine::Options{}};
      StressPage page(engine);
      page.resize(size);
      page.show();
      ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
      auto *figures = page.findChild<StressFigures *>();
      figures->begin({});
      figures->advance({.seconds = 1, .pairs = 24'000, .pairsPerSecond = 24'000, .waitP50 = 600us, .waitP99 = 2ms, .waiting = 15});
      EXPECT_TRUE(QTest::qWaitFor([&] { return tests::cutLabels(*figures).isEmpty(); }, 2'000))
          << tests::cutLabels(*figures).join(u'\n').toStdString() << family.toStdString() << ' ' << size.width();
      figures->finish(goodReport());
      EXPECT_TRUE(QTest::qWaitFor([&] { return tests::cutLabels(*figures).isEmpty(); }, 2'000))
          << tests::cutLabels(*figures).join(u'\n').toStdString() << family.toStdString() << ' ' << size.width();
      const QScrollArea *panel = page.findChildren<QScrollArea *>().front()->isAncestorOf(figures) ? page.findChildren<QScrollArea *>().at(1)
                                                                                                   : page.findChildren<QScrollArea *>().front();
      EXPECT_LT(panel->width(), size.width() / 2) << family.toStdString();
    }
  }
}

TEST(LabLayout, aLongPathIsShortenedInTheMiddleAndWholeInTooltipAndList) {
  AppStyle style;
  const std::string path = "/run/user/1000/lockhouse-a-very-long-folder-name-in-the-middle-of-it/redis-seven.sock";
  for (const QString &family : tests::testFonts()) {
    const tests::FontFor font(family);
    StressChoices choices(true);
    choices.resize(320, 700);
    choices.show();
    choices.setNodes({Locks::node(path)});
    auto *node = choices.findChild<ElidedCombo *>();
    node->setStyle(&style);
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&choices));
    const QString painted = node->paintedText();
    EXPECT_TRUE(painted.startsWith(u"a  /run"_s)) << painted.toStdString();
    EXPECT_TRUE(painted.contains(u'…')) << painted.toStdString();
    EXPECT_TRUE(painted.endsWith(u".sock"_s)) << painted.toStdString();
    EXPECT_LT(node->fontMetrics().horizontalAdvance(painted), node->width());
    EXPECT_TRUE(node->toolTip().contains(QString::fromStdString(path)));
    node->showPopup();
    ASSERT_TRUE(QTest::qWaitFor([node] { return node->view()->isVisible(); }));
    EXPECT_GE(node->view()->viewport()->width(), node->fontMetrics().horizontalAdvance(node->currentText()));
    node->hidePopup();
    choices.setNodes({Locks::node("127.0.0.1:7001")});
    EXPECT_EQ(node->paintedText(), u"a  127.0.0.1:7001");
  }
}

TEST(LabLayout, chartsOneAboveTheOtherBeginAndEndAlikeAndReachTheEdgeBeforeTheFirstValue) {
  StressFigures figures;
  figures.resize(900, 700);
  figures.show();
  const auto charts = figures.findChildren<LiveChart *>();
  ASSERT_EQ(charts.size(), 4);
  for (const LiveChart *chart : charts)
    EXPECT_EQ(chart->sides().right, 0);
  figures.begin({});
  figures.advance({.seconds = 1, .pairs = 24'000, .pairsPerSecond = 24'000, .waitP50 = 600us, .waitP99 = 2ms, .waiting = 15});
  for (const LiveChart *chart : charts)
    EXPECT_GT(chart->sides().right, 0);
  EXPECT_EQ(charts[0]->drawnSides(), charts[2]->drawnSides());
  EXPECT_EQ(charts[1]->drawnSides(), charts[3]->drawnSides());
}

TEST(LabNumbers, areWrittenLikeEveryNumberHere) {
  CountBox count;
  count.setRange(0, 100'000);
  count.setValue(30'000);
  EXPECT_EQ(count.text(), QStringLiteral("30\u2009000"));
  count.findChild<QLineEdit *>()->clear();
  QTest::keyClicks(&count, QStringLiteral("1 250"));
  EXPECT_EQ(count.value(), 1'250);
}

TEST(LabSpans, sayThemselvesInTheLargestUnitThatFits) {
  SpanBox box;
  box.setSpanRange(0ms, 24h);
  const std::vector<std::pair<milliseconds, QString>> cases{
      {0ms, QStringLiteral("0 ms")}, {1ms, QStringLiteral("1 ms")}, {1'250ms, QStringLiteral("1 250 ms")}, {1'500ms, QStringLiteral("1.5 s")},
      {30s, QStringLiteral("30 s")}, {90s, QStringLiteral("90 s")}, {10min, QStringLiteral("10 min")},     {2h, QStringLiteral("2 h")}};
  for (const auto &[span, text] : cases) {
    box.setSpan(span);
    EXPECT_EQ(box.text().replace(QChar(0x2009), QLatin1Char(' ')), text);
  }
}

TEST(LabSpans, areReadWithAnyUnitAndWithoutOne) {
  SpanBox box;
  box.setSpanRange(10ms, 24h);
  box.setSpan(30s);
  const std::vector<std::pair<QString, milliseconds>> cases{{QStringLiteral("45"), 45s},
                                                            {QStringLiteral("2 min"), 2min},
                                                            {QStringLiteral("750ms"), 750ms},
                                                            {QStringLiteral("300"), 300ms},
                                                            {QStringLiteral("2.5 s"), 2'500ms}};
  for (const auto &[typed, span] : cases) {
    box.findChild<QLineEdit *>()->clear();
    QTest::keyClicks(&box, typed);
    QTest::keyClick(&box, Qt::Key_Return);
    EXPECT_EQ(box.span(), span) << typed.toStdString();
  }
  box.findChild<QLineEdit *>()->clear();
  QTest::keyClicks(&box, QStringLiteral("nonsense"));
  QTest::keyClick(&box, Qt::Key_Return);
  EXPECT_EQ(box.span(), 2'500ms) << "what cannot be read changes nothing";
}

TEST(LabSpans, stepByTheUnitThatIsShown) {
  SpanBox box;
  box.setSpanRange(10ms, 24h);
  box.setSpan(30s);
  box.stepBy(1);
  EXPECT_EQ(box.span(), 31s);
  box.setSpan(1'500ms);
  box.stepBy(1);
  EXPECT_EQ(box.span(), 2s);
  box.setSpan(10ms);
  box.stepBy(-1);
  EXPECT_EQ(box.span(), 10ms);
  box.setSpan(1s);
  box.stepBy(-1);
  EXPECT_EQ(box.span(), 990ms);
}

TEST(HouseProgress, idleIsAnEmptyTrackInLightAndDark) {
  AppStyle style;
  for (const Theme::Kind kind : {Theme::Kind::Light, Theme::Kind::Dark}) {
    const Theme theme = Theme::tokens(kind);
    QProgressBar bar;
    bar.setStyle(&style);
    bar.setPalette(theme.palette());
    bar.setTextVisible(false);
    bar.resize(200, 8);
    const QImage idle = bar.grab().toImage();
    EXPECT_EQ(idle.pixelColor(100, 4), theme.track);
    EXPECT_EQ(idle.pixelColor(100, 0), theme.track) << "no outline";
    bar.setValue(100);
    EXPECT_EQ(bar.grab().toImage().pixelColor(190, 4), theme.accent);
    bar.setStyle(nullptr);
  }
}

} // namespace
} // namespace lockhouse::ui
