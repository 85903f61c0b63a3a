// SPDX-License-Identifier: Apache-2.0
#include "core/store/audit_schema.h"

#include "core/base/clock.h"
#include "core/base/safe_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>

namespace lockhouse {
namespace {

constexpr std::int64_t applicationId = 0x4c4b4853; // "LKHS"
constexpr std::int64_t schemaVersion = 1;

// AUTOINCREMENT remembers the highest number ever given, so that cutting off the newest records shows.
constexpr auto schema = R"sql(
PRAGMA application_id = 1280002131;
PRAGMA user_version = 1;
CREATE TABLE record (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, at_us INTEGER NOT NULL, who BLOB NOT NULL, node BLOB NOT NULL,
  db INTEGER NOT NULL, key BLOB NOT NULL, family BLOB NOT NULL, holder BLOB NOT NULL, count INTEGER NOT NULL, action BLOB NOT NULL,
  reason BLOB NOT NULL, script BLOB NOT NULL, before BLOB NOT NULL, verdict BLOB NOT NULL, subject BLOB NOT NULL,
  previous_hash BLOB NOT NULL, hash BLOB NOT NULL) STRICT;
)sql";

struct Trigger {
  const char *name;
  const char *sql;
};

constexpr std::array guards{
    Trigger{"record_delete", "CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'the audit log takes no removals'); END"},
    Trigger{"record_insert", "CREATE TRIGGER record_insert BEFORE INSERT ON record WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM record)\n"
                             "  BEGIN SELECT RAISE(ABORT, 'the audit log takes new records only'); END"},
    Trigger{"record_update", "CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the audit log takes no changes'); END"}};

// Once an end was cut off: what comes behind it keeps the gap.
constexpr Trigger gapGuard{"record_insert", "CREATE TRIGGER record_insert BEFORE INSERT ON record WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM record)\n"
                                            "  BEGIN SELECT RAISE(ABORT, 'the audit log takes new records only'); END"};

bool isGuard(std::string_view name, std::string_view sql) {
  const auto isIt = [&](const Trigger &guard) { return name == guard.name && sql == guard.sql; };
  return isIt(gapGuard) || std::ranges::any_of(guards, isIt);
}

// Where two open a new file at once, SQLite refuses one of them the change of the journal without waiting for the other.
Result<void> useWal(Database &database) {
  const auto patience = SteadyClock::now() + seconds(5);
  for (;;) {
    auto changed = database.run("PRAGMA journal_mode = WAL");
    if (changed || !database.isBusy() || SteadyClock::now() > patience)
      return changed;
    poll(nullptr, 0, 2); // ms; nothing tells when the other is done
  }
}

} // namespace

Result<bool> prepareAuditSchema(Database &database) {
  if (auto changed = useWal(database); !changed)
    return std::unexpected(changed.error());
  for (const char *pragma : {"PRAGMA synchronous = FULL", "BEGIN IMMEDIATE"})
    if (auto ran = database.run(pragma); !ran)
      return std::unexpected(ran.error());
  const auto application = database.number("PRAGMA application_id");
  const auto version = database.number("PRAGMA user_version");
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!application || !version || !tables)
    return std::unexpected(!application ? application.error() : !version ? version.error() : tables.error());
  const bool isNew = *application == 0 && *tables == 0;
  if (isNew) {
    if (auto made = database.run(schema); !made)
      return std::unexpected(made.error());
    for (const auto &guard : guards)
      if (auto made = database.run(guard.sql); !made)
        return std::unexpected(made.error());
  } else if (*application != applicationId)
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "the file is a database of something else"), safeText(database.path()),
                LH_MESSAGE("ErrorWords", "give another path"));
  else if (*version != schemaVersion)
    return fail(ErrorCode::Storage,
                LH_MESSAGE("ErrorWords", "the file is an audit log of version %1, this Lockhouse knows version %2")(*version, schemaVersion),
                safeText(database.path()),
                LH_MESSAGE("ErrorWords", "use the Lockhouse that made it, or move the file away, with its -wal and -shm files: a new one begins in its place"));
  if (auto done = database.run("COMMIT"); !done)
    return std::unexpected(done.error());
  return isNew;
}

Result<Message> foreignTrigger(Database &database) {
  auto statement = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name");
  if (!statement)
    return std::unexpected(statement.error());
  std::size_t there = 0;
  for (auto row = statement->step(); !row || *row; row = statement->step()) {
    if (!row)
      return std::unexpected(row.error());
    if (!isGuard(statement->bytes(0), statement->bytes(1)))
      return LH_MESSAGE("ErrorWords", "the file has a trigger that is none of Lockhouse's: %1")(safeText(statement->bytes(0), 80));
    ++there;
  }
  return there == guards.size() ? Message()
                                : Message(LH_MESSAGE("ErrorWords", "a trigger that keeps records from being changed or removed is gone from the file"));
}

Result<std::string> faultOf(Database &database) {
  auto statement = database.prepare("PRAGMA integrity_check(1)");
  if (!statement)
    return std::unexpected(statement.error());
  const auto row = statement->step();
  if (!row)
    return std::unexpected(row.error());
  const auto told = *row ? statement->bytes(0) : std::string();
  return told == "ok" ? std::string() : safeText(told, 200);
}

Result<void> allowGap(Database &database) {
  if (auto dropped = database.run("DROP TRIGGER IF EXISTS record_insert"); !dropped)
    return dropped;
  return database.run(gapGuard.sql);
}

} // namespace lockhouse
