// SPDX-License-Identifier: Apache-2.0
#include "ui/model/text/formatting.h"
#include "ui/model/text/message_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTranslator>
#include <QXmlStreamReader>

#include <gtest/gtest.h>

namespace {

using namespace Qt::StringLiterals;

struct Message {
  QString context, source, comment;
  QStringList forms;
  bool unfinished = false;
  bool numerus = false;
};

std::vector<Message> messagesIn(const QString &path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&file);
  std::vector<Message> found;
  QString context;
  while (!xml.atEnd()) {
    xml.readNext();
    if (!xml.isStartElement())
      continue;
    if (xml.name() == u"message") {
      found.emplace_back();
      found.back().context = context;
      found.back().numerus = xml.attributes().value(u"numerus"_s) == u"yes";
    } else if (xml.name() == u"name") {
      context = xml.readElementText();
    } else if (xml.name() == u"comment") {
      found.back().comment = xml.readElementText();
    } else if (xml.name() == u"source") {
      found.back().source = xml.readElementText();
    } else if (xml.name() == u"translation") {
      found.back().unfinished = !xml.attributes().value(u"type"_s).isEmpty();
      if (!found.back().numerus)
        found.back().forms << xml.readElementText();
    } else if (xml.name() == u"numerusform") {
      found.back().forms << xml.readElementText();
    }
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return found;
}

std::vector<Message> messages() { return messagesIn(QStringLiteral(LOCKHOUSE_TRANSLATION)); }

QStringList placeholders(const QString &text) {
  static const QRegularExpression place(u"%(\\d+|n)"_s);
  QStringList found;
  for (auto match = place.globalMatch(text); match.hasNext();)
    found << match.next().captured();
  found.sort();
  found.removeDuplicates();
  return found;
}

TEST(Chinese, everyTextIsTranslated) {
  const auto all = messages();
  EXPECT_GT(all.size(), 200U);
  for (const Message &message : all) {
    EXPECT_FALSE(message.unfinished) << message.source.toStdString();
    ASSERT_FALSE(message.forms.isEmpty()) << message.source.toStdString();
    for (const QString &form : message.forms)
      EXPECT_FALSE(form.isEmpty()) << message.source.toStdString();
  }
}

// What lupdate finds in the sources of core and of the console is what the translations have: no message is without, none is left over.
TEST(Chinese, knowsTheMessagesOfTheSources) {
  const QTemporaryDir folder;
  const QString updated = folder.filePath(u"lockhouse_zh_CN.ts"_s);
  ASSERT_TRUE(QFile::copy(QStringLiteral(LOCKHOUSE_TRANSLATION), updated));
  QProcess lupdate;
  lupdate.setWorkingDirectory(QStringLiteral(LOCKHOUSE_SOURCE));
  lupdate.start(QStringLiteral(LOCKHOUSE_LUPDATE),
                QStringLiteral(LOCKHOUSE_LUPDATE_OPTIONS).split(u' ') +
                    QStringList{u"-silent"_s, u"-I"_s, u"."_s, u"core"_s, u"ui"_s, QStringLiteral(LOCKHOUSE_GENERATED), u"-ts"_s, updated});
  ASSERT_TRUE(lupdate.waitForFinished());
  ASSERT_EQ(lupdate.exitCode(), 0) << lupdate.readAllStandardError().toStdString();
  const auto idsOf = [](const std::vector<Message> &all) {
    QStringList ids;
    for (const Message &message : all)
      ids << message.context + u'|' + message.source + u'|' + message.comment;
    ids.sort();
    return ids;
  };
  const QStringList known = idsOf(messagesIn(QStringLiteral(LOCKHOUSE_TRANSLATION))), found = idsOf(messagesIn(updated));
  for (const QString &id : found)
    EXPECT_TRUE(known.contains(id)) << "bring the translations up to date (target lockhouse_ui_lupdate): " << id.toStdString();
  for (const QString &id : known)
    EXPECT_TRUE(found.contains(id)) << "no source says this any more: " << id.toStdString();
}

TEST(Chinese, keepsEveryPlaceholder) {
  for (const Message &message : messages())
    for (const QString &form : message.forms)
      EXPECT_EQ(placeholders(form), placeholders(message.source)) << message.source.toStdString();
}

TEST(Chinese, isInsideTheBinary) {
  QTranslator words;
  ASSERT_TRUE(words.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  EXPECT_EQ(words.translate("LockState", "Contended"), u"争用中"_s);
}

TEST(Chinese, endsThePlansSentencesAndSaysItsTimesInChinese) {
  QTranslator words;
  ASSERT_TRUE(words.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  ASSERT_TRUE(QCoreApplication::installTranslator(&words));
  const QString said =
      lockhouse::ui::messageSentence(LH_MESSAGE("PlanWords", "the lease still runs for %1: the holder may still be working")(std::chrono::seconds(87)));
  const QString families = lockhouse::ui::messageSentence(
      LH_MESSAGE("PlanWords", "several libraries leave the same bytes; it may be %1 too")(lockhouse::Families{{"bsm-redislock", "walrus"}}));
  const QString deferred = lockhouse::ui::messageSentence(LH_MESSAGE("PlanWords", "it ends within 10 s anyway"));
  const QString left = lockhouse::ui::seconds1(std::chrono::milliseconds(27'000));
  QCoreApplication::removeTranslator(&words);
  EXPECT_TRUE(said.endsWith(u'。')) << said.toStdString();
  EXPECT_FALSE(said.contains(u"min"_s)) << said.toStdString();
  EXPECT_TRUE(said.contains(u'秒')) << said.toStdString();
  EXPECT_TRUE(families.contains(u"bsm/redislock、walrus"_s)) << families.toStdString();
  EXPECT_TRUE(deferred.contains(u"秒内"_s)) << "a span ends with a Chinese word, behind which no space belongs: " << deferred.toStdString();
  EXPECT_TRUE(left.endsWith(u'秒')) << left.toStdString();
}

TEST(English, saysOneOfWhateverIsCounted) {
  QTranslator words;
  ASSERT_TRUE(words.load(u":/i18n/lockhouse_en.qm"_s));
  for (const Message &message : messages()) {
    if (!message.numerus)
      continue;
    for (const int count : {1, 2})
      EXPECT_FALSE(
          words.translate(message.context.toUtf8().constData(), message.source.toUtf8().constData(), message.comment.toUtf8().constData(), count).isEmpty())
          << message.context.toStdString() << ": " << message.source.toStdString();
  }
}

TEST(English, hasSingularAndPlural) {
  QTranslator words;
  ASSERT_TRUE(words.load(u":/i18n/lockhouse_en.qm"_s));
  EXPECT_EQ(words.translate("Format", "%n readers", nullptr, 1), u"%n reader"_s);
  EXPECT_EQ(words.translate("Format", "%n readers", nullptr, 2), u"%n readers"_s);
}

} // namespace
