// SPDX-License-Identifier: GPL-3.0-or-later
// The console's composition: options, then the demo if it is asked for, then the engine, then the window on it.
#include "app/gui/appearance.h"
#include "app/gui/gui_options.h"
#include "app/gui/screenshot.h"
#include "app/gui/signal_watch.h"
#include "core/client/watcher/families_file.h"
#include "core/lab/demo/demo.h"
#include "core/net/address/hide_passwords.h"
#include "core/store/audit_log.h"
#include "ui/bridge/engine.h"
#include "ui/page/actions/message_boxes.h"
#include "ui/page/window/main_window.h"

#include <QApplication>
#include <QIcon>
#include <QScreen>

#include <algorithm>
#include <cstdio>

namespace {

using namespace lockhouse;
using namespace lockhouse::ui;

constexpr int usage = 2, nothingReachable = 3;

using OwnFamilies = Result<std::shared_ptr<const FamilyRegistry>>;

int complain(int code, const Error &error) {
  std::fprintf(stderr, "lockhouse: %s\n", error.sentence().c_str());
  return code;
}

int open(QApplication &application, const SignalWatch &closing, const GuiOptions &options, std::vector<Uri> nodes, const OwnFamilies &families) {
  Engine engine({std::move(nodes), options.demo, defaultAuditPath(), families.value_or(nullptr)});
  MainWindow window(engine);
  QObject::connect(&window, &MainWindow::appearanceChosen, &application, [&](const QString &name) { dress(application, name); });
  QObject::connect(&closing, &SignalWatch::asked, &window, &QWidget::close);
  QObject::connect(&closing, &SignalWatch::asked, &application, &QApplication::quit);

  std::unique_ptr<Screenshot> screenshot;
  if (!options.screenshot.empty())
    screenshot = std::make_unique<Screenshot>(window, engine, QString::fromStdString(options.screenshot), QString::fromStdString(options.screenshotPage));
  else
    window.fitInto(window.screen()->availableGeometry());
  window.show();
  if (!families)
    tellFamilies(window, families.error());
  engine.start();
  return QApplication::exec();
}

int run(QApplication &application, const GuiOptions &options) {
  const SignalWatch closing; // first: the demo's servers are to be cleared away however early the word comes
  const OwnFamilies families = readFamilies(options.familiesPath);
  if (!families && complain(usage, families.error()) && !options.familiesPath.empty())
    return usage;
  if (!options.demo)
    return open(application, closing, options, options.nodes, families);
  const auto demo = Demo::start();
  return demo ? open(application, closing, options, (*demo)->nodes(), families) : complain(nothingReachable, demo.error());
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  hidePasswords(argc, argv);
  const auto options = readOptions(words);
  if (const auto *exit = std::get_if<ExitAtOnce>(&options))
    return exit->code;
  const auto &wanted = std::get<GuiOptions>(options);
  choosePlatform(!wanted.screenshot.empty());

  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("lockhouse"));
  QApplication::setApplicationDisplayName(QStringLiteral("Lockhouse"));
  QApplication::setApplicationVersion(QStringLiteral(LOCKHOUSE_VERSION));
  QApplication::setOrganizationDomain(QStringLiteral("lockhouse.github.io"));
  QApplication::setDesktopFileName(QStringLiteral("io.github.lockhouse.Lockhouse"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/lockhouse/icons/lockhouse.svg")));
  dress(application, QString::fromStdString(wanted.theme));
  speak(application, QString::fromStdString(wanted.language));
  return run(application, wanted);
}
