// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/release/plan/release_plan.h"
#include "core/watch/detect/family.h"

#include <span>

namespace lockhouse {

/// What is taken out of a lock with several holders, and what tells those who wait.
struct Taken {
  std::string expected = {};          ///< of a hash: the value that the operator saw; empty: any; of a list "first", where the others in it wait
  bool isOwner = false;               ///< that value is who has locked the element; else how often its holder has
  std::string list = {}, pushed = {}; ///< a list, and what is pushed to it
  milliseconds lasts{0};              ///< what is pushed; zero = until it is taken
  std::vector<std::string> channels = {};
  std::string message = {};             ///< on each of them
  std::string sign = {}, seen = {};     ///< what else tells how he holds it, and what the operator saw there: of a hash its value, else "1"; empty: not there
  std::vector<std::string> others = {}; ///< that go with the holder
  std::string counted = {};             ///< how the other holders are told by what lies there: "all", "ms", "s"; empty: they are not
};

// Each fills script, further keys, arguments and effects of a plan that names its lock.

/// `element` of the lock's hash, set, sorted set or list.
void planTaking(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::string &element, Taken taken);
/// Whether one script may touch all keys of `plan` at a node of a cluster: their names put them into one slot.
/// Source: Redis cluster specification, hash tags.
bool isOfOneSlot(const ReleasePlan &plan);
/// Others may have come or gone by the time its script ran: how many holds it left then, by its answer, in place of what was planned.
void tellOthersLeft(ReleasePlan &plan, std::size_t others);
/// A token, and an element left in `list`, where waiters are blocked.
void planPush(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::string &list, milliseconds lasts);
/// Of a token that nobody is told of, or planTold(): an element for an instant in a list on which waiters are blocked if the lock is of `library`,
/// which it only may be. What cannot be done of that keeps nobody from releasing it.
void pushWhereItMayBe(ReleasePlan &plan, const LockRecord &record, const std::string &list, std::string_view library);
/// Of the same: has those told by the inboxes of their clients who wait for a Mutex of Lockhouse's by policy pubsub, as its holder's own release would.
/// Nothing where nobody was seen to. They ask again by themselves, so that what cannot be done of it keeps nobody from releasing it either.
void tellWhoListens(ReleasePlan &plan, const LockRecord &record);
/// Where these are written down; empty: none is told.
std::string whoListens(const ReleasePlan &plan);
/// The lists of a plan that it may push to so, and where those are written down; they are the last of its keys.
std::span<const std::string> listsItMayHave(const ReleasePlan &plan);
/// The effect that tells of such a push, or word; null: there is none.
Effect *pushItMayNeed(ReleasePlan &plan, std::string_view list);
/// Whether `part` is such a push, by a script of its own, where the list lies in another slot of a cluster.
bool onlyMayWake(const ReleasePlan &part);
/// Leaves such a push, or word, out, and has the plan say that this user may not do it.
void leaveUnpushed(ReleasePlan &plan, const std::string &list);
/// An effect that wakes nobody, since its list lies where no connection leads to.
inline constexpr auto outOfReach =
    LH_MESSAGE("PlanWords", "pushes nothing to %1, which lies on %2, a node of this cluster that is not watched or not reached: wakes nobody");
/// Which were left out so.
std::vector<Message> leftUnpushed(const ReleasePlan &plan);
/// A token, and a message on the channels that waiters listen to; where the lock only may be of their library, a user who may not publish there
/// releases it all the same.
void planTold(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::vector<std::string> &channels, bool onlyMayBe);
/// The first `compared` of plan.keys if they hold the token, and the others with them.
void planKeys(ReleasePlan &plan, const Holder &holder, std::size_t compared);

/// Redisson keeps one timeout key per re-entry of a reader; beyond this many they are left to lapse by themselves.
inline constexpr std::int64_t mostTimeoutKeys = 1024;
/// The timeout keys of one hold, as long as `room` lasts; false when it did not.
bool addTimeoutKeys(ReleasePlan &plan, const Holder &holder, std::int64_t &room);

/// Of a holder who was not read whole: how many bytes he has, as the scripts that compare him want it; see compare_token.lua.
std::string lengthOf(const Holder &holder);

/// "ms" or "s" of a lock that is a sorted set whose scores are the ends of its holds; empty: they are not.
std::string_view unitOfEnds(const LockRecord &record);

/// A key, or who waits, as a plan's sentence names it; in quotation marks where it is empty, or begins or ends with a blank.
std::string named(std::string_view bytes);
/// A holder, or another value, as a plan's sentence names it: whole where it is text of a usual length; in quotation marks as a key.
std::string briefly(std::string_view bytes);
/// The same, with how often he holds it.
Message holdWords(const Holder &holder);
/// How many clients of Redisson of 2016 wait for it, on a channel of their own; empty: none is known to.
std::string oldClientsOf(const LockRecord &record);
/// Of the keys beside it, one that holds something else than what belongs there.
bool isForeign(const LockRecord &record, const std::string &key);
/// "2 other holds stay"; of a lock that was not read whole "at most 200 other holds stay".
Message othersStay(std::size_t others);
Message othersStay(const LockRecord &record);

// Effects that several families share.
Message droppedPlaces(std::ptrdiff_t lapsed); ///< at the head of a queue
Effect nobodyTold();
void sayIfNobodyWaits(ReleasePlan &plan, const Family &family);               ///< in its place, of a family whose clients never wait
Effect tellsOldClients(const std::string &channel, std::string_view clients); ///< of Redisson, and how many
Effect deletesToken(const std::string &key, const Holder &holder);
Effect takesOut(const Holder &holder, const std::string &key);
Effect wakesNone(const std::string &list);                                 ///< which holds something else
Message wakesNoneRisk(const std::string &list, const std::string &pushed); ///< of that

} // namespace lockhouse
