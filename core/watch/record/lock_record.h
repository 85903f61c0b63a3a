// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/message.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockhouse {

/// What makes two observations the same lock.
struct LockId {
  NodeId node;
  int db = 0;
  LockName key;
  auto operator<=>(const LockId &) const = default;
  bool operator==(const LockId &) const = default;
};

/// What a key holds, as far as a watcher cares.
enum class ValueType : std::uint8_t { Unknown, None, String, Hash, List, Set, SortedSet, Other };

/// How the score of a sorted set's member is read.
enum class ScoreMeaning : std::uint8_t {
  None,         ///< not at all
  Until,        ///< epoch ms at which the hold lapses: who is past it holds no more
  UntilSeconds, ///< the same in seconds
  Since,        ///< epoch ms of the last refresh; when it lapses is known to the library's clients alone
  SinceSeconds, ///< the same in seconds
  Order         ///< a place in a line
};

enum class LockKind { Mutex, Reentrant, Fair, ReadWrite, Semaphore, Latch };
enum class LockState { Held, Contended, Waiting, Expiring, NeverExpires, Suspect, Stale };
enum class HoldMode { Exclusive, Read, Write };

std::string_view name(ValueType type);  ///< "string", "hash", "list", "set", "zset"; "" of the others
std::string_view name(LockKind kind);   ///< "mutex", "reentrant", "fair", "read-write", "semaphore", "latch"
std::string_view name(LockState state); ///< "held", "contended", "waiting", "expiring", "never-expires", "suspect", "stale"
std::string_view name(HoldMode mode);   ///< "exclusive", "read", "write"

struct Holder {
  std::string id;         ///< bytes, as the library wrote them: a token, or Redisson's uuid:threadId
  std::int64_t count = 1; ///< re-entrancy depth; 0: what stands there is no number
  HoldMode mode = HoldMode::Exclusive;
  std::uint64_t bytes = 0;               ///< of an id that is too long to be read whole: how many it has, of which `id` is the first; 0: `id` is whole
  std::optional<SteadyTime> expiresAt{}; ///< of a lease of his own beside those of others; nothing: he has none, or it is not known
  /// A lease is no part of what makes two holds the same: it is renewed.
  bool operator==(const Holder &other) const { return id == other.id && count == other.count && mode == other.mode && bytes == other.bytes; }
};

struct Waiter {
  std::string id;                     ///< bytes
  std::optional<SteadyTime> leavesAt; ///< when its place in the queue lapses; nothing if unknown
  bool operator==(const Waiter &) const = default;
};

/// What else a lock's bytes tell, for people: {"since", "2026-11-21T10:00:00.000Z"}, {"host", "web-1"}. Safe to show.
struct MetadataEntry {
  std::string name;
  std::string value;
  bool operator==(const MetadataEntry &) const = default;
};

struct LockRecord;

/// Where one of several masters that share no data holds the same token: a vote of a Redlock, or some of the keys of one lock. Or a token of
/// somebody else, whom those who have most of the masters keep out.
struct LockMember {
  NodeId node;
  int db = 0;
  std::optional<SteadyTime> expiresAt;       ///< nothing = never
  std::optional<SteadyTime> staleSince;      ///< its node's feed broke then
  std::optional<Holder> own{};               ///< who holds it there, where that is another than most have, or another count; of a split vote always
  std::shared_ptr<const LockRecord> there{}; ///< the same of several holders: what lies there, with those whom a majority has and others
  bool areOthers = false;                    ///< of `there`: none of the row's holders is among them
  bool operator==(const LockMember &) const = default;
};

constexpr double shownConfidence = 0.5; ///< below it a record is shown only when asked for, and never released

/// One lock as it was read at `seenAt`. A value; published as shared_ptr<const LockRecord> and never changed afterwards.
struct LockRecord {
  LockId id;
  std::string family;                       ///< slug, see FamilyRegistry
  std::vector<std::string> mayBe;           ///< slugs of other families whose locks lie there alike
  ValueType type = ValueType::Unknown;      ///< what its key holds; None if only keys beside it are there
  ScoreMeaning scores = ScoreMeaning::None; ///< of a sorted set's members
  LockKind kind = LockKind::Mutex;
  std::vector<Holder> holders;          ///< empty: free, but others wait
  std::vector<Waiter> queue;            ///< in order, where the family keeps one; cut at 1000, `waiters` stays exact
  std::optional<std::uint64_t> waiters; ///< nothing = unknown, never guessed as 0
  bool moreMayWait = false;             ///< `waiters` is a lower bound; without: nobody is known to wait, but whose places have lapsed or are lost may still
  std::optional<SteadyTime> expiresAt;  ///< nothing = never expires (or no holder)
  bool isOver = false;                  ///< its own bytes name an end that is past, and Redis keeps it: whoever asks next may take it
  std::optional<milliseconds> lease;    ///< the longest time to live seen in this hold: the full length of the bar
  std::optional<Fence> fence;
  std::optional<std::int64_t> number;  ///< of a lock that keeps no holders: permits that are free, or what a latch has left to count
  std::vector<MetadataEntry> extras;   ///< decoded from its bytes, sorted by name
  double confidence = 0;               ///< 0 … 1 that this is a lock of this family; see shownConfidence
  std::vector<Message> evidence;       ///< why it is known as what it is shown
  std::uint64_t unexpectedEntries = 0; ///< entries of its key that are not what its library writes
  std::vector<std::string> foreign;    ///< keys beside it that hold something else than what belongs there: bytes
  std::vector<std::string> closed;     ///< keys beside it of which it is not known what they hold, for they cannot be read: bytes
  std::uint64_t unread = 0;            ///< entries beyond the many that are read; holders are among them

