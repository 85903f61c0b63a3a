// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/watch/detect/family_registry.h"
#include "core/watch/scan/type_predictor.h"

#include <string_view>

namespace lockhouse {

/// What the reads of one node have shown so far.
struct ReadHeuristics {
  TypePredictor types;
  unsigned probes = 0;
  bool mayCountListeners = true;   ///< PUBSUB NUMSUB is not refused
  bool mayCountSharded = false;    ///< it is a node of a cluster, and PUBSUB SHARDNUMSUB is not refused
  bool mayWeigh = true;            ///< MEMORY USAGE is not refused
  unsigned sessionTokenBudget = 0; ///< how many tokens under names of sessions may still be read completely; see NodeWatcher::startScan
  const FamilyRegistry *families = &FamilyRegistry::builtIn();
  bool mayCount() const { return mayCountListeners || mayCountSharded; }
};

/// The cheapest reads that tell a lock from other data, one command at a time, each bounded whatever the key holds:
///   string: STRLEN, which mostly tells that it is no token, or that it is a long one under a lock's name; then, or first where it seldom tells, GETRANGE of the head.
///   hash: MEMORY USAGE; of a small one the fields named as Redisson's owners, by HSCAN MATCH, or under a lock's name the first of all; of a
///   larger one HLEN, and of a huge one, or of more than two fields that are not three by three, a few counts of locked values, by HSCAN MATCH,
///   and the length of `mode`; of one that is heavy for its few fields only the latter.
///   sorted set: MEMORY USAGE, and of one that is not huge the first members.
///   Of names like those of many that were light, only a sample is weighed.
///   Where MEMORY USAGE is refused all are taken for small. (HRANDFIELD is younger, and not among the least rights that we ask for.)
///   Lists, sets: nothing, their names tell. So do those of other types that a family names.
///   unknown: TYPE.
enum class Probe : std::uint8_t {
  Type,
  Size,
  Head,
  Length,
  HeavyLength,
  HashWeight,
  Owners,
  Field,
  Mode,
  LockCounts,
  ModeLength,
  MemberWeight,
  Member,
  // verdicts
  StringLock, ///< may be a lock: read it completely
  HashLock,   ///< the same
  ListLock,
  SetLock,
  SortedSetLock,
  NoLock,
  Absent,
  Refused, ///< this key is not to be read: NOPERM, or another node's slot
  Failed,  ///< any other error: the connection, LOADING …
};

/// Whether a string of this name that opens with these bytes may be a lock.
bool mayBeString(std::string_view key, std::string_view value, const FamilyRegistry &families);
/// Whether the name contains words of locks only.
bool namesLock(std::string_view key, ValueType type = ValueType::None);
constexpr std::string_view lockCounts = "*:lock_count"; ///< of a Redisson RFasterMultiLock: one field for each value that is locked

constexpr bool isVerdict(Probe probe) { return probe >= Probe::StringLock; }
/// The bytes that the key holds, by the answer to MEMORY USAGE: the server counts its name too, which may be long.
std::int64_t weightOf(std::int64_t usage, std::string_view key);
/// The type in an answer to TYPE; Unknown if the key is absent or the answer is an error.
ValueType typeIn(const Result<Reply> &answer);
/// The type of a key that may be a lock by this verdict; Unknown for the other verdicts.
ValueType lockType(Probe verdict);

/// Whether an error reply that begins with this word concerns only the key: its slot is another node's, or the user's key
/// patterns exclude it.
bool isOfOneKey(std::string_view failureWord);
/// Whether no node of the cluster serves the key, or all keys of the command, now: its slot is being moved, or no node has it.
bool isUnserved(std::string_view failureWord);
/// Whether an error reply concerns only the command: it is unknown, or this user may not run it.
bool isOfCommand(const Reply &failure);

/// A verdict at once if the name tells both the type and that it may be a lock; the read finds out if the guess was wrong.
Probe firstProbe(std::string_view key, const ReadHeuristics &heuristics);
Command probeCommand(Probe probe, std::string_view key);
/// The answer to `asked` leads to a verdict or to the next probe.
Probe judge(Probe asked, std::string_view key, const Result<Reply> &answer, ReadHeuristics &heuristics);

} // namespace lockhouse
