// SPDX-License-Identifier: Apache-2.0
#include "core/store/audit_log.h"

#include "core/base/safe_text.h"
#include "core/store/audit_chain.h"
#include "core/store/database.h"
#include "core/store/private_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <poll.h>
#include <sys/stat.h>
#include <tuple>

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
CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the audit log takes no changes'); END;
CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'the audit log takes no removals'); END;
CREATE TRIGGER record_insert BEFORE INSERT ON record WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM record)
  BEGIN SELECT RAISE(ABORT, 'the audit log takes new records only'); END;
)sql";

constexpr std::string_view columns = "seq, id, at_us, who, node, db, key, family, holder, count, action, reason, script, before, verdict, subject, "
                                     "previous_hash, hash";

AuditRecord recordOf(const Statement &row) {
  AuditRecord record;
  int column = 0;
  record.seq = row.number(column++);
  record.id = row.bytes(column++);
  record.at = WallTime(microseconds(row.number(column++)));
  record.who = row.bytes(column++);
  record.node = row.bytes(column++);
  record.db = static_cast<int>(row.number(column++));
  record.key = row.bytes(column++);
  record.family = row.bytes(column++);
  record.holder = row.bytes(column++);
  record.count = row.number(column++);
  for (auto *field : {&record.action, &record.reason, &record.script, &record.before, &record.verdict, &record.subject, &record.previousHash, &record.hash})
    *field = row.bytes(column++);
  return record;
}

Result<void> insert(Statement &statement, const AuditRecord &record) {
  statement.restart();
  statement.bind(record.seq).bind(record.id).bind(record.at.time_since_epoch().count()).bind(record.who).bind(record.node);
  statement.bind(std::int64_t{record.db}).bind(record.key).bind(record.family).bind(record.holder).bind(record.count);
  for (const auto *field :
       {&record.action, &record.reason, &record.script, &record.before, &record.verdict, &record.subject, &record.previousHash, &record.hash})
    statement.bind(*field);
  if (const auto done = statement.step(); !done)
    return std::unexpected(done.error());
  return {};
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

Result<void> prepareSchema(Database &database) {
  if (auto changed = useWal(database); !changed)
    return changed;
  for (const char *pragma : {"PRAGMA synchronous = FULL", "BEGIN IMMEDIATE"})
    if (auto ran = database.run(pragma); !ran)
      return ran;
  const auto application = database.number("PRAGMA application_id");
  const auto version = database.number("PRAGMA user_version");
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!application || !version || !tables)
    return std::unexpected(!application ? application.error() : !version ? version.error() : tables.error());
  if (*application == 0 && *tables == 0) {
    if (auto made = database.run(schema); !made)
      return made;
  } else if (*application != applicationId)
    return fail(ErrorCode::Storage, "the file is a database of something else", safeText(database.path()), "give another path");
  else if (*version != schemaVersion)
    return fail(ErrorCode::Storage, fmt::format("the file is an audit log of version {}, this Lockhouse knows version {}", *version, schemaVersion),
                safeText(database.path()), "use the Lockhouse that made it, or give another path");
  return database.run("COMMIT");
}

// Of a file without a size: one of the kernel's has bytes all the same. Never of one that SQLite may have open, whose locks go with any close.
bool isEmpty(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return file && file.peek() == std::ifstream::traits_type::eof();
}

} // namespace

struct AuditLog::State {
  Database database;
  Digest digest;

  Result<std::uint64_t> walk() const;
  /// The records from that number on, the first of which follows that one; the number of the last.
  Result<std::int64_t> walkFrom(std::int64_t first, std::int64_t lastSeq, std::string lastHash) const;
  Result<void> checkTail(std::int64_t lastSeq) const;          ///< that no record is missing behind it
  Result<void> add(std::vector<AuditRecord> &records) const;   ///< in a transaction: seals and inserts them
  Result<std::pair<std::int64_t, std::string>> newest() const; ///< number and hash of the last record
  std::unexpected<Error> broken(std::string what) const;
};

Result<std::uint64_t> AuditLog::State::walk() const {
  const auto lastSeq = walkFrom(std::numeric_limits<std::int64_t>::min(), 0, chainStart());
  if (!lastSeq)
    return std::unexpected(lastSeq.error());
  if (auto whole = checkTail(*lastSeq); !whole)
    return std::unexpected(whole.error());
  return static_cast<std::uint64_t>(*lastSeq);
}

Result<std::int64_t> AuditLog::State::walkFrom(std::int64_t first, std::int64_t lastSeq, std::string lastHash) const {
  auto statement = database.prepare(fmt::format("SELECT {} FROM record WHERE seq >= ? ORDER BY seq", columns));
  if (!statement)
    return std::unexpected(statement.error());
  statement->bind(first);
  for (auto row = statement->step(); !row || *row; row = statement->step()) {
    if (!row)
      return std::unexpected(row.error());
    const auto record = recordOf(*statement);
    if (auto words = brokenLink(record, lastSeq, lastHash, digest); !words.empty())
      return broken(std::move(words));
    lastSeq = record.seq;
    lastHash = record.hash;
  }
  return lastSeq;
}

std::unexpected<Error> AuditLog::State::broken(std::string what) const {
  return fail(ErrorCode::Storage, std::move(what), safeText(database.path()), "keep a copy of the file and compare it with a backup, or give another path");
}

