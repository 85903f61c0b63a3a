// SPDX-License-Identifier: Apache-2.0
// What is known of a lock by the keys beside it, and by those who listen or are blocked.
#include "core/watch/detect/family_matcher.h"
#include "core/watch/detect/score_semantics.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {
namespace {

// Until when a waiter's place lasts: told by its score, or of itself, or of its client, whose name is what stands before the last colon.
std::optional<SteadyTime> lapseOf(const Family &family, const KeyFacts &facts, const CompanionKey &queue, const Member &place) {
  if (isEnd(queue.score))
    return endOf(facts, place.score * unitOf(queue.score));
  const std::string_view waiter = place.bytes;
  const auto client = waiter.substr(0, waiter.rfind(':'));
  for (const auto &companion : family.companion) {
    const auto *deadlines = companion.role == Role::Deadlines ? facts.find(companion) : nullptr;
    if (!deadlines)
      continue;
    const auto found = std::ranges::find_if(deadlines->members, [&](const Member &each) { return each.bytes == waiter || client.ends_with(each.bytes); });
    if (const auto end = found != deadlines->members.end() ? endOf(facts, found->score) : std::nullopt)
      return end;
  }
  return std::nullopt;
}

// Why it is not known of each waiter when his place lapses; empty: it is.
Message unreadDeadlines(const Family &family, const KeyFacts &facts) {
  for (const auto &companion : family.companion | std::views::filter([](const CompanionKey &form) { return form.role == Role::Deadlines; })) {
    const auto *deadlines = facts.find(companion);
    const auto key = companionName(family, companion.key, facts.key);
    if (key && facts.isClosed(*key))
      return LH_MESSAGE("Evidence", "how many of those in its queue have lapsed is not known: the deadlines cannot be read");
    if (deadlines && deadlines->size > deadlines->members.size())
      return LH_MESSAGE("Evidence", "how many of those in its queue have lapsed is not known: the deadlines that were read are of others");
  }
  return {};
}

bool isOfClient(std::string_view waiter) {
  const auto colon = waiter.rfind(':');
  return colon != waiter.npos && colon > 0 && colon + 1 < waiter.size() && waiter.find_first_not_of("0123456789", colon + 1) == waiter.npos;
}

// As the scripts of our own locks have it: of a client without a deadline nobody waits any more.
void lapseWithoutDeadline(const Family &family, const KeyFacts &facts, std::vector<Waiter> &queue) {
  constexpr seconds ago(1); // so that nobody looks whether it is now
  const auto isRead = [&](const CompanionKey &companion) { return companion.role == Role::Deadlines && facts.find(companion); };
  if (family.isUsers || !family.slug.starts_with("lockhouse-") || std::ranges::none_of(family.companion, isRead) || !unreadDeadlines(family, facts).empty())
    return;
  for (auto &waiter : queue)
    if (!waiter.leavesAt && isOfClient(waiter.id))
      waiter.leavesAt = facts.seenAt - ago;
}

// An entry that only wakes who is blocked on the queue.
bool isNobody(const CompanionKey &queue, const Member &member) { return !queue.wake.empty() && member.bytes == queue.wake; }

// Whoever stands in a queue beside the lock, whatever type that has.
void addQueue(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  std::optional<std::uint64_t> places;
  for (const auto &companion : family.companion) {
    const auto *queue = companion.role == Role::Queue ? facts.find(companion) : nullptr;
    if (!queue)
      continue;
    std::uint64_t nobodies = 0;
    for (const auto &member : queue->members)
      if (isNobody(companion, member))
        ++nobodies;
      else
        draft.queue.push_back({member.bytes, lapseOf(family, facts, companion, member)});
    places = places.value_or(0) + queue->size - std::min(queue->size, nobodies);
  }
  if (!places)
    return;
  lapseWithoutDeadline(family, facts, draft.queue);
  countWaiters(draft, *places, facts.seenAt);
  const bool isAnyEndless = std::ranges::any_of(draft.queue, [](const Waiter &waiter) { return !waiter.leavesAt; });
  if (const auto why = isAnyEndless ? unreadDeadlines(family, facts) : Message(); !why.empty()) {
    draft.waiters.reset();
    draft.evidence.push_back(why);
  }
}

// Where its own bytes do not tell: the last that was given out.
void addFence(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  for (const auto &companion : family.companion)
    if (const auto *counter = companion.role == Role::Counter && !draft.fence ? facts.find(companion) : nullptr)
      draft.fence = parseFence(counter->value);
}

// Who waits without standing in a queue. That nobody listens does not mean that nobody waits; that nobody is blocked does.
void addUnqueued(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  if (draft.waiters)
    return;
  if (family.waits == Waits::Listening && facts.channelListeners.value_or(0) > 0) {
    draft.waiters = facts.channelListeners;
    draft.moreMayWait = true;
    draft.evidence.emplace_back(clientsListen);
  }
  if (family.waits != Waits::Blocked || !facts.blockedClients)
    return;
  if (*facts.blockedClients == 0)
    draft.waiters = 0;
  else
    draft.evidence.push_back(
        LH_MESSAGE("Evidence", "clients of this database that a blocking command keeps waiting, for whichever key: %1")(*facts.blockedClients));
}

// Each of them who is somebody, as far as they were read.
bool areItsWaiters(const CompanionKey &queue, const CompanionFacts &found) {
  const auto isOne = [&](const Member &member) {
    return std::ranges::any_of(queue.waiters, [&](const Pattern &waiter) { return waiter.matches(member.bytes); });
  };
  auto somebody = found.members | std::views::filter([&](const Member &member) { return !isNobody(queue, member); });
  return !somebody.empty() && std::ranges::all_of(somebody, isOne);
}

bool isKnownByWaiters(const Family &family, const KeyFacts &facts) {
  return std::ranges::any_of(family.companion, [&](const CompanionKey &companion) {
    const auto *found = companion.role == Role::Queue ? facts.find(companion) : nullptr;
    return found && areItsWaiters(companion, *found);
  });
}

} // namespace

