// SPDX-License-Identifier: Apache-2.0
// The program as it is started: options, exit codes, the picture.
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include <gmock/gmock.h>

namespace {

using namespace Qt::StringLiterals;
using ::testing::HasSubstr;

struct Ran {
  int code = -1;
  QString out, err;
};

Ran run(const QStringList &arguments, const QProcessEnvironment &environment = {}, int patience = 60'000) {
  QProcess process;
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(LOCKHOUSE_PROGRAM), arguments);
  if (!process.waitForFinished(patience)) {
    ADD_FAILURE() << "the program did not end: " << arguments.join(u' ').toStdString();
    process.kill();
    process.waitForFinished();
  }
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

/// Nothing of the desktop: no display, and a home of its own.
class Program : public ::testing::Test {
protected:
  QTemporaryDir m_home;
  QProcessEnvironment bare() const {
    QProcessEnvironment environment;
    environment.insert(u"PATH"_s, qEnvironmentVariable("PATH"));
    environment.insert(u"HOME"_s, m_home.path());
    environment.insert(u"TMPDIR"_s, m_home.path());
    environment.insert(u"LC_ALL"_s, u"C.UTF-8"_s);
    for (const QString &name : QProcessEnvironment::systemEnvironment().keys())
      if (name.endsWith(u"SAN_OPTIONS"_s))
        environment.insert(name, qEnvironmentVariable(name.toUtf8().constData()));
    return environment;
  }
};

TEST_F(Program, helpAndVersionNeedNoEnvironment) {
  QProcessEnvironment nothing;
  nothing.insert(u"NOTHING"_s, u"1"_s); // an empty QProcessEnvironment would mean ours
  const Ran help = run({u"--help"_s}, nothing);
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out.toStdString(), HasSubstr("--screenshot"));
  const Ran version = run({u"--version"_s}, nothing);
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out.toStdString(), ::testing::StartsWith("lockhouse "));
}

TEST_F(Program, badUsageIsOneSentenceAndTwo) {
  const std::vector<QStringList> wrong{
      {u"--nonsense"_s}, {u"--url"_s, u"http://x"_s}, {u"--lang"_s, u"tlh"_s}, {u"--demo"_s, u"--url"_s, u"redis://127.0.0.1"_s}};
  for (const QStringList &arguments : wrong) {
    const Ran ran = run(arguments, bare());
    EXPECT_EQ(ran.code, 2) << arguments.join(u' ').toStdString();
    EXPECT_EQ(ran.err.count(u'\n'), 1) << ran.err.toStdString();
    EXPECT_TRUE(ran.out.isEmpty());
  }
}

TEST_F(Program, aSecretInAUrlIsNeverRepeated) {
  for (const QStringList &arguments : {QStringList{u"--url"_s, u"redis://u:hunter2@h:notaport"_s}, QStringList{u"redis://u:hunter2@h"_s},
                                       QStringList{u"--lang"_s, u"redis://u:hunter2@h"_s}}) {
    const Ran ran = run(arguments, bare());
    EXPECT_EQ(ran.code, 2);
    EXPECT_FALSE(ran.err.contains(u"hunter2"_s)) << ran.err.toStdString();
  }
}

TEST_F(Program, thePasswordIsNotInTheListOfProcesses) {
  QProcess process;
  process.setProcessEnvironment(bare());
  process.start(QStringLiteral(LOCKHOUSE_PROGRAM), {u"--url"_s, u"unix://op:hunter2@"_s + m_home.filePath(u"nobody.sock"_s), u"--theme"_s, u"dark"_s});
  ASSERT_TRUE(process.waitForStarted());
  const auto words = [&process] {
    QFile list(u"/proc/%1/cmdline"_s.arg(process.processId()));
    return list.open(QIODevice::ReadOnly) ? QString::fromUtf8(list.readAll()) : QString();
  };
  // The first thing it does, but nobody knows when the kernel lets it; before that, the words are still this program's.
  for (int tries = 0; tries < 200 && !words().contains(u"unix://op:*******@"_s); ++tries)
    process.waitForFinished(50);
  EXPECT_TRUE(words().contains(u"unix://op:*******@"_s)) << words().toStdString();
  process.terminate();
  process.waitForFinished(20'000);
}

TEST_F(Program, withoutRedisServerTheDemoSaysSoAndThree) {
  QProcessEnvironment environment = bare();
  environment.insert(u"PATH"_s, m_home.path());
  const Ran ran = run({u"--demo"_s}, environment);
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err.count(u'\n'), 1) << ran.err.toStdString();
  EXPECT_THAT(ran.err.toStdString(), HasSubstr("redis-server"));
}