Result<void> AuditLog::State::checkTail(std::int64_t lastSeq) const {
  const auto given = database.number("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'record'");
  if (!given)
    return std::unexpected(given.error());
  if (*given > lastSeq)
    return broken(fmt::format("record {} is missing: numbers were given up to {}", lastSeq + 1, *given));
  if (*given < lastSeq)
    return broken(fmt::format("the highest number given was set back to {}", *given));
  return {};
}

AuditLog::AuditLog(std::unique_ptr<State> state) : m_state(std::move(state)) {}
AuditLog::~AuditLog() = default;
AuditLog::AuditLog(AuditLog &&) noexcept = default;
AuditLog &AuditLog::operator=(AuditLog &&) noexcept = default;

Result<AuditLog> AuditLog::open(const std::string &path, Digest digest) {
  if (path.empty())
    return fail(ErrorCode::Storage, "there is no place for the audit log: no home folder is known", {}, "set HOME or XDG_STATE_HOME, or name a file");
  if (auto made = makePrivateFile(path); !made)
    return std::unexpected(made.error());
  auto database = Database::open(path);
  if (!database)
    return std::unexpected(database.error());
  if (auto ready = prepareSchema(*database); !ready)
    return std::unexpected(ready.error());
  return AuditLog(std::make_unique<State>(State{std::move(*database), std::move(digest)}));
}

Result<std::optional<AuditLog>> AuditLog::openIfThere(const std::string &path, Digest digest) {
  struct stat found{};
  const bool isMissing = lstat(path.c_str(), &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
  if (!path.empty() && (isMissing || (S_ISREG(found.st_mode) && found.st_size == 0 && isEmpty(path))))
    return std::nullopt;
  auto opened = open(path, std::move(digest));
  if (!opened)
    return std::unexpected(opened.error());
  return std::move(*opened);
}

Result<AuditRecord> AuditLog::append(AuditRecord record) {
  std::vector<AuditRecord> one;
  one.push_back(std::move(record));
  auto written = append(std::move(one));
  if (!written)
    return std::unexpected(written.error());
  return std::move(written->front());
}

Result<std::vector<AuditRecord>> AuditLog::append(std::vector<AuditRecord> records) {
  Database &database = m_state->database;
  auto written = database.run("BEGIN IMMEDIATE"); // one writer at a time: nobody else may follow the same record
  if (written)
    written = m_state->add(records);
  if (written)
    written = database.run("COMMIT");
  if (written)
    return records;
  if (database.isInTransaction())
    std::ignore = database.run("ROLLBACK"); // what went wrong first is what is told
  return std::unexpected(written.error());
}

Result<void> AuditLog::State::add(std::vector<AuditRecord> &records) const {
  auto last = newest();
  if (!last)
    return std::unexpected(last.error());
  auto [seq, hash] = *last;
  if (auto whole = checkTail(seq); !whole) // a record on top of a cut end would hide the cut
    return whole;
  auto statement = database.prepare(fmt::format("INSERT INTO record ({}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", columns));
  if (!statement)
    return std::unexpected(statement.error());
  for (auto &record : records) {
    record.seq = ++seq;
    record.previousHash = std::move(hash);
    sealRecord(record, digest);
    hash = record.hash;
    if (auto inserted = insert(*statement, record); !inserted)
      return inserted;
  }
  return {};
}

Result<std::pair<std::int64_t, std::string>> AuditLog::State::newest() const {
  auto statement = database.prepare("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1");
  if (!statement)
    return std::unexpected(statement.error());
  const auto row = statement->step();
  if (!row)
    return std::unexpected(row.error());
  return *row ? std::pair(statement->number(0), statement->bytes(1)) : std::pair(std::int64_t{0}, chainStart());
}

Result<std::vector<AuditRecord>> AuditLog::latest(std::size_t most) const {
  auto statement = m_state->database.prepare(fmt::format("SELECT {} FROM record ORDER BY seq DESC LIMIT ?", columns));
  if (!statement)
    return std::unexpected(statement.error());
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  statement->bind(static_cast<std::int64_t>(std::min(most, largest)));
  std::vector<AuditRecord> records;
  for (auto row = statement->step(); !row || *row; row = statement->step()) {
    if (!row)
      return std::unexpected(row.error());
    records.push_back(recordOf(*statement));
  }
  std::ranges::reverse(records);
  return records;
}

Result<std::uint64_t> AuditLog::verify() const {
  // One transaction: the rows and the highest number given are of one instant, whatever others append meanwhile.
  if (auto begun = m_state->database.run("BEGIN"); !begun)
    return std::unexpected(begun.error());
  auto sound = m_state->walk();
  std::ignore = m_state->database.run("COMMIT"); // nothing was written
  return sound;
}

Result<void> AuditLog::verifyNewest(std::size_t most) const {
  auto before = m_state->database.prepare("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1 OFFSET ?");
  if (!before)
    return std::unexpected(before.error());
  before->bind(static_cast<std::int64_t>(most));
  const auto row = before->step();
  if (!row)
    return std::unexpected(row.error());
  const auto sound = *row ? m_state->walkFrom(before->number(0) + 1, before->number(0), before->bytes(1))
                          : m_state->walkFrom(std::numeric_limits<std::int64_t>::min(), 0, chainStart());
  if (!sound)
    return std::unexpected(sound.error());
  return {};
}

std::string defaultAuditPath() {
  const auto folder = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value == nullptr || *value != '/' ? "" : value); // the XDG specification says to ignore a relative path
  };
  auto state = folder("XDG_STATE_HOME");
  if (const auto home = folder("HOME"); state.empty() && !home.empty())
    state = home + "/.local/state";
  return state.empty() ? state : state + "/lockhouse/audit.sqlite";
}

} // namespace lockhouse
