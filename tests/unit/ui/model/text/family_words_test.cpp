// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_registry.h"
#include "ui/model/text/family_words.h"

#include <QCoreApplication>
#include <QTranslator>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

bool hasChinese(const QString &text) {
  return std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
}

class FamilyWords : public testing::Test {
protected:
  QTranslator m_chinese;

  void speakChinese() {
    ASSERT_TRUE(m_chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
    ASSERT_TRUE(QCoreApplication::installTranslator(&m_chinese));
  }
  void TearDown() override { QCoreApplication::removeTranslator(&m_chinese); }
};

TEST_F(FamilyWords, everyBuiltInFamilySaysInChineseWhatItIs) {
  speakChinese();
  const auto all = FamilyRegistry::builtIn().all();
  EXPECT_GT(all.size(), 80U);
  for (const Family &family : all) {
    EXPECT_FALSE(family.about.empty()) << family.slug;
    EXPECT_TRUE(hasChinese(familyAbout(family))) << family.slug << ": " << family.about;
    EXPECT_TRUE(familyAbout(family).endsWith(u'。')) << family.slug;
  }
}

TEST_F(FamilyWords, everyAdviceOfABuiltInFamilyIsSaidInChinese) {
  speakChinese();
  for (const Family &family : FamilyRegistry::builtIn().all()) {
    EXPECT_FALSE(familyAdvice(family).isEmpty()) << family.slug;
    for (const QString &sentence : familyAdvice(family))
      EXPECT_TRUE(hasChinese(sentence)) << family.slug << ": " << sentence.toStdString();
  }
}

TEST_F(FamilyWords, ofALockThatNobodyWaitsForTheyTellOfNoWaiter) {
  const Family *family = FamilyRegistry::builtIn().find("celery-singleton");
  ASSERT_NE(family, nullptr);
  LockRecord record;
  record.id.key = LockName("SINGLETONLOCK_5b1c0a3e6f0d4f1a9c582f4f0e7a1b05");
  EXPECT_EQ(releaseAdvice(*family, record).front(), u"Deleting it is enough: nobody waits for it.");
  EXPECT_EQ(familyAdvice(*family).front(), u"Deleting it is enough: nobody waits for it.");
}

TEST_F(FamilyWords, inEnglishTheyAreWhatTheRecogniserSays) {
  const Family *family = FamilyRegistry::builtIn().find("shedlock");
  ASSERT_NE(family, nullptr);
  EXPECT_EQ(familyTitle(*family), u"ShedLock (Java)");
  EXPECT_EQ(familyAbout(*family), QString::fromStdString(family->about) + u'.');
  EXPECT_TRUE(familyMeaning(*family).startsWith(u"ShedLock (Java)\n"));
  EXPECT_EQ(familyMeaning(*family).count(u'\n'), 1 + familyAdvice(*family).size());
}

TEST_F(FamilyWords, everyBuiltInFamilyHasAShortNameOfItsOwnForAColumn) {
  const FamilyRegistry &all = FamilyRegistry::builtIn();
  std::map<QString, std::string> names;
  for (const Family &family : all.all()) {
    const QString name = familyName(all, family.slug);
    EXPECT_LE(name.size(), 22) << family.slug << ": " << name.toStdString();
    EXPECT_FALSE(name.contains(u" (") && !name.contains(u"(gem)") && !name.contains(u"(npm)")) << name.toStdString();
    const auto [other, isNew] = names.emplace(name, family.slug);
    EXPECT_TRUE(isNew) << family.slug << " and " << other->second << " are both called " << name.toStdString();
  }
  EXPECT_EQ(familyName(all, "redisson-permits"), u"Redisson permits");
  EXPECT_EQ(familyName(all, "shedlock"), u"ShedLock") << "its title up to the bracket";
  EXPECT_EQ(familyName(all, "no-such\x1b"), u"no-such\\x1b");
}

TEST_F(FamilyWords, whereAJobHangsOnItDeletingIsNotSaidToBeEnough) {
  for (const char *slug : {"bullmq-job", "bull-job", "arq"}) {
    const Family *family = FamilyRegistry::builtIn().find(slug);
    ASSERT_NE(family, nullptr) << slug;
    EXPECT_FALSE(familyAdvice(*family).join(u' ').contains(u"enough")) << slug;
    EXPECT_TRUE(familyAdvice(*family).front().contains(u"A job hangs on it")) << slug;
  }
}

TEST_F(FamilyWords, theTipOfAFamilySaysHowAFilterNamesIt) {
  EXPECT_TRUE(familyToolTip(FamilyRegistry::builtIn(), "shedlock").startsWith(u"ShedLock (Java)\n"));
  EXPECT_TRUE(familyToolTip(FamilyRegistry::builtIn(), "shedlock").endsWith(u"\nIn the filter: family:shedlock"));
  EXPECT_EQ(familyToolTip(FamilyRegistry::builtIn(), "unheard-of"), u"In the filter: family:unheard-of");
}

TEST_F(FamilyWords, aUsersOwnFamilyIsShownSafely) {
  Family own;
  own.title = "Our <b>lock</b>\x1b[31m";
  own.about = "%1 of ours\n";
  EXPECT_EQ(familyTitle(own), u"Our <b>lock</b>\\x1b[31m");
  EXPECT_EQ(familyAbout(own), u"%1 of ours\\n.");
  own.about.clear();
  EXPECT_EQ(familyMeaning(own), familyTitle(own)) << "nobody said more";
}

} // namespace
} // namespace lockhouse::ui