TEST_F(Program, takesAPictureOfTheDemoWithoutADisplayAndLeavesNothing) {
  const QString file = m_home.filePath(u"demo.png"_s);
  const Ran ran = run({u"--screenshot"_s, file}, bare());
  EXPECT_EQ(ran.code, 0) << ran.err.toStdString();
  EXPECT_EQ(ran.err.toStdString(), "");
  const QImage picture(file);
  EXPECT_EQ(picture.size(), QSize(1440, 900));
  QFile::remove(file);
  const QStringList left = QDir(m_home.path()).entryList({u"lockhouse*"_s}, QDir::AllEntries | QDir::NoDotAndDotDot);
  EXPECT_TRUE(left.isEmpty()) << left.join(u' ').toStdString();
}

TEST_F(Program, saysNothingOfItsPlatformWhereThatWasAskedFor) {
  QProcessEnvironment environment = bare();
  environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
  const Ran ran = run({u"--url"_s, u"unix://"_s + m_home.filePath(u"nobody.sock"_s), u"--screenshot"_s, m_home.filePath(u"down.png"_s)}, environment);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err.toStdString(), "");
}

TEST_F(Program, theLabOfTheDemoIsShownAfterARun) {
  const QString file = m_home.filePath(u"lab.png"_s);
  const Ran ran = run({u"--demo"_s, u"--screenshot"_s, file, u"--screenshot-page"_s, u"lab"_s, u"--theme"_s, u"light"_s}, bare());
  EXPECT_EQ(ran.code, 0) << ran.err.toStdString();
  const QImage picture(file);
  ASSERT_EQ(picture.size(), QSize(1440, 900));
  // The bar of a run that has ended is the accent's colour up to its right end.
  int full = 0;
  for (int y = 0; y < picture.height(); ++y)
    full += picture.pixelColor(1400, y) == QColor(0x0b, 0x6b, 0xcb) ? 1 : 0;
  EXPECT_GE(full, 6);
}

TEST_F(Program, takesAPictureOfAnUnreachableNodeInChinese) {
  const QString file = m_home.filePath(u"down.png"_s);
  const Ran ran =
      run({u"--url"_s, u"unix://"_s + m_home.filePath(u"nobody.sock"_s), u"--screenshot"_s, file, u"--lang"_s, u"zh_CN"_s, u"--theme"_s, u"dark"_s}, bare());
  EXPECT_EQ(ran.code, 0) << ran.err.toStdString();
  EXPECT_EQ(QImage(file).size(), QSize(1440, 900));
}

TEST_F(Program, aPictureThatCannotBeWrittenIsTwo) {
  const Ran ran = run({u"--url"_s, u"unix://"_s + m_home.filePath(u"nobody.sock"_s), u"--screenshot"_s, u"/nonexistent/x.png"_s}, bare());
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err.toStdString(), HasSubstr("/nonexistent/x.png"));
}

// Named, it ends the console; the usual one is told, in the window too, and the built-in families are shown without it.
TEST_F(Program, aBadFileOfFamiliesIsToldWithItsLine) {
  QDir(m_home.path()).mkpath(u".config/lockhouse"_s);
  const QString families = m_home.filePath(u".config/lockhouse/families.toml"_s), picture = m_home.filePath(u"down.png"_s);
  QFile file(families);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("[[family]]\nslug = \"acme-gate\"\nnonsense = 1\n");
  file.close();
  const QStringList look{u"--url"_s, u"unix://"_s + m_home.filePath(u"nobody.sock"_s), u"--screenshot"_s, picture};
  const Ran named = run(look + QStringList{u"--families"_s, families}, bare());
  EXPECT_EQ(named.code, 2);
  EXPECT_THAT(named.err.toStdString(), HasSubstr("families.toml:3: 'nonsense'"));
  EXPECT_FALSE(QFile::exists(picture));
  const Ran usual = run(look, bare());
  EXPECT_EQ(usual.code, 0);
  EXPECT_THAT(usual.err.toStdString(), HasSubstr("families.toml:3: 'nonsense'"));
  EXPECT_TRUE(QFile::exists(picture));
  EXPECT_EQ(run(look + QStringList{u"--families"_s, u"/nonexistent"_s}, bare()).code, 2);
}

TEST_F(Program, closesOnSigterm) {
  QProcess process;
  process.setProcessEnvironment(bare());
  process.start(QStringLiteral(LOCKHOUSE_PROGRAM), {u"--demo"_s});
  ASSERT_TRUE(process.waitForStarted());
  // The demo's servers have their folder when they run; only then is there something to leave behind. The word comes as soon as that:
  // the window need not stand.
  const QDir home(m_home.path());
  for (int tries = 0; tries < 600 && home.entryList({u"lockhouse*"_s}, QDir::Dirs).isEmpty(); ++tries)
    process.waitForFinished(50);
  process.terminate();
  ASSERT_TRUE(process.waitForFinished(20'000));
  EXPECT_EQ(process.exitStatus(), QProcess::NormalExit);
  EXPECT_EQ(process.exitCode(), 0);
  EXPECT_TRUE(home.entryList({u"lockhouse*"_s}, QDir::Dirs).isEmpty());
}

} // namespace
