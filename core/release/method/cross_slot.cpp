// SPDX-License-Identifier: Apache-2.0
// What libraries do on a cluster whose names have no part in braces: python-redis-lock and walrus lock there by commands of one key, but the
// scripts by which they release name two, and are refused; rueidislock gives each of its keys a command of its own.
#include "core/release/method/cross_slot.h"

#include "core/base/hash_slot.h"
#include "core/base/safe_text.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"
#include "core/watch/detect/family_registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lockhouse {
namespace {

using Kind = Effect::Kind;

std::string typeIn(const Result<Reply> &answer) { return answer ? std::string(answer->text().value_or("")) : std::string(); }

void unrisk(ReleasePlan &plan) { std::erase(plan.warnings, severalSlots); }

void refuse(ReleasePlan &plan) {
  plan.refusal = LH_MESSAGE("PlanWords", "refused on this cluster: the names of its keys put them into several slots, where no script may touch them together");
  plan.heldBack = Verdict::Unreleasable;
  std::vector<std::string> keys;
  for (const auto &key : plan.keys)
    keys.push_back(named(key));
  plan.warnings.insert(
      plan.warnings.begin(),
      {*plan.refusal,
       LH_MESSAGE("PlanWords", "by hand it can be done key by key, each on the master that serves it, and nothing keeps them together meanwhile: %1")(
           fmt::format("{}", fmt::join(keys, ", ")))});
}

ReleasePlan partOf(const ReleasePlan &plan, const KeyPlace &place, const Script &script, std::vector<std::string> args) {
  ReleasePlan part;
  part.lock = {place.at.node, place.at.db, LockName(place.key)};
  part.family = plan.family;
  part.script = &script;
  part.keys = {place.key};
  part.args = std::move(args);
  part.expectHolder = plan.expectHolder;
  part.expectCount = plan.expectCount;
  return part;
}

// Of a key that no watched master serves, the node that does, as one of them said.
std::string unwatchedNode(const KeyPlace &place) {
  const auto moved = place.type ? std::string(place.type->failure()) : std::string();
  return safeText(moved.substr(moved.rfind(' ') + 1), 80);
}

// The list lies on a node that no connection leads to.
Effect wakesNoneThere(const KeyPlace &list) { return {Kind::WakesNone, outOfReach(safeText(list.key, 80), unwatchedNode(list))}; }

void leaveUnwoken(ReleasePlan &plan, Effect &push, const KeyPlace &list) {
  const auto node = unwatchedNode(list);
  push = wakesNoneThere(list);
  plan.warnings.push_back(
      LH_MESSAGE("PlanWords", "%1 lies on %2, a node of this cluster that is not watched or not reached: nobody goes on before his own wait ends; watch that "
                              "node too, or push %3 to the list there afterwards")(safeText(list.key, 80), node, briefly(plan.args[2])));
}

void wakeApart(ReleasePlan &plan, const KeyPlace &list) {
  std::ranges::stable_partition(plan.effects, [](const Effect &effect) { return effect.kind == Kind::Deletes; }); // the list comes after it here
  if (const auto type = typeIn(list.type); !isServed(list.type) || (!type.empty() && type != "none" && type != "list"))
    std::erase_if(plan.effects, [](const Effect &effect) { return effect.kind == Kind::Clears; });
  const auto push = std::ranges::find_if(plan.effects, [](const Effect &effect) { return effect.kind == Kind::Pushes || effect.kind == Kind::WakesNone; });
  const auto type = typeIn(list.type);
  if (!isServed(list.type)) {
    leaveUnwoken(plan, *push, list);
  } else if (push->kind == Kind::Pushes && !type.empty() && type != "none" && type != "list") {
    *push = wakesNone(list.key);
    plan.warnings.push_back(wakesNoneRisk(list.key, plan.args[2]));
  } else if (push->kind == Kind::Pushes) {
    auto part = partOf(plan, list, release_scripts::wakeList, {plan.args[2], plan.args[3]});
    part.effects = {*push};
    plan.parts.push_back(std::move(part));
    plan.effects.push_back(
        {Kind::Leaves, LH_MESSAGE("PlanWords", "does that by a script of its own, once the lock is free: %1 lies in another slot of this cluster, on %2")(
                           safeText(list.key, 80), safeText(list.at.node.bytes(), 80))});
  }
  plan.script = &release_scripts::releaseToken;
  plan.keys.resize(1);
  plan.args.resize(2);
}

bool isClosed(const KeyPlace &place) { return place.type && place.type->failureWord() == "NOPERM"; }

// A master that refuses a key to this user says so whether it has it or not.
bool isSeen(const KeyPlace &place) { return isServed(place.type) && !isClosed(place); }

// Whether those that lie where nobody looks may be most of its keys. It has three, or as many as are there; whether it has two more that this user may
// not read nobody knows.
bool mayBeKept(std::span<const KeyPlace> places) {
  constexpr std::size_t usual = 3;
  const auto isAbsent = [](const KeyPlace &place) { return isSeen(place) && typeIn(place.type) == "none"; };
  const auto isThere = [&](const KeyPlace &place) { return isSeen(place) && !isAbsent(place); };
  for (auto keys = usual; keys <= places.size(); keys += 2) {
    const auto more = places.subspan(keys), next = more.first(std::min<std::size_t>(2, more.size()));
    const auto unseen = std::ranges::count_if(places.first(keys), [](const KeyPlace &place) { return !isSeen(place); });
    if (std::ranges::any_of(more, isThere))
      continue;
    if (static_cast<std::size_t>(unseen) * 2 > keys)
      return true;
    if (std::ranges::none_of(next, isClosed) || std::ranges::any_of(next, isAbsent))
      return false;
  }
  return false;
}

void refuseClosed(ReleasePlan &plan, const KeyPlace &first) {
  plan.refusal = LH_MESSAGE(
      "PlanWords", "refused: this user may not read %1 and others of its keys, most of which may be its holder's, who would keep it then")(named(first.key));
  plan.heldBack = Verdict::NotAllowed;
  plan.warnings.insert(plan.warnings.begin(), *plan.refusal);
}

void refuseUnwatched(ReleasePlan &plan, std::span<const KeyPlace> places) {
  std::set<std::string> nodes;
  for (const auto &place : places)
    if (auto node = isServed(place.type) ? std::string() : unwatchedNode(place); !node.empty())
      nodes.insert(std::move(node));
  plan.refusal = LH_MESSAGE("PlanWords", "refused: most of its keys may lie on masters of this cluster that are not watched or not reached, so its holder "
                                         "would keep it; watch these too (--url), or wait until they answer: %1")(fmt::format("{}", fmt::join(nodes, ", ")));
  plan.heldBack = Verdict::Unreleasable;
  plan.warnings.insert(plan.warnings.begin(), *plan.refusal);
}

// Those that are here; where others lie, the lock has a plan there too.
void voteApart(ReleasePlan &plan, std::span<const KeyPlace> places) {
  const auto told = plan.effects.back();
  const Holder holder{plan.expectHolder, plan.expectCount, HoldMode::Exclusive};
  std::vector<ReleasePlan> all;
  bool areElsewhere = false;
  for (const auto &place : places) {
    const bool isHere = isSeen(place) && place.at.node == plan.lock.node && place.at.db == plan.lock.db;
    areElsewhere |= !isHere;
    if (isHere && typeIn(place.type) != "none") {
      all.push_back(partOf(plan, place, release_scripts::releaseToken, {plan.expectHolder}));
      all.back().effects = {deletesToken(place.key, holder)};
    }
  }
  const auto closed = std::ranges::find_if(places, isClosed);
  if (closed != places.end() && (all.empty() || mayBeKept(places)))
    return refuseClosed(plan, *closed);
  if (all.empty())
    return refuse(plan);
  plan.script = all.front().script;
  plan.keys = all.front().keys;
  plan.args = all.front().args;
  plan.effects.clear();
  for (const auto &each : all)
    plan.effects.push_back(each.effects.front());
  plan.effects.push_back({Kind::Leaves, LH_MESSAGE("PlanWords", "takes each key by a script of its own: they lie in several slots of this cluster")});
  plan.effects.push_back(told);
  if (areElsewhere)
    plan.warnings.emplace_back(
        LH_MESSAGE("PlanWords", "its other keys may lie on other masters of this cluster: the lock is free only when most of its keys are released"));
  plan.parts.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
  if (mayBeKept(places))
    refuseUnwatched(plan, places);
}

// Each list by the master that has it, but for those in the lock's own slot; who waits where nobody looks is not woken.
void wakeWhereTheyLie(ReleasePlan &plan, std::span<const KeyPlace> places) {
  for (const auto &place : places) {
    auto *push = pushItMayNeed(plan, place.key);
    if (push == nullptr || hashTag(place.key) == hashTag(plan.keys.front()))
      continue;
    if (isServed(place.type)) {
      auto part = partOf(plan, place, release_scripts::wakeList, {plan.args[4], plan.args[5], plan.args[3]});
      part.effects = {*push};
      plan.parts.push_back(std::move(part));
    } else {
      *push = wakesNoneThere(place);
    }
    std::erase(plan.keys, place.key);
  }
}

bool isRefused(Verdict verdict) { return verdict == Verdict::Unreachable || verdict == Verdict::NotAllowed || verdict == Verdict::ReadOnly; }

// Where it only may be that somebody is blocked there: nothing follows from what could not be done.
ScriptResult withWakeUp(ScriptResult whole, const std::string &list, const ScriptResult &answer) {
  if (answer.verdict == Verdict::NotALock)
    whole.detail = Message::joined({whole.detail, LH_MESSAGE("PlanWords", "nothing was pushed to %1, which is no list")(list)});
  else if (answer.verdict != Verdict::Released)
    whole.detail =
        Message::joined({whole.detail, LH_MESSAGE("PlanWords", "nothing could be pushed to %1: %2")(list, answer.detail.without(nothingWasChanged))});
  return whole;
}

} // namespace

