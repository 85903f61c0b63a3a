// SPDX-License-Identifier: Apache-2.0
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {

std::uint64_t lapsedPlaces(const LockRecord &record, SteadyTime now) {
  return static_cast<std::uint64_t>(std::ranges::count_if(record.queue, [now](const Waiter &waiter) { return isLapsed(waiter, now); }));
}

std::uint64_t placesIn(const LockRecord &record) { return record.waiters ? *record.waiters + lapsedPlaces(record, record.seenAt) : 0; }

const Waiter *firstWaiter(const LockRecord &record, SteadyTime now) {
  const auto first = std::ranges::find_if(record.queue, [now](const Waiter &waiter) { return !isLapsed(waiter, now); });
  return first == record.queue.end() ? nullptr : &*first;
}

std::size_t localHandoffCandidates(const LockRecord &record) {
  constexpr std::ptrdiff_t longestRun = 3; // behind the one whom the server knows, as HandoffLock's release answers them
  if (record.family != "lockhouse-handoff" || record.holders.size() != 1)
    return 0;
  const std::string_view holder = record.holders.front().id;
  const auto client = holder.substr(0, holder.find(':') + 1);
  const auto end = std::ranges::find_if_not(record.queue, [client](const Waiter &waiter) { return waiter.id.starts_with(client); });
  return static_cast<std::size_t>(std::min(end - record.queue.begin(), longestRun));
}

void countWaiters(LockRecord &draft, std::uint64_t places, SteadyTime now) {
  const auto lapsed = lapsedPlaces(draft, now);
  const std::uint64_t read = draft.queue.size();
  const bool isCut = places > read && read > 0;
  if (isCut && lapsed == 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "%1 wait, of whom %2 were read")(places, read));
  else if (isCut)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "places in its queue: %1, of which %2 were read")(places, read));
  if (lapsed > 0)
    draft.evidence.push_back(LH_MESSAGE("Evidence", "places in its queue that have lapsed, and were not cleared away yet: %1")(lapsed));
  if (isCut && lapsed == read) // they lapse in their order: only behind one that has not is it known of all
    draft.evidence.emplace_back(LH_MESSAGE("Evidence", "whether the places behind those have lapsed too is not known"));
  else {
    draft.waiters = places - std::min(places, lapsed);
    draft.moreMayWait = false;
  }
}

std::optional<SteadyTime> nextLapse(const LockRecord &record) {
  constexpr milliseconds grain(5); // whose end is that near when he is read may not be past yet by the server's clock, which counts finer
  std::optional<SteadyTime> next;
  const auto take = [&](const std::optional<SteadyTime> &at) {
    if (at && *at > record.seenAt - grain)
      next = std::min(*at, next.value_or(*at));
  };
  for (const auto &waiter : record.queue)
    take(waiter.leavesAt);
  for (const auto &holder : record.holders)
    take(holder.expiresAt);
  return next;
}

} // namespace lockhouse
