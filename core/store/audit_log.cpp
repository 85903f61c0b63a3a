// SPDX-License-Identifier: Apache-2.0
#include "core/store/audit_log.h"

#include "core/base/safe_text.h"
#include "core/store/audit_chain.h"
#include "core/store/audit_files.h"
#include "core/store/audit_schema.h"
#include "core/store/database.h"
#include "core/store/private_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <tuple>
#include <utility>

namespace lockhouse {
namespace {

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
  const auto db = row.number(column++);
  record.db = std::in_range<int>(db) ? static_cast<int>(db) : -1; // which none is: whoever wrote that has altered it
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

// Whose files have bytes, but no size; a file system of a user's own may have no blocks either. They are not looked into: this process may be
// making a log there, and SQLite's locks go with any close.
bool isOfKernel(const std::string &path) {
  static constexpr std::array<std::uint32_t, 6> kinds{PROC_SUPER_MAGIC, DEBUGFS_MAGIC,      TRACEFS_MAGIC,
                                                      SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC};
  struct statfs system{};
  return statfs(path.c_str(), &system) == 0 && std::ranges::find(kinds, static_cast<std::uint32_t>(system.f_type)) != kinds.end();
}

} // namespace

struct AuditLog::State {
  struct Last {
    std::int64_t seq = 0;
    std::string hash = chainStart();
  };

  Database database;
  Digest digest;
  bool wasEmptied = false;
  AuditFiles files;
  mutable std::optional<std::int64_t> misfit = {};
  bool isDamaged = false;                                                     ///< as the last check found it
  std::int64_t version = database.number("PRAGMA data_version").value_or(-1); ///< another with all that others write

