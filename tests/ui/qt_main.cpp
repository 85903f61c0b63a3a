// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QLoggingCategory>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

void report(QtMsgType type, const QMessageLogContext &, const QString &text) {
  if (type == QtDebugMsg || type == QtInfoMsg) {
    std::fprintf(stderr, "%s\n", qUtf8Printable(text));
    return;
  }
  // What the offscreen platform says of every window that has a least size, and of every list that opens.
  if (text.startsWith(QLatin1String("This plugin does not support ")))
    return;
  ADD_FAILURE() << "Qt says: " << text.toStdString();
  if (type == QtFatalMsg)
    std::abort();
}

} // namespace

int main(int argc, char **argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qunsetenv("QT_QPA_PLATFORMTHEME");
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("lockhouse-tests"));
  ::testing::InitGoogleTest(&argc, argv);
  qInstallMessageHandler(report);
  return RUN_ALL_TESTS();
}
