// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/fair_plan.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"
#include "core/release/warnings/family_warnings.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace lockhouse {
namespace {

using Kind = Effect::Kind;

constexpr std::uint64_t mostLooked = 10'000; // places
constexpr std::uint64_t lookedAtOnce = 400;  // of which a server tells within 2 ms
constexpr std::size_t ofQueue = 5;           // what look_fair_queue.lua tells before its places

bool isFair(const ReleasePlan &plan) { return runs(plan, release_scripts::releaseRedissonFair); }

std::optional<std::int64_t> signedNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string_view textAt(const Reply::Array &words, std::size_t i) { return words[i].text().value_or(std::string_view{}); }

void addDropped(ReleasePlan &plan, std::ptrdiff_t lapsed, bool isAll) {
  if (lapsed == 0)
    return;
  plan.effects.push_back({Kind::Drops, isAll ? droppedPlaces(lapsed)
                                             : LH_MESSAGE("PlanWords", "drops at least %1 lapsed places at the head of the queue, in several runs")(lapsed)});
}

} // namespace

void planFair(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto &key = record.id.key.bytes();
  plan.script = &release_scripts::releaseRedissonFair;
  plan.keys.push_back(redisson::queueKey(key));
  plan.keys.push_back(redisson::timeoutKey(key));
  plan.args = {holder.id, std::to_string(holder.count), redisson::lockChannel(key), std::to_string(1 + strangers(record))};

  const auto odd = std::ranges::find_if(plan.keys, [&](const std::string &companion) { return isForeign(record, companion); });
  if (odd != plan.keys.end())
    plan.warnings.push_back(LH_MESSAGE(
        "PlanWords", "%1 beside it holds something else: the scripts of Redisson's clients fail on it, and nobody gets this lock before it is moved away")(
        safeText(*odd, 120)));
  const auto *head = firstWaiter(record, now);
  const bool mayWait = record.moreMayWait && record.waiters.value_or(0) == 0; // all that was there was read
  const bool isRead = mayWait || (record.waiters && placesIn(record) <= record.queue.size());
  const auto lapsed = head ? head - record.queue.data() : std::ssize(record.queue);
  addDropped(plan, lapsed, isRead || head);
  if (lapsed > 0 || mayWait)
    plan.warnings.emplace_back(
        LH_MESSAGE("PlanWords", "whose place in the queue has lapsed may wait still: he is told nothing, and looks again when the lease ends that he saw"));
  plan.effects.push_back({Kind::Deletes, LH_MESSAGE("PlanWords", "deletes %1 and with it the hold of %2")(named(key), holdWords(holder))});
  if (!head) {
    const auto &queue = plan.keys[1];
    plan.effects.push_back(
        isForeign(record, queue) ? Effect{Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: %1 is no list, so nobody queues there")(safeText(queue, 80))}
        : isRead
            ? Effect{Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: the queue is empty")}
            : Effect{Kind::Publishes,
                     LH_MESSAGE(
                         "PlanWords",
                         "publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), which gets the lock next: its name was not read"),
                     true});
    return;
  }
  if (!redisson::isOwner(head->id)) {
    plan.effects.push_back({Kind::Leaves, LH_MESSAGE("PlanWords", "wakes nobody: the head of the queue, %1, is no Redisson client")(named(head->id))});
    return;
  }
  const bool maySucceed = odd == plan.keys.end();
  if (maySucceed)
    plan.next = head->id;
  plan.wakes = {head->id};
  plan.effects.push_back(
      {Kind::Publishes,
       maySucceed ? LH_MESSAGE("PlanWords", "publishes 0 on the own channel of %1 (PUBLISH and SPUBLISH), which gets the lock next")(named(head->id))
                  : LH_MESSAGE("PlanWords", "publishes 0 on the own channel of %1 (PUBLISH and SPUBLISH)")(named(head->id)),
       true});
}

bool FairLook::goesOn() const { return isCut && looked < mostLooked; }

std::optional<Command> fairLookOf(const ReleasePlan &plan, const LockRecord &lock, const FairLook &before) {
  if (!isFair(plan) || (lock.waiters && placesIn(lock) == 0))
    return std::nullopt;
  return Command{
      "EVAL", release_scripts::lookFairQueue.body, "2", plan.keys[1], plan.keys[2], plan.args[2], std::to_string(before.looked), std::to_string(lookedAtOnce)};
}

bool addTo(FairLook &look, const Result<Reply> &answer, SteadyTime now) {
  if (!answer || answer->isFailure() || answer->array().size() < ofQueue || (answer->array().size() - ofQueue) % 3 != 0)
    return false;
  const auto &words = answer->array();
  const auto numberAt = [&words](std::size_t i) { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, words[i].integer().value_or(0))); };
  const bool hasPlaces = words.size() > ofQueue;
  look.isTold = true;
  look.lapsed += numberAt(0);
  look.atHead += look.unheard.empty() ? numberAt(4) : 0;
  look.looked += lookedAtOnce;
  if (hasPlaces)
    look.isAlone = (look.unheard.empty() || look.isAlone) && numberAt(2) == 1;
  look.length = numberAt(3);
  for (std::size_t i = ofQueue; i < words.size() && !look.first; i += 3) {
    const auto left = signedNumber(textAt(words, i + 1));
    Waiter waiter{std::string(textAt(words, i)), left ? std::optional(now + milliseconds(*left)) : std::nullopt};
    if (textAt(words, i + 2) == "0" && redisson::isOwner(waiter.id))
      look.unheard.push_back(std::move(waiter));
    else
      look.first = std::move(waiter);
  }
  look.isCut = numberAt(1) == 1 && !look.first && (look.unheard.empty() || look.isAlone);
  return true;
}

