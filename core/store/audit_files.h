// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace lockhouse {

/// The files that SQLite keeps of one log while it is open: the database itself, the journal that it appends to before (-wal), and by what the programs
/// that have it open know what is where in that (-shm). None of them is opened here: closing it would drop the locks that this process holds on it.
class AuditFiles {
public:
  explicit AuditFiles(std::string path); ///< of a log that is open: what they are now is what they have to stay

  /// For whoever is about to open a log at `path`: a database without a byte, or none, beside a journal that has some is refused, for SQLite would
  /// begin anew and throw that away. Error Storage.
  static Result<void> checkJournalHasItsFile(const std::string &path);
  /// What is at a path at which no log is.
  struct NoLog {
    enum class Why : std::uint8_t {
      NotBegun, ///< nothing: the next release begins one
      Emptied,  ///< a file without a byte: whatever was in it is gone, and the next release begins a new log
      Barred,   ///< no file, and no right to make it, or a folder above it
    };
    Why why = Why::NotBegun;
    std::optional<Error> error = {}; ///< Storage; of NotBegun none
  };
  static NoLog noLogAt(const std::string &path);

  /// Whether the path still leads to the same database.
  bool isThere() const;
  /// That they are all what they were, and none of it was cut off: SQLite goes on writing into files that nobody can read any more. Error Storage.
  Result<void> checkThere();

private:
  /// Which file a path leads to, whatever it is called by then, and how long it is; number 0: to none.
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    off_t size = 0;
    static Identity of(const std::string &path);
    bool isSameAs(const Identity &other) const { return device == other.device && number == other.number; }
  };

  std::string m_path;
  Identity m_file, m_journal, m_index; ///< as they were last: the file grows, and so does its journal, which is begun again at the front
};

} // namespace lockhouse
