// SPDX-License-Identifier: Apache-2.0
#include "core/release/warnings/release_warnings.h"

#include "core/base/message.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/plan/hold_selection.h"
#include "core/release/plan/remove_member.h"
#include "core/watch/fleet/redlock_candidates.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse {
namespace {

constexpr milliseconds leaseGrain(10); // of an end, as it is known by two clocks

// Holders with an end each, and what was seen renewed may be another's.
bool areApart(const LockRecord &record, const Family *family) {
  const bool hasEnds = record.type == ValueType::SortedSet || record.family == "redisson-permits" || record.family == "redisson-multilock" ||
                       (family && hasLeasePerHolder(*family, record.type));
  return hasEnds && (record.holdersAtMost() > 1 || record.unread > 0);
}

// Of a lease that its user did not choose, which its library renews, what is left of it tells since when: if it is that lease. A writer who
// enters again lengthens it, and readers share it.
std::optional<Message> usualLifeSign(const LockRecord &record, const Holder &holder, const Family *family, milliseconds left) {
  const bool isMixed = record.kind == LockKind::ReadWrite && (record.holdersAtMost() > 1 || holder.count > 1);
  if (!family || !family->lease || isMixed || std::max(left, record.lease.value_or(left)) > *family->lease + leaseGrain)
    return std::nullopt;
  const milliseconds lease = *family->lease, quiet = lease - left;
  if (*family->lease - left > *family->renewedEvery * 3 / 2)
    return LH_MESSAGE("PlanWords", "if its lease is the usual %1 of its library, which renews it every %2, it was last taken or renewed %3 ago and is overdue; "
                                   "its holder may still be working")(lease, *family->renewedEvery, quiet);
  return LH_MESSAGE("PlanWords", "if its lease is the usual %1 of its library, which renews it, it was taken or renewed %2 ago: the holder looks alive; "
                                 "releasing now lets the next client in while it may still be working")(lease, quiet);
}

// Of one among others, whose own lease is known.
std::optional<Message> ownLifeSign(const LockRecord &record, const Holder &holder, SteadyTime now) {
  const bool isOver = holder.expiresAt && *holder.expiresAt <= now; // of those who go before him the lock lasts
  if (!holder.expiresAt || (record.holdersAtMost() <= 1 && !isOver))
    return std::nullopt;
  if (!isOver)
    return LH_MESSAGE("PlanWords",
                      "the lease of this holder still runs for %1: it may still be working")(std::chrono::ceil<milliseconds>(*holder.expiresAt - now));
  return LH_MESSAGE("PlanWords", "the lease of this holder is over, and the lock lasts for the others: it renews no more, yet may still be working");
}

Message lifeSign(const LockRecord &record, const Holder &holder, const Family *family, SteadyTime now) {
  const auto left = timeLeft(record, now);
  if (record.isOver)
    return LH_MESSAGE("PlanWords", "the end that it names is past: whoever asks next may take it, and its holder may still be working");
  if (auto own = ownLifeSign(record, holder, now))
    return std::move(*own);
  if (areApart(record, family) && record.unread > 0 && !holder.expiresAt) // that he is there may have been asked for, that alone
    return LH_MESSAGE("PlanWords", "the end of this hold was not read: it may be over, or its holder may still be working");
  if (areApart(record, family))
    return left ? LH_MESSAGE("PlanWords", "the last of its leases still runs for %1; that of this holder may end sooner, and it may still be working")(*left)
                : LH_MESSAGE("PlanWords", "not all of its holds have an end, this one or another: whether its holder still works cannot be seen from Redis");
  if (!left)
    return LH_MESSAGE("PlanWords", "the lock never expires: whether its holder still works cannot be seen from Redis");
  if (auto usual = record.renewedAt || record.isShortened ? std::nullopt : usualLifeSign(record, holder, family, *left))
    return std::move(*usual);
  if (!record.renewedAt || record.holdersAtMost() > 1) // it may have been another who renewed
    return LH_MESSAGE("PlanWords", "the lease still runs for %1: the holder may still be working")(*left);
  const auto quiet = now - *record.renewedAt;
  if (stateAt(record, now) == LockState::Suspect)
    return LH_MESSAGE("PlanWords", "the holder last renewed %1 ago and is overdue; it may still be working")(quiet);
  return LH_MESSAGE("PlanWords", "the holder looks alive: it renewed %1 ago; releasing now lets the next client in while it may still be working")(quiet);
}

void addFair(std::vector<Message> &warnings, const LockRecord &record, SteadyTime now) {
  const auto head = std::ranges::find_if(record.queue, [now](const Waiter &waiter) { return !waiter.leavesAt || *waiter.leavesAt > now; });
  if (head == record.queue.end())
    return;
  if (!redisson::isOwner(head->id)) {
    warnings.push_back(
        LH_MESSAGE("PlanWords", "the head of the queue, %1, is no Redisson client: those behind it wait until its place lapses or is removed from %2")(
            named(head->id), safeText(redisson::queueKey(record.id.key.bytes()), 120)));
    return;
  }
  if (head->leavesAt)
    warnings.push_back(LH_MESSAGE(
        "PlanWords", "only the head of the queue, %1, may take the lock; its place lasts for another %2, and if it no longer listens everyone waits that long")(
        named(head->id), *head->leavesAt - now));
  else
    warnings.push_back(LH_MESSAGE(
        "PlanWords", "only the head of the queue, %1, may take the lock; its place lasts without an end, and if it no longer listens everyone waits that long")(
        named(head->id)));
}

void addReadWrite(std::vector<Message> &warnings, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto others = record.holdersAtMost() - 1;
  if (others > 0 && holder.mode == HoldMode::Read && !haveOthersEnded(record, holder, now))
    warnings.push_back(others == 1 ? otherReaderStays(others) : otherReadersStay(others));
}

// It renews a client's holds of one name by a count for each thread, and drops one level of a thread at each renewal that fails.
void addDeepHold(std::vector<Message> &warnings, const LockRecord &record, const Holder &holder, const Family *family) {
  constexpr std::int64_t mostLevels = 100'000'000; // of a count that no client wrote
  if (holder.count < 2 || !record.family.starts_with("redisson-") || !family || !family->renewedEvery)
    return;
  const auto unrenewed = *family->renewedEvery * std::min(holder.count, mostLevels);
  warnings.push_back(LH_MESSAGE("PlanWords",
                                "%1 is %2 deep: where Redisson's watchdog renews it, other threads of its client, the next owner too, may not be renewed for "
                                "about %3 and may lose the lock: end that process first")(briefly(holder.id), holder.count, unrenewed));
}

// Its library can keep it on most of several masters.
bool mayLieOnSeveral(const LockRecord &record) {
  return record.family == "token" || mayBeRedlock(record) || record.family == "distributedlock" || record.family == "distributedlock-rw";
}

constexpr auto repeatedHold = LH_MESSAGE(
    "PlanWords", "nothing tells this hold from the holder's next one: where it has given the lock back and taken it again after this was read, it loses that");

} // namespace

