// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/record/lock_record.h"

namespace lockhouse {

/// Count: how deep it is held, or a number beside it: permits that are free, its fence.
/// Lease: it runs longer than it did. Shortened: it ends sooner, which no renewal does.
/// Members: of a lock on several masters, which have it, or whether they are most; of a token, that its holder has other keys, too.
enum class ChangeKind { Appeared, Holder, Count, Lease, Shortened, Waiters, Members, Vanished, Stale, Live };
/// Why a lock vanished. Deleted: its key was removed before its lease ended; Redis does not tell an owner's release from
/// anybody else's DEL. Released: removed by a release of this Lockhouse.
enum class ChangeCause { Released, Deleted, Expired, Evicted, Flushed, Replaced };

std::string_view name(ChangeKind kind);   ///< "appeared", "holder", …
std::string_view name(ChangeCause cause); ///< "released", …

/// One step in a lock's life, numbered without gaps over all nodes of a watcher; of a lock on several masters, of the whole (see ChangeMerge).
struct LockChange {
  std::uint64_t seq = 0;
  WallTime at{};
  LockId id;
  ChangeKind kind = ChangeKind::Appeared;
  std::optional<ChangeCause> cause; ///< of Vanished, and where masters let go of it: why, where known
  LockRecordPtr before;             ///< null for Appeared
  LockRecordPtr after;              ///< null for Vanished
};

/// The change as it is for those who see only records of shownConfidence or more: one that comes to that appears, one that falls
/// below it vanishes. Nothing if they see none of it.
std::optional<LockChange> asShown(const LockChange &change);

} // namespace lockhouse
