// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/unit/ui/sample_locks.h"
#include "ui/bridge/engine.h"
#include "ui/page/locks/lock_table_view.h"
#include "ui/page/locks/locks_page.h"
#include "ui/page/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

namespace lockhouse::ui::tests {

/// The window over an engine that watches nothing: what it shows are the locks of the test.
class WindowHouse : public testing::Test {
protected:
  QTemporaryDir m_folder;
  Engine m_engine{{{}, true, m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString()}};
  MainWindow m_window{m_engine};
  std::vector<LockRecordPtr> m_locks;

  void SetUp() override {
    m_window.show();
    m_window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&m_window));
  }
  static std::string keyOf(int number) { return "lock:item:" + QString::number(number).rightJustified(5, u'0').toStdString(); }
  static LockRecordPtr lockOf(const std::string &key) {
    LockRecord record = samples::held(key);
    record.type = ValueType::Hash;
    record.expiresAt = SteadyClock::now() + std::chrono::minutes(5);
    record.heldSince = SteadyClock::now() - seconds(3);
    return samples::share(std::move(record));
  }
  static LockRecordPtr lock(int number) { return lockOf(keyOf(number)); }
  void showFirst(int many) {
    for (int number = 0; number < many; ++number)
      m_locks.push_back(lock(number));
    showThem();
  }
  void showThem() {
    emit m_engine.snapshotReady(samples::snapshot(m_locks));
    QTest::qWait(1);
  }
  LocksPage &page() { return m_window.locks(); }
  LockTableView &view() { return page().view(); }
};

} // namespace lockhouse::ui::tests
