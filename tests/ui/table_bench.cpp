// SPDX-License-Identifier: Apache-2.0
// How long the GUI thread is kept busy: a window with 10 000 locks of which 5 000 a second change, twenty snapshots a second.
// Reported: each slice (taking a snapshot, a tick, painting), and what share of the time the thread was busy.
#include "ui/bridge/engine.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/window/main_window.h"
#include "ui/widget/style/app_style.h"

#include "tests/unit/ui/sample_locks.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <benchmark/benchmark.h>

#include <random>
#include <thread>

namespace lockhouse::ui {
namespace {

constexpr int lockCount = 10'000;
constexpr int changesPerSnapshot = 250;
constexpr milliseconds snapshotEvery{50};

class ChangingWorld {
public:
  ChangingWorld() {
    for (int number = 0; number < lockCount; ++number)
      m_locks.push_back(make(number));
  }

  LockSnapshotPtr next() {
    for (int i = 0; i < changesPerSnapshot; ++i) {
      const int number = std::uniform_int_distribution<int>(0, lockCount - 1)(m_random);
      m_locks[static_cast<std::size_t>(number)] = i % 10 == 0 ? nullptr : make(number);
    }
    std::vector<LockRecordPtr> present;
    std::ranges::copy_if(m_locks, std::back_inserter(present), [](const LockRecordPtr &lock) { return lock != nullptr; });
    return samples::snapshot(std::move(present));
  }

private:
  std::mt19937 m_random{7}; // NOLINT: the same work every time
  std::vector<LockRecordPtr> m_locks;

  LockRecordPtr make(int number) {
    LockRecord lock = samples::held("lock:" + QString::number(number).rightJustified(5, QLatin1Char('0')).toStdString());
    lock.heldSince = SteadyClock::now();
    lock.expiresAt = lock.heldSince + seconds(30);
    lock.waiters = static_cast<std::uint64_t>(number % 7);
    return samples::share(std::move(lock));
  }
};

void tenThousandRows(benchmark::State &state, int sortColumn) {
  QTemporaryDir folder;
  Engine engine({{}, true, folder.filePath(QStringLiteral("audit.sqlite")).toStdString()});
  MainWindow window(engine);
  window.show();
  ChangingWorld world;
  emit engine.snapshotReady(world.next());
  window.locks().order().sort(sortColumn, Qt::AscendingOrder);
  QTest::qWait(50);

  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds busy{0};
  const auto timed = [&](auto work) {
    const auto before = SteadyClock::now();
    work();
    const auto took = SteadyClock::now() - before;
    longest = std::max(longest, took);
    busy += took;
  };
  auto due = std::chrono::steady_clock::now();
  for ([[maybe_unused]] auto step : state) {
    state.PauseTiming();
    const LockSnapshotPtr snapshot = world.next();
    std::this_thread::sleep_until(due); // at the pace of life: released rows fade by the clock
    due += snapshotEvery;
    state.ResumeTiming();
    timed([&] { emit engine.snapshotReady(snapshot); });
    timed([&] { window.locks().tick(SteadyClock::now()); });
    timed([&] { QApplication::processEvents(); });
  }
  state.counters["longest_slice_ms"] = std::chrono::duration<double, std::milli>(longest).count();
  state.counters["busy_share"] =
      std::chrono::duration<double>(busy).count() / (static_cast<double>(state.iterations()) * std::chrono::duration<double>(snapshotEvery).count());
}

BENCHMARK_CAPTURE(tenThousandRows, sorted_by_name, LockTableModel::Lock)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(tenThousandRows, sorted_by_expiry, LockTableModel::Expires)->Unit(benchmark::kMillisecond)->Iterations(200);

/// From the first snapshot with 10 000 locks to the painted window.
void firstPaint(benchmark::State &state) {
  const LockSnapshotPtr snapshot = ChangingWorld().next();
  for ([[maybe_unused]] auto step : state) {
    QTemporaryDir folder;
    Engine engine({{}, true, folder.filePath(QStringLiteral("audit.sqlite")).toStdString()});
    MainWindow window(engine);
    emit engine.snapshotReady(snapshot);
    window.show();
    benchmark::DoNotOptimize(window.grab());
  }
}
BENCHMARK(firstPaint)->Unit(benchmark::kMillisecond)->Iterations(5);

} // namespace
} // namespace lockhouse::ui

int main(int argc, char **argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setStyle(new lockhouse::ui::AppStyle);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
