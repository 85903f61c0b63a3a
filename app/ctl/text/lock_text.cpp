// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/text/lock_text.h"

#include "app/ctl/cli/node_failure.h"
#include "core/base/message.h"
#include "core/base/safe_text.h"
#include "core/release/make_plan.h"
#include "core/watch/fleet/redlock_holders.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockhouse::ctl {
namespace {

constexpr std::size_t nameWidth = 60;

std::string countWords(std::int64_t count) { return count == 1 ? std::string("once") : fmt::format("{} deep", count); }

std::string waitersWords(const LockRecord &record) {
  return record.waiters ? fmt::format("{}{}", *record.waiters, record.areMoreToWait() ? "+" : "") : std::string("unknown");
}

std::string waitingWords(const LockRecord &record, std::string_view forWhat = {}) {
  return record.waiters ? fmt::format("{}{} wait{}{}", record.areMoreToWait() ? "at least " : "", *record.waiters, *record.waiters == 1 ? "s" : "", forWhat)
                        : std::string("who waits is not known");
}

TextTable::Cell stateCell(LockState state) {
  switch (state) {
  case LockState::Held: return {std::string(name(state)), "32"};
  case LockState::Contended:
  case LockState::Expiring: return {std::string(name(state)), "33"};
  case LockState::Waiting: return {std::string(name(state)), "35"};
  case LockState::NeverExpires:
  case LockState::Suspect: return {std::string(name(state)), "31"};
  case LockState::Stale: return {std::string(name(state)), "2"};
  }
  return {};
}

std::string expiresWords(const LockRecord &record, SteadyTime now) {
  if (!record.isHeld())
    return "-";
  const auto left = timeLeft(record, now);
  return left ? durationWords(*left) : std::string("never");
}

// Who alone may take a free fair lock, and what a person can do where he is gone.
std::string headWords(const LockRecord &record, SteadyTime now) {
  const auto words = freeWords(record, now);
  return words.parts().size() < 2 ? std::string() : fmt::format("\n{}.", words.parts()[1].english());
}

// How many masters its Redlock has is known to its clients alone: those that are watched may be more.
std::string minorityWords(const LockRecord &record) {
  if (record.neededVotes > 0)
    return fmt::format("under {} of its keys, and would need {}: {}", record.votes, record.neededVotes,
                       record.mayHaveMajority() ? "others may lie on masters of this cluster that are not watched or refuse keys, and who holds it is not known"
                                                : "nobody holds it");
  const auto where = fmt::format("on {} of {} masters", record.heldOn(), record.masters);
  if (record.mayHaveMajority())
    return fmt::format("{}, of which {} are not followed or refuse keys: who holds it is not known", where, record.unfollowed);
  return record.heldOn() > 1 ? fmt::format("{}: nobody holds it, unless no more than {} masters are its own", where, 2 * record.heldOn() - 1)
                             : where + ": nobody holds it, unless its clients use this master alone";
}

std::string sentence(const LockRecord &record, SteadyTime now) {
  const auto key = keyWords(record.id.key.bytes());
  if (record.number && record.kind == LockKind::Latch)
    return fmt::format("{} has {} to count down; {}.", key, *record.number, waitingWords(record, " for it"));
  if (record.number)
    return fmt::format("{} has {} free permit{}, and nothing tells who holds the others; {}.", key, *record.number, *record.number == 1 ? "" : "s",
                       waitingWords(record));
  if (record.isSplit())
    return fmt::format("{} has tokens of {} holders on {} of {} masters, none of them on most: if it is a Redlock, {}.", key, record.holders.size(),
                       record.heldOn(), record.masters,
                       record.unfollowed > 0 ? fmt::format("who holds it is not known, for {} are not followed or refuse keys", record.unfollowed)
                                             : "nobody is seen to hold it");
  if (!record.isHeld() && record.unread > 0)
    return fmt::format("All holds of {} that were read have lapsed, and {} of its entries were not read: whether it is held is not known; {}.", key,
                       record.unread, waitingWords(record));
  if (!record.isHeld())
    return fmt::format("{} is free; {}.{}", key, waitingWords(record, " for it"), headWords(record, now));
  if (!record.hasMajority())
    return fmt::format("{} has the token of {} {}; what is left of it {}.", key, keyWords(record.holders.front().id, nameWidth), minorityWords(record),
                       leaseWords(record, now));
  const auto first = keyWords(record.holders.front().id, nameWidth);
  const auto holders = record.holdersAtMost();
  const auto who = holders == 1        ? fmt::format("{}, {}", first, countWords(record.holders.front().count))
                   : record.unread > 0 ? fmt::format("at most {} holds, {} first", holders, first)
                                       : fmt::format("{} holders, {} first", holders, first);
  return fmt::format("{} is held by {}; it {}; {}.", key, who, leaseWords(record, now), waitingWords(record));
}

std::string leftWords(SteadyTime end, SteadyTime now) { return durationWords(std::max(milliseconds(0), std::chrono::ceil<milliseconds>(end - now))); }

std::string memberWords(const LockMember &member, SteadyTime now) {
  auto words = fmt::format("{} db {}", safeText(member.node.bytes()), member.db);
  if (member.expiresAt)
    words += "  expires in " + leftWords(*member.expiresAt, now);
  else
    words += "  never expires";
  if (member.own)
    return fmt::format("{}  held there by {}, count {}", words, keyWords(member.own->id, nameWidth), member.own->count);
  return member.there ? fmt::format("{}  held there by {}", words, holderWords(*member.there)) : words;
}

std::string holdWords(const Holder &holder, SteadyTime now) {
  auto words = fmt::format("{}  count {}", keyWords(holder.id), holder.count);
  if (holder.mode != HoldMode::Exclusive)
    words += fmt::format("  {}", name(holder.mode));
  if (!holder.expiresAt)
    return words;
  return *holder.expiresAt > now ? fmt::format("{}  expires in {}", words, leftWords(*holder.expiresAt, now)) : words + "  its lease is over";
}

std::string placeWords(const Waiter &waiter, SteadyTime now) {
  if (!waiter.leavesAt)
    return {};
  return isLapsed(waiter, now) ? fmt::format("  left {} ago", durationWords(now - *waiter.leavesAt))
                               : fmt::format("  leaves in {}", durationWords(*waiter.leavesAt - now));
}

std::string refusedWords(const NodeStatus &node) {
  if (node.keysRefused == 0)
    return {};
  return fmt::format("; {} of them {}, and a lock among them is not shown", node.keysRefused, refusedBy(node));
}

std::string movedWords(const NodeStatus &node) {
  return node.slotsMoved ? "; slots of the cluster moved meanwhile, and a lock in them may not be shown (look again when they have)" : "";
}

std::string cutWords(const NodeStatus &node) {
  if (node.keysCut == 0)
    return {};
  return fmt::format("; {} of them {} too long to be read whole, and a lock in there may not be shown", node.keysCut, node.keysCut == 1 ? "is" : "are");
}

} // namespace

