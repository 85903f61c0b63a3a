// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/read_write_plan.h"

#include "core/base/redisson_names.h"
#include "core/base/safe_text.h"
#include "core/release/plan/hold_selection.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"
#include "core/release/warnings/family_warnings.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockhouse {
namespace {

using Kind = Effect::Kind;

constexpr std::size_t oldPlace = 5, endedPlace = 6; // among the arguments

// False where they cannot all be named, or one of them writes: the script then leaves the lease as it is.
bool addReadersWhoStay(ReleasePlan &plan, const LockRecord &record, const Holder &leaving, std::int64_t room) {
  ReleasePlan named = plan;
  for (const Holder &other : record.holders) {
    if (other == leaving)
      continue;
    if (other.mode != HoldMode::Read || !addTimeoutKeys(named, other, room))
      return false;
    named.args.push_back(other.id);
    named.args.push_back(std::to_string(other.count));
  }
  plan = std::move(named);
  return true;
}

// Beside a writer its own thread alone reads; whatever else is there is told by its number.
Message whoStays(const LockRecord &record, const Holder &writer) {
  const auto isIts = [&](const Holder &other) { return other == writer || redisson::isHoldOf(other.id, writer.id); };
  return record.unread == 0 && std::ranges::all_of(record.holders, isIts) ? Message(LH_MESSAGE("PlanWords", "its read hold stays"))
                                                                          : othersStay(record.holdersAtMost() - 1);
}

std::vector<Effect> effectsOf(std::string_view key, const Holder &holder, const Message &stays, bool areNamed) {
  const auto channel = safeText(redisson::rwChannel(key), 120);
  if (stays.empty())
    return {{Kind::Deletes, holder.mode == HoldMode::Read
                                ? LH_MESSAGE("PlanWords", "deletes %1 and with it the read hold of %2, and its timeout keys")(named(key), holdWords(holder))
                                : LH_MESSAGE("PlanWords", "deletes %1 and with it the write hold of %2")(named(key), holdWords(holder))},
            {Kind::Publishes,
             LH_MESSAGE("PlanWords", "publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): every waiting reader and writer tries again at once")(channel), true}};
  if (holder.mode == HoldMode::Write)
    return {{Kind::OpensReads, LH_MESSAGE("PlanWords", "removes the write hold of %1; %2")(holdWords(holder), stays)},
            {Kind::Publishes, LH_MESSAGE("PlanWords", "publishes 1 and 0 on %1 (PUBLISH and SPUBLISH): waiting readers may enter at once")(channel), true}};
  return {
      {Kind::TakesOut, LH_MESSAGE("PlanWords", "removes the read hold of %1 and its timeout keys; %2")(holdWords(holder), stays)},
      areNamed
          ? Effect{Kind::Shortens,
                   LH_MESSAGE(
                       "PlanWords",
                       "shortens the lease to the longest of those that stay, where their timeout keys are there; tells nobody, since no writer can enter yet")}
          : Effect{Kind::Leaves, LH_MESSAGE("PlanWords", "leaves the lease as it is; tells nobody, since no writer can enter yet")}};
}

std::vector<Effect> withThoseThatEnded(std::vector<Effect> effects, std::string_view key, const Holder &holder, std::size_t others) {
  effects.front().text =
      others == 1
          ? LH_MESSAGE("PlanWords", "deletes %1 and with it the read hold of %2, and its timeout keys; %3 other hold, whose lease is over, goes with it")(
                named(key), holdWords(holder), others)
          : LH_MESSAGE("PlanWords", "deletes %1 and with it the read hold of %2, and its timeout keys; %3 other holds, whose leases are over, go with it")(
                named(key), holdWords(holder), others);
  return effects;
}

} // namespace

void planReadWrite(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto &key = record.id.key.bytes();
  plan.script = &release_scripts::releaseRedissonRw;
  auto room = mostTimeoutKeys;
  if (holder.mode == HoldMode::Read && !addTimeoutKeys(plan, holder, room))
    plan.warnings.push_back(
        LH_MESSAGE("PlanWords", "its read hold counts %1, and only the first %2 of its timeout keys are deleted with it: the others lapse by themselves")(
            holder.count, plan.keys.size() - 1));
  plan.args = {holder.id, std::to_string(holder.count), redisson::rwChannel(key), std::to_string(plan.keys.size() - 1), std::to_string(strangers(record)), {},
               {}};
  const auto old = oldClientsOf(record);
  if (!old.empty())
    plan.args[oldPlace] = redisson::oldRwChannel(key);
  const auto others = record.holdersAtMost() - 1;
  const bool isRead = holder.mode != HoldMode::Write;
  const bool areNamed = others > 0 && isRead && record.unread == 0 && addReadersWhoStay(plan, record, holder, room);
  const bool haveEnded = areNamed && haveOthersEnded(record, holder, now); // Redisson's own release lets the lock go then
  const auto stays = others == 0 || haveEnded ? Message() : isRead ? othersStay(others) : whoStays(record, holder);
  plan.effects = effectsOf(key, holder, stays, areNamed);
  if (haveEnded) {
    plan.effects = withThoseThatEnded(std::move(plan.effects), key, holder, others);
    plan.args[endedPlace] = "1";
  } else if (areNamed && std::ranges::none_of(record.holders, [&](const Holder &other) { return other != holder && other.expiresAt; })) {
    plan.warnings.emplace_back(LH_MESSAGE("PlanWords", "nothing is known of the leases of those who stay: where they are over, release them too"));
  }
  if (!old.empty() && has(plan.effects, Kind::Publishes))
    plan.effects.push_back(tellsOldClients(redisson::oldRwChannel(key), old));
}

void tellReadersLeft(ReleasePlan &plan, std::size_t others) {
  if (others == 0 && has(plan.effects, Kind::Deletes)) // as was planned
    return;
  const bool opensReads = others > 0 && has(plan.effects, Kind::OpensReads); // nobody comes to those who write
  const Holder holder{plan.expectHolder, plan.expectCount, redisson::isWriter(plan.expectHolder) ? HoldMode::Write : HoldMode::Read};
  auto done = effectsOf(plan.keys.front(), holder, others == 0 ? Message() : othersStay(others), false);
  if (!opensReads && !plan.effects.empty() && done.front().text != plan.effects.front().text)
    plan.effects = std::move(done);
}

} // namespace lockhouse
