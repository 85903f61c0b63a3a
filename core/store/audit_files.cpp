// SPDX-License-Identifier: Apache-2.0
#include "core/store/audit_files.h"

#include "core/base/safe_text.h"
#include "core/store/private_file.h"

#include <tuple>

namespace lockhouse {
namespace {

std::string journalOf(const std::string &path) { return path + "-wal"; }
std::string indexOf(const std::string &path) { return path + "-shm"; }

} // namespace

AuditFiles::Identity AuditFiles::Identity::of(const std::string &path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 ? Identity{found.st_dev, found.st_ino, found.st_size} : Identity{};
}

AuditFiles::AuditFiles(std::string path)
    : m_path(std::move(path)), m_file(Identity::of(m_path)), m_journal(Identity::of(journalOf(m_path))), m_index(Identity::of(indexOf(m_path))) {}

// The journal first: who makes a log makes its file before.
Result<void> AuditFiles::checkJournalHasItsFile(const std::string &path) {
  const auto journal = Identity::of(journalOf(path)), file = Identity::of(path);
  if (path.empty() || journal.size == 0 || !isEmptyToSqlite(file.size))
    return {};
  if (file.number == 0)
    return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "the file of the audit log is not there, and records of it lie in its -wal file"), safeText(path),
                LH_MESSAGE("ErrorWords", "put it back, or move its -wal and -shm files to where it is now, named after it: then a new log begins here"));
  return fail(ErrorCode::Storage, LH_MESSAGE("ErrorWords", "the file of the audit log is empty, and records of it lie in its -wal file"), safeText(path),
              LH_MESSAGE("ErrorWords", "keep a copy of both files and move them away: a new log begins"));
}

AuditFiles::NoLog AuditFiles::noLogAt(const std::string &path) {
  if (Identity::of(path).number != 0)
    return {NoLog::Why::Emptied, Error{ErrorCode::Storage, LH_MESSAGE("ErrorWords", "the file of the audit log is empty: whatever was in it is gone"),
                                       safeText(path), LH_MESSAGE("ErrorWords", "look for who emptied it; the next release begins a new log there")}};
  if (const auto can = checkCanMakeFile(path); !can)
    return {NoLog::Why::Barred, can.error()};
  return {};
}

bool AuditFiles::isThere() const {
  const auto now = Identity::of(m_path);
  return now.number != 0 && now.isSameAs(m_file);
}

Result<void> AuditFiles::checkThere() {
  const auto file = Identity::of(m_path), journal = Identity::of(journalOf(m_path)), index = Identity::of(indexOf(m_path));
  if (file.number == 0 || !file.isSameAs(m_file))
    return fail(
        ErrorCode::Storage, LH_MESSAGE("ErrorWords", "the file of the audit log was removed, renamed or replaced while it was in use"), safeText(m_path),
        LH_MESSAGE(
            "ErrorWords",
            "keep what was moved away, move its -wal and -shm files to it, named after it, and try again: where none of them is there a new log begins"));
  const auto isGone = [](const Identity &before, const Identity &now) { return before.number != 0 && !now.isSameAs(before); };
  if (isGone(m_journal, journal) || isGone(m_index, index) || file.size < m_file.size || journal.size < m_journal.size)
    return fail(ErrorCode::Storage,
                LH_MESSAGE("ErrorWords", "the file of the audit log or its -wal file was cut short, or its -wal or -shm file taken away, while it was in use"),
                safeText(m_path), LH_MESSAGE("ErrorWords", "end the programs that have it open, and look with lockhousectl audit --verify what is left"));
  std::tie(m_file, m_journal, m_index) = std::tie(file, journal, index);
  return {};
}

} // namespace lockhouse
