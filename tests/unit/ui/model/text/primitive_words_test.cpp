// SPDX-License-Identifier: Apache-2.0
#include "ui/model/text/primitive_words.h"

#include <QCoreApplication>
#include <QTranslator>

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

TEST(PrimitiveWords, sayOfEveryPrimitiveInChineseWhatItIs) {
  QTranslator chinese;
  ASSERT_TRUE(chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  ASSERT_TRUE(QCoreApplication::installTranslator(&chinese));
  for (const PrimitiveInfo &info : primitiveInfos()) {
    const QString said = primitiveSummary(info);
    EXPECT_TRUE(std::ranges::any_of(said, [](QChar c) { return c.script() == QChar::Script_Han; })) << info.name << ": " << said.toStdString();
    EXPECT_TRUE(said.endsWith(u'。')) << info.name;
  }
  QCoreApplication::removeTranslator(&chinese);
}

TEST(PrimitiveWords, areWhatCoreSaysInEnglish) {
  for (const PrimitiveInfo &info : primitiveInfos())
    EXPECT_EQ(primitiveSummary(info).toStdString(), info.summary);
}

} // namespace
} // namespace lockhouse::ui