bool mayWakeApart(const ReleasePlan &plan) { return !plan.parts.empty() && std::ranges::all_of(plan.parts, onlyMayWake); }

std::vector<std::string> keysToFind(const ReleasePlan &plan) {
  if (const auto lists = listsItMayHave(plan); !lists.empty())
    return {lists.begin(), lists.end()};
  if (runs(plan, release_scripts::releasePush))
    return {plan.keys[1]};
  if (!runs(plan, release_scripts::releaseKeys) || plan.keys.size() < 2)
    return {};
  auto votes = memberKeys(*FamilyRegistry::builtIn().find("rueidislock"), plan.lock.key.bytes());
  if (votes.empty() || votes.front() != plan.keys[1]) // what goes with it is another lock's
    return {};
  votes.insert(votes.begin(), plan.lock.key.bytes());
  return votes;
}

bool isServed(const Result<Reply> &answer) { return answer && answer->failureWord() != "MOVED"; }

void takeApart(ReleasePlan &plan, std::span<const KeyPlace> places) {
  unrisk(plan);
  if (places.empty())
    refuse(plan);
  else if (!listsItMayHave(plan).empty())
    wakeWhereTheyLie(plan, places);
  else if (runs(plan, release_scripts::releasePush))
    wakeApart(plan, places.front());
  else
    voteApart(plan, places);
}

