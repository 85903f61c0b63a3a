// SPDX-License-Identifier: Apache-2.0
#include "core/watch/families.h"
#include "ui/model/evidence_words.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <QTranslator>

#include <gtest/gtest.h>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

/// What the recognisers say, read from their sources.
QStringList statedFacts() {
  static const QRegularExpression call(u"(?:evidence|oddities)\\.emplace_back\\((.*?)\\);"_s);
  static const QRegularExpression literal(u"\"([^\"]*)\""_s);
  static const QRegularExpression shape(u"\"(value [^\"]*)\""_s);
  QStringList facts;
  for (const char *name : {"token_shape.cpp", "key_read.cpp", "mirror.cpp", "recognisers/token.cpp", "recognisers/redisson_lock.cpp",
                           "recognisers/redisson_fair.cpp", "recognisers/redisson_rw.cpp"}) {
    QFile file(QStringLiteral(LOCKHOUSE_SOURCE) + u"/core/watch/"_s + QLatin1String(name));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
    const QString text = QString::fromUtf8(file.readAll());
    for (auto match = shape.globalMatch(text); match.hasNext();)
      facts << match.next().captured(1);
    for (auto match = call.globalMatch(text); match.hasNext();)
      for (auto inner = literal.globalMatch(match.next().captured(1)); inner.hasNext();)
        if (const QString fact = inner.next().captured(1); fact.contains(u' '))
          facts << fact;
  }
  return facts;
}

TEST(EvidenceWords, everyFactThatCoreStatesHasChineseWords) {
  QTranslator chinese;
  ASSERT_TRUE(chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  const QStringList facts = statedFacts();
  EXPECT_GT(facts.size(), 25);
  for (const QString &fact : facts)
    EXPECT_FALSE(chinese.translate("Evidence", fact.toUtf8().constData()).isEmpty()) << fact.toStdString();
}

TEST(EvidenceWords, everyFormThatProvesALockHasChineseWords) {
  QTranslator chinese;
  ASSERT_TRUE(chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  for (const auto &family : Families::builtIn().all())
    for (const auto &form : family.forms)
      EXPECT_TRUE(form.confidence == 0 || !chinese.translate("Evidence", form.evidence.c_str()).isEmpty()) << family.slug << ": " << form.evidence;
}

TEST(EvidenceWords, whatMastersSayOfARedlockHasChineseWords) {
  QTranslator chinese;
  ASSERT_TRUE(chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
  QCoreApplication::installTranslator(&chinese);
  for (const char *fact :
       {"the same holders lie on 2 of 3 masters: a Redlock, held by its majority",
        "the same holders lie on 2 of 5 masters: a Redlock without a majority, which nobody holds",
        "its token lies on 1 of 3 masters: a lock of this master alone, or what is left of a Redlock that nobody holds",
        "its token lies on 1 of 3 masters, and by its name or library it is a Redlock: unless its clients use this master alone, nobody holds it",
        "tokens of 2 holders lie on 2 of 3 masters, none on most of them, and 1 are not followed: if it is a Redlock, who holds it is not known",
        "{a}:queue beside it cannot be read now: the cluster is moving its slot, or does not serve it; look again when it does",
        "masters on which another token lies under this name: 1", "its holder has other keys here too: lock:a, lock:b",
        "one token under several keys, as node-redlock writes", "{a}:timeout beside it is missing"})
    EXPECT_NE(evidenceText(fact), QLatin1String(fact));
  QCoreApplication::removeTranslator(&chinese);
}

TEST(EvidenceWords, numbersInAFactAreItsOwn) {
  EXPECT_EQ(evidenceText("it has 1000000 entries, of which 1001 were read").toStdString(), "it has 1000000 entries, of which 1001 were read");
  EXPECT_EQ(evidenceText("free permits: 3").toStdString(), "free permits: 3");
}

TEST(EvidenceWords, aNameThatCoreMadeSafeIsNotEscapedAgain) {
  EXPECT_EQ(evidenceText("its holder has other keys here too: lock:\\x03\\\\a").toStdString(), "its holder has other keys here too: lock:\\x03\\\\a");
  EXPECT_EQ(evidenceText("\x1b[31m beside it is missing").toStdString(), "\\x1b[31m beside it is missing");
}

TEST(EvidenceWords, anUnknownFactIsShownSafely) {
  EXPECT_EQ(evidenceText("something\nnew").toStdString(), "something\\nnew");
  EXPECT_EQ(evidenceText("it has a lease").toStdString(), "it has a lease");
}

} // namespace
} // namespace lockhouse::ui
