// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "ui/model/text/error_words.h"
#include "ui/model/text/plan_words.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <QTranslator>

#include <gtest/gtest.h>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

/// Where failures are put into words that can come up in the window.
const std::vector<const char *> sources{"base/reply.cpp",
                                        "net/stream/dialer.cpp",
                                        "net/connection/link.cpp",
                                        "net/connection/connection.cpp",
                                        "net/connection/login.cpp",
                                        "net/stream/tls_stream.cpp",
                                        "net/connection/subscriber.cpp",
                                        "net/resp/reply_guard.cpp",
                                        "net/resp/reply_reader.cpp",
                                        "watch/node/change_feed.cpp",
                                        "watch/scan/key_reader.cpp",
                                        "watch/scan/key_reader_size.cpp",
                                        "watch/node/node_watcher.cpp",
                                        "watch/node/node_watcher_calls.cpp",
                                        "watch/node/node_watcher_epoch.cpp",
                                        "watch/node/node_watcher_reads.cpp",
                                        "client/watcher/families_file.cpp",
                                        "client/watcher/watcher.cpp",
                                        "client/api/node_runtime.cpp",
                                        "client/release/release_service_core.cpp",
                                        "client/release/release_connection.cpp",
                                        "client/release/single_release.cpp",
                                        "client/release/bulk_applier.cpp",
                                        "client/release/bulk_planner.cpp",
                                        "store/private_file.cpp",
                                        "store/database.cpp",
                                        "release/result/script_result.cpp",
                                        "lab/stress/stress_runner.cpp",
                                        "lab/workload/stress_backend.cpp"};

/// Parts that are no sentence of their own: a plural, an OK for fmt, a name among others.
const QStringList parts{u"s were"_s, u"script: User …"_s, u"released; {} client{} told"_s, u"{} cannot be read: {}"_s, u" during the login"_s};

QString withoutComments(QString text) {
  static const QRegularExpression comment(u"^\\s*(//|#include).*$"_s, QRegularExpression::MultilineOption);
  static const QRegularExpression joint(u"\"\\s*\\n\\s*\""_s);
  return text.remove(comment).remove(joint);
}

/// By itself, or before what the system says of it.
bool isKnown(const QString &words) { return knownError(words) || knownError(words + u": 7"_s) || knownError(words + u" cannot be read: 7"_s); }

/// The words of a source, each {} filled in with a number.
QStringList statedIn(const char *name) {
  static const QRegularExpression literal(u"\"((?:[^\"\\\\\\n]|\\\\.)*)\""_s);
  static const QRegularExpression place(u"\\{[^}]*\\}"_s);
  QFile file(QStringLiteral(LOCKHOUSE_SOURCE) + u"/core/"_s + QLatin1String(name));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
  QStringList said;
  const QString text = withoutComments(QString::fromUtf8(file.readAll()));
  for (auto match = literal.globalMatch(text); match.hasNext();) {
    QString words = match.next().captured(1);
    if (!words.contains(u' ') || !words.front().isLower() || parts.contains(words))
      continue;
    if (!words.contains(u"{order"_s))
      words.replace(place, u"7"_s);
    said << (words.endsWith(u' ') ? words + u'7' : words);
  }
  return said;
}

class ErrorWords : public ::testing::Test {
protected:
  QTranslator m_chinese;

  void SetUp() override {
    ASSERT_TRUE(m_chinese.load(u":/i18n/lockhouse_zh_CN.qm"_s));
    ASSERT_TRUE(QCoreApplication::installTranslator(&m_chinese));
  }
  void TearDown() override { QCoreApplication::removeTranslator(&m_chinese); }
};

TEST_F(ErrorWords, everyFailureOfCoreIsSaidInChinese) {
  int all = 0;
  for (const char *source : sources)
    for (const QString &words : statedIn(source)) {
      ++all;
      const QString said = planSentence(words.toStdString());
      EXPECT_TRUE(isKnown(words) || said.toLower() != words.toLower() + u'。') << source << ": " << words.toStdString();
    }
  EXPECT_GT(all, 100);
}

TEST_F(ErrorWords, areTranslatedWithWhatIsFilledIn) {
  EXPECT_EQ(errorWords("the connection was lost before the answer: cannot connect: Connection refused"), u"收到应答之前连接已断开：无法连接：连接被拒绝"_s);
  EXPECT_EQ(errorWords("the server refused the login: WRONGPASS invalid"), u"服务器拒绝了登录：WRONGPASS invalid"_s) << "what a server says stays";
  EXPECT_EQ(errorWords("something new"), u"something new"_s);
  EXPECT_EQ(errorSentence({ErrorCode::Storage, "not a regular file", "/tmp/a", "give another path"}), u"/tmp/a：不是普通文件；请给出其他路径"_s);
}

TEST_F(ErrorWords, areKnownWhereAVerdictTellsThem) {
  const Error late{ErrorCode::Timeout, "the server did not answer in time", "10.0.0.7:6379", "look at the lock again"};
  EXPECT_EQ(planSentence(late.sentence()), u"10.0.0.7:6379：服务器未及时应答；请再查看此锁。"_s);
  EXPECT_EQ(planSentence(late.sentence() + "; nothing was changed"), u"10.0.0.7:6379：服务器未及时应答；请再查看此锁；未更改任何内容。"_s);
  EXPECT_EQ(
      planSentence("released; 1 client was told; the outcome could not be recorded: /a/b.sqlite: disk I/O error; check the file, its folder and the disk"),
      u"已释放；已通知 1 个客户端；结果无法记录：/a/b.sqlite：磁盘读写错误；请检查该文件、所在文件夹和磁盘。"_s);
  const Error broken{ErrorCode::Storage, "record 9 was altered after it was written", "/a/b.sqlite",
                     "keep a copy of the file and compare it with a backup; where it is moved away with its -wal and -shm files, a new log begins"};
  EXPECT_EQ(
      planSentence("the audit log is not sound, and goes on as it is: " + broken.sentence()),
      u"审计日志不可靠，仍按原样继续记录：/a/b.sqlite：记录 9 在写入后被改动；请保留该文件的副本并与备份比较；将其连同 -wal 和 -shm 文件移走后，会建立新的日志。"_s);
}

} // namespace
} // namespace lockhouse::ui
