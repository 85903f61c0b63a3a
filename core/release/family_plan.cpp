// SPDX-License-Identifier: Apache-2.0
#include "core/release/family_plan.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/scripts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lockhouse {
namespace {

// Redisson keeps one timeout key per re-entry of a reader; beyond this many they are left to lapse by themselves.
constexpr std::int64_t mostTimeoutKeys = 1024;

std::string holdWords(const Holder &holder) {
  return holder.count == 1 ? safeText(holder.id, 80) : fmt::format("{} ({} deep)", safeText(holder.id, 80), holder.count);
}

void planToken(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  plan.script = &release_scripts::releaseToken;
  plan.args = {holder.id};
  plan.effects = {fmt::format("deletes {} if its value is still {}", safeText(record.id.key.bytes(), 80), safeText(holder.id, 80)),
                  "tells nobody: clients of this kind of lock try again by themselves"};
}

void planReentrant(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  const auto &key = record.id.key.bytes();
  const auto channel = redisson::lockChannel(key);
  plan.script = &release_scripts::releaseRedissonLock;
  plan.keys.push_back(redisson::queueKey(key)); // so that a queue which came meanwhile is not left asleep
  plan.args = {holder.id, std::to_string(holder.count), channel};
  plan.effects = {fmt::format("deletes {} and with it the hold of {}", safeText(key, 80), holdWords(holder)),
                  fmt::format("publishes 0 on {} (PUBLISH and SPUBLISH): in each waiting client one waiter tries again at once", safeText(channel, 120))};
}

void planFair(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto &key = record.id.key.bytes();
  const auto channel = redisson::lockChannel(key);
  plan.script = &release_scripts::releaseRedissonFair;
  plan.keys.push_back(redisson::queueKey(key));
  plan.keys.push_back(redisson::timeoutKey(key));
  plan.args = {holder.id, std::to_string(holder.count), channel};

  const auto head = std::ranges::find_if(record.queue, [now](const Waiter &waiter) { return !waiter.leavesAt || *waiter.leavesAt > now; });
  if (const auto lapsed = head - record.queue.begin(); lapsed > 0)
    plan.effects.push_back(fmt::format("drops {} lapsed place{} at the head of the queue", lapsed, lapsed == 1 ? "" : "s"));
  plan.effects.push_back(fmt::format("deletes {} and with it the hold of {}", safeText(key, 80), holdWords(holder)));
  if (head == record.queue.end()) {
    plan.effects.emplace_back("tells nobody: the queue is empty");
    return;
  }
  if (!redisson::isOwner(head->id)) {
    plan.effects.push_back(fmt::format("wakes nobody: the head of the queue, {}, is no Redisson client", safeText(head->id, 80)));
    return;
  }
  plan.next = head->id;
  plan.wakes = {head->id};
  plan.effects.push_back(fmt::format("publishes 0 on the own channel of {} (PUBLISH and SPUBLISH), which gets the lock next", safeText(head->id, 80)));
}

// The timeout keys of one hold, as long as `room` lasts; false when it did not.
bool addTimeoutKeys(ReleasePlan &plan, const Holder &holder, std::int64_t &room) {
  const auto count = std::min(holder.count, room);
  for (std::int64_t i = 1; i <= count; ++i)
    plan.keys.push_back(redisson::readerLeaseKey(plan.lock.key.bytes(), holder.id, i));
  room -= count;
  return count == holder.count;
}

void addReadersWhoStay(ReleasePlan &plan, const LockRecord &record, const Holder &leaving, std::int64_t room) {
  ReleasePlan named = plan;
  for (const Holder &other : record.holders) {
    if (other == leaving)
      continue;
    if (other.mode != HoldMode::Read || !addTimeoutKeys(named, other, room))
      return; // the script then leaves the lease as it is
    named.args.push_back(other.id);
    named.args.push_back(std::to_string(other.count));
  }
  plan = std::move(named);
}

void planReadWrite(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime) {
  const auto &key = record.id.key.bytes();
  const auto channel = redisson::rwChannel(key);
  plan.script = &release_scripts::releaseRedissonRw;
  auto room = mostTimeoutKeys;
  if (holder.mode == HoldMode::Read)
    addTimeoutKeys(plan, holder, room);
  plan.args = {holder.id, std::to_string(holder.count), channel, std::to_string(plan.keys.size() - 1)};

  const auto others = record.holders.size() - 1;
  if (others == 0) {
    plan.effects = {fmt::format("deletes {} and with it the {} hold of {}", safeText(key, 80), name(holder.mode), holdWords(holder)),
                    fmt::format("publishes 1 on {} (PUBLISH and SPUBLISH): every waiting reader and writer tries again at once", safeText(channel, 120))};
  } else if (holder.mode == HoldMode::Write) {
    plan.effects = {fmt::format("removes the write hold of {}; its read hold stays", holdWords(holder)),
                    fmt::format("publishes 1 on {} (PUBLISH and SPUBLISH): waiting readers may enter at once", safeText(channel, 120))};
  } else {
    addReadersWhoStay(plan, record, holder, room);
    plan.effects = {fmt::format("removes the read hold of {} and its timeout keys; {} other hold{} stay{}", holdWords(holder), others, others == 1 ? "" : "s",
                                others == 1 ? "s" : ""),
                    "shortens the lease to the longest of those that stay; tells nobody, since no writer can enter yet"};
  }
}

struct Family {
  std::string_view name;
  void (*plan)(ReleasePlan &, const LockRecord &, const Holder &, SteadyTime);
};
constexpr std::array families{
    Family{"token", planToken},
    Family{"redisson-lock", planReentrant},
    Family{"redisson-fair", planFair},
    Family{"redisson-rw", planReadWrite},
};

const Family *findFamily(std::string_view name) {
  const auto *found = std::ranges::find(families, name, &Family::name);
  return found == families.end() ? nullptr : found;
}

} // namespace

bool canRelease(std::string_view family) { return findFamily(family) != nullptr; }

ReleasePlan planFamily(const LockRecord &record, const Holder &holder, SteadyTime now) {
  ReleasePlan plan;
  plan.lock = record.id;
  plan.family = record.family;
  plan.keys = {record.id.key.bytes()};
  plan.expectHolder = holder.id;
  plan.expectCount = holder.count;
  findFamily(record.family)->plan(plan, record, holder, now);
  return plan;
}

} // namespace lockhouse
