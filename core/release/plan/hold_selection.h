// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"

#include <span>
#include <string_view>
#include <unordered_map>

namespace lockhouse {

/// The family whose values name the fence behind the holder, who is told without it.
inline constexpr std::string_view handoff = "lockhouse-handoff";

/// The holds of `lock` that go where many are released: all, or those of `holder`. Of a Redisson thread these are its reads, its writes,
/// its values and its transactions, whatever they are named; of a HandoffLock the holder may be told with the fence or without. Readers
/// first, so that nobody is let in between its read and its write; of these first who waits to become the writer, before he does.
std::vector<Holder> holdsOf(const LockRecord &lock, const std::optional<std::string> &holder);

/// Who holds what lies on one of a lock's members. Views into `lock`.
std::span<const Holder> holdersThere(const LockRecord &lock, const LockMember &member);

/// One hold, and where it lies.
struct PlacedHold {
  LockId lock;
  Holder holder; ///< as that master has it
};
/// Where these holds lie: on every master that has them. What others have on some of them, whom the majority keeps out, goes only where
/// it is of `holder`.
std::vector<PlacedHold> placedHoldsOf(const LockRecord &lock, const std::optional<std::string> &holder);

/// Whether `text` is `holder`, one of `lock`, as it is shown where bytes cannot be: by list and show, by a refusal, by Redisson's own API.
bool isShownAs(const LockRecord &lock, const Holder &holder, std::string_view text);
/// The bytes of the holder that is shown as `text`; nothing where some hold is of a holder of exactly these bytes, or several are shown so.
std::optional<std::string> holderShownAs(std::span<const LockRecordPtr> locks, const std::string &text);

/// Whether `holder` alone of those that were read has a lease that still runs.
bool haveOthersEnded(const LockRecord &record, const Holder &holder, SteadyTime now);

/// Whether the holder is only a mark that any lock may have: "1", "locked", the number of a semaphore's slot, nothing at all.
bool namesNobody(std::string_view holder);
/// Whether the holder is only a time since 1970, as the end of the lock is: two unrelated holders may have the same.
bool isOnlyATime(std::string_view holder);

/// What `holder` may hold besides, beyond what was read of `lock`, by the names that can be asked for.
std::vector<std::string> unreadHoldsOf(const LockRecord &lock, const std::string &holder);
/// How one holds it who lies beyond what was read, as far as his name and the others tell.
HoldMode modeOfUnread(const LockRecord &lock, const std::string &holder);
/// Whether there may be holds of `holder` under names that nobody can ask for: those of a list, a thread's values and transactions.
bool mayHideHoldsOf(const LockRecord &lock, const std::string &holder);

/// How many holds of a lock stay, of which all are meant, since they lie beyond what is read of it at once.
struct UnreadHolds {
  LockId lock;
  std::uint64_t holds = 0;
  bool operator==(const UnreadHolds &) const = default;
};
/// Of which locks that is so, by the plans for all of their holds that were read.
std::vector<UnreadHolds> unreadHolds(std::span<const ReleaseResult> planned);

/// Of the holders of a lock that go where many are released, the first place of each in the order.
using PlacesInOrder = std::unordered_map<std::string_view, std::size_t>;

/// Those who have gone when it is the turn of one of them; by itself nobody has.
struct GoneBefore {
  const PlacesInOrder *order = nullptr; ///< outlives this
  std::size_t place = 0;
  std::string_view own = {};
  bool contains(std::string_view holder) const;
  bool isBefore(std::string_view holder) const; ///< one who goes, but later
};

/// `lock` as it lies there when the holds of those have been taken out of it. Of a Redisson read-write lock those who go later are only
/// counted: the lease that is left to those who stay is for the last who goes, or each plan would name all of them.
LockRecord without(LockRecord lock, const GoneBefore &gone);

} // namespace lockhouse
