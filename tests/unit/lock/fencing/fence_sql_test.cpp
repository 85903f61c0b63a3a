// SPDX-License-Identifier: Apache-2.0
// The SQL that users copy, as it stands in its file, in a real database.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace {

class FenceSql : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream file(FENCE_SQL);
    std::string line;
    while (std::getline(file, line)) // one statement a line, comments between
      if (!line.empty() && !line.starts_with("--"))
        (column.empty() ? column : update) = line;
    ASSERT_TRUE(column.starts_with("ALTER TABLE") && update.starts_with("UPDATE"));
    sqlite3 *opened = nullptr;
    ASSERT_EQ(sqlite3_open(":memory:", &opened), SQLITE_OK);
    database.reset(opened);
    run("CREATE TABLE document (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO document VALUES (1, 'first')");
    run(column);
  }
  void run(const std::string &sql) { ASSERT_EQ(sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql; }
  /// Rows changed.
  int write(int id, const char *body, std::int64_t fence) {
    sqlite3_stmt *statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database.get(), update.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(database.get());
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, ":body"), body, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, ":fence"), fence);
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, ":id"), id);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
    return sqlite3_changes(database.get());
  }
  std::string body() {
    std::string text;
    sqlite3_exec(
        database.get(), "SELECT body FROM document WHERE id = 1",
        [](void *out, int, char **columns, char **) {
          *static_cast<std::string *>(out) = columns[0];
          return 0;
        },
        &text, nullptr);
    return text;
  }

  struct Close {
    void operator()(sqlite3 *opened) const { sqlite3_close(opened); }
  };
  std::unique_ptr<sqlite3, Close> database;
  std::string column, update;
};

} // namespace

TEST_F(FenceSql, letsANewerHolderWriteAndRefusesTheOneThatWokeLate) {
  EXPECT_EQ(write(1, "of 33", 33), 1);
  EXPECT_EQ(write(1, "of 34", 34), 1);
  EXPECT_EQ(write(1, "late", 33), 0);
  EXPECT_EQ(body(), "of 34");
  EXPECT_EQ(write(1, "again", 34), 1) << "one holder writes often";
  EXPECT_EQ(body(), "again");
}

TEST_F(FenceSql, takesFencesMadeOfATimeInMicroseconds) {
  EXPECT_EQ(write(1, "now", 1'790'000'000'000'000), 1);
  EXPECT_EQ(write(1, "before", 1'789'999'999'999'999), 0);
  EXPECT_EQ(write(2, "no such row", 1'790'000'000'000'001), 0);
}
