// SPDX-License-Identifier: Apache-2.0
#include "core/release/plan/remove_member.h"

#include "core/base/hash_slot.h"
#include "core/base/lockhouse_names.h"
#include "core/base/message.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/scripts.h"
#include "core/watch/record/metadata.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {

namespace {

using Kind = Effect::Kind;

constexpr std::string_view onlyMay = "may";
constexpr milliseconds mayLast = seconds(1); // what is pushed where it only may be: nothing is left behind where it is none of that library's
constexpr auto mayPush = LH_MESSAGE(
    "PlanWords", "leaves one element in %1 for %2, once the lock is free, unless one lies there: where it is of %3, one waiter that is blocked there takes it");
constexpr auto tellsByInbox = LH_MESSAGE("PlanWords", "tells those in %1 by the inbox of each one's client (PUBLISH): they try again at once");
constexpr auto mayNotPush = LH_MESSAGE("PlanWords", "pushes nothing to %1: this user may not, and it only may be that somebody is blocked there");
constexpr auto mayNotTell = LH_MESSAGE("PlanWords", "tells nobody in %1: this user may not, and they try again by themselves");
constexpr std::size_t inboxPlace = 6; // among the arguments: the key of those who wait for a word in an inbox

// `push`, unless the list is none: then nobody is woken, and what should lie there is missing.
void addPush(ReleasePlan &plan, const LockRecord &record, const std::string &list, const std::string &pushed, Message push) {
  if (!isForeign(record, list))
    return plan.effects.push_back({Kind::Pushes, std::move(push)});
  plan.effects.push_back(wakesNone(list));
  plan.warnings.push_back(wakesNoneRisk(list, pushed));
}

// Who waits may be told too, of a plan that releases a token.
void toldBy(ReleasePlan &plan, const LockRecord &record, std::string_view whether) {
  plan.script = &release_scripts::releaseTold;
  plan.args.insert(plan.args.end(), {record.id.key.bytes(), std::string(whether), "1", std::to_string(mayLast.count()), ""});
}

Message leavesOne(const std::string &list, milliseconds lasts) {
  return lasts == milliseconds(0)
             ? LH_MESSAGE("PlanWords", "leaves one element in %1: one waiter that is blocked there takes the lock")(safeText(list, 80))
             : LH_MESSAGE("PlanWords", "leaves one element in %1 for %2: one waiter that is blocked there takes the lock")(safeText(list, 80), lasts);
}

Effect tells(const std::string &channel, const std::string &message) {
  return {Kind::Publishes,
          LH_MESSAGE("PlanWords", "publishes %1 on %2 (PUBLISH and SPUBLISH): who listens there tries again at once")(named(message), safeText(channel, 120)),
          true};
}

// Of what is empty, or begins or ends with a blank, nobody would see where it does.
std::string quotedWhereNeeded(std::string_view bytes, std::string text) {
  const bool isPlain = !bytes.empty() && bytes.front() != ' ' && bytes.back() != ' ';
  return isPlain ? text : '"' + text + '"';
}

} // namespace

std::string_view unitOfEnds(const LockRecord &record) {
  return record.scores == ScoreMeaning::Until ? "ms" : record.scores == ScoreMeaning::UntilSeconds ? "s" : "";
}

std::string lengthOf(const Holder &holder) { return holder.bytes > 0 ? std::to_string(holder.bytes) : std::string(); }

Message droppedPlaces(std::ptrdiff_t lapsed) {
  return lapsed == 1 ? LH_MESSAGE("PlanWords", "drops %1 lapsed place at the head of the queue")(lapsed)
                     : LH_MESSAGE("PlanWords", "drops %1 lapsed places at the head of the queue")(lapsed);
}

