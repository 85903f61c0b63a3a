// SPDX-License-Identifier: GPL-3.0-or-later
// Usage: console_start [LOCKS]
// How long the console takes from the start of its process to its first paint and to the first table with every lock in it, and
// how much memory it then has, on a private server with LOCKS locks (10 000). No display needed. One JSON line.
#include "core/lab/sandbox/sandbox.h"
#include "tests/server/lab/raw_redis.h"
#include "ui/bridge/engine.h"
#include "ui/page/window/main_window.h"

#include <QApplication>
#include <QEvent>
#include <QTimer>

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <unistd.h>

using namespace lockhouse;
using namespace lockhouse::ui;

namespace {

constexpr int patience = 60000; // ms

// Seconds since the kernel made this process; its clock ticks a hundred times a second.
double age() {
  std::ifstream file("/proc/self/stat");
  std::string word;
  for (int i = 0; i < 22; ++i)
    file >> word;
  const double started = std::strtod(word.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return std::chrono::duration<double>(SteadyClock::now().time_since_epoch()).count() - started;
}

double megabytes(const std::string &field) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (double kilobytes = 0; word == field + ":" && file >> kilobytes)
      return kilobytes / 1024;
  return 0;
}

class FirstPaint : public QObject {
public:
  explicit FirstPaint(QWidget &window) : QObject(&window) { window.installEventFilter(this); }
  double at = 0;

protected:
  bool eventFilter(QObject *, QEvent *event) override {
    if (event->type() == QEvent::Paint && at == 0)
      at = age();
    return false;
  }
};

} // namespace

int main(int argc, char **argv) {
  const double before = age();
  const auto locks = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000UL;
  const auto server = Sandbox::start({});
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().sentence());
    return 1;
  }
  test::RawRedis(server->unixUri().path)(
      {"EVAL", "for i = 1, ARGV[1] do redis.call('set', 'lock:' .. i, string.format('%032x', i * 2654435761), 'px', 3600000) end", "0", std::to_string(locks)});
  const double preparing = age() - before; // not the console's time

  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const auto audit = server->folder() + "/audit.db";
  Engine engine({{server->unixUri()}, false, audit});
  MainWindow window(engine);
  window.resize(1440, 900);
  FirstPaint paint(window);
  QObject::connect(&engine, &Engine::snapshotReady, &window, [&](const LockSnapshotPtr &snapshot) {
    if (snapshot->locks.size() < locks)
      return;
    QTimer::singleShot(0, &window, [&] {
      window.repaint();
      fmt::print(R"({{"locks":{},"first_paint_ms":{:.0f},"all_locks_shown_ms":{:.0f},"resident_mb":{:.1f},"peak_mb":{:.1f}}})"
                 "\n",
                 locks, (paint.at - preparing) * 1e3, (age() - preparing) * 1e3, megabytes("VmRSS"), megabytes("VmHWM"));
      QApplication::exit(0);
    });
  });
  QTimer::singleShot(patience, &application, [] {
    fmt::print(stderr, "the locks did not come within a minute\n");
    QApplication::exit(1);
  });
  window.show();
  engine.start();
  return QApplication::exec();
}
