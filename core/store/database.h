// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace lockhouse {

/// One statement, prepared; values are bound or read by column, never written into the text. Used by its Database's thread.
class Statement {
public:
  Statement(Statement &&) noexcept = default;
  Statement &operator=(Statement &&) noexcept = default;

  void restart();                          ///< to be bound and stepped again
  Statement &bind(std::int64_t number);    ///< to the next parameter
  Statement &bind(std::string_view bytes); ///< to the next parameter, as a BLOB; they stay where they are until step() has returned
  /// True: a row is there to be read. False: done.
  Result<bool> step();
  std::int64_t number(int column) const;
  std::string bytes(int column) const;

private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  Statement(sqlite3_stmt *statement, sqlite3 *database, std::string path);
  std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
  sqlite3 *m_database;
  std::string m_path;
  int m_bound = 0;
  int m_bindResult = 0;
};

/// A SQLite database file, opened for reading and writing with a busy timeout of five seconds and no trust in its schema.
class Database {
public:
  static Result<Database> open(const std::string &path);

  Result<void> run(const char *sql); ///< constant text, no result
  Result<Statement> prepare(std::string_view sql) const;
  Result<std::int64_t> number(std::string_view sql) const; ///< first column of the first row
  bool isInTransaction() const;
  void leaveAtClose();    ///< what it has not checkpointed yet stays out of the file: the journal may be none of the file's any more
  bool isBusy() const;    ///< the last call failed because of somebody else's lock
  bool isDamaged() const; ///< the last call failed because the file was cut or written into by something else
  const std::string &path() const { return m_path; }

private:
  struct Close {
    void operator()(sqlite3 *database) const;
  };
  Database(sqlite3 *database, std::string path);
  std::unique_ptr<sqlite3, Close> m_database;
  std::string m_path;
};

} // namespace lockhouse
