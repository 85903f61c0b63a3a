// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/shorten_plan.h"

#include "core/base/message.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"
#include "core/release/warnings/family_warnings.h"
#include "core/release/warnings/release_warnings.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse {
namespace {

constexpr auto renewsTooLate =
    LH_MESSAGE("PlanWords", "its library renews it every %1 where its user chose nothing else: a holder that lives comes too late for %2, and loses it too");

constexpr auto sharedByAll = LH_MESSAGE("PlanWords", "all of its holders share one time to live; release the hold");
constexpr auto ofANumber = LH_MESSAGE("PlanWords", "its holders are a number that nobody can name, with one lease together: it would end for all of them");
constexpr auto ofSeveralKeys = LH_MESSAGE("PlanWords", "its lease is not that of this key alone, or the key holds more than the lock; release the hold");

// A reader of a lock whose readers are a set beside its key, which has one time to live.
bool isInSet(const Family &family, const LockRecord &record, const Holder &holder) {
  return record.type == ValueType::String && holder.mode == HoldMode::Read &&
         std::ranges::find(family.companion, Role::Readers, &CompanionKey::role) != family.companion.end();
}

// A key that holds the lock of these families and nothing else, under the time to live of its holder. The gem redis-lock never gives it one:
// a holder who lives would write a new end beside it, and lose the lock all the same.
bool isAllOfIt(const Family &family, const LockRecord &record) {
  if (record.type == ValueType::String)
    return family.slug != "mlanett-redis-lock" &&
           std::ranges::none_of(family.companion, [](const CompanionKey &companion) { return companion.role == Role::Vote; });
  return record.type != ValueType::Hash || family.slug == "redisson-lock" || family.slug == "redisson-fair" || family.slug == "redisson-rw" ||
         family.slug == "handmade-count";
}

Message refusalWords(const Family &family, const LockRecord &record, const Holder &holder, std::string_view unit) {
  if (family.releaseClass.contains('C'))
    return LH_MESSAGE("PlanWords", "whoever waits is blocked on a list and would not be told when the lease ends; release the hold");
  if (family.releaseClass.contains('J')) {
    auto words = adviceOf(family);
    words.insert(words.begin(), LH_MESSAGE("PlanWords", "a job hangs on it that would go on without it"));
    return Message::joined(std::move(words));
  }
  if (!isAllOfIt(family, record))
    return ofSeveralKeys;
  if (isInSet(family, record, holder) || (record.type != ValueType::String && record.type != ValueType::Hash && record.type != ValueType::SortedSet))
    return record.expiresAt ? sharedByAll : LH_MESSAGE("PlanWords", "it has no lease that could be shortened; release the hold");
  if (record.type == ValueType::SortedSet && unit.empty())
    return LH_MESSAGE("PlanWords", "when a hold lapses is known to its library's clients alone; release the hold");
  if (record.kind == LockKind::Latch || (record.kind == LockKind::Semaphore && record.type == ValueType::String))
    return record.isHeld() ? LH_MESSAGE("PlanWords", "each of its permits has a lease of its own, or none; release the permit")
                           : LH_MESSAGE("PlanWords", "a number has no lease of a holder's; release a permit where they are named");
  if (record.type == ValueType::String && releaseWayOf(family, record.id.key.bytes(), holder.mode).releaseClass.contains('E'))
    return ofANumber;
  const bool isMany = record.holdersAtMost() > 1;
  if (isMany && record.family == "redisson-rw" && std::ranges::all_of(record.holders, [](const Holder &one) { return one.mode == HoldMode::Read; }))
    return LH_MESSAGE("PlanWords", "each of its readers has a lease of its own, and the lock lasts as long as the longest of them; release the hold");
  if (isMany && record.type != ValueType::SortedSet)
    return sharedByAll;
  return {};
}

// The end that its value names, which its clients go by, in ms since 1970; empty: it names none.
std::string endInValue(const LockRecord &record) {
  const bool isToCome = record.type == ValueType::String && !record.isOver;
  const auto until = isToCome ? std::ranges::find(record.extras, "until", &MetadataEntry::name) : record.extras.end();
  const auto end = until == record.extras.end() ? std::nullopt : instantOf(until->value);
  return end ? std::to_string(end->count()) : std::string();
}

constexpr auto asksInTurn = LH_MESSAGE("PlanWords", "tells nobody: who waits asks again every third of his own lease; a release lets the next one in at once");
constexpr std::string_view registrys = "spring-integration"; // whose clients wait for a message, where they are set to

Effect tellsNobody(const Family &family) {
  if (family.slug == "redisson-fair")
    return {Effect::Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: nobody in the queue looks before the time that he was given when he came")};
  if (family.waits == Waits::Queued && family.slug.starts_with("lockhouse-"))
    return {Effect::Kind::Leaves, asksInTurn};
  return family.slug == registrys ? Effect{Effect::Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: who waits for a message hears none when a lease ends")}
                                  : nobodyTold();
}

// Who sleeps until the end that he saw has to look again, or the lock lies free until then.
void addWaiters(ReleasePlan &plan, const LockRecord &record, const Family &family) {
  const auto &key = record.id.key.bytes();
  if (plan.family != "redisson-lock" && plan.family != "redisson-rw")
    return plan.effects.push_back(tellsNobody(family));
  const bool isShared = plan.family == "redisson-rw";
  const auto channel = isShared ? redisson::rwChannel(key) : redisson::lockChannel(key);
  plan.args.resize(std::max<std::size_t>(plan.args.size(), 6));
  plan.args.push_back(channel);
  plan.args.emplace_back(isShared ? "10" : "0");
  if (record.fence && !isShared) {
    plan.keys.push_back(redisson::fenceKey(key));
    plan.args.push_back(std::to_string(record.fence->value));
  }
  plan.effects.push_back(
      {Effect::Kind::Publishes,
       isShared ? LH_MESSAGE("PlanWords",
                             "publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): every waiting reader and writer sees when it ends now")(safeText(channel, 120))
                : LH_MESSAGE("PlanWords",
                             "publishes 0 on %1 (PUBLISH and SPUBLISH): in each waiting client one waiter sees when it ends now")(safeText(channel, 120)),
       true});
  if (const auto old = oldClientsOf(record); !old.empty()) {
    plan.args.resize(9); // the fence's place
    plan.args.push_back(isShared ? redisson::oldRwChannel(key) : redisson::oldLockChannel(key));
    plan.effects.push_back(tellsOldClients(plan.args.back(), old));
  }
}

void addSleepers(ReleasePlan &plan, const LockRecord &record, const Family &family, const FamilyRegistry &families) {
  sayIfNobodyWaits(plan, family);
  addWaiters(plan.warnings, record);
  if (plan.family == "redisson-fair" && record.waiters != 0U)
    plan.warnings.emplace_back(
        LH_MESSAGE("PlanWords", "the head of the queue sleeps until the lease that it saw would have ended; a release wakes it at once"));
  if (plan.family == registrys)
    plan.warnings.emplace_back(
        LH_MESSAGE("PlanWords", "where its clients wait for messages, lock() looks again when the registry's expireAfter has passed, 60 s unless it was set, "
                                "and tryLock() when its own time is over; those that poll come within 100 ms; a release tells all of them"));
  Families deaf;
  for (const std::string &slug : record.mayBe)
    if (const auto *other = families.find(slug); other && other->releaseClass.find_first_of("BC") != std::string::npos)
      deaf.slugs.push_back(slug);
  if (family.isUsers && family.releaseClass.contains('B'))
    deaf.slugs.push_back(family.slug);
  if (!deaf.slugs.empty())
    plan.warnings.push_back(LH_MESSAGE(
        "PlanWords",
        "where it is of %1, who waits for a message hears none when the lease ends, and sleeps until his own wait does; a release tells him")(std::move(deaf)));
}

} // namespace

std::expected<ReleasePlan, Refusal> planShorten(const LockRecord &record, const Holder &holder, milliseconds to, const FamilyRegistry &families,
                                                SteadyTime now) {
  const auto *family = families.find(record.family);
  if (!family)
    return std::unexpected(Refusal{Verdict::NotALock, LH_MESSAGE("PlanWords", "the family %1 is not known here")(safeText(record.family, 40))});
  const auto unit = unitOfEnds(record);
  if (auto words = refusalWords(*family, record, holder, unit); !words.empty())
    return std::unexpected(Refusal{Verdict::Unreleasable, std::move(words)});
  if (record.isOver && record.family != "setnx-legacy") // which may name when a hold without end began
    return std::unexpected(Refusal{Verdict::Kept, LH_MESSAGE("PlanWords", "kept: the end that it names is past, and whoever asks next may take it")});
  const auto &key = record.id.key.bytes();
  ReleasePlan plan;
  plan.lock = record.id;
  plan.family = record.family;
  plan.script = &release_scripts::shortenLease;
  plan.keys = {key};
  const bool isCounted = record.family.starts_with("redisson-") || record.family == "handmade-count";
  plan.args = {std::string(name(record.type)), holder.id, record.type == ValueType::Hash && isCounted ? std::to_string(holder.count) : lengthOf(holder),
               std::to_string(to.count()), std::string(unit)};
  if (auto end = endInValue(record); !end.empty())
    plan.args.push_back(std::move(end));
  if (record.family == "symfony" && !unit.empty())
    plan.args[2] = "last"; // its store ends the key so
  if (record.family == "symfony" && holder.mode == HoldMode::Write && holder.id != "__write__")
    plan.args.emplace_back("__write__"); // it keeps the lock closed as long as it lasts itself
  if (auto room = mostTimeoutKeys; record.family == "redisson-rw" && holder.mode == HoldMode::Read && !addTimeoutKeys(plan, holder, room))
    return std::unexpected(Refusal{Verdict::Unreleasable, ofSeveralKeys}); // by a lease that is left to one the lock's would come back
  if (record.family == "redisson-rw")
    plan.args.push_back(std::to_string(2 + strangers(record))); // a reader who comes meanwhile would lose his hold with this one
  if (record.family == "lockhouse-semaphore") {                 // a member for each of its permits
    plan.args[1] += "/1";
    for (std::int64_t permit = 2; permit <= holder.count; ++permit)
      plan.args.push_back(fmt::format("{}/{}", holder.id, permit));
  }
  plan.expectHolder = holder.id;
  plan.expectCount = holder.count;
  plan.effects = {{Effect::Kind::Shortens, LH_MESSAGE("PlanWords", "lets the hold of %1 end in %2, if it does not end sooner anyway")(briefly(holder.id), to)}};
  addWaiters(plan, record, *family);
  addSleepers(plan, record, *family, families);
  if (record.renewalPeriod)
    plan.warnings.push_back(
        LH_MESSAGE("PlanWords", "its holder has renewed it every %1: where that is less, it lengthens the lease again, and lives")(*record.renewalPeriod));
  else if (family->renewedEvery && to <= *family->renewedEvery)
    plan.warnings.push_back(renewsTooLate(*family->renewedEvery, to));
  else
    plan.warnings.emplace_back(LH_MESSAGE("PlanWords", "a holder that renews in time lengthens the lease again: then it lives"));
  addEviction(plan, record, holder, *family, families, Eviction::Lapse);
  if (const auto left = timeLeft(record, now); !left)
    plan.warnings.emplace_back(LH_MESSAGE("PlanWords", "it never expires: its library may count on that"));
  return plan;
}

bool comesTooLate(const ReleasePlan &plan) {
  return std::ranges::any_of(plan.warnings, [](const Message &warning) { return warning.is(renewsTooLate); });
}

} // namespace lockhouse
