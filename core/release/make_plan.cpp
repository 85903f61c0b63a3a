// SPDX-License-Identifier: Apache-2.0
#include "core/release/make_plan.h"

#include "core/base/encoding.h"
#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/method/cross_slot.h"
#include "core/release/method/family_plan.h"
#include "core/release/method/shorten_plan.h"
#include "core/release/plan/hold_selection.h"
#include "core/release/plan/remove_member.h"
#include "core/release/result/script_result.h"
#include "core/release/warnings/release_warnings.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

Message heldNow(const LockRecord &record) {
  const Holder &first = record.holders.front();
  const auto holder = briefly(redisson::asKnown(record.family, first.id));
  const auto others = record.holdersAtMost() - 1;
  if (others == 0)
    return nowHeldWithCount(holder, first.count);
  return record.unread > 0 ? nowHeldByAtMost(holder, first.count, others) : nowHeldByMore(holder, first.count, others);
}

Message changedWords(const LockRecord &record, const std::string &holder) {
  if (record.holders.empty())
    return holdsNoLonger;
  const auto his = holdsOf(record, holder); // a thread's, whose values, writes and transactions have names of their own
  if (his.empty() || std::ranges::find(his, holder, &Holder::id) != his.end())
    return heldNow(record);
  const auto &first = his.front();
  const Action all{"release --all --holder", releaseAllOfHolder};
  if (his.size() == 1)
    return LH_MESSAGE("PlanWords", "changed: this holder is there as %1, count %2: name that hold, or release all of its holder: %3")(briefly(first.id),
                                                                                                                                      first.count, all);
  return LH_MESSAGE("PlanWords", "changed: this holder is there as %1, count %2, and %3 more: name that hold, or release all of its holder: %4")(
      briefly(first.id), first.count, his.size() - 1, all);
}

// Where all who were read have gone before, the others may hold it still.
bool isFree(const LockRecord &record) { return !record.isHeld() && record.unread == 0; }

// A permit of Redisson's is sixteen bytes, which its own API shows as digits; before 3.17 it was these digits themselves.
std::string permitOf(const LockRecord &record, const std::string &shown) {
  constexpr std::size_t asBytes = 16;
  const auto isRead = [&](std::size_t size) { return std::ranges::any_of(record.holders, [size](const Holder &one) { return one.id.size() == size; }); };
  if (record.family != "redisson-permits" || shown.size() != 2 * asBytes || !isHex(shown) || (isRead(2 * asBytes) && !isRead(asBytes)))
    return shown;
  const auto valueOf = [](char digit) { return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i < shown.size(); i += 2)
    bytes.push_back(static_cast<char>(valueOf(shown[i]) * 16 + valueOf(shown[i + 1])));
  return bytes;
}

// Beyond what is read of a lock with very many holders, the script alone sees who is there.
std::optional<Holder> holderOf(const LockRecord &record, const ReleaseIntent &intent) {
  const auto found = std::ranges::find(record.holders, intent.holder, &Holder::id);
  if (found != record.holders.end()) {
    auto holder = *found;
    if (record.unread > 0 &&
        (record.family == "redis-semaphore" || record.family == "lockhouse-semaphore")) // more of his permits may lie there: the server is asked for them
      holder.count = std::max(holder.count, intent.count.value_or(0));
    return holder;
  }
  if (const auto spelt = holdsOf(record, intent.holder); record.family == handoff && spelt.size() == 1)
    return spelt.front();
  const auto isMeant = [&](const Holder &holder) { return isShownAs(record, holder, intent.holder); };
  if (std::ranges::count_if(record.holders, isMeant) == 1)
    return *std::ranges::find_if(record.holders, isMeant);
  if (const auto other = std::ranges::find(record.outvoted, intent.holder, &Holder::id); other != record.outvoted.end())
    return Holder{.id = other->id};
  if (record.unread == 0)
    return std::nullopt;
  return Holder{permitOf(record, intent.holder), intent.count.value_or(1), modeOfUnread(record, intent.holder)};
}

// Of a lock of several keys: how many carry his token.
std::size_t votesOf(const LockRecord &record, const std::string &holder) {
  if (record.votes == 0)
    return 0;
  if (record.holders.front().id == holder)
    return record.votes;
  const auto other = std::ranges::find(record.outvoted, holder, &Holder::id);
  return other == record.outvoted.end() ? 0 : static_cast<std::size_t>(other->count);
}

} // namespace

