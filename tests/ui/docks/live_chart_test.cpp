// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/live_chart.h"

#include "ui/model/text/formatting.h"
#include "ui/widget/style/theme.h"

#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui {
namespace {

QString whole(double value) { return QString::number(value, 'f', 0); }

int pixelsNear(const QImage &image, const QColor &colour) {
  int found = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      found += std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) + std::abs(pixel.blue() - colour.blue()) < 24;
    }
  return found;
}

class LiveChartTest : public testing::Test {
protected:
  TimeSeries m_one{seconds(1), 60};
  TimeSeries m_two{seconds(1), 60};

  void fill(std::int64_t last) {
    for (std::int64_t second = 0; second <= last; ++second) {
      m_one.set(second, static_cast<double>(40 + second % 7));
      m_two.set(second, 10);
    }
  }
  static QImage pictureOf(LiveChart &chart) {
    chart.resize(420, 160);
    chart.QWidget::show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&chart));
    QCoreApplication::processEvents();
    return chart.grab().toImage();
  }
};

TEST_F(LiveChartTest, readsOutItsNewestValue) {
  LiveChart chart(QStringLiteral("Locks held"), {{{}, &Theme::held}}, whole);
  EXPECT_EQ(chart.accessibleName(), u"Locks held: not known");
  fill(10);
  chart.show({&m_one}, 10);
  EXPECT_EQ(chart.accessibleName(), u"Locks held: 43");
  chart.show({&m_one}, 11);
  EXPECT_EQ(chart.accessibleName(), u"Locks held: not known") << "a gap is never the value before it";
}

TEST_F(LiveChartTest, namesTheValuesOfSeveralLines) {
  LiveChart chart(QStringLiteral("Per second"), {{QStringLiteral("acquired"), &Theme::held}, {QStringLiteral("contended"), &Theme::contended}}, whole);
  fill(10);
  chart.show({&m_one, &m_two}, 10);
  EXPECT_EQ(chart.accessibleName(), u"Per second; acquired: 43; contended: 10");
}

TEST_F(LiveChartTest, drawsInTheColourOfItsStateAndFollowsThePalette) {
  LiveChart chart(QStringLiteral("Locks held"), {{{}, &Theme::held}}, whole);
  fill(59);
  chart.setPalette(Theme::tokens(Theme::Kind::Light).palette());
  chart.show({&m_one}, 59);
  const QImage light = pictureOf(chart);
  EXPECT_GT(pixelsNear(light, Theme::tokens(Theme::Kind::Light).held.ink), 100);
  EXPECT_GT(pixelsNear(light, Theme::tokens(Theme::Kind::Light).base), 20'000);

  chart.setPalette(Theme::tokens(Theme::Kind::Dark).palette());
  const QImage dark = pictureOf(chart);
  EXPECT_GT(pixelsNear(dark, Theme::tokens(Theme::Kind::Dark).held.ink), 100);
  EXPECT_GT(pixelsNear(dark, Theme::tokens(Theme::Kind::Dark).base), 20'000);
}

TEST_F(LiveChartTest, leavesAGapWhereNothingIsKnown) {
  LiveChart chart(QStringLiteral("Locks held"), {{{}, &Theme::held}}, whole);
  fill(59);
  chart.show({&m_one}, 59);
  const int unbroken = pixelsNear(pictureOf(chart), Theme::of(chart.palette()).held.ink);
  for (std::int64_t second = 20; second < 40; ++second)
    m_one.set(second, TimeSeries::gap);
  chart.show({&m_one}, 59);
  EXPECT_LT(pixelsNear(pictureOf(chart), Theme::of(chart.palette()).held.ink), unbroken * 4 / 5);
}

TEST_F(LiveChartTest, survivesAnEmptySeriesAndATinySize) {
  LiveChart chart(QStringLiteral("A title that is far too long for the room that this chart is given by its window"), {{{}, &Theme::held}}, whole);
  chart.show({&m_one}, 0);
  chart.resize(1, 1);
  EXPECT_FALSE(chart.grab().isNull());
}

} // namespace
} // namespace lockhouse::ui
