// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/cross_slot.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/fleet/shared_tokens.h"
#include "core/watch/record/metadata.h"
#include "ui/model/text/message_text.h"

#include <QCoreApplication>
#include <QTranslator>

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

class MessageText : public testing::Test {
protected:
  QTranslator m_chinese;

  void speakChinese() {
    ASSERT_TRUE(m_chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
    ASSERT_TRUE(QCoreApplication::installTranslator(&m_chinese));
  }
  void TearDown() override { QCoreApplication::removeTranslator(&m_chinese); }
};

bool isChinese(const Message &message) {
  return std::ranges::any_of(messageText(message), [](QChar c) { return c.script() == QChar::Script_Han; });
}

TEST_F(MessageText, everySentenceOfABuiltInFamilyIsSaidInChinese) {
  speakChinese();
  for (const auto &family : FamilyRegistry::builtIn().all()) {
    for (const auto &form : family.forms)
      EXPECT_TRUE(form.confidence == 0 || isChinese(evidenceOf(form))) << family.slug << ": " << form.evidence;
    for (const auto &form : family.forms)
      for (const auto &advice : adviceOf(ReleaseWay{family.releaseClass, form.advice}))
        EXPECT_TRUE(isChinese(advice)) << family.slug << ": " << advice.english();
    for (const auto &advice : adviceOf(family))
      EXPECT_TRUE(isChinese(advice)) << family.slug << ": " << advice.english();
  }
  for (const char letter : releaseClasses)
    EXPECT_TRUE(isChinese(releaseClassMessages(std::string(1, letter)).front())) << letter;
}

TEST_F(MessageText, isTranslatedWithItsArgumentsEachByItsType) {
  speakChinese();
  EXPECT_TRUE(isChinese(severalSlots));
  EXPECT_TRUE(messageText(LH_MESSAGE("PlanWords", "the lease still runs for %1: the holder may still be working")(seconds(65)))
                  .contains(u"1\u2009分\u20095\u2009秒"_s));
}

TEST_F(MessageText, opensWithACapitalUnlessWithWhatIsWrittenAsItIs) {
  EXPECT_EQ(messageSentence(LH_ENGLISH("the lock never expires")), u"The lock never expires.");
  EXPECT_EQ(messageSentence(LH_ENGLISH("%1 is %2 deep")("c9cb:1", 3)), u"c9cb:1 is 3 deep.");
  EXPECT_EQ(messageSentence(Message::joined({LH_ENGLISH("done"), LH_ENGLISH("look again")})), u"Done; look again.");
  EXPECT_EQ(messageSentence(LH_ENGLISH("lock() waits")), u"lock() waits.");
  EXPECT_EQ(messageSentence(Message::verbatim("words of another system")), u"words of another system.");
  EXPECT_EQ(messageSentence(Message::ofFamily("PlanWords", "words of a family of one's own")), u"Words of a family of one's own.");
  const Error error{ErrorCode::Timeout, LH_ENGLISH("the server did not answer"), "redis-1:6379", LH_ENGLISH("look again")};
  EXPECT_EQ(messageSentence(error.message()), u"redis-1:6379: the server did not answer; look again.");
  EXPECT_EQ(errorText(error), u"redis-1:6379: the server did not answer; look again");
}

TEST_F(MessageText, aNameThatCoreMadeSafeIsNotEscapedAgain) {
  EXPECT_EQ(messageText(companionIsMissing("lock:\\x03\\\\a")), u"lock:\\x03\\\\a beside it is missing");
  EXPECT_EQ(messageText(companionIsMissing("\x1b[31m")), u"\\x1b[31m beside it is missing");
}

TEST_F(MessageText, advisesTheMenuInsteadOfAnActionOfTheCommandLine) {
  EXPECT_EQ(messageText(unlookedKeys()),
            u"the same token may lie under other keys, which were not looked for: Lock › Release all of this holder frees them all");
  EXPECT_EQ(unlookedKeys().english(),
            "the same token may lie under other keys, which were not looked for: release --all --holder of this token frees them all");
}

TEST_F(MessageText, namesFamiliesAsTheDetailsDo) {
  EXPECT_EQ(messageText(LH_ENGLISH("it may be %1 too")(Families{{"bsm-redislock", "walrus"}})), u"it may be bsm/redislock, walrus too");
  EXPECT_EQ(messageText(LH_ENGLISH("%1 is left")("bsm-redislock")), u"bsm-redislock is left") << "that is a key";
}

TEST_F(MessageText, fillsInNamesThatLookLikePlaces) {
  EXPECT_EQ(messageText(LH_ENGLISH("deletes %1 and with it the hold of %2")("%2", "%1 %s")), u"deletes %2 and with it the hold of %1 %s");
  EXPECT_EQ(messageText(Message::ofFamily("PlanWords", "7 %1 things")), u"7 %1 things");
}

} // namespace
} // namespace lockhouse::ui