  /// The records from that number on, the first of which follows `last`, to the end; the last of them.
  Result<Last> walkFrom(std::int64_t first, Last last) const;
  Result<Last> walkNewest(std::size_t most) const;
  Result<std::optional<Last>> behindNewest(std::size_t most) const; ///< the record before the newest `most`; nothing: there are no more
  Result<std::int64_t> highestGiven() const;                        ///< of all numbers
  Result<void> checkTail(std::int64_t lastSeq) const;               ///< that no record is missing behind it
  Result<void> checkTriggers();                                     ///< that they are Lockhouse's, all of them
  Result<void> checkWhole();                                        ///< that SQLite can read all of it
  Result<void> add(std::vector<AuditRecord> &records);              ///< in a transaction: seals and inserts them
  Result<Last> newest() const;
  Result<std::vector<std::string>> unanswered(std::int64_t lastSeq) const; ///< of the records up to that one
  /// That so many were inserted behind `before`, to that last: a trigger that somebody put into the file may swallow one without an error.
  Result<void> checkKept(std::int64_t before, std::size_t count, const Last &last) const;
  /// One transaction: the rows and the highest number given are of one instant, whatever others append meanwhile.
  template <class Walk> Result<Last> check(Walk walk);
  std::unexpected<Error> broken(Message what) const;
  Result<void> checkThere(); ///< as AuditFiles has it
};

template <class Walk> Result<AuditLog::State::Last> AuditLog::State::check(Walk walk) {
  if (auto begun = database.run("BEGIN"); !begun)
    return std::unexpected(begun.error());
  isDamaged = false;
  Result<Last> last = walk();
  if (last)
    if (auto whole = checkTail(last->seq); !whole)
      last = std::unexpected(whole.error());
  if (last)
    if (auto guarded = checkTriggers(); !guarded)
      last = std::unexpected(guarded.error());
  isDamaged |= !last && database.isDamaged();
  std::ignore = database.run("COMMIT"); // nothing was written
  return last;
}

Result<AuditLog::State::Last> AuditLog::State::walkFrom(std::int64_t first, Last last) const {
  auto statement = database.prepare(fmt::format("SELECT {} FROM record WHERE seq >= ? ORDER BY seq", columns));
  if (!statement)
    return std::unexpected(statement.error());
  statement->bind(first);
  for (auto row = statement->step(); !row || *row; row = statement->step()) {
    if (!row)
      return std::unexpected(row.error());
    const auto record = recordOf(*statement);
    if (auto words = brokenLink(record, last.seq, last.hash, digest); !words.empty()) {
      misfit = record.seq;
      return broken(std::move(words));
    }
    last = {record.seq, record.hash};
  }
  return last;
}

Result<AuditLog::State::Last> AuditLog::State::walkNewest(std::size_t most) const {
  const auto before = behindNewest(most); // whose statement has ended: it would answer for what goes wrong in the walk
  if (!before)
    return std::unexpected(before.error());
  return *before ? walkFrom((*before)->seq + 1, **before) : walkFrom(std::numeric_limits<std::int64_t>::min(), {});
}

Result<std::optional<AuditLog::State::Last>> AuditLog::State::behindNewest(std::size_t most) const {
  auto statement = database.prepare("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1 OFFSET ?");
  if (!statement)
    return std::unexpected(statement.error());
  statement->bind(static_cast<std::int64_t>(most));
  const auto row = statement->step();
  if (!row)
    return std::unexpected(row.error());
  return *row ? std::optional(Last{statement->number(0), statement->bytes(1)}) : std::nullopt;
}

std::unexpected<Error> AuditLog::State::broken(Message what) const {
  return fail(
      ErrorCode::Storage, std::move(what), safeText(database.path()),
      LH_MESSAGE("ErrorWords", "keep a copy of the file and compare it with a backup; where it is moved away with its -wal and -shm files, a new log begins"));
}

Result<void> AuditLog::State::checkThere() {
  auto whole = files.checkThere();
  if (!whole)
    database.leaveAtClose(); // or it would be written over what others have written since
  return whole;
}

Result<std::int64_t> AuditLog::State::highestGiven() const {
  return database.number("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'record'");
}

Result<void> AuditLog::State::checkTail(std::int64_t lastSeq) const {
  const auto given = highestGiven();
  if (!given)
    return std::unexpected(given.error());
  if (*given > lastSeq)
    return broken(LH_MESSAGE("ErrorWords", "record %1 is missing: numbers were given up to %2")(lastSeq + 1, *given));
  if (*given < lastSeq)
    return broken(LH_MESSAGE("ErrorWords", "the highest number given was set back to %1")(*given));
  return {};
}

Result<void> AuditLog::State::checkTriggers() {
  auto foreign = foreignTrigger(database);
  if (!foreign)
    return std::unexpected(foreign.error());
  return foreign->empty() ? Result<void>() : broken(std::move(*foreign));
}

// What the walk does not come by: the index by which outcomes find what they belong to.
Result<void> AuditLog::State::checkWhole() {
  auto fault = faultOf(database);
  if (!fault)
    return std::unexpected(fault.error());
  isDamaged = !fault->empty();
  return isDamaged ? broken(LH_MESSAGE("ErrorWords", "the file is damaged: %1")(systemMessage(*fault))) : Result<void>();
}

AuditLog::AuditLog(std::unique_ptr<State> state) : m_state(std::move(state)) {}
AuditLog::~AuditLog() = default;
AuditLog::AuditLog(AuditLog &&) noexcept = default;
AuditLog &AuditLog::operator=(AuditLog &&) noexcept = default;

Result<AuditLog> AuditLog::open(const std::string &path, Digest digest) {
  if (path.empty())
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "there is no place for the audit log: no home folder is known"), {},
                LH_MESSAGE("ErrorWords", "set HOME or XDG_STATE_HOME, or name a file"));
  if (auto whole = AuditFiles::checkJournalHasItsFile(path); !whole)
    return std::unexpected(whole.error());
  const auto wasEmpty = makePrivateFile(path);
  if (!wasEmpty)
    return std::unexpected(wasEmpty.error());
  auto database = Database::open(path);
  if (!database)
    return std::unexpected(database.error());
  const auto isNew = prepareAuditSchema(*database);
  if (!isNew) {
    database->leaveAtClose(); // a journal of something else would be written over the log that it was laid beside
    return std::unexpected(isNew.error());
  }
  return AuditLog(std::make_unique<State>(State{std::move(*database), std::move(digest), *wasEmpty && *isNew, AuditFiles(path)}));
}

