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
/// renumbered or put in another order is found by verify().
/// Not promised: protection from somebody who may write the file and computes the whole chain anew, or restores an older copy of
/// it. Ship the newest hash elsewhere to guard against that.
/// Source of the chain: B. Schneier, J. Kelsey, "Cryptographic Support for Secure Logs on Untrusted Machines" (1998), without keys.
class AuditLog {
public:
  using Digest = std::function<std::string(std::string_view)>; ///< SHA-256: bytes in, 32 bytes out

  /// Opens or creates the file (mode 0600, folders 0700). Error Storage with path and reason: no right to write, a file of
  /// something else, a corrupt file, a log of a newer Lockhouse.
  static Result<AuditLog> open(const std::string &path, Digest digest);
  /// For reading: the same, but where no file is, or one without a byte, none is made and nothing is answered.
  static Result<std::optional<AuditLog>> openIfThere(const std::string &path, Digest digest);
  ~AuditLog();
  AuditLog(AuditLog &&) noexcept;
  AuditLog &operator=(AuditLog &&) noexcept;

  /// Appends durably, then returns the record as stored. When it fails nothing was written and the action must not be taken. Error
  /// Storage also for a log whose newest records were cut off: verify() goes on naming what is missing.
  Result<AuditRecord> append(AuditRecord record);
  /// The same for several, in their order: all of them or none, for one write to the disk.
  Result<std::vector<AuditRecord>> append(std::vector<AuditRecord> records);
  /// The newest `most` records, oldest first.
  Result<std::vector<AuditRecord>> latest(std::size_t most) const;
  /// Walks the whole chain: how many records there are, all sound; Error Storage names the first broken link.
  Result<std::uint64_t> verify() const;
  /// The same of the newest `most`, for whoever is about to append: older ones, and what may be missing behind the last, are not looked at.
  Result<void> verifyNewest(std::size_t most) const;

private:
  struct State;
  explicit AuditLog(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

/// $XDG_STATE_HOME/lockhouse/audit.sqlite, or ~/.local/state/… where that is unset; empty where HOME is unset too, which open() refuses
/// in words.
std::string defaultAuditPath();

} // namespace lockhouse
