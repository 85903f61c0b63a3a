// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.h"

#include "core/base/safe_text.h"

#include <sqlite3.h>

namespace lockhouse {
namespace {

Message nextStep(int code) {
  switch (code & 0xff) {
  case SQLITE_FULL: return LH_MESSAGE("ErrorWords", "free some space on the disk");
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return LH_MESSAGE("ErrorWords", "another process is writing it; try again");
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return LH_MESSAGE("ErrorWords", "move the file away as evidence, with its -wal and -shm files: a new one begins in its place");
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
    return LH_MESSAGE("ErrorWords", "give this user the right to write the file and its folder, which SQLite needs for reading too, or look at a copy of it");
  case SQLITE_CONSTRAINT: return LH_MESSAGE("ErrorWords", "the log takes new records only");
  default: return LH_MESSAGE("ErrorWords", "check the file, its folder and the disk");
  }
}

std::unexpected<Error> failure(sqlite3 *database, const std::string &path) {
  const int code = sqlite3_extended_errcode(database);
  return fail(ErrorCode::Storage, systemMessage(safeText(sqlite3_errmsg(database), 200)), safeText(path), nextStep(code));
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }

Statement::Statement(sqlite3_stmt *statement, sqlite3 *database, std::string path) : m_statement(statement), m_database(database), m_path(std::move(path)) {}

void Statement::restart() {
  sqlite3_reset(m_statement.get()); // tells once more what step() told
  m_bound = 0;
  m_bindResult = SQLITE_OK;
}

Statement &Statement::bind(std::int64_t number) {
  m_bindResult |= sqlite3_bind_int64(m_statement.get(), ++m_bound, number);
  return *this;
}

Statement &Statement::bind(std::string_view bytes) {
  const char *start = bytes.empty() ? "" : bytes.data(); // a null pointer would bind NULL
  m_bindResult |= sqlite3_bind_blob64(m_statement.get(), ++m_bound, start, bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::step() {
  if (m_bindResult != SQLITE_OK)
    return failure(m_database, m_path);
  const int code = sqlite3_step(m_statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return failure(m_database, m_path);
  return code == SQLITE_ROW;
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(m_statement.get(), column); }

std::string Statement::bytes(int column) const {
  const auto *start = static_cast<const char *>(sqlite3_column_blob(m_statement.get(), column));
  const auto size = sqlite3_column_bytes(m_statement.get(), column);
  return start == nullptr ? std::string() : std::string(start, static_cast<std::size_t>(size));
}

void Database::Close::operator()(sqlite3 *database) const { sqlite3_close_v2(database); }

Database::Database(sqlite3 *database, std::string path) : m_database(database), m_path(std::move(path)) {}

Result<Database> Database::open(const std::string &path) {
  sqlite3 *raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nullptr);
  Database database(raw, path);
  if (raw == nullptr)
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "out of memory"), safeText(path));
  if (code != SQLITE_OK)
    return failure(raw, path);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

void Database::leaveAtClose() { sqlite3_db_config(m_database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

Result<void> Database::run(const char *sql) {
  if (sqlite3_exec(m_database.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure(m_database.get(), m_path);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(m_database.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return failure(m_database.get(), m_path);
  return Statement(statement, m_database.get(), m_path);
}

Result<std::int64_t> Database::number(std::string_view sql) const {
  auto statement = prepare(sql);
  if (!statement)
    return std::unexpected(statement.error());
  const auto row = statement->step();
  if (!row)
    return std::unexpected(row.error());
  return *row ? statement->number(0) : 0;
}

bool Database::isBusy() const { return (sqlite3_errcode(m_database.get()) & 0xff) == SQLITE_BUSY; }

bool Database::isDamaged() const { return (sqlite3_errcode(m_database.get()) & 0xff) == SQLITE_CORRUPT; }

bool Database::isInTransaction() const { return sqlite3_get_autocommit(m_database.get()) == 0; }

} // namespace lockhouse
