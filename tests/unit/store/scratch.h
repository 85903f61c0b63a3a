// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/address/digest.h"
#include "core/store/audit_log.h"
#include "core/store/database.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace lockhouse::test {

/// A folder of its own for each test, removed with it.
class Scratch : public testing::Test {
protected:
  Scratch() {
    std::string pattern = testing::TempDir() + "lockhouse-audit-XXXXXX";
    m_folder = mkdtemp(pattern.data());
  }
  ~Scratch() override {
    std::error_code unused;
    std::filesystem::remove_all(m_folder, unused);
  }

  std::string path() const { return m_folder + "/state/lockhouse/audit.sqlite"; }
  const std::string &folder() const { return m_folder; }
  AuditLog opened() const {
    auto log = AuditLog::open(path(), sha256);
    EXPECT_TRUE(log) << log.error().sentence();
    return std::move(*log);
  }
  /// Somebody who may write the file goes round the triggers, and puts them back.
  void tamper(const std::string &sql) const {
    auto database = Database::open(path());
    ASSERT_TRUE(database);
    std::string around, back;
    for (auto rows = database->prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"); rows && rows->step().value_or(false);) {
      around += "DROP TRIGGER " + rows->bytes(0) + ";";
      back += rows->bytes(1) + ";";
    }
    const auto ran = database->run((around + sql + ";" + back).c_str());
    ASSERT_TRUE(ran) << ran.error().sentence();
  }

private:
  std::string m_folder;
};

/// A record with something in every field that its caller fills.
inline AuditRecord sample(std::string key = "lock:a") {
  AuditRecord record;
  record.at = WallTime(microseconds(1'700'000'000'123'456));
  record.who = "keeper@house, pid 7";
  record.node = "127.0.0.1:6379";
  record.db = 3;
  record.key = std::move(key);
  record.family = "token";
  record.holder = std::string("\xff\x00token", 7);
  record.count = 2;
  record.action = "release";
  record.reason = "stuck; it's \"over\"'); DROP TABLE record; --";
  record.script = "release-token 0123";
  record.before = R"({"key":"lock:a"})";
  record.verdict = "intent";
  return record;
}

} // namespace lockhouse::test
