// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "tests/server/lab/raw_redis.h"
#include "ui/bridge/engine.h"

#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

namespace lockhouse::ui::tests {

/// An engine that watches a private server, and a plain client of that server that the engine knows nothing about.
class LiveEngine : public testing::Test {
protected:
  static constexpr int patience = 20'000;
  static constexpr const char *token = "3f786850e387550fdab836ed7e6dc881";
  static constexpr const char *otherToken = "89e6c98d92887913cadf06b2adb97f26";

  void SetUp() override {
    auto sandbox = Sandbox::start({});
    ASSERT_TRUE(sandbox) << sandbox.error().sentence();
    m_server = std::make_unique<Sandbox>(std::move(*sandbox));
    m_redis = std::make_unique<test::RawRedis>(m_server->unixUri().path);
    ASSERT_TRUE(m_redis->isConnected());
    Engine::Options options;
    options.nodes = {m_server->unixUri()};
    options.auditPath = m_folder.filePath(QStringLiteral("audit.sqlite")).toStdString();
    m_engine = std::make_unique<Engine>(std::move(options));
    QObject::connect(m_engine.get(), &Engine::snapshotReady, m_engine.get(), [this](const LockSnapshotPtr &snapshot) { m_snapshot = snapshot; });
    m_engine->start();
  }

  void takeLock(const std::string &key, const char *holder = token) { (*m_redis)({"SET", key, holder, "PX", "600000"}); }

  /// The lock as the engine shows it, once it is held by `holder`; null after `patience`.
  LockRecordPtr waitForLock(const std::string &key, const char *holder = token) {
    LockRecordPtr found;
    const bool came = QTest::qWaitFor([&] { return (found = heldBy(key, holder)) != nullptr; }, patience);
    EXPECT_TRUE(came) << key << " never appeared";
    return found;
  }

  /// The button of a window that a person sees; null: there is none.
  static QPushButton *buttonIn(const QWidget &window, const QString &text) {
    const auto buttons = window.findChildren<QPushButton *>();
    const auto found = std::ranges::find_if(buttons, [&](const QPushButton *button) { return button->isVisible() && button->text() == text; });
    return found == buttons.end() ? nullptr : *found;
  }
  /// What a person reads in it.
  static QString saidIn(const QWidget &window) {
    QStringList all;
    for (const QLabel *label : window.findChildren<QLabel *>())
      if (label->isVisible())
        all << label->text();
    return all.join(u'\n');
  }

  std::unique_ptr<Sandbox> m_server;
  std::unique_ptr<test::RawRedis> m_redis;
  QTemporaryDir m_folder;
  std::unique_ptr<Engine> m_engine;
  LockSnapshotPtr m_snapshot;

private:
  LockRecordPtr heldBy(const std::string &key, const char *holder) const {
    if (!m_snapshot)
      return nullptr;
    for (const LockRecordPtr &lock : m_snapshot->locks)
      if (lock->id.key.bytes() == key && lock->isHeld() && lock->holders.front().id == holder)
        return lock;
    return nullptr;
  }
};

} // namespace lockhouse::ui::tests
