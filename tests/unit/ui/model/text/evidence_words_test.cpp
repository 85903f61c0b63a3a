// SPDX-License-Identifier: Apache-2.0
#include "core/watch/detect/family_registry.h"
#include "ui/model/text/evidence_words.h"

#include <QCoreApplication>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTranslator>

#include <gtest/gtest.h>

#include <algorithm>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

/// What core/watch says of locks, read from its sources: 7 stands for what is filled in.
QStringList statedFacts() {
  static const QRegularExpression call(u"(?:evidence|oddities)(?:\\.(?:emplace|emplace_back|push_back)\\(| = \\{)(.*?);\n"_s,
                                       QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression literal(u"\"([^\"]*)\""_s);
  static const QRegularExpression shape(u"\"(value [^\"]*)\""_s);
  static const QRegularExpression word(u"[a-z]{2}.* "_s);
  QStringList facts;
  QDirIterator sources(QStringLiteral(LOCKHOUSE_SOURCE) + u"/core/watch"_s, {u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
  while (sources.hasNext()) {
    QFile file(sources.next());
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << file.fileName().toStdString();
    const QString text = QString::fromUtf8(file.readAll());
    for (auto match = shape.globalMatch(text); match.hasNext();)
      facts << match.next().captured(1);
    for (auto match = call.globalMatch(text); match.hasNext();)
      for (auto inner = literal.globalMatch(match.next().captured(1)); inner.hasNext();)
        if (const QString fact = inner.next().captured(1); fact.contains(word))
          facts << (fact.startsWith(u' ') ? u'7' + fact : fact);
  }
  return facts.replaceInStrings(u"{}"_s, u"7"_s);
}

class EvidenceWords : public testing::Test {
protected:
  QTranslator m_chinese;

  void speakChinese() {
    ASSERT_TRUE(m_chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
    ASSERT_TRUE(QCoreApplication::installTranslator(&m_chinese));
  }
  void TearDown() override { QCoreApplication::removeTranslator(&m_chinese); }

  static bool isChinese(const std::string &fact) {
    return std::ranges::any_of(evidenceText(fact), [](QChar c) { return c.script() == QChar::Script_Han; });
  }
};

TEST_F(EvidenceWords, everyFactThatCoreStatesIsSaidInChinese) {
  speakChinese();
  const QStringList facts = statedFacts();
  EXPECT_GT(facts.size(), 80);
  for (const QString &fact : facts)
    EXPECT_TRUE(isChinese(fact.toStdString())) << fact.toStdString();
}

TEST_F(EvidenceWords, everyFormThatProvesALockIsSaidInChinese) {
  speakChinese();
  for (const auto &family : FamilyRegistry::builtIn().all())
    for (const auto &form : family.forms)
      EXPECT_TRUE(form.confidence == 0 || isChinese(form.evidence)) << family.slug << ": " << form.evidence;
}

TEST_F(EvidenceWords, whatMastersSayOfARedlockIsSaidInChinese) {
  speakChinese();
  for (const char *fact :
       {"the same holders lie on 2 of 3 masters: a Redlock, held by its majority",
        "the same holders lie on 2 of 5 masters: a Redlock that nobody holds, unless no more than 3 masters are its own",
        "the same token lies on 2 of 5 masters, of which 1 are not followed or refuse keys: a Redlock, and who holds it is not known",
        "its token lies on 1 of 3 masters: a lock of this master alone, or what is left of a Redlock that nobody holds",
        "its token lies on 1 of 3 masters, and by its name or library it is a Redlock: unless its clients use this master alone, nobody holds it",
        "tokens of 2 holders lie on 2 of 3 masters, none on most of them, and 1 are not followed or refuse keys: if it is a Redlock, who holds it is not known",
        "{a}:queue beside it cannot be read now: the cluster is moving its slot, or does not serve it; look again when it does",
        "masters on which another token lies under this name: 1", "its holder has other keys here too: lock:a, lock:b",
        "one token under several keys, as node-redlock writes", "{a}:timeout beside it is missing"})
    EXPECT_TRUE(isChinese(fact)) << fact;
}

TEST_F(EvidenceWords, numbersInAFactAreItsOwn) {
  EXPECT_EQ(evidenceText("it has 1000000 entries, of which 1001 were read").toStdString(), "it has 1000000 entries, of which 1001 were read");
  EXPECT_EQ(evidenceText("free permits: 3").toStdString(), "free permits: 3");
}

TEST_F(EvidenceWords, aNameThatCoreMadeSafeIsNotEscapedAgain) {
  EXPECT_EQ(evidenceText("its holder has other keys here too: lock:\\x03\\\\a").toStdString(), "its holder has other keys here too: lock:\\x03\\\\a");
  EXPECT_EQ(evidenceText("\x1b[31m beside it is missing").toStdString(), "\\x1b[31m beside it is missing");
}

TEST_F(EvidenceWords, adviseTheMenuInsteadOfAVerbOfTheCommandLine) {
  EXPECT_EQ(evidenceText("the same token may lie under other keys, which were not looked for: release --all --holder of this token frees them all"),
            u"the same token may lie under other keys, which were not looked for: Lock › Release all of this holder frees them all");
}

TEST_F(EvidenceWords, anUnknownFactIsShownSafely) {
  EXPECT_EQ(evidenceText("something\nnew").toStdString(), "something\\nnew");
  EXPECT_EQ(evidenceText("it has a lease").toStdString(), "it has a lease");
}

} // namespace
} // namespace lockhouse::ui
