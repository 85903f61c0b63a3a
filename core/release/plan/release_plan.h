// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"
#include "core/base/script.h"
#include "core/release/plan/effect.h"
#include "core/watch/record/lock_record.h"

namespace lockhouse {

/// What an operator wants: this lock, as held by this holder, freed, or its lease shortened, and why.
struct ReleaseIntent {
  LockId lock;
  std::string holder;                         ///< bytes, as shown by list
  std::optional<std::int64_t> count;          ///< the count the operator saw; nothing = the one in the record the plan is made from
  std::string reason;                         ///< kept in the audit log; required to apply
  std::optional<milliseconds> shortenTo = {}; ///< nothing: free it now
  double confidence = 0;                      ///< of its row, where other masters vouch for more than its own key does
  bool isPresumed = false;                    ///< its row was cut before this holder: the server is asked whether he is there
  bool isVouchedFor = false;                  ///< the operator knows that it is a lock, however little it looks like one
  std::optional<Fence> fence = {};            ///< the one the operator saw: another tells that the lock was acquired again
  std::optional<std::string> time = {};       ///< that the operator saw, as ReleasePlan::expectTime: another tells the same
  std::optional<ValueType> type = {};         ///< of the key that the operator saw: whoever holds one of another type is not who was meant
};

/// Shortened, Kept: of a lease that was to be shortened; Kept if it ends sooner anyway. Unreleasable: it is a lock, but nothing that could be done from outside would free it honestly; what can be done instead is told. Stopped: of many, not tried any more.
enum class Verdict { Released, Changed, AlreadyFree, NotALock, ReadOnly, NotAllowed, Unreachable, Unreleasable, Shortened, Kept, Stopped };
std::string_view name(
    Verdict
        verdict); ///< "released", "changed", "already-free", "not-a-lock", "read-only", "not-allowed", "unreachable", "unreleasable", "shortened", "kept", "stopped"

/// What is told of an attempt that touched nothing.
inline constexpr auto nothingWasChanged = LH_MESSAGE("PlanWords", "nothing was changed");

/// Whether it is now as it was asked for: Released, Shortened or Kept.
inline bool isAsAsked(std::optional<Verdict> verdict) { return verdict == Verdict::Released || verdict == Verdict::Shortened || verdict == Verdict::Kept; }

/// What would be done, exactly. Made without a write.
struct ReleasePlan {
  LockId lock;
  std::string family;
  const Script *script = nullptr;
  std::vector<std::string> keys; ///< KEYS of the script; keys[0] is the lock
  std::vector<std::string> args; ///< ARGV of the script
  std::string expectHolder;
  std::int64_t expectCount = 0;
  /// A time that lies with the hold and tells it from the next by the same holder, which the script compares too: Unix seconds, as they stand there.
  std::optional<std::string> expectTime = {};
  bool isRepeatable = false;           ///< nothing that the script compares tells this hold from the next by the same holder, or by another who writes the same
  std::vector<Effect> effects;         ///< in order
  std::vector<std::string> wakes;      ///< waiter ids that are told
  std::optional<std::string> next;     ///< who gets it next, where that is known
  std::vector<Message> warnings;       ///< the gravest first
  std::optional<Message> refusal = {}; ///< why this user's attempt would be refused; the first of the warnings then
  /// The verdict of one that is not sent, since its holder would keep the lock all the same or no script could take it; its refusal says why.
  std::optional<Verdict> heldBack = {};
  /// What is done besides, in order, each by a script of its own: where the keys lie in several slots of a cluster, each at the node that has it.
  std::vector<ReleasePlan> parts = {};
  std::size_t votes = 0;                ///< of a lock of several keys (LockRecord::neededVotes), how many of the holder's it is for; 0: of any other lock
  bool isWaitedFor = true;              ///< false: whoever does not get it goes on without it
  bool isNextUnheard = false;           ///< nobody was seen to listen for `next`, who alone may take it: if it is gone, everyone waits
  bool isOfCluster = false;             ///< it lies at a node of one, some of whose clients listen to sharded channels
  bool mayRepeat = false;               ///< isRepeatable, where it is of one of the libraries that its record may be of too
  std::vector<std::string> queued = {}; ///< of our own locks with a queue: its first hundred, to each of whom its script asks whether it may publish
};

/// Whether it is that script that does it.
inline bool runs(const ReleasePlan &plan, const Script &script) { return plan.script && plan.script->name == script.name; }

/// Whether it only lets a lease end sooner.
inline bool isShortening(const ReleasePlan &plan) { return plan.script && plan.script->name == "shorten-lease"; }

/// What came of one plan. `verdict` is nothing when only the plan was asked for.
struct ReleaseResult {
  LockId lock;
  std::string family;
  std::optional<ReleasePlan> plan; ///< nothing when none could be made
  std::optional<Verdict> verdict;
  LockRecordPtr now;       ///< what holds the lock now, read after the attempt; null = free
  std::string auditId;     ///< of the record written before the send; empty if nothing was sent
  Message detail;          ///< what came of it, or why there is no plan
  bool inDoubt = false;    ///< Unreachable after it was sent: it may have happened
  std::string holder = {}; ///< as the intent named him, bytes
  Message unrecorded = {}; ///< why the audit log has no outcome of it, which `detail` tells too; empty: it has, or none was due
};

/// The fence that tells this hold from the next one; nothing where others hold it too, who raise it.
inline std::optional<Fence> fenceSeen(const ReleaseResult &result) {
  return result.now && result.now->holders.size() == 1 && result.now->unread == 0 ? result.now->fence : std::nullopt;
}

/// Has `intent` name, of the hold that was planned, what tells it from the next one by the same holder, or under another type.
inline void seeAs(const ReleaseResult &planned, ReleaseIntent &intent) {
  intent.fence = fenceSeen(planned);
  intent.time = planned.plan ? planned.plan->expectTime : std::nullopt;
  intent.type = planned.now ? std::optional(planned.now->type) : std::nullopt;
}

/// Whose hold is meant: as the lock has him, where there is a plan.
inline const std::string &holderMeant(const ReleaseResult &result) { return result.plan ? result.plan->expectHolder : result.holder; }

} // namespace lockhouse