Message freeWords(const LockRecord &record, SteadyTime now) {
  constexpr auto nobody = LH_MESSAGE("PlanWords", "nobody holds the lock");
  const auto &key = record.id.key.bytes();
  const auto *head = record.family == "redisson-fair" ? firstWaiter(record, now) : nullptr;
  if (!head)
    return nobody;
  const auto queue = safeText(redisson::queueKey(key), 120), deadlines = safeText(redisson::timeoutKey(key), 120);
  if (head == &record.queue.back())
    return Message::joined(
        {nobody,
         LH_MESSAGE("PlanWords", "%1 alone may take it, until its place in the queue lapses: where its client is gone, take it out of %2 (LREM) and %3 (ZREM)")(
             named(head->id), queue, deadlines)});
  return Message::joined(
      {nobody,
       LH_MESSAGE("PlanWords", "%1 alone may take it, until its place in the queue lapses: where its client is gone, take it out of %2 (LREM) and %3 "
                               "(ZREM), then publish 0 on %4")(named(head->id), queue, deadlines, safeText(redisson::fairChannel(key, head[1].id), 160))});
}

std::expected<ReleasePlan, Refusal> planRelease(const LockRecord &record, const ReleaseIntent &intent, SteadyTime now, const FamilyRegistry &families) {
  const bool isOfTypeSeen = intent.type.value_or(record.type) == record.type; // else what was seen tells nothing of it
  const bool isDoubtful = std::max(record.confidence, isOfTypeSeen ? intent.confidence : 0) < shownConfidence;
  const auto confidence = fmt::format("{:.2f}", record.confidence);
  if (isDoubtful && !intent.isVouchedFor)
    return std::unexpected(
        Refusal{Verdict::NotALock, Message::joined({LH_MESSAGE("PlanWords", "the key looks like data, not like a lock (confidence %1)")(confidence),
                                                    LH_MESSAGE("PlanWords", "where you know that it is one, lockhousectl does this with --all")})});
  if (isFree(record) && !record.number)
    return std::unexpected(Refusal{Verdict::AlreadyFree, freeWords(record, now)});
  if (auto refusal = intent.shortenTo && !record.number ? std::nullopt : refusalOf(record, families)) // whoever is named: nobody's hold can be taken
    return std::unexpected(std::move(*refusal));
  if (isFree(record))
    return std::unexpected(Refusal{Verdict::AlreadyFree, freeWords(record, now)});
  const auto holder = holderOf(record, intent);
  if (!holder || intent.count.value_or(holder->count) != holder->count)
    return std::unexpected(Refusal{Verdict::Changed, changedWords(record, intent.holder)});
  if (const auto type = intent.type.value_or(record.type); type != record.type && !name(type).empty() && !name(record.type).empty())
    return std::unexpected(
        Refusal{Verdict::Changed, LH_MESSAGE("PlanWords", "changed: the key was a %1 when it was seen, and is a %2 now")(name(type), name(record.type))});
  if (intent.fence && record.fence != intent.fence)
    return std::unexpected(Refusal{Verdict::Changed, record.fence
                                                         ? LH_MESSAGE("PlanWords", "changed: acquired again since it was seen")
                                                         : LH_MESSAGE("PlanWords", "changed: no fence is there to compare with the one that was seen")});
  auto plan = intent.shortenTo ? planShorten(record, *holder, *intent.shortenTo, families, now) : planFamily(record, *holder, families, now);
  if (!plan)
    return plan;
  plan->votes = votesOf(record, holder->id);
  std::vector<Message> warnings;
  if (intent.shortenTo) // nobody is evicted before it lapses
    addToken(warnings, record);
  else
    warnings = releaseWarnings(record, *holder, families.find(record.family), now);
  if (auto words = plan->expectTime ? std::nullopt : repeatable(record, *holder, families.find(record.family))) {
    plan->isRepeatable = true;
    warnings.push_back(std::move(*words));
  } else if (auto mayBe = plan->expectTime ? std::nullopt : mayRepeat(record, families)) {
    plan->mayRepeat = true;
    warnings.push_back(std::move(*mayBe));
  }
  warnings.insert(warnings.end(), plan->warnings.begin(), plan->warnings.end());
  plan->warnings = std::move(warnings);
  if (isDoubtful)
    plan->warnings.insert(
        plan->warnings.begin(),
        LH_MESSAGE("PlanWords",
                   "the key looks like data, not like a lock (confidence %1): make sure that it is one, for whatever lies there is treated as such")(
            confidence));
  if (!isOfOneSlot(*plan))
    plan->warnings.emplace_back(severalSlots);
  return plan;
}

} // namespace lockhouse