bool isDue(const ReleasePlan &part, const ScriptResult &whole) { return !runs(part, release_scripts::wakeList) || whole.verdict == Verdict::Released; }

ScriptResult withPart(ScriptResult whole, const ReleasePlan &part, const ScriptResult &answer) {
  const auto key = named(part.keys.front());
  if (runs(part, release_scripts::wakeList)) {
    if (onlyMayWake(part))
      return withWakeUp(std::move(whole), key, answer);
    if (answer.verdict == Verdict::Released)
      whole.detail =
          Message::joined({whole.detail, LH_MESSAGE("PlanWords", "one element was left in %1: one waiter that is blocked there takes the lock")(key)});
    else if (answer.verdict == Verdict::NotALock)
      whole.detail = Message::joined({whole.detail, LH_MESSAGE("PlanWords", "nothing was pushed to %1, which is no list: who waits was not told")(key)});
    else
      whole.detail = Message::joined(
          {whole.detail, LH_MESSAGE("PlanWords", "nothing could be pushed to %1, so nobody was woken: %2")(key, answer.detail.without(nothingWasChanged))});
    return whole;
  }
  if (whole.verdict == Verdict::Released && isRefused(answer.verdict))
    return {answer.verdict, LH_MESSAGE("PlanWords", "some of its keys are released, but not %1: %2")(key, answer.detail), answer.inDoubt};
  const bool saysMore = !isRefused(whole.verdict) && whole.verdict != Verdict::Released &&
                        (answer.verdict == Verdict::Released || answer.verdict == Verdict::Changed || isRefused(answer.verdict));
  return saysMore ? answer : whole;
}

} // namespace lockhouse