void addToken(std::vector<Message> &warnings, const LockRecord &record) {
  if (mayLieOnSeveral(record))
    warnings.emplace_back(severalNodes);
  if (record.family == "token" && record.confidence < 0.8 && !record.isDoubtful())
    warnings.push_back(
        LH_MESSAGE("PlanWords", "the key looks like a lock with a confidence of %1: make sure that it is one")(fmt::format("{:.2f}", record.confidence)));
}

// A record of Redisson's that counts its holds has its fence compared where one holds it; a time is another at the next hold.
std::optional<Message> repeatable(const LockRecord &record, const Holder &holder, const Family *family) {
  const auto isFixed = [&holder](const Form &form) { return form.element && form.element->text() == holder.id; };
  const bool isMark = namesNobody(holder.id) || (family && std::ranges::any_of(family->forms, isFixed));
  const bool isNameOfLock = record.family == "huey" && record.type == ValueType::Hash; // the field that stands for whoever holds it
  if ((record.type == ValueType::String && isMark) || isNameOfLock)
    return LH_MESSAGE(
        "PlanWords",
        "every owner writes the same there: one who takes the lock in this holder's place after this was read cannot be told from it, and loses it");
  const bool isFenced = record.family == "redisson-lock" && record.fence;
  if (isFenced || !family || !family->isHolderRepeated || isOnlyATime(holder.id))
    return std::nullopt;
  return repeatedHold;
}

std::optional<Message> mayRepeat(const LockRecord &record, const FamilyRegistry &families) {
  Families slugs;
  for (const std::string &slug : record.mayBe)
    if (const auto *family = families.find(slug); family && family->isHolderRepeated)
      slugs.slugs.push_back(slug);
  if (slugs.slugs.empty())
    return std::nullopt;
  return LH_MESSAGE("PlanWords", "where it is of %1, weigh this too; %2")(std::move(slugs), repeatedHold);
}

void dropSeveralNodes(std::vector<Message> &warnings, const LockRecord &row) {
  if (row.masters > 2 && row.heldOn() * 2 > row.masters)
    std::erase(warnings, severalNodes);
}

void addWaiters(std::vector<Message> &warnings, const LockRecord &record) {
  if (const auto waiters = record.waiters.value_or(0); waiters > 0)
    warnings.push_back(record.areMoreToWait() ? waiters == 1 ? LH_MESSAGE("PlanWords", "at least %1 waits for this lock")(waiters)
                                                             : LH_MESSAGE("PlanWords", "at least %1 wait for this lock")(waiters)
                       : waiters == 1 ? LH_MESSAGE("PlanWords", "%1 waits for this lock")(waiters)
                                              : LH_MESSAGE("PlanWords", "%1 wait for this lock")(waiters));
}

std::vector<Message> releaseWarnings(const LockRecord &record, const Holder &holder, const Family *family, SteadyTime now) {
  std::vector<Message> warnings{lifeSign(record, holder, family, now)};
  warnings.emplace_back(LH_MESSAGE(
      "PlanWords", "the evicted holder is not told: it goes on until its next renewal or release fails; only a fencing token protects what it writes"));
  addDeepHold(warnings, record, holder, family);
  addWaiters(warnings, record);
  if (record.family == "redisson-fair") // of our own the plan tells who is let in, and who is not
    addFair(warnings, record, now);
  else if (record.kind == LockKind::ReadWrite && record.family != "lockhouse-rw")
    addReadWrite(warnings, record, holder, now);
  addToken(warnings, record);
  return warnings;
}

} // namespace lockhouse
