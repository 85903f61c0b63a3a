// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/store/audit_record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// The append-only, hash-chained log of every write an operator makes (SQLite, WAL, synchronous=FULL). One owner thread per
/// object; several processes may append to one file. Calls block: on the disk, and up to five seconds on another process.
///
/// Promise: what append() returned survives a crash of the machine; a record that is altered, removed from between others,
/// renumbered or put in another order is found by verify(), and so is a cut end, unless its trace in sqlite_sequence is removed with it.
/// Not promised: protection from somebody who may write the file and computes the whole chain anew, or restores an older copy of
/// it, or cuts its end with every trace. Keep number and hash of the newest record elsewhere and compare them to guard against that.
/// Source of the chain: B. Schneier, J. Kelsey, "Cryptographic Support for Secure Logs on Untrusted Machines" (1998), without keys.
class AuditLog {
public:
  using Digest = std::function<std::string(std::string_view)>; ///< SHA-256: bytes in, 32 bytes out

  /// Opens or creates the file (mode 0600, folders 0700). Error Storage with path and reason: no right to write, a file of
  /// something else, a corrupt file, a log of a newer Lockhouse, a -wal file with records whose log is gone or empty.
  static Result<AuditLog> open(const std::string &path, Digest digest);
  /// For reading: the same, but where no file is, or one without a byte, none is made and nothing is answered.
  static Result<std::optional<AuditLog>> openIfThere(const std::string &path, Digest digest);
  ~AuditLog();
  AuditLog(AuditLog &&) noexcept;
  AuditLog &operator=(AuditLog &&) noexcept;

  /// The file was there before it was opened, without a byte or with one: whatever was in it is gone.
  bool wasEmptied() const;

  /// Whether the path still leads to the file that was opened; where not, nothing is appended any more: open it afresh, once its -wal file is gone too.
  /// Where it does, but the file or its -wal file is shorter than it was, or its -wal or -shm file is another, append() refuses, and nothing is written
  /// there at its end (so it does where somebody has run VACUUM or a truncating checkpoint on it).
  bool isThere() const;

  /// Appends durably, then returns the record as stored. When it fails the action must not be taken: nothing was written, or only into a file that has been moved away meanwhile. Behind a
  /// cut end it goes on with the number after the highest ever given, and where that was set back it leaves one out: verify() goes on naming what is missing.
  Result<AuditRecord> append(AuditRecord record);
  /// The same for several, in their order: all of them or none, for one write to the disk.
  Result<std::vector<AuditRecord>> append(std::vector<AuditRecord> records);
  /// The newest `most` records, oldest first.
  Result<std::vector<AuditRecord>> latest(std::size_t most) const;
  bool contains(std::string_view id) const; ///< a record of that id; false too where it cannot be read
  /// What a sound chain ends with.
  struct End {
    std::uint64_t records = 0; ///< and number of the last
    std::string hash;          ///< of the last; 64 zeros: there is none
    /// Ids of what was meant and has no outcome: it is under way, or its program ended before, or could not write it.
    std::vector<std::string> unanswered = {};
  };
  /// Has SQLite check the file, then walks the whole chain, all of it sound; Error Storage names the damage, the first broken link, or else a trigger
  /// that is none of ours, or is gone.
  Result<End> verify() const;
  /// The record that the last verify() found not to fit: it was altered, or is not the one that was to follow. Nothing where all do, or where
  /// records are missing at the end.
  std::optional<std::int64_t> misfit() const;
  /// The same of the newest `most` and of the triggers, for whoever is about to append: older ones are not looked at.
  Result<void> verifyNewest(std::size_t most) const;
  /// Somebody else has written since this was asked last, or since it was opened: what was sound then may not be now.
  bool wasWrittenByOthers();
  /// The last of both found the file damaged: what is written there may not be read again.
  bool isDamaged() const;

private:
  struct State;
  explicit AuditLog(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// $XDG_STATE_HOME/lockhouse/audit.sqlite, or ~/.local/state/… where that is unset; empty where HOME is unset too, which open() refuses
/// in words.
std::string defaultAuditPath();

} // namespace lockhouse
