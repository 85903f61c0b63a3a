// SPDX-License-Identifier: Apache-2.0
#include "core/release/method/lockhouse_locks.h"

#include "core/base/ascii.h"
#include "core/base/lockhouse_names.h"
#include "core/base/safe_text.h"
#include "core/release/plan/remove_member.h"
#include "core/release/scripts.h"
#include "core/watch/node/hold_history.h"
#include "core/watch/record/queue_positions.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace lockhouse {
namespace {

using Kind = Effect::Kind;

constexpr std::size_t mostAsked = 1'000; // inboxes, as many as places of a queue are read
constexpr auto nextIsUnheard =
    LH_MESSAGE("PlanWords", "nobody was seen to listen on the inbox of %1: if its client is gone, the next one goes on when its place lapses");
constexpr auto granteeIsUnheard = LH_MESSAGE("PlanWords", "nobody was seen to listen on the inbox of %1: if its client is gone, release what it is given too");
constexpr auto granteesAreUnheard =
    LH_MESSAGE("PlanWords", "nobody was seen to listen on the inboxes of %1 and %2 more: if their clients are gone, release what they are given too");

// "kind/client:number" of a lock that several may hold, else "client:number".
std::string_view tokenOf(std::string_view waiter) { return waiter.substr(waiter.find('/') + 1); }
std::string_view kindOf(std::string_view waiter) { return waiter.substr(0, waiter.find('/')); }

// Whose client has no deadline within the longest lease is dropped too, as the locks' own scripts do.
bool lives(const Waiter &waiter, SteadyTime now) {
  constexpr milliseconds longestLease = std::chrono::days(365);
  return waiter.leavesAt && *waiter.leavesAt > now && *waiter.leavesAt - now <= longestLease;
}

// Where not all deadlines were read, and so it is not known how many wait, one without a deadline may live as well.
bool mayLive(const LockRecord &record, const Waiter &waiter) { return !record.waiters && !waiter.leavesAt; }

constexpr std::size_t mostLookedAt = 100; // places at the head of the queue that a script looks at before it changes anything

std::int64_t signedIn(std::string_view text) {
  const bool isNegative = text.starts_with('-');
  const auto number = static_cast<std::int64_t>(numberIn(text.substr(isNegative ? 1 : 0)));
  return isNegative ? -number : number;
}

bool isNumber(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// As the locks' own scripts know one: what is none keeps everybody behind it out.
bool isWaiter(const LockRecord &record, const Waiter &waiter) {
  const auto token = tokenOf(waiter.id), kind = kindOf(waiter.id);
  if (!isNumber(token.substr(token.rfind(':') + 1)) || !token.contains(':'))
    return false;
  if (record.kind == LockKind::Semaphore)
    return isNumber(kind) && kind.size() <= 5 && kind.front() != '0';
  return record.kind != LockKind::ReadWrite || kind == "r" || kind == "w" || (kind.starts_with('u') && isNumber(kind.substr(1)));
}

// Of a lock that several may hold: then nobody is let in.
bool hasStranger(const LockRecord &record) {
  return std::ranges::any_of(record.queue | std::views::take(mostLookedAt), [&record](const Waiter &waiter) { return !isWaiter(record, waiter); });
}

bool isShared(const LockRecord &record) { return record.kind == LockKind::Semaphore || record.kind == LockKind::ReadWrite; }

bool isQueueForeign(const LockRecord &record, const ReleasePlan &plan) {
  const bool isStrange = std::ranges::any_of(plan.keys | std::views::drop(1), [&record](const std::string &key) { return isForeign(record, key); });
  const auto isStranger = [&record](const Waiter &waiter) { return !isWaiter(record, waiter); };
  const auto isNext = [&](const Waiter &waiter) { return isStranger(waiter) || lives(waiter, record.seenAt); };
  if (isShared(record))
    return isStrange || hasStranger(record);
  const auto next = isQueueLock(record) ? std::ranges::find_if(record.queue, isNext) : record.queue.end();
  return isStrange || (next != record.queue.end() && isStranger(*next));
}

bool isClosed(const LockRecord &record, const std::string &key) { return std::ranges::find(record.closed, key) != record.closed.end(); }

void noteQueued(ReleasePlan &plan, const LockRecord &record) {
  for (const auto &waiter : record.queue | std::views::take(mostLookedAt))
    if (isWaiter(record, waiter))
      plan.queued.push_back(waiter.id);
}

Effect emptyQueue() { return {Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: the queue is empty")}; }

Effect keepsOut(const std::string &first) {
  return {Kind::KeepsOut, LH_MESSAGE("PlanWords", "lets nobody in yet: %1, who is first in the queue, waits for those who stay")(briefly(first))};
}

// Where all that were read have lapsed, and there are more, it is not known how many wait.
bool hasMoreThanRead(const LockRecord &record) { return placesIn(record) > record.queue.size() || (!record.waiters && !record.queue.empty()); }

void addDropped(ReleasePlan &plan, std::ptrdiff_t lapsed, bool isAll = true) {
  if (lapsed > 0)
    plan.effects.push_back({Kind::Drops, isAll ? droppedPlaces(lapsed)
                                               : LH_MESSAGE("PlanWords", "drops at least %1 lapsed places at the head of the queue, in several runs")(lapsed)});
}

void addNobody(ReleasePlan &plan, const LockRecord &record) {
  if (isQueueForeign(record, plan))
    plan.effects.push_back({Kind::Leaves, LH_MESSAGE("PlanWords", "tells nobody: what lies beside it is no queue of such a lock")});
  else if (hasMoreThanRead(record))
    plan.effects.push_back(
        {Kind::Publishes,
         isShared(record) ? LH_MESSAGE("PlanWords", "lets in the first in the queue who lives, if it fits beside those who stay: it is not known who that is")
                          : LH_MESSAGE("PlanWords", "tells the first in the queue who lives, which gets the lock next: it is not known who that is")});
  else if (isClosed(record, plan.keys[1]))
    plan.effects.push_back({Kind::Leaves, LH_MESSAGE("PlanWords", "tells the first in the queue, if anybody waits there: it cannot be read")});
  else
    plan.effects.push_back(emptyQueue());
}

/// The first in the queue who lives, after what is dropped before it; null: none that was read.
const Waiter *firstOf(ReleasePlan &plan, const LockRecord &record, SteadyTime now) {
  if (isQueueForeign(record, plan))
    return nullptr;
  const auto isOfOthers = [](const Waiter &waiter) { return waiter.id.contains('/'); }; // whose client nobody knows here
  const auto head =
      std::ranges::find_if(record.queue, [&](const Waiter &waiter) { return !isOfOthers(waiter) && (lives(waiter, now) || mayLive(record, waiter)); });
  addDropped(plan, head - record.queue.begin(), head != record.queue.end() || !hasMoreThanRead(record));
  if (head == record.queue.end() || mayLive(record, *head))
    return nullptr;
  plan.next = head->id;
  plan.wakes = {head->id};
  return &*head;
}

// Who may be in together, as the scripts of both locks know it.
class Room {
public:
  Room(const LockRecord &record, const Holder &leaving) : m_record(record), m_leaving(leaving), m_isSemaphore(record.kind == LockKind::Semaphore) {
    const auto free = std::ranges::find(record.extras, "free", &MetadataEntry::name);
    if (free != record.extras.end())
      m_free = leaving.count + signedIn(free->value);
    for (const auto &holder : record.holders)
      if (holder.id != leaving.id)
        enter(holder);
    if (record.unread > 0) // of whom it is not known what they are
      m_inside += 2;
  }
  /// A place that is nobody's: of a reader who wanted to become the writer, and is in no more.
  bool isVoid(const Waiter &waiter) const {
    const auto reader = fmt::format("r/{}", tokenOf(waiter.id));
    return isUpgrade(waiter) && (reader == m_leaving.id || std::ranges::find(m_record.holders, reader, &Holder::id) == m_record.holders.end());
  }
  std::optional<std::int64_t> free() const { return m_free; }
  /// Whether surely nobody more comes in, so that nobody behind is looked at.
  bool isFull() const { return m_isSemaphore ? m_isAsked && m_free && *m_free <= 0 : m_isWritten; }
  bool letIn(const Waiter &waiter) {
    const auto kind = kindOf(waiter.id);
    if (m_isSemaphore) {
      const auto wanted = static_cast<std::int64_t>(numberIn(kind));
      m_isAsked = true;
      if (!m_free) // how many there are is lost: as many as the first wants
        m_free = wanted - m_permits - static_cast<std::int64_t>(m_record.unread);
      const bool fits = wanted <= *m_free;
      *m_free -= fits ? wanted : 0;
      return fits;
    }
    const bool fits = isUpgrade(waiter) ? m_inside == 1 : m_inside == 0 || (!m_isWritten && kind == "r");
    if (fits && isUpgrade(waiter))
      m_isWritten = true;
    else if (fits)
      enter({.id = waiter.id});
    return fits;
  }

private:
  static bool isUpgrade(const Waiter &waiter) { return waiter.id.starts_with('u'); }
  void enter(const Holder &holder) {
    ++m_inside;
    m_permits += std::max<std::int64_t>(0, holder.count);
    m_isWritten |= holder.id.starts_with('w');
  }

  const LockRecord &m_record;
  const Holder &m_leaving;
  bool m_isSemaphore;
  std::optional<std::int64_t> m_free; // nothing: not known yet
  std::int64_t m_permits = 0;
  std::uint64_t m_inside = 0;
  bool m_isWritten = false, m_isAsked = false;
};

void addLetIn(ReleasePlan &plan) {
  const auto more = plan.wakes.size() - 1;
  plan.effects.push_back({Kind::HandsOn, more == 0 ? LH_MESSAGE("PlanWords", "lets %1 in")(briefly(plan.wakes.front()))
                                                   : LH_MESSAGE("PlanWords", "lets %1 in, and %2 more who wait")(briefly(plan.wakes.front()), more)});
  plan.effects.push_back({Kind::Publishes, plan.family == "lockhouse-semaphore"
                                               ? LH_MESSAGE("PlanWords", "publishes to the inbox of each one's client (PUBLISH) that it has its permits")
                                               : LH_MESSAGE("PlanWords", "publishes to the inbox of each one's client (PUBLISH) that it has the lock")});
}

// Holders in a sorted set, waiters in another.
void planShared(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto &key = record.id.key.bytes();
  for (auto companion : {own::queueKey(key), own::deadlinesKey(key), own::capacityKey(key)})
    plan.keys.push_back(std::move(companion));
  plan.effects = {takesOut(holder, key)};
  if (holder.count > 1)
    plan.effects.push_back({Kind::TakesOut, LH_MESSAGE("PlanWords", "with it go all %1 of its permits")(holder.count)});
  if (record.holdersAtMost() > 1)
    plan.effects.push_back({Kind::Stays, othersStay(record)});
  noteQueued(plan, record);
  if (isQueueForeign(record, plan))
    return addNobody(plan, record);
  if (record.kind == LockKind::Semaphore && !record.queue.empty() && isClosed(record, plan.keys[3]))
    return plan.effects.push_back({Kind::Publishes, LH_MESSAGE("PlanWords", "lets in who of the queue fits: how many permits there are cannot be read")});

  Room room(record, holder);
  std::ptrdiff_t dropped = 0;
  const Waiter *first = nullptr; // who does not fit
  bool isUnknown = false;        // who comes then
  bool isAtHead = true;          // whose lapsed places go before anything else
  for (const auto &waiter : record.queue) {
    isUnknown = mayLive(record, waiter);
    if (isUnknown)
      break;
    const bool isLiving = lives(waiter, now);
    if (room.isFull() && (isLiving || !isAtHead)) {
      first = plan.wakes.empty() ? &waiter : nullptr;
      break;
    }
    isAtHead &= !isLiving;
    if (!isLiving || room.isVoid(waiter)) {
      ++dropped;
    } else if (room.letIn(waiter)) {
      plan.wakes.push_back(waiter.id);
    } else {
      first = &waiter;
      break;
    }
  }
  addDropped(plan, dropped, first || isUnknown || !plan.wakes.empty() || !hasMoreThanRead(record));
  if (!plan.wakes.empty()) {
    plan.next = plan.wakes.front();
    addLetIn(plan);
  } else if (first) {
    plan.effects.push_back(keepsOut(first->id));
  } else {
    addNobody(plan, record);
  }
}

} // namespace

void planHandoff(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto &key = record.id.key.bytes();
  plan.script = &release_scripts::releaseHandoff;
  for (auto companion : {own::queueKey(key), own::deadlinesKey(key), own::fenceKey(key)})
    plan.keys.push_back(std::move(companion));
  plan.args = {holder.id};
  noteQueued(plan, record);
  const auto *next = firstOf(plan, record, now);
  if (!next && !isQueueForeign(record, plan) && hasMoreThanRead(record))
    return plan.effects.push_back(
        {Kind::HandsOn,
         LH_MESSAGE("PlanWords", "hands %1 on to the first in the queue who lives, or deletes it if nobody does: it is not known who that is")(named(key))});
  if (!next) {
    plan.effects.push_back(deletesToken(key, holder));
    return addNobody(plan, record);
  }
  plan.effects.push_back({Kind::HandsOn, LH_MESSAGE("PlanWords", "makes %1 the holder of %2, with a greater fence, if its value is still %3")(
                                             briefly(next->id), named(key), briefly(holder.id))});
  plan.effects.push_back(
      {Kind::Publishes, LH_MESSAGE("PlanWords", "publishes the grant on %1 (PUBLISH), the inbox of its client")(safeText(own::inboxOf(next->id), 120))});
  if (localHandoffCandidates(record) > 0)
    plan.warnings.push_back(LH_MESSAGE("PlanWords", "%1 is of the holder's own client, which may have handed it the lock already without a word to the server: "
                                                    "if it has come and gone since, its client gives the lock back when it is told")(briefly(next->id)));
}

void planQueueLock(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  const auto &key = record.id.key.bytes();
  plan.script = &release_scripts::releaseQueueLock;
  plan.keys.push_back(own::lineKey(key));
  plan.keys.push_back(own::deadlinesKey(key));
  plan.args = {holder.id};
  plan.effects = {deletesToken(key, holder)};
  noteQueued(plan, record);
  if (const auto *next = firstOf(plan, record, now))
    plan.effects.push_back({Kind::Publishes, LH_MESSAGE("PlanWords", "publishes on %1 (PUBLISH), the inbox of its client, that it is the turn of %2")(
                                                 safeText(own::inboxOf(next->id), 120), briefly(next->id))});
  else
    addNobody(plan, record);
}

void planReaders(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  plan.script = &release_scripts::releaseLockhouseRw;
  plan.args = {holder.id};
  planShared(plan, record, holder, now);
}

void planLeasedPermits(ReleasePlan &plan, const LockRecord &record, const Holder &holder, SteadyTime now) {
  plan.script = &release_scripts::releaseLeasedPermits;
  plan.args = {holder.id, record.unread > 0 ? std::string("0") : std::to_string(holder.count)};
  planShared(plan, record, holder, now);
}

std::optional<Command> inboxLookOf(const ReleasePlan &plan) {
  if (!plan.family.starts_with("lockhouse-") || plan.wakes.empty() || isShortening(plan))
    return std::nullopt;
  Command command{"PUBSUB", "NUMSUB"};
  for (const auto &waiter : plan.wakes | std::views::take(mostAsked))
    command.arg(own::inboxOf(waiter));
  return command;
}

void tellUnheard(ReleasePlan &plan, const Result<Reply> &answer) {
  const auto asked = std::min(plan.wakes.size(), mostAsked);
  if (!answer || answer->isFailure() || answer->array().size() != 2 * asked)
    return;
  const auto isUnheard = [&](std::size_t i) { return answer->array()[2 * i + 1].integer() == 0; };
  std::vector<std::string> unheard;
  for (std::size_t i = 0; i < asked; ++i)
    if (isUnheard(i))
      unheard.push_back(plan.wakes[i]);
  if (unheard.empty())
    return;
  plan.isNextUnheard = isUnheard(0);
  const bool isGiven = std::ranges::find(plan.effects, Kind::HandsOn, &Effect::kind) != plan.effects.end();
  const auto first = briefly(unheard.front());
  if (!isGiven)
    plan.warnings.push_back(nextIsUnheard(first));
  else if (unheard.size() == 1)
    plan.warnings.push_back(granteeIsUnheard(first));
  else
    plan.warnings.push_back(granteesAreUnheard(first, unheard.size() - 1));
}

void dropUnheard(ReleasePlan &plan) {
  if (std::erase_if(plan.warnings, [](const Message &each) { return each.is(nextIsUnheard) || each.is(granteeIsUnheard) || each.is(granteesAreUnheard); }) > 0)
    plan.isNextUnheard = false;
}

void passOn(LockRecord &lock, std::int64_t permits, SteadyTime now) {
  if (hasStranger(lock))
    return;
  const bool isSemaphore = lock.kind == LockKind::Semaphore;
  const Holder gone{std::string(), permits};
  Room room(lock, gone);
  auto first = lock.queue.begin();
  bool isAtHead = true; // as in planShared()
  std::vector<Holder> inside;
  for (; first != lock.queue.end() && !mayLive(lock, *first); ++first) {
    const bool isLiving = lives(*first, now);
    if (room.isFull() && (isLiving || !isAtHead))
      break;
    isAtHead &= !isLiving;
    if (!isLiving || room.isVoid(*first))
      continue;
    const auto kind = kindOf(first->id);
    if (kind.starts_with('u') || !room.letIn(*first)) // who is in already becomes another
      break;
    inside.push_back(isSemaphore ? Holder{std::string(tokenOf(first->id)), static_cast<std::int64_t>(numberIn(kind))}
                                 : Holder{first->id, 1, kind == "r" ? HoldMode::Read : HoldMode::Write});
  }
  const auto counted = std::count_if(lock.queue.begin(), first, [&lock](const Waiter &waiter) { return !isLapsed(waiter, lock.seenAt); });
  if (lock.waiters)
    *lock.waiters -= std::min(*lock.waiters, static_cast<std::uint64_t>(counted));
  lock.queue.erase(lock.queue.begin(), first);
  lock.holders.insert(lock.holders.end(), inside.begin(), inside.end());
  const bool isKnown = std::erase_if(lock.extras, [](const MetadataEntry &extra) { return extra.name == "free"; }) > 0;
  if (isKnown)
    lock.extras.push_back({"free", std::to_string(*room.free())});
}

void tellLine(ReleasePlan &plan, const ScriptResult::Line &line) {
  const auto isOfHolders = [](const Effect &effect) { return effect.kind == Kind::TakesOut || effect.kind == Kind::Stays; };
  std::erase_if(plan.effects, [&](const Effect &effect) { return !isOfHolders(effect); });
  addDropped(plan, static_cast<std::ptrdiff_t>(line.dropped));
  plan.wakes = line.letIn;
  plan.next = line.letIn.empty() ? std::nullopt : std::optional(line.letIn.front());
  if (!line.letIn.empty())
    addLetIn(plan);
  else
    plan.effects.push_back(line.first.empty() ? emptyQueue() : keepsOut(line.first));
}

} // namespace lockhouse
