// SPDX-License-Identifier: Apache-2.0
// What is known of a lock by the keys beside it, and by those who listen or are blocked.
#include "core/watch/detect/claim.h"
#include "core/watch/detect/scores.h"
#include "core/watch/record/queue_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {
namespace {

// Until when a waiter's place lasts: told by its score, or of itself, or of its client, whose name is what stands before the last colon.
std::optional<SteadyTime> lapseOf(const Family &family, const KeyFacts &facts, const BesideForm &queue, const Member &place) {
  if (isEnd(queue.score))
    return endOf(facts, place.score * unitOf(queue.score));
  const std::string_view waiter = place.bytes;
  const auto client = waiter.substr(0, waiter.rfind(':'));
  for (const auto &beside : family.beside) {
    const auto *deadlines = beside.role == Role::Deadlines ? facts.find(beside) : nullptr;
    if (!deadlines)
      continue;
    const auto found = std::ranges::find_if(deadlines->members, [&](const Member &each) { return each.bytes == waiter || client.ends_with(each.bytes); });
    if (const auto end = found != deadlines->members.end() ? endOf(facts, found->score) : std::nullopt)
      return end;
  }
  return std::nullopt;
}

// Why it is not known of each waiter when his place lapses; empty: it is.
std::string_view unreadDeadlines(const Family &family, const KeyFacts &facts) {
  for (const auto &beside : family.beside | std::views::filter([](const BesideForm &form) { return form.role == Role::Deadlines; })) {
    const auto *deadlines = facts.find(beside);
    const auto key = nameBeside(family, beside.key, facts.key);
    if (key && facts.isClosed(*key))
      return "how many of those in its queue have lapsed is not known: the deadlines cannot be read";
    if (deadlines && deadlines->size > deadlines->members.size())
      return "how many of those in its queue have lapsed is not known: the deadlines that were read are of others";
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
  const auto isRead = [&](const BesideForm &beside) { return beside.role == Role::Deadlines && facts.find(beside); };
  if (family.isUsers || !family.slug.starts_with("lockhouse-") || std::ranges::none_of(family.beside, isRead) || !unreadDeadlines(family, facts).empty())
    return;
  for (auto &waiter : queue)
    if (!waiter.leavesAt && isOfClient(waiter.id))
      waiter.leavesAt = facts.seenAt - ago;
}

// An entry that only wakes who is blocked on the queue.
bool isNobody(const BesideForm &queue, const Member &member) { return !queue.wake.empty() && member.bytes == queue.wake; }

// Whoever stands in a queue beside the lock, whatever type that has.
void addQueue(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  std::optional<std::uint64_t> places;
  for (const auto &beside : family.beside) {
    const auto *queue = beside.role == Role::Queue ? facts.find(beside) : nullptr;
    if (!queue)
      continue;
    std::uint64_t nobodies = 0;
    for (const auto &member : queue->members)
      if (isNobody(beside, member))
        ++nobodies;
      else
        draft.queue.push_back({member.bytes, lapseOf(family, facts, beside, member)});
    places = places.value_or(0) + queue->size - std::min(queue->size, nobodies);
  }
  if (!places)
    return;
  lapseWithoutDeadline(family, facts, draft.queue);
  countWaiters(draft, *places, facts.seenAt);
  const bool isAnyEndless = std::ranges::any_of(draft.queue, [](const Waiter &waiter) { return !waiter.leavesAt; });
  if (const auto why = isAnyEndless ? unreadDeadlines(family, facts) : std::string_view{}; !why.empty()) {
    draft.waiters.reset();
    draft.evidence.emplace_back(why);
  }
}

// Where its own bytes do not tell: the last that was given out.
void addFence(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  for (const auto &beside : family.beside)
    if (const auto *counter = beside.role == Role::Counter && !draft.fence ? facts.find(beside) : nullptr)
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
    draft.evidence.push_back(fmt::format("clients of this database that a blocking command keeps waiting, for whichever key: {}", *facts.blockedClients));
}

// Each of them who is somebody, as far as they were read.
bool areItsWaiters(const BesideForm &queue, const BesideFacts &found) {
  const auto isOne = [&](const Member &member) {
    return std::ranges::any_of(queue.waiters, [&](const Pattern &waiter) { return waiter.matches(member.bytes); });
  };
  auto somebody = found.members | std::views::filter([&](const Member &member) { return !isNobody(queue, member); });
  return !somebody.empty() && std::ranges::all_of(somebody, isOne);
}

bool isKnownByWaiters(const Family &family, const KeyFacts &facts) {
  return std::ranges::any_of(family.beside, [&](const BesideForm &beside) {
    const auto *found = beside.role == Role::Queue ? facts.find(beside) : nullptr;
    return found && areItsWaiters(beside, *found);
  });
}

} // namespace

bool mayWaitAlone(const Family &family, const Form &form) {
  return family.isUsers && !family.recognise && form.confidence > 0 && form.key && form.key->longestLiteral() > 0 &&
         std::ranges::find(family.beside, Role::Queue, &BesideForm::role) != family.beside.end();
}

bool knowsItsWaiters(const Family &family) {
  return std::ranges::any_of(family.beside, [](const BesideForm &beside) { return !beside.waiters.empty(); });
}

void addBeside(const Family &family, const KeyFacts &facts, LockRecord &draft) {
  addQueue(family, facts, draft);
  addUnqueued(family, facts, draft);
  addFence(family, facts, draft);
}

std::optional<Claim> claimQueueAlone(const Family &family, const KeyFacts &facts) {
  constexpr double surest = 0.9; // whose queue it is, its name alone tells, and those who stand there
  const auto form = std::ranges::find_if(family.forms, [&](const Form &each) { return mayWaitAlone(family, each) && each.key->matches(facts.key); });
  const bool isNamed = form != family.forms.end();
  if (knowsItsWaiters(family) ? !isKnownByWaiters(family, facts) : !isNamed)
    return std::nullopt;
  const double trust = isNamed ? std::min(form->confidence, surest) : surest;
  Claim claim{.draft = {}, .isByName = true, .isMeant = family.isUsers && trust >= shownConfidence};
  auto &draft = claim.draft;
  draft.kind = family.kind;
  draft.confidence = trust;
  if (isNamed && !form->evidence.empty())
    draft.evidence.push_back(form->evidence);
  addBeside(family, facts, draft);
  const bool areLapsed = !draft.waiters && lapsedPlaces(draft, facts.seenAt) == draft.queue.size();
  if (draft.waiters == 0 || areLapsed) // left over
    return std::nullopt;
  draft.evidence.emplace_back("nobody holds it, and a queue of it lies there");
  return claim;
}

} // namespace lockhouse