Effect nobodyTold() { return {Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: clients of this kind of lock try again by themselves")}; }

void sayIfNobodyWaits(ReleasePlan &plan, const Family &family) {
  const auto told = std::ranges::find(plan.effects, nobodyTold());
  if (family.waits != Waits::Never || told == plan.effects.end()) // it may be of a family whose clients are told
    return;
  plan.isWaitedFor = false;
  told->text = LH_MESSAGE("PlanWords", "tells nobody: nobody waits for it, whoever does not get it goes on without it");
}

std::string oldClientsOf(const LockRecord &record) {
  const auto old = std::ranges::find(record.extras, oldClients, &MetadataEntry::name);
  return old == record.extras.end() ? std::string() : old->value;
}

Effect tellsOldClients(const std::string &channel, std::string_view clients) {
  return {Kind::Publishes,
          LH_MESSAGE("PlanWords", "publishes 0 on %1 (PUBLISH) too, where clients of Redisson of 2016 listen: %2")(safeText(channel, 120), clients)};
}

Effect deletesToken(const std::string &key, const Holder &holder) {
  return {Kind::Deletes, LH_MESSAGE("PlanWords", "deletes %1 if its value is still %2")(named(key), briefly(holder.id))};
}

Effect takesOut(const Holder &holder, const std::string &key) {
  return {Kind::TakesOut, LH_MESSAGE("PlanWords", "takes %1 out of %2")(briefly(holder.id), named(key))};
}

Effect wakesNone(const std::string &list) {
  return {Kind::WakesNone, LH_MESSAGE("PlanWords", "pushes nothing to %1, which is no list: wakes nobody")(safeText(list, 80))};
}

Message wakesNoneRisk(const std::string &list, const std::string &pushed) {
  return LH_MESSAGE("PlanWords", "%1 holds something else than the list by which who waits is woken: nobody goes on before his own wait ends; move that key "
                                 "away first, or push %2 to a list of that name afterwards")(safeText(list, 80), briefly(pushed));
}

std::string named(std::string_view bytes) { return quotedWhereNeeded(bytes, safeText(bytes, 80)); }

// An escape is as wide as four letters.
std::string briefly(std::string_view bytes) {
  auto text = safeText(bytes, 80);
  return quotedWhereNeeded(bytes, std::ranges::count(text, '\\') > 20 ? safeText(bytes, 16) : std::move(text));
}

Message holdWords(const Holder &holder) {
  return holder.count <= 1 ? Message::verbatim(briefly(holder.id)) : LH_MESSAGE("PlanWords", "%1 (%2 deep)")(briefly(holder.id), holder.count);
}

bool isForeign(const LockRecord &record, const std::string &key) { return std::ranges::find(record.foreign, key) != record.foreign.end(); }

// Of those that were not read some may have lapsed, or hold nothing.
Message othersStay(const LockRecord &record) {
  const auto others = record.holdersAtMost() - 1;
  if (record.unread == 0)
    return othersStay(others);
  return others == 1 ? LH_MESSAGE("PlanWords", "at most %1 other hold stays")(others) : LH_MESSAGE("PlanWords", "at most %1 other holds stay")(others);
}

Message othersStay(std::size_t others) {
  return others == 1 ? LH_MESSAGE("PlanWords", "%1 other hold stays")(others) : LH_MESSAGE("PlanWords", "%1 other holds stay")(others);
}

void planPush(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::string &list, milliseconds lasts) {
  plan.script = &release_scripts::releasePush;
  plan.keys.push_back(list);
  plan.args = {holder.id, lengthOf(holder), "1", std::to_string(lasts.count())};
  plan.effects = {deletesToken(record.id.key.bytes(), holder)};
  addPush(plan, record, list, plan.args[2], leavesOne(list, lasts));
  if (!has(plan.effects, Kind::Pushes))
    return;
  plan.effects.insert(plan.effects.begin(), Effect{Kind::Clears, LH_MESSAGE("PlanWords", "empties %1")(safeText(list, 80))});
  std::ranges::rotate(plan.effects | std::views::drop(1), plan.effects.begin() + 2); // the lock goes last, as its library lets it
}

void pushWhereItMayBe(ReleasePlan &plan, const LockRecord &record, const std::string &list, std::string_view library) {
  if (isForeign(record, list))
    return;
  if (std::erase(plan.effects, nobodyTold()) > 0)
    toldBy(plan, record, onlyMay);
  plan.keys.push_back(list);
  plan.effects.push_back({Kind::Pushes, mayPush(safeText(list, 80), mayLast, library)});
}

void tellWhoListens(ReleasePlan &plan, const LockRecord &record) {
  const auto &key = record.id.key.bytes();
  auto waiters = own::listenersKey(key);
  if (record.family != "token" || placesIn(record) == 0 || isForeign(record, waiters))
    return;
  plan.keys.push_back(waiters);
  if (!isOfOneSlot(plan)) // its name has a brace of its own: in a cluster nobody waits there, since no script reaches both
    return plan.keys.pop_back();
  if (std::erase(plan.effects, nobodyTold()) > 0)
    toldBy(plan, record, onlyMay);
  plan.args[inboxPlace] = waiters;
  for (const auto &waiter : record.queue)
    if (!isLapsed(waiter, record.seenAt))
      plan.wakes.push_back(waiter.id);
  plan.effects.push_back({Kind::Publishes, tellsByInbox(safeText(waiters, 120))});
  constexpr std::uint64_t mostTold = 1024; // of its script
  if (placesIn(record) > mostTold)
    plan.effects.push_back(
        {Kind::Leaves, LH_MESSAGE("PlanWords", "tells at most %1 of them, those who asked last: the others try again by themselves")(mostTold)});
}

std::string whoListens(const ReleasePlan &plan) {
  const auto keys = listsItMayHave(plan);
  return !keys.empty() && std::ranges::find(keys, plan.args[inboxPlace]) != keys.end() ? plan.args[inboxPlace] : std::string();
}

std::span<const std::string> listsItMayHave(const ReleasePlan &plan) {
  return runs(plan, release_scripts::releaseTold) ? std::span(plan.keys).subspan(1) : std::span<const std::string>();
}

Effect *pushItMayNeed(ReleasePlan &plan, std::string_view list) {
  const auto isOfList = [&](const Effect &each) {
    return each.text.isAbout(mayPush, safeText(list, 80)) || each.text.isAbout(tellsByInbox, safeText(list, 120));
  };
  const auto effect = std::ranges::find_if(plan.effects, isOfList);
  return effect == plan.effects.end() ? nullptr : &*effect;
}

bool onlyMayWake(const ReleasePlan &part) { return runs(part, release_scripts::wakeList) && part.args.size() > 2 && part.args[2] == onlyMay; }

void leaveUnpushed(ReleasePlan &plan, const std::string &list) {
  auto *push = pushItMayNeed(plan, list);
  if (push && push->kind == Kind::Publishes) {
    *push = {Kind::Leaves, mayNotTell(safeText(list, 120))};
    plan.wakes.clear();
  } else if (push) {
    *push = {Kind::WakesNone, mayNotPush(safeText(list, 80))};
  }
  std::erase_if(plan.parts, [&list](const ReleasePlan &part) { return onlyMayWake(part) && part.keys.front() == list; });
  if (!listsItMayHave(plan).empty())
    std::erase(plan.keys, list);
}

std::vector<Message> leftUnpushed(const ReleasePlan &plan) {
  std::vector<Message> left;
  for (const auto &effect : plan.effects)
    if (effect.text.is(mayNotPush) || effect.text.is(mayNotTell) || effect.text.is(outOfReach))
      left.push_back(effect.text);
  return left;
}

void planTaking(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::string &element, Taken taken) {
  plan.script = &release_scripts::releaseMember;
  if (!taken.list.empty())
    plan.keys.push_back(taken.list);
  plan.args = {std::string(name(record.type)),
               element,
               taken.expected,
               taken.pushed,
               std::to_string(taken.lasts.count()),
               std::to_string(taken.channels.size()),
               taken.message,
               taken.sign,
               taken.seen,
               record.type == ValueType::SortedSet && record.unexpectedEntries > 0 ? std::string() : taken.counted, // of those scores may be anything
               std::to_string(record.unexpectedEntries),
               taken.isOwner ? "owner" : ""};
  for (const auto &more : {taken.channels, taken.others})
    plan.args.insert(plan.args.end(), more.begin(), more.end());
  plan.effects = {takesOut(holder, plan.keys.front())};
  if (record.holdersAtMost() > 1)
    plan.effects.push_back({Kind::Stays, taken.counted == "all" ? othersStay(record.holdersAtMost() - 1) : othersStay(record)});
  if (!taken.pushed.empty())
    addPush(plan, record, taken.list, taken.pushed,
            taken.lasts == milliseconds(0)
                ? LH_MESSAGE("PlanWords", "pushes one element to %1: one waiter that is blocked there goes on")(safeText(taken.list, 80))
                : leavesOne(taken.list, taken.lasts));
  for (const auto &channel : taken.channels)
    plan.effects.push_back(tells(channel, taken.message));
  if (taken.pushed.empty() && taken.channels.empty())
    plan.effects.push_back(nobodyTold());
}

void tellOthersLeft(ReleasePlan &plan, std::size_t others) {
  std::erase_if(plan.effects, [](const Effect &effect) { return effect.kind == Kind::Stays; });
  const auto isTaken = [](const Effect &effect) { return effect.kind == Kind::TakesOut; };
  if (others > 0)
    plan.effects.insert(std::ranges::find_if_not(plan.effects, isTaken), Effect{Kind::Stays, othersStay(others)});
}

bool addTimeoutKeys(ReleasePlan &plan, const Holder &holder, std::int64_t &room) {
  const auto count = std::min(holder.count, room);
  for (std::int64_t i = 1; i <= count; ++i)
    plan.keys.push_back(redisson::readerLeaseKey(plan.lock.key.bytes(), holder.id, i));
  room -= count;
  return count == holder.count;
}

void planTold(ReleasePlan &plan, const LockRecord &record, const Holder &holder, const std::vector<std::string> &channels, bool onlyMayBe) {
  const auto &message = record.id.key.bytes();
  plan.args = {holder.id, lengthOf(holder)};
  toldBy(plan, record, onlyMayBe ? onlyMay : "must");
  plan.effects = {deletesToken(record.id.key.bytes(), holder)};
  for (const auto &channel : channels) {
    plan.args.push_back(channel);
    plan.effects.push_back(tells(channel, message));
  }
}

void planKeys(ReleasePlan &plan, const Holder &holder, std::size_t compared) {
  plan.script = &release_scripts::releaseKeys;
  plan.args = {holder.id, std::to_string(compared)};
  plan.effects = {deletesToken(plan.keys[0], holder)};
  for (std::size_t i = 1; i < plan.keys.size(); ++i)
    plan.effects.push_back({Kind::Deletes, i < compared ? LH_MESSAGE("PlanWords", "deletes %1 if its value is still the same")(named(plan.keys[i]))
                                                        : LH_MESSAGE("PlanWords", "deletes %1")(named(plan.keys[i]))});
}

bool isOfOneSlot(const ReleasePlan &plan) {
  return std::ranges::all_of(plan.keys, [&](const std::string &key) { return hashTag(key) == hashTag(plan.keys.front()); });
}

} // namespace lockhouse