LockRecord withLook(LockRecord lock, const FairLook &look, SteadyTime now) {
  const auto lapsed = std::max(look.lapsed, lapsedPlaces(lock, now));
  const bool isCut = look.isCut && !look.first && look.unheard.empty(); // all that were looked at have lapsed, and others may have too
  lock.moreMayWait = !isCut && (lapsed > 0 || (lock.mayWaitStill() && look.length == 0));
  lock.queue.assign(look.mayTakeOut() ? look.lapsed : look.atHead, {std::string(), std::min(now, lock.seenAt) - milliseconds(1)});
  if (!look.mayTakeOut() && !look.isLost())
    lock.queue.insert(lock.queue.end(), look.unheard.begin(), look.unheard.end());
  if (look.first)
    lock.queue.push_back(*look.first);
  lock.waiters = isCut ? std::nullopt : std::optional(look.length - std::min(look.length, lapsed));
  return lock;
}

void takeOutUnheard(ReleasePlan &plan, const FairLook &look) {
  if (look.unheard.empty())
    return;
  const auto queue = safeText(plan.keys[1], 120), deadlines = safeText(plan.keys[2], 120);
  const auto first = named(look.unheard.front().id);
  plan.isNextUnheard = !look.mayTakeOut();
  if (look.isLost()) {
    if (const auto told = std::ranges::find(plan.effects, Kind::Publishes, &Effect::kind); told != plan.effects.end())
      told->text = LH_MESSAGE("PlanWords", "publishes 0 on the own channel of the first in the queue (PUBLISH and SPUBLISH), where nobody listens");
    plan.warnings.push_back(
        LH_MESSAGE("PlanWords", "nobody listens on the channels of the first %1 in the queue, and no more were looked at: who listens behind them goes on only "
                                "when their places lapse or are removed from %2 (LREM) and %3 (ZREM)")(look.unheard.size(), queue, deadlines));
    return;
  }
  if (!look.mayTakeOut()) {
    plan.warnings.push_back(LH_MESSAGE("PlanWords", "nobody listens on the channel of %1 at this node: unless its client does at another, everyone waits until "
                                                    "its place lapses or is removed from %2 (LREM) and %3 (ZREM)")(first, queue, deadlines));
    return;
  }
  const auto more = look.unheard.size() - 1;
  std::ranges::transform(look.unheard, std::back_inserter(plan.args), &Waiter::id);
  const auto deletes = std::ranges::find(plan.effects, Kind::Deletes, &Effect::kind);
  plan.effects.insert(
      deletes, {Kind::Drops, more == 0 ? LH_MESSAGE("PlanWords", "takes %1 out of the queue: nobody listens on its channel")(first)
                                       : LH_MESSAGE("PlanWords", "takes %1 out of the queue, and %2 more: nobody listens on their channels")(first, more)});
  plan.warnings.emplace_back(LH_MESSAGE("PlanWords", "who is taken out of the queue and comes back queues anew, at its end"));
}

} // namespace lockhouse