Result<std::optional<AuditLog>> AuditLog::openIfThere(const std::string &path, Digest digest) {
  struct stat found{};
  const bool isMissing = lstat(path.c_str(), &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
  if (auto whole = AuditFiles::checkJournalHasItsFile(path); !whole)
    return std::unexpected(whole.error());
  if (!path.empty() && (isMissing || (S_ISREG(found.st_mode) && isEmptyToSqlite(found.st_size) && !isOfKernel(path))))
    return std::nullopt;
  auto opened = open(path, std::move(digest));
  if (!opened)
    return std::unexpected(opened.error());
  return std::move(*opened);
}

bool AuditLog::wasEmptied() const { return m_state->wasEmptied; }

bool AuditLog::isThere() const { return m_state->files.isThere(); }

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
  auto written = m_state->checkThere();
  if (written)
    written = database.run("BEGIN IMMEDIATE"); // one writer at a time: nobody else may follow the same record
  if (written)
    written = m_state->add(records);
  if (written)
    written = database.run("COMMIT");
  if (written)
    written = m_state->checkThere(); // whoever took it away meanwhile took this with it
  if (written)
    return records;
  if (database.isInTransaction())
    std::ignore = database.run("ROLLBACK"); // what went wrong first is what is told
  return std::unexpected(written.error());
}

Result<void> AuditLog::State::add(std::vector<AuditRecord> &records) {
  if (records.empty())
    return {};
  auto last = newest();
  if (!last)
    return std::unexpected(last.error());
  const auto given = highestGiven();
  if (!given)
    return std::unexpected(given.error());
  auto [seq, hash] = *last;
  if (*given != seq) { // a record in the place of one that was cut off would hide the cut, and so it would if the highest number was set back
    if (auto ready = allowGap(database); !ready)
      return ready;
    seq = std::max(*given, seq + 1);
  }
  const auto before = seq;
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
  return checkKept(before, records.size(), {seq, hash});
}

Result<void> AuditLog::State::checkKept(std::int64_t before, std::size_t count, const Last &last) const {
  auto statement = database.prepare("SELECT count(*) FROM record WHERE seq > ?");
  if (!statement)
    return std::unexpected(statement.error());
  statement->bind(before);
  if (const auto row = statement->step(); !row)
    return std::unexpected(row.error());
  const auto kept = newest();
  if (!kept)
    return std::unexpected(kept.error());
  if (static_cast<std::size_t>(statement->number(0)) != count || kept->seq != last.seq || kept->hash != last.hash)
    return broken(LH_MESSAGE("ErrorWords", "a record is not there as it was written: the file has a trigger that is none of Lockhouse's"));
  return {};
}

Result<std::vector<std::string>> AuditLog::State::unanswered(std::int64_t lastSeq) const {
  auto statement = database.prepare("SELECT id FROM record WHERE seq <= ? AND length(subject) = 0 AND id NOT IN "
                                    "(SELECT subject FROM record WHERE length(subject) > 0) ORDER BY seq");
  if (!statement)
    return std::unexpected(statement.error());
  statement->bind(lastSeq);
  std::vector<std::string> ids;
  for (auto row = statement->step(); !row || *row; row = statement->step()) {
    if (!row)
      return std::unexpected(row.error());
    ids.push_back(statement->bytes(0));
  }
  return ids;
}

Result<AuditLog::State::Last> AuditLog::State::newest() const {
  auto last = behindNewest(0);
  if (!last)
    return std::unexpected(last.error());
  return last->value_or(Last{});
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

bool AuditLog::contains(std::string_view id) const {
  auto statement = m_state->database.prepare("SELECT 1 FROM record WHERE id = ?");
  if (!statement)
    return false;
  statement->bind(id);
  return statement->step().value_or(false);
}

Result<AuditLog::End> AuditLog::verify() const {
  m_state->misfit.reset();
  auto last = m_state->check([this]() -> Result<State::Last> {
    auto end = m_state->walkFrom(std::numeric_limits<std::int64_t>::min(), {});
    if (auto whole = end ? m_state->checkWhole() : Result<void>(); !whole)
      return std::unexpected(whole.error());
    return end;
  });
  if (!last)
    return std::unexpected(last.error());
  auto unanswered = m_state->unanswered(last->seq);
  if (!unanswered)
    return std::unexpected(unanswered.error());
  return End{static_cast<std::uint64_t>(last->seq), std::move(last->hash), std::move(*unanswered)};
}

std::optional<std::int64_t> AuditLog::misfit() const { return m_state->misfit; }

Result<void> AuditLog::verifyNewest(std::size_t most) const {
  if (const auto sound = m_state->check([&] { return m_state->walkNewest(most); }); !sound)
    return std::unexpected(sound.error());
  return {};
}

bool AuditLog::wasWrittenByOthers() {
  const auto now = m_state->database.number("PRAGMA data_version").value_or(-1);
  return std::exchange(m_state->version, now) != now;
}

bool AuditLog::isDamaged() const { return m_state->isDamaged; }

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