std::string keyWords(std::string_view key, std::size_t most) {
  auto text = safeText(key, most);
  return key.empty() || key.front() == ' ' || key.back() == ' ' ? '"' + text + '"' : text;
}

std::string nodeWords(const LockRecord &record) {
  const auto node = safeText(record.id.node.bytes(), nameWidth);
  return record.heldOn() < 2 ? node : fmt::format("{} +{}", node, record.heldOn() - 1);
}

std::string leaseWords(const LockRecord &record, SteadyTime now) {
  return record.expiresAt ? "expires in " + expiresWords(record, now) : std::string("never expires");
}

std::string holderWords(const LockRecord &record) {
  if (!record.isHeld())
    return "-";
  const auto first = keyWords(record.holders.front().id, nameWidth);
  const auto others = record.holdersAtMost() - 1;
  if (others == 0)
    return first;
  return record.unread > 0 ? fmt::format("{} and at most {} more holds", first, others) : fmt::format("{} and {} more", first, others);
}

std::string locksText(std::span<const LockRecordPtr> locks, SteadyTime now, bool colour) {
  TextTable table({{"STATE"}, {"LOCK"}, {"FAMILY"}, {"NODE"}, {"DB", true}, {"HOLDER"}, {"COUNT", true}, {"EXPIRES IN", true}, {"WAITERS", true}});
  for (const auto &lock : locks) {
    const auto count = lock->isHeld() ? std::to_string(lock->holders.front().count) : lock->number ? std::to_string(*lock->number) : std::string("-");
    table.add({stateCell(stateAt(*lock, now)),
               {keyWords(lock->id.key.bytes(), nameWidth)},
               {lock->family},
               {nodeWords(*lock)},
               {std::to_string(lock->id.db)},
               {holderWords(*lock)},
               {count},
               {expiresWords(*lock, now)},
               {lock->waiters ? waitersWords(*lock) : "?"}});
  }
  return table.text(colour);
}

std::string nodeLine(const NodeStatus &node) {
  auto line = fmt::format("{} {}", safeText(node.id.bytes()), name(node.state));
  if (node.state == NodeState::Live)
    return line + fmt::format(", {} key{} looked at{}{}\n", node.keysScanned, node.keysScanned == 1 ? "" : "s",
                              refusedWords(node) + movedWords(node) + cutWords(node), node.error ? "; " + node.error->sentence() : "");
  line += node.error ? ": " + node.error->sentence() : "";
  if (node.twin)
    return line + "\n";
  return line + (node.scanComplete ? "\n" : "; its locks are not known\n");
}

std::string lockPage(const LockRecord &record, SteadyTime now) {
  std::string page = sentence(record, now) + "\n\n";
  const auto row = [&page](std::string_view title, const std::string &text) { page += fmt::format("{:<12}{}\n", title, text); };
  row("state", std::string(name(stateAt(record, now))));
  row("family", fmt::format("{} ({}), confidence {:.2f}", record.family, name(record.kind), record.confidence));
  if (record.members.empty())
    row("node", fmt::format("{} db {}", safeText(record.id.node.bytes()), record.id.db));
  for (const auto &member : record.members)
    row("member", memberWords(member, now));
  for (const auto &holder : record.holders)
    row("holder", holdWords(holder, now));
  for (const auto &[holder, masters] : lesserHolders(record))
    row("doubtful", fmt::format("{}  count {}  on {} of {} masters, {}", keyWords(holder.id), holder.count, masters, record.masters,
                                (masters + record.unfollowed) * 2 > record.masters
                                    ? fmt::format("and {} are not followed or refuse keys: whether it holds it is not known", record.unfollowed)
                                    : std::string("too few to hold it")));
  for (const auto &waiter : record.queue)
    row(isLapsed(waiter, now) ? "lapsed" : "waits", keyWords(waiter.id) + placeWords(waiter, now));
  if (const auto places = placesIn(record); places > record.queue.size() && !record.queue.empty())
    row("waits", fmt::format("and {} more", places - record.queue.size()));
  if (record.fence)
    row("fence", std::to_string(record.fence->value));
  for (const auto &extra : record.extras)
    row(extra.name, extra.value);
  for (const auto &fact : record.evidence)
    row("evidence", fact.english());
  if (!record.mayBe.empty())
    row("may be", fmt::format("{}", fmt::join(record.mayBe, ", ")));
  return page;
}

} // namespace lockhouse::ctl