bool mayWaitAlone(const Family &family, const Form &form) {
  return family.isUsers && !family.recognise && form.confidence > 0 && form.key && form.key->longestLiteral() > 0 &&
         std::ranges::find(family.companion, Role::Queue, &CompanionKey::role) != family.companion.end();
}

bool knowsItsWaiters(const Family &family) {
  return std::ranges::any_of(family.companion, [](const CompanionKey &companion) { return !companion.waiters.empty(); });
}

void addCompanion(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  addQueue(family, facts, draft);
  addUnqueued(family, facts, draft);
  addFence(family, facts, draft);
}

std::optional<FamilyMatch> matchQueueAlone(const Family &family, const KeyFacts &facts) {
  constexpr double surest = 0.9; // whose queue it is, its name alone tells, and those who stand there
  const auto form = std::ranges::find_if(family.forms, [&](const Form &each) { return mayWaitAlone(family, each) && each.key->matches(facts.key); });
  const bool isNamed = form != family.forms.end();
  if (knowsItsWaiters(family) ? !isKnownByWaiters(family, facts) : !isNamed)
    return std::nullopt;
  const double trust = isNamed ? std::min(form->confidence, surest) : surest;
  FamilyMatch match{.draft = {}, .isByName = true, .isMeant = family.isUsers && trust >= shownConfidence};
  auto &draft = match.draft;
  draft.kind = family.kind;
  draft.confidence = trust;
  if (isNamed && !form->evidence.empty())
    draft.evidence.push_back(evidenceOf(*form));
  addCompanion(family, facts, draft);
  const bool areLapsed = !draft.waiters && lapsedPlaces(draft, facts.seenAt) == draft.queue.size();
  if (draft.waiters == 0 || areLapsed) // left over
    return std::nullopt;
  draft.evidence.emplace_back(LH_MESSAGE("Evidence", "nobody holds it, and a queue of it lies there"));
  return match;
}

} // namespace lockhouse