  SteadyTime seenAt{};         ///< when the read that made this record was answered
  SteadyTime heldSince{};      ///< when this holder was first seen holding
  bool heldSinceExact = false; ///< true: its arrival was watched; false: it was there before, so this is a lower bound
  unsigned renewals = 0;       ///< leases seen renewed in this hold
  std::optional<SteadyTime> renewedAt;
  bool isShortened = false;                  ///< its lease was seen made shorter, and not longer since: what is left of it tells nothing of its holder
  std::optional<milliseconds> renewalPeriod; ///< typical time between renewals, once two were seen of the same one holder
  std::optional<SteadyTime> staleSince;      ///< the node's feed broke then; what is shown may have changed

  /// Of a lock that lies on several masters (see RedlockMerge): all of them, `id.node` first, those that others have last. Empty: it lies
  /// there alone.
  std::vector<LockMember> members;
  std::size_t sharedOn = 0; ///< of holders who lie on different masters each: on how many he who lies on most; 0: they lie together (see ShareFold)
  std::size_t masters = 0;  ///< with members: how many masters are watched; more than half of them make the lock held. Without: 0, or see tellAlone
  std::size_t unfollowed =
      0; ///< of these: how many are not followed and no members, and may have it too; of a cluster, how many of its masters are not watched either
  /// Of a lock that is several keys (rueidislock): how many carry its holder's token, and how many make it held; 0: of another kind.
  std::size_t votes = 0, neededVotes = 0;
  std::vector<Holder> outvoted; ///< … and who has others of its keys: each how many, as its count, and when the first of these lapses

  /// Other keys of this database whose rows name the same holder (see SharedTokens); of more than eight none is named.
  std::vector<LockName> alsoUnder;
  bool areManyUnder = false;

  bool areMoreToWait() const { return waiters && moreMayWait; }
  bool mayWaitStill() const { return !waiters && moreMayWait; }
  bool hasMajority() const;
  bool mayHaveMajority() const; ///< if those that are not followed have it too, or others of its keys
  /// Whether none of its holders has what lies on this one of its members, but somebody else.
  bool isOthers(const LockMember &member) const;
  std::size_t heldOn() const;     ///< how many of its members its holders have
  std::size_t seenLastOn() const; ///< … and on how many of these it is told as it was when they were followed last
  /// A vote that nobody has won: on each master another of the holders, none on most of them.
  bool isSplit() const;
  bool isHeld() const { return !holders.empty(); }
  std::uint64_t holdersAtMost() const { return holders.size() + unread; } ///< what was not read may hold it too
  bool isDoubtful() const { return confidence < shownConfidence; }        ///< looks like data more than like a lock
};

using LockRecordPtr = std::shared_ptr<const LockRecord>;

/// The re-entrancy depth of one holder, how many there are of several; the number of a lock that keeps none.
std::int64_t depthOf(const LockRecord &record);

/// The state to show at `now`. Stale beats NeverExpires beats Suspect beats Expiring beats Contended beats Held; Waiting is a
/// free lock with a queue; one of which all that was read has lapsed, and not all was read, is Suspect; a Redlock on too few masters, or under too few keys, is Suspect, and so is a hold whose own end is over. Expiring: under a tenth of the lease left (and under 10 s). Suspect: renewals were seen and two
/// periods have passed without one; never a claim that the holder is gone.
LockState stateAt(const LockRecord &record, SteadyTime now);

/// Time left of the lease at `now`, not below zero; nothing if it never expires.
std::optional<milliseconds> timeLeft(const LockRecord &record, SteadyTime now);

} // namespace lockhouse

template <> struct std::hash<lockhouse::LockId> {
  std::size_t operator()(const lockhouse::LockId &id) const noexcept {
    return std::hash<lockhouse::LockName>{}(id.key) * 31 + std::hash<lockhouse::NodeId>{}(id.node) * 7 + static_cast<std::size_t>(id.db);
  }
};
