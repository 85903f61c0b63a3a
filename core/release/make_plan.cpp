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
#include "core/release/warnings/release_warnings.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

std::string changedWords(const LockRecord &record, const std::string &holder) {
  if (record.holders.empty())
    return "changed: this holder no longer holds it";
  const auto his = holdsOf(record, holder); // a thread's, whose values, writes and transactions have names of their own
  if (!his.empty() && std::ranges::find(his, holder, &Holder::id) == his.end())
    return fmt::format("changed: this holder is there as {}, count {}{}: name that hold, or release all of its holder: release --all --holder",
                       briefly(his.front().id), his.front().count, his.size() == 1 ? "" : fmt::format(", and {} more", his.size() - 1));
  const Holder &first = record.holders.front();
  auto words = fmt::format("changed: now held by {}, count {}", briefly(redisson::asKnown(record.family, first.id)), first.count);
  if (const auto others = record.holdersAtMost() - 1; others > 0)
    words += fmt::format(", and {}{} more", record.unread > 0 ? "at most " : "", others);
  return words;
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

std::string freeWords(const LockRecord &record, SteadyTime now) {
  constexpr auto nobody = "nobody holds the lock";
  const auto &key = record.id.key.bytes();
  const auto *head = record.family == "redisson-fair" ? firstWaiter(record, now) : nullptr;
  if (!head)
    return nobody;
  auto words = fmt::format("{}; {} alone may take it, until its place in the queue lapses: where its client is gone, take it out of {} (LREM) and {} (ZREM)",
                           nobody, named(head->id), safeText(redisson::queueKey(key), 120), safeText(redisson::timeoutKey(key), 120));
  if (head != &record.queue.back())
    words += fmt::format(", then publish 0 on {}", safeText(redisson::fairChannel(key, head[1].id), 160));
  return words;
}

std::expected<ReleasePlan, Refusal> planRelease(const LockRecord &record, const ReleaseIntent &intent, SteadyTime now, const FamilyRegistry &families) {
  const bool isOfTypeSeen = intent.type.value_or(record.type) == record.type; // else what was seen tells nothing of it
  const bool isDoubtful = std::max(record.confidence, isOfTypeSeen ? intent.confidence : 0) < shownConfidence;
  const auto doubt = fmt::format("the key looks like data, not like a lock (confidence {:.2f})", record.confidence);
  if (isDoubtful && !intent.isVouchedFor)
    return std::unexpected(Refusal{Verdict::NotALock, doubt + "; where you know that it is one, lockhousectl does this with --all"});
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
        Refusal{Verdict::Changed, fmt::format("changed: the key was a {} when it was seen, and is a {} now", name(type), name(record.type))});
  if (intent.fence && record.fence != intent.fence)
    return std::unexpected(Refusal{Verdict::Changed, record.fence ? "changed: acquired again since it was seen"
                                                                  : "changed: no fence is there to compare with the one that was seen"});
  auto plan = intent.shortenTo ? planShorten(record, *holder, *intent.shortenTo, families, now) : planFamily(record, *holder, families, now);
  if (!plan)
    return plan;
  plan->votes = votesOf(record, holder->id);
  std::vector<std::string> risks;
  if (intent.shortenTo) // nobody is evicted before it lapses
    addToken(risks, record);
  else
    risks = releaseWarnings(record, *holder, families.find(record.family), now);
  if (auto words = plan->expectTime ? std::nullopt : repeatableWords(record, *holder, families.find(record.family))) {
    plan->isRepeatable = true;
    risks.push_back(std::move(*words));
  } else if (auto mayBe = plan->expectTime ? std::nullopt : mayRepeatWords(record, families)) {
    plan->mayRepeat = true;
    risks.push_back(std::move(*mayBe));
  }
  risks.insert(risks.end(), plan->risks.begin(), plan->risks.end());
  plan->risks = std::move(risks);
  if (isDoubtful)
    plan->risks.insert(plan->risks.begin(), doubt + ": make sure that it is one, for whatever lies there is treated as such");
  if (!isOfOneSlot(*plan))
    plan->risks.emplace_back(severalSlotsRisk);
  return plan;
}

} // namespace lockhouse
