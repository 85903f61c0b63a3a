// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/family_plan.h"

#include "core/base/lockhouse_names.h"
#include "core/base/message.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/method/fair_plan.h"
#include "core/release/method/lockhouse_locks.h"
#include "core/release/method/read_write_plan.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"
#include "core/release/warnings/family_warnings.h"
#include "core/watch/record/metadata.h"
#include "core/watch/text/id_time.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lockhouse {
namespace {

using Kind = Effect::Kind;

constexpr milliseconds wakeUpLasts{1000}; // for who comes too late to be woken

void planToken(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  plan.script = &release_scripts::releaseToken;
  plan.args = {holder.id, lengthOf(holder)};
  plan.effects = {deletesToken(record.id.key.bytes(), holder), nobodyTold()};
}

// Where each of its entries is a hold, or one that has lapsed.
std::string countedOf(const LockRecord &record, const Family &family) {
  if (hasLeasePerHolder(family, record.type) || record.type == ValueType::List || std::ranges::any_of(family.forms, &Form::isAmidOthers))
    return {};
  const auto unit = unitOfEnds(record);
  return unit.empty() ? "all" : std::string(unit);
}

// The list by which one who waits is woken.
std::optional<std::string> signalOf(const Family &family, std::string_view lock) {
  for (const auto &companion : family.companion)
    if (companion.role == Role::Signal && family.releaseClass.contains('C'))
      if (auto list = companionName(family, companion.key, lock))
        return list;
  return std::nullopt;
}

// Several of one version of a library where the name can be read in several ways: a registry of Spring Integration may have colons.
std::vector<std::string> channelsOf(const Family &family, std::string_view lock) {
  constexpr std::size_t mostReadings = 8;
  std::vector<std::string> channels;
  for (const auto &channel : {family.channel, family.alsoChannel})
    if (channel && family.releaseClass.contains('B'))
      std::ranges::move(companionNames(family, *channel, lock, mostReadings), std::back_inserter(channels));
  return channels;
}

void planMember(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family) {
  Taken taken;
  taken.counted = countedOf(record, family);
  taken.channels = channelsOf(family, record.id.key.bytes());
  taken.message = record.id.key.bytes();
  if (auto list = signalOf(family, record.id.key.bytes())) {
    taken.list = std::move(*list);
    taken.pushed = "1";
    taken.lasts = wakeUpLasts;
  }
  if (record.type == ValueType::Hash && record.family == "handmade-count")
    taken.expected = std::to_string(holder.count);
  const auto isOfLine = [&](const Form &form) { return form.type == record.type && isLine(family, form); };
  const bool isFirstOfLine = record.family == "handmade-list" || std::ranges::any_of(family.forms, isOfLine);
  if (isFirstOfLine && record.type == ValueType::List)
    taken.expected = "first";
  if (constexpr std::string_view mark = "__write__"; record.family == "symfony" && holder.id != mark) {
    taken.sign = mark;
    if (holder.mode == HoldMode::Write) {
      taken.seen = "1";
      taken.others = {std::string(mark)};
    }
  }
  const bool isMarked = taken.seen == "1";
  planTaking(plan, record, holder, holder.id, std::move(taken));
  if (isMarked)
    plan.effects.insert(plan.effects.begin() + 1, takesOut(Holder{"__write__"}, record.id.key.bytes()));
  if (isFirstOfLine && !record.queue.empty())
    plan.next = record.queue.front().id;
}

void planPermit(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  const auto &key = record.id.key.bytes();
  const auto channel = redisson::semaphoreChannel(key);
  const bool isOurs = holder.id.size() > 36; // a permit of Lockhouse's own lies apart
  plan.script = &release_scripts::releaseRedissonPermit;
  plan.keys.push_back(isOurs ? own::companion("permits", key) : redisson::permitsKey(key));
  if (isOurs)
    plan.keys.push_back(own::companion("capacity", key));
  plan.args = {holder.id, channel};
  if (record.type == ValueType::None)
    plan.warnings.emplace_back(
        LH_MESSAGE("PlanWords", "its number of free permits is missing: as in its library's own release it begins anew with this one, whatever it was before"));
  const auto free = std::ranges::find(record.extras, "free", &MetadataEntry::name);
  const bool isBelowNone = free != record.extras.end() && free->value.starts_with('-');
  plan.effects = {
      {Kind::TakesOut, LH_MESSAGE("PlanWords", "takes the permit %1 back and counts it as free")(briefly(redisson::asKnown(record.family, holder.id)))},
      {Kind::Publishes,
       isBelowNone
           ? LH_MESSAGE("PlanWords", "publishes the new number on %1 (PUBLISH and SPUBLISH): nobody goes on before it is more than 0")(safeText(channel, 120))
           : LH_MESSAGE("PlanWords", "publishes the new number on %1 (PUBLISH and SPUBLISH): a waiter that it is enough for goes on")(safeText(channel, 120)),
       true}};
  if (isOurs)
    plan.effects.push_back({Kind::Deletes, LH_MESSAGE("PlanWords", "deletes %1 if its client made it and all permits are free then")(named(key))});
}

// The holder is "value:owner"; its three fields go together.
void planLockedValue(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  const auto colon = holder.id.find(':');
  const auto value = holder.id.substr(0, colon);
  const auto owner = colon == holder.id.npos ? std::string() : holder.id.substr(colon + 1);
  planTaking(plan, record, holder, value,
             {.expected = owner,
              .isOwner = true,
              .channels = {redisson::lockChannel(record.id.key.bytes())},
              .message = "0",
              .sign = holder.count > 0 ? holder.id + ":lock_count" : std::string(), // what is no number is not known by it
              .seen = std::to_string(holder.count),
              .others = {holder.id + ":expire_time", holder.id + ":lock_count"}});
}

void planMajority(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  auto others = memberKeys(*FamilyRegistry::builtIn().find("rueidislock"), record.id.key.bytes());
  auto seen = record.votes;
  for (const auto &other : record.outvoted)
    seen += static_cast<std::size_t>(other.count);
  if (seen <= 5) // of nine five are most; where there may be more than are looked for, as many as can be named
    others.resize(std::min<std::size_t>(others.size(), 4));
  std::ranges::move(others, std::back_inserter(plan.keys));
  planKeys(plan, holder, plan.keys.size());
  plan.effects.push_back({Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: its clients are told by the server that the keys changed")});
}

void planOwnerAndEnd(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto *family = FamilyRegistry::builtIn().find("mlanett-redis-lock");
  for (const auto &end : family->companion) // of which a name in a namespace has one, and any other name another
    if (auto name = companionName(*family, end.key, record.id.key.bytes()); name && plan.keys.size() < 2)
      plan.keys.push_back(std::move(*name));
  if (plan.keys.size() < 2)
    return planToken(plan, record, holder, now);
  plan.script = &release_scripts::releaseOwner;
  const auto until = std::ranges::find(record.extras, "until", &MetadataEntry::name);
  const auto end = until == record.extras.end() ? std::nullopt : instantOf(until->value);
  plan.args = {holder.id, lengthOf(holder), end ? std::to_string(std::chrono::floor<seconds>(*end).count()) : std::string()};
  if (end)
    plan.expectTime = plan.args[2];
  plan.effects = {deletesToken(plan.keys[0], holder),
                  {Kind::Deletes, LH_MESSAGE("PlanWords", "deletes %1 if it is the time at which this hold ends")(safeText(plan.keys[1], 80))},
                  nobodyTold()};
}

void planDistributed(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  if (holder.mode != HoldMode::Read)
    return planToken(plan, record, holder, now);
  constexpr std::string_view writer = ".writer";
  const auto &key = record.id.key.bytes();
  auto readers = record;
  readers.type = ValueType::Set;
  plan.keys = {key.substr(0, key.size() - std::min(key.size(), writer.size())) + ".readers"};
  planTaking(plan, readers, holder, holder.id, {.counted = "all"});
  if (record.holdersAtMost() == 1 && !record.queue.empty()) // the writer whose mark keeps new readers out
    plan.next = record.queue.front().id;
}

void planPermits(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  planTaking(plan, record, holder, holder.id, {});
  plan.script = &release_scripts::releaseNumberedPermits;
  plan.args = {holder.id, std::to_string(holder.count)};
  if (holder.count > 1)
    plan.effects.insert(plan.effects.begin() + 1, Effect{Kind::TakesOut, LH_MESSAGE("PlanWords", "with it go all %1 of its permits")(holder.count)});
}

void planWeighed(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  constexpr std::string_view ends = ":time";
  const auto &key = record.id.key.bytes();
  planTaking(plan, record, holder, holder.id, {});
  plan.keys.push_back(key.substr(0, key.size() - std::min(key.size(), ends.size())) + ":weight");
  plan.script = &release_scripts::releaseWeighed;
  plan.args = {holder.id, std::to_string(holder.count)};
  const auto &weights = plan.keys.back();
  const bool isMissing = std::ranges::any_of(record.evidence, [&](const Message &fact) { return fact.isAbout(companionIsMissing, safeText(weights, 120)); });
  if (!isMissing && !isForeign(record, weights))
    plan.effects.insert(plan.effects.begin() + 1, takesOut(holder, weights));
}

void planGrabbed(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  constexpr std::string_view grabbed = ":GRABBED";
  const auto &key = record.id.key.bytes();
  planTaking(plan, record, holder, holder.id, {.list = key.substr(0, key.size() - grabbed.size()) + ":AVAILABLE", .pushed = holder.id, .counted = "all"});
  if (const auto push = std::ranges::find(plan.effects, Kind::Pushes, &Effect::kind); push != plan.effects.end())
    push->text =
        LH_MESSAGE("PlanWords", "pushes one element to %1 unless it lies there already: one waiter that is blocked there goes on")(safeText(plan.keys[1], 80));
}

std::string digestOf(const LockRecord &record) {
  constexpr std::string_view locked = ":LOCKED";
  const auto &key = record.id.key.bytes();
  return key.substr(0, key.size() - std::min(key.size(), locked.size()));
}

// A sorted set of all digests, in the namespace of this one. By another prefix of the digests none can be told; they do not change its name.
std::string registry(const std::string &digest, std::string_view registryName) {
  constexpr std::string_view prefix = ":uniquejobs:";
  const auto end = digest.rfind(prefix);
  return fmt::format("{}uniquejobs:{}", end == digest.npos ? std::string_view() : std::string_view(digest).substr(0, end + 1), registryName);
}

bool isOnly(const LockRecord &record) { return record.holdersAtMost() == 1; }

void planUniqueJob(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  const auto digest = digestOf(record);
  planTaking(plan, record, holder, holder.id, {.list = digest + ":QUEUED", .pushed = "1"});
  plan.script = &release_scripts::releaseUniqueJob;
  const auto digests = registry(digest, "digests"), expiring = registry(digest, "expiring_digests");
  for (const auto &other : {digest, digest + ":PRIMED", digest + ":INFO", digests, expiring})
    plan.keys.push_back(other);
  plan.args = {holder.id, digest, "5000", "", "string", "list", "string", "zset", "zset"};
  if (isOnly(record))
    plan.effects.insert(plan.effects.begin() + 1,
                        Effect{Kind::Clears, LH_MESSAGE("PlanWords", "clears the digest's marker, :PRIMED, :INFO and its entries in %1 and %2")(
                                                 safeText(digests, 80), safeText(expiring, 80))});
  const auto push = std::ranges::find(plan.effects, Kind::Pushes, &Effect::kind);
  if (push == plan.effects.end())
    return;
  const auto queue = safeText(plan.keys[1], 80);
  if (isOnly(record))
    plan.effects.insert(push, Effect{Kind::Clears, LH_MESSAGE("PlanWords", "empties %1")(queue)});
  plan.effects.push_back({Kind::Shortens, LH_MESSAGE("PlanWords", "lets all of %1 lapse in %2")(queue, seconds(5))});
}

// The ninth version has nobody wait, and one registry.
void planUniqueJob9(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  planTaking(plan, record, holder, holder.id, {});
  plan.script = &release_scripts::releaseUniqueJob;
  const auto digest = digestOf(record);
  plan.keys.push_back(registry(digest, "digests"));
  plan.args = {holder.id, digest, "", "", "zset"};
  if (isOnly(record))
    plan.effects.insert(plan.effects.begin() + 1,
                        Effect{Kind::Clears, LH_MESSAGE("PlanWords", "clears the digest's entry in %1")(safeText(plan.keys.back(), 80))});
}

void planReentrant(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  const auto &key = record.id.key.bytes();
  const auto channel = redisson::lockChannel(key);
  plan.script = &release_scripts::releaseRedissonLock;
  plan.keys.push_back(redisson::queueKey(key)); // so that a queue which came meanwhile is not left asleep
  plan.args = {holder.id, std::to_string(holder.count), channel, std::to_string(1 + strangers(record))};
  if (record.fence) { // of a holder who has acquired it again with the same count, that alone tells
    plan.keys.push_back(redisson::fenceKey(key));
    plan.args.push_back(std::to_string(record.fence->value));
  }
  plan.effects = {
      {Kind::Deletes, LH_MESSAGE("PlanWords", "deletes %1 and with it the hold of %2")(named(key), holdWords(holder))},
      {Kind::Publishes,
       LH_MESSAGE("PlanWords", "publishes 0 on %1 (PUBLISH and SPUBLISH): in each waiting client one waiter tries again at once")(safeText(channel, 120)),
       true}};
  const auto old = oldClientsOf(record);
  if (old.empty())
    return;
  const auto oldChannel = redisson::oldLockChannel(key);
  plan.args.resize(5); // the fence's place
  plan.args.push_back(oldChannel);
  plan.effects.push_back(tellsOldClients(oldChannel, old));
}

struct Planner {
  std::string_view family;
  void (*plan)(ReleasePlan &, const LockRecord &, const Holder &, SteadyTime);
};
constexpr std::array planners{
    Planner{"lockhouse-handoff", planHandoff},
    Planner{"lockhouse-list-fair", planQueueLock},
    Planner{"lockhouse-zset-fair", planQueueLock},
    Planner{"lockhouse-rw", planReaders},
    Planner{"lockhouse-semaphore", planLeasedPermits},
    Planner{"redisson-lock", planReentrant},
    Planner{"redisson-fair", planFair},
    Planner{"redisson-rw", planReadWrite},
    Planner{"redisson-permits", planPermit},
    Planner{"redisson-multilock", planLockedValue},
    Planner{"rueidislock", planMajority},
    Planner{"distributedlock-rw", planDistributed},
    Planner{"mlanett-redis-lock", planOwnerAndEnd},
    Planner{"gem-redis-semaphore", planGrabbed},
    Planner{"sidekiq-unique-jobs", planUniqueJob},
    Planner{"redis-semaphore", planPermits},
    Planner{"symfony-semaphore", planWeighed},
    Planner{"sidekiq-unique-jobs-9", planUniqueJob9},
};

// Of one that leaves the same bytes: a message that nobody hears does no harm.
std::vector<std::string> channelsItMayHave(const LockRecord &record, const FamilyRegistry &families) {
  const auto &lock = record.id.key.bytes();
  std::vector<std::string> channels;
  for (auto slug = record.mayBe.begin(); channels.empty() && slug != record.mayBe.end(); ++slug)
    if (const auto *other = families.find(*slug))
      channels = channelsOf(*other, lock);
  return channels;
}

// The same by a push to a list.
void addPushesItMayNeed(ReleasePlan &plan, const LockRecord &record, const FamilyRegistry &families) {
  for (const auto &slug : record.mayBe) {
    const auto *other = families.find(slug);
    if (const auto list = other ? signalOf(*other, record.id.key.bytes()) : std::nullopt)
      pushWhereItMayBe(plan, record, *list, slug);
  }
}

// Its name says whose it is, and others that leave such bytes are not what it is.
bool isSureByName(const LockRecord &record) {
  constexpr double sure = 0.93; // as a family's file says it of a name and a value that are both its own
  return record.family != "token" && record.confidence >= sure;
}

// The others, by what their key holds and by their class.
void planByType(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const Family &family, const FamilyRegistry &families, SteadyTime now) {
  if (record.type == ValueType::Hash || record.type == ValueType::Set || record.type == ValueType::SortedSet || record.type == ValueType::List)
    return planMember(plan, record, holder, family);
  if (const auto list = signalOf(family, record.id.key.bytes()))
    return planPush(plan, record, holder, *list, family.slug == "walrus" ? milliseconds(0) : wakeUpLasts);
  if (const auto channels = channelsOf(family, record.id.key.bytes()); !channels.empty())
    planTold(plan, record, holder, channels, channels.size() > (family.alsoChannel ? 2U : 1U));
  else if (const auto others = isSureByName(record) ? std::vector<std::string>() : channelsItMayHave(record, families); !others.empty())
    planTold(plan, record, holder, others, true);
  else
    planToken(plan, record, holder, now);
  tellWhoListens(plan, record);
  if (!isSureByName(record))
    addPushesItMayNeed(plan, record, families);
}

Message refusalWords(const Family &family, const ReleaseWay &way) {
  std::vector<Message> words{way.releaseClass.contains('J') ? LH_MESSAGE("PlanWords", "a job hangs on it that would go on without it")
                                                            : LH_MESSAGE("PlanWords", "nothing tells who holds it, so nobody's hold can be taken away")};
  if (family.slug == "suo")
    words = {LH_MESSAGE("PlanWords", "its holders lie in one packed value, which only its own library can rewrite")};
  for (auto advice : {adviceOf(family), adviceOf(way)})
    std::ranges::move(advice, std::back_inserter(words));
  return Message::joined(std::move(words));
}

bool isHonest(const Family &family, const ReleaseWay &way) { return !way.releaseClass.contains('J') && way.releaseClass != "E" && family.slug != "suo"; }

} // namespace

std::optional<Refusal> refusalOf(const LockRecord &record, const FamilyRegistry &families) {
  const auto *family = families.find(record.family);
  if (!family)
    return Refusal{Verdict::NotALock, LH_MESSAGE("PlanWords", "the family %1 is not known here")(safeText(record.family, 40))};
  const auto way = releaseWayOf(*family, record.id.key.bytes(), record.isHeld() ? record.holders.front().mode : HoldMode::Exclusive);
  if (!isHonest(*family, way))
    return Refusal{Verdict::Unreleasable, refusalWords(*family, way)};
  if (record.family == "redisson-permits" && record.type != ValueType::None &&
      std::ranges::find(record.extras, "free", &MetadataEntry::name) == record.extras.end())
    return Refusal{Verdict::Unreleasable,
                   LH_MESSAGE("PlanWords", "%1 holds no number of free permits, so none can be given back to it; write there how many it has in all less those "
                                           "that are out (SET), and release then")(named(record.id.key.bytes()))};
  return std::nullopt;
}

std::expected<ReleasePlan, Refusal> planFamily(const LockRecord &record, const Holder &holder, const FamilyRegistry &families, SteadyTime now) {
  if (auto refusal = refusalOf(record, families))
    return std::unexpected(std::move(*refusal));
  const auto *family = families.find(record.family);
  ReleasePlan plan;
  plan.lock = record.id;
  plan.family = record.family;
  plan.keys = {record.id.key.bytes()};
  plan.expectHolder = holder.id;
  plan.expectCount = holder.count;
  if (const auto *planner = std::ranges::find(planners, record.family, &Planner::family); planner != planners.end())
    planner->plan(plan, record, holder, now);
  else
    planByType(plan, record, holder, *family, families, now);
  sayIfNobodyWaits(plan, *family);
  addFamilyWarnings(plan, record, holder, *family, families);
  return plan;
}

} // namespace lockhouse
