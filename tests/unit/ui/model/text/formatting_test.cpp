// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/metadata.h"
#include "ui/model/text/formatting.h"
#include "ui/model/text/holder_names.h"
#include "ui/model/text/node_names.h"
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include "tests/unit/ui/sample_locks.h"

#include <gmock/gmock.h>

#include <QFontMetrics>

namespace lockhouse::ui {
namespace {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

/// Thin spaces as plain ones, so that expectations can be read.
std::string plain(QString text) { return text.replace(QChar(0x2009), QLatin1Char(' ')).toStdString(); }

TEST(Format, groupsAFigureThatWasFilledIn) {
  EXPECT_EQ(withGroups(QStringLiteral("a1: 4000 locks"), 4000), QStringLiteral("a1: 4\u2009000 locks"));
  EXPECT_EQ(withGroups(QStringLiteral("7 locks"), 7), QStringLiteral("7 locks"));
}

TEST(Format, saysDurationsAsPeopleDo) {
  EXPECT_EQ(plain(duration(0ns)), "0 s");
  EXPECT_EQ(plain(duration(340us)), "340 µs");
  EXPECT_EQ(plain(duration(340ms)), "340 ms");
  EXPECT_EQ(plain(duration(12400ms)), "12.4 s");
  EXPECT_EQ(plain(duration(252s)), "4 min 12 s");
  EXPECT_EQ(plain(duration(5h + 3min)), "5 h 3 min");
  EXPECT_EQ(plain(duration(76h)), "3 d 4 h");
}

TEST(Format, neverRoundsSecondsUpToSixty) {
  EXPECT_EQ(plain(seconds1(59949ms)), "59.9 s");
  EXPECT_EQ(plain(seconds1(59950ms)), "1 min 0 s");
  EXPECT_EQ(plain(seconds1(3599600ms)), "1 h 0 min");
}

TEST(Format, namesEverythingThatALocksBytesTell) {
  std::vector<std::string_view> names(plainMetadata.begin(), plainMetadata.end());
  names.insert(names.end(), {"since", "until", "mac", "free", "left", oldClients});
  for (const auto name : names)
    EXPECT_NE(extraName(name).toStdString(), name);
}

TEST(Format, doesNotCountBelowZero) {
  EXPECT_EQ(plain(seconds1(-5s)), "0.0 s");
  EXPECT_EQ(plain(duration(-5s)), "0 s");
}

TEST(Format, keepsThreeSignificantDigits) {
  EXPECT_EQ(plain(significant(0.944)), "0.944");
  EXPECT_EQ(plain(significant(2.6)), "2.6");
  EXPECT_EQ(plain(significant(11480)), "11 500");
  EXPECT_EQ(plain(significant(999.6)), "1 000");
  EXPECT_EQ(plain(significant(-42)), "−42");
  EXPECT_EQ(plain(significant(0)), "0");
  EXPECT_EQ(plain(significant(std::numeric_limits<double>::quiet_NaN())), "—");
  EXPECT_EQ(plain(rate(11480)), "11 500 /s");
  EXPECT_EQ(plain(percent(0.002)), "0.2 %");
  EXPECT_EQ(plain(percent(0.00001)), "< 0.1 %");
}

TEST(Format, groupsThousandsWithThinSpaces) {
  EXPECT_EQ(countText(1284), QStringLiteral("1\u2009284"));
  EXPECT_EQ(countText(18446744073709551615ULL), QStringLiteral("18\u2009446\u2009744\u2009073\u2009709\u2009551\u2009615"));
}

TEST(Format, shortensHoldersAndKeepsTheirThread) {
  EXPECT_EQ(holderName("web-3:17").toStdString(), "web-3:17");
  EXPECT_EQ(holderName("8743c9c0-0795-4907-87fd-6c719a6b4586:31").toStdString(), "8743c9c0:31");
  EXPECT_EQ(holderName("8743c9c0-0795-4907-87fd-6c719a6b4586:31:write").toStdString(), "8743c9c0:31");
  EXPECT_EQ(holderName("7f3a9c0011223344556677889900aae1").toStdString(), "7f3a9c…e1");
  for (const char *own :
       {"r/8743c9c0-0795-4907-87fd-6c719a6b4586:31", "2/8743c9c0-0795-4907-87fd-6c719a6b4586:31", "8743c9c0-0795-4907-87fd-6c719a6b4586:31:1795397277713969"})
    EXPECT_EQ(holderName(own).toStdString(), "8743c9c0:31") << own;
  EXPECT_EQ(holderName("job-7").toStdString(), "job-7");
  EXPECT_EQ(holderName("").toStdString(), "\"\"");
}

TEST(Format, tellsOneMachineFromTheNext) {
  for (const char *name : {"checkout-payments-orchestrator-7f9c6d5b8-x2x9q.checkout.svc.cluster.local", "ip-10-0-12-31.eu-west-1.compute.internal",
                           "checkout-7f9c6d5b8-x2x9q", "scheduler-a3.pid.991", "Worker-of-Europe-West-12"})
    EXPECT_EQ(holderName(name).toStdString(), name) << "what a person reads is told whole";
  EXPECT_EQ(holderName("web-20_4711_3f786850e387550fdab836ed7e6dc8cb").toStdString(), "web-20_4711…cb") << "DistributedLock's, of one host among many";
  EXPECT_EQ(holderName("checkout-7f9c6d5b8-x2x9q:17").toStdString(), "checkout-7f9c6d5b8-x2x9q:17");
  EXPECT_EQ(holderName("edEdxOSJhs4FeoELz3L5wrNgLD7DzjSaVp1KFZeOvCE=").toStdString(), "edEdxOSJ…E=");
  EXPECT_EQ(holderName("V1StGXR8_Z5jdHi6B-myT").toStdString(), "V1StGXR8…yT");
}

TEST(Format, cutsTheNamesOfTwoMachinesToTwoTexts) {
  const QFontMetrics metrics(fixedFont());
  const std::vector<std::pair<QString, QString>> pairs{
      {u"checkout-payments-orchestrator-7f9c6d5b8-x2x9q.checkout.svc.cluster.local"_s,
       u"checkout-payments-orchestrator-7f9c6d5b8-k8s7w.checkout.svc.cluster.local"_s},
      {u"ip-10-0-12-31.eu-west-1.compute.internal"_s, u"ip-10-0-17-5.eu-west-1.compute.internal"_s},
      {u"host ip-10-0-12-101.eu-west-1.compute.internal"_s, u"host ip-10-0-12-102.eu-west-1.compute.internal"_s},
      {u"host ip-10-0-12-101.eu-west-1.compute.internal"_s, u"host ip-10-0-99-7.eu-west-1.compute.internal"_s},
      {u"checkout-7f9c6d5b8-x2x9q"_s, u"checkout-7f9c6d5b8-k8s9q"_s},
      {u"scheduler-a3.pid.991"_s, u"scheduler-a3.pid.1207"_s},
      {u"814@mail-2.example.org:17"_s, u"814@mail-3.example.org:17"_s}};
  for (const auto &[one, other] : pairs) {
    EXPECT_EQ(fittingHolder(one, metrics, 10'000), one);
    for (const int letters : {13, 18}) {
      const int width = letters * metrics.horizontalAdvance(u'0');
      const QString cut = fittingHolder(one, metrics, width);
      EXPECT_LE(metrics.horizontalAdvance(cut), width) << cut.toStdString();
      EXPECT_NE(cut, fittingHolder(other, metrics, width)) << cut.toStdString();
    }
  }
}

TEST(Format, namesAHolderByTheMachineThatItsBytesTell) {
  LockRecord record = samples::held("mail", "ADDED:2026-11-22T10:01:00.123Z@mail-2:4e1d6cf4-923d-4367-badd-857a7931c794");
  EXPECT_THAT(holderSummary(record).toStdString(), ::testing::Not(::testing::HasSubstr("host")));
  record.family = "shedlock";
  EXPECT_EQ(holderName("shedlock", "job-7").toStdString(), "job-7") << "a holder of another form";
  EXPECT_EQ(holderName("shedlock", record.holders.front().id).toStdString(), "host mail-2") << "in plans and in the audit log, too";
  EXPECT_EQ(holderName("shedlock", "ADDED:2026-11-22T10:00:00.123Z@web:3").toStdString(), "host web:3") << "before it had an id";
  EXPECT_EQ(holderSummary(record).toStdString(), "host mail-2");
  record.holders.push_back({"another"});
  EXPECT_THAT(holderSummary(record).toStdString(), ::testing::StartsWith("2 holder"));
}

TEST(Format, knowsWhereNobodyEverWaits) {
  LockRecord record;
  EXPECT_EQ(waitersText(record, false).toStdString(), "none");
  EXPECT_EQ(waitersText(record, true).toStdString(), "unknown");
  record.waiters = 3;
  EXPECT_EQ(waitersText(record, true).toStdString(), "3");
  record.moreMayWait = true;
  EXPECT_EQ(plain(waitersText(record, true)), "≥ 3") << "a lower bound is told as one";
}

TEST(Format, showsHostileHoldersEscaped) {
  EXPECT_EQ(holderName(std::string_view("a\0\n\x1b", 4)).toStdString(), "a\\x00\\n\\x1b");
  EXPECT_THAT(holderName("\xe2\x80\xae"
                         "abc")
                  .toStdString(),
              ::testing::HasSubstr("\\u{202e}"));
}

TEST(Format, quotesANameThatNobodyWouldSeeWhole) {
  EXPECT_EQ(shownName(""), u"\"\"");
  EXPECT_EQ(shownName("  "), u"\"  \"");
  EXPECT_EQ(shownName("lock:a "), u"\"lock:a \"");
  EXPECT_EQ(shownName("lock:a b"), u"lock:a b");
}

TEST(Format, aLongNameMayBeBrokenAndShortWordsStayAsTheyAre) {
  EXPECT_EQ(breakable(u"Release order:7 now?"_s), u"Release order:7 now?"_s);
  const QString name(100, u'x');
  QString broken = breakable(u"its key "_s + name);
  EXPECT_GT(broken.count(QChar(0x200b)), 5);
  EXPECT_EQ(broken.remove(QChar(0x200b)), u"its key "_s + name);
}

TEST(Format, countsReadersInsteadOfNamingThem) {
  LockRecord record = samples::held("report");
  for (Holder &holder : record.holders)
    holder.mode = HoldMode::Read;
  record.holders.push_back({"web-1:2", 1, HoldMode::Read});
  EXPECT_THAT(holderSummary(record).toStdString(), ::testing::StartsWith("2 reader"));
  record.unread = 1;
  EXPECT_EQ(holderSummary(record), QString::fromUtf8("≥\u2009") + QStringLiteral("2 readers"));
  record.unread = 0;
  record.holders.clear();
  EXPECT_EQ(holderSummary(record).toStdString(), "—");
}

TEST(Format, saysWhatHappened) {
  LockChange change;
  change.kind = ChangeKind::Appeared;
  change.after = samples::share(samples::held("a"));
  EXPECT_EQ(changeText(change).toStdString(), "acquired by web-3:17");
  change.kind = ChangeKind::Vanished;
  change.cause = ChangeCause::Expired;
  EXPECT_EQ(changeText(change).toStdString(), "expired while held");
  change.kind = ChangeKind::Lease;
  EXPECT_EQ(changeText(change).toStdString(), "renewed");
  change.kind = ChangeKind::Shortened;
  EXPECT_EQ(changeText(change).toStdString(), "lease shortened");
  LockRecord endless = samples::held("a");
  endless.expiresAt.reset();
  change.before = samples::share(endless);
  EXPECT_EQ(changeText(change).toStdString(), "lease set: it never expired before");
  change.kind = ChangeKind::Count;
  LockRecord fenced = endless;
  fenced.fence = Fence{7};
  change.after = samples::share(fenced);
  EXPECT_EQ(changeText(change).toStdString(), "fence now 7");
  std::swap(change.before, change.after);
  EXPECT_EQ(changeText(change).toStdString(), "its fence is gone");
  change.kind = ChangeKind::Holder;
  change.after = nullptr;
  EXPECT_EQ(changeText(change).toStdString(), "free now; others wait") << "whether released or at its lease's end is not known";
}

TEST(NodeNames, countsLettersOnAfterZ) {
  EXPECT_EQ(NodeNames::letter(0), QLatin1String("a"));
  EXPECT_EQ(NodeNames::letter(25), QLatin1String("z"));
  EXPECT_EQ(NodeNames::letter(26), QLatin1String("aa"));
  EXPECT_EQ(NodeNames::letter(701), QLatin1String("zz"));
  EXPECT_EQ(NodeNames::letter(702), QLatin1String("aaa"));
}

TEST(NodeNames, fallsBackToTheAddress) {
  const NodeNames names({samples::liveNode("10.0.0.1:6379")});
  EXPECT_EQ(names.of(NodeId("10.0.0.1:6379")), QLatin1String("a"));
  EXPECT_EQ(names.of(NodeId("10.0.0.2:6379")), QLatin1String("10.0.0.2:6379"));
}

} // namespace
} // namespace lockhouse::ui
