// SPDX-License-Identifier: Apache-2.0
#include "core/client/release/bulk_release.h"
#include "core/client/release/cross_slot_search.h"

#include "core/release/check/majority_guard.h"
#include "core/release/method/holder_probe.h"
#include "core/release/plan/remove_member.h"
#include "core/release/result/script_result.h"
#include "core/watch/fleet/replica_merge.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace lockhouse {
namespace {

constexpr std::size_t mostReads = 512;  // holds that are under way, and holders of the locks that are being read
constexpr std::size_t plansAtOnce = 64; // of one lock, in one turn of the loop
constexpr std::size_t mostAsked = 32;   // holders that a server is asked for, of which each may be a thousand look-ups to it
constexpr std::size_t tellEvery = 256;  // plans
constexpr auto notPlanned = LH_MESSAGE("PlanWords", "not planned: it was stopped before");

std::vector<ReleaseResult> unanswered(const std::vector<ReleaseIntent> &intents) {
  std::vector<ReleaseResult> results(intents.size());
  for (std::size_t i = 0; i < intents.size(); ++i) {
    results[i].lock = intents[i].lock;
    results[i].holder = intents[i].holder;
  }
  return results;
}

// A server that does not tell the rights of a user when it is asked.
bool isBeforeSeven(std::span<const NodeStatus> nodes, const LockId &lock) {
  const auto node = std::ranges::find(nodes, lock.node, &NodeStatus::id);
  return node != nodes.end() && !node->version.empty() && node->version.front() < '7' && node->version.find('.') == 1;
}

std::size_t holdersOf(const LockRecordPtr &lock) { return lock ? lock->holders.size() : 0; }

} // namespace

ReleaseService::PlanMany::PlanMany(std::shared_ptr<Core> core, std::vector<ReleaseIntent> intents, std::stop_token stop, ProgressHandler progress,
                                   ManyDone done)
    : Many(std::move(core), unanswered(intents), std::move(stop), std::move(progress), std::move(done)), m_intents(std::move(intents)) {
  std::unordered_map<LockId, std::size_t> places;
  places.reserve(m_intents.size());
  m_groupOf.reserve(m_intents.size());
  for (std::size_t i = 0; i < m_intents.size(); ++i) {
    const auto [place, isNew] = places.try_emplace(m_intents[i].lock, m_groups.size());
    if (isNew)
      m_groups.emplace_back();
    m_groups[place->second].indexes.push_back(i);
    m_groupOf.push_back(place->second);
  }
  for (auto &group : m_groups)
    for (const auto index : group.indexes.size() > 1 ? group.indexes : std::vector<std::size_t>())
      if (!m_intents[index].shortenTo)
        group.order.try_emplace(m_intents[index].holder, index);
}

void ReleaseService::PlanMany::start() {
  m_core->tasks.insert(shared_from_this());
  m_watched = m_core->watcher.snapshot();
  m_others.emplace(m_watched, m_intents);
  pump();
}

// A lock with many holders is as much to read as many locks.
void ReleaseService::PlanMany::pump() {
  while (m_open < mostReads && m_reading < mostReads && m_next < m_groups.size()) {
    auto &group = m_groups[m_next++];
    m_open += group.indexes.size();
    group.seen = m_watched->find(lockOf(group));
    if (m_stop.stop_requested())
      closeAll(group, Verdict::Stopped, notPlanned);
    else if (laneOf(lockOf(group)) == nullptr)
      closeAll(group, Verdict::Unreachable, LH_MESSAGE("PlanWords", "no connection leads to this node and database"));
    else
      read(group);
  }
  if (m_open == 0)
    dryRun();
}

void ReleaseService::PlanMany::read(Group &group) {
  m_reading += holdersOf(group.seen);
  m_core->watcher.read(lockOf(group), later<Result<LockRecordPtr>>([this, &group](Result<LockRecordPtr> read) {
                         onRead(group, std::move(read));
                         pump();
                       }));
}

void ReleaseService::PlanMany::onRead(Group &group, Result<LockRecordPtr> read) {
  const auto &lock = lockOf(group);
  m_reading -= holdersOf(group.seen);
  if (!read)
    return closeAll(group, verdictOf(read.error()), forOneRelease(read.error()).message());
  if (!*read && group.seen && isKnownByListeners(*group.seen, m_core->watcher.families())) // who listen at a replica
    *read = group.seen;
  if (!*read)
    return laneOf(lock)->read({"TYPE", lock.key.bytes()}, later<Result<Reply>>([this, &group](const Result<Reply> &reply) {
                                onType(group, reply);
                                pump();
                              }));
  group.now = withHistory(std::move(*read), group.seen, m_core->watcher.families());
  planSome(group);
}

// Of very many a few at a time: whoever else waits for an answer on this loop is not to wait for all of them.
void ReleaseService::PlanMany::planSome(Group &group) {
  if (group.next > 0 && m_stop.stop_requested())
    return closeAll(group, Verdict::Stopped, notPlanned);
  const auto end = std::min(group.indexes.size(), group.next + plansAtOnce);
  while (group.next < end && m_asked < mostAsked)
    plan(group, group.indexes[group.next++]);
  if (group.next < group.indexes.size() && m_asked == mostAsked)
    return m_held.push_back(&group);
  if (group.next < group.indexes.size())
    return m_core->loop.post([go = later<std::monostate>([this, &group](std::monostate) {
                                planSome(group);
                                pump();
                              })]() mutable { go({}); });
  group.now.reset();
}

// Each answer has a time by which it has to come, counted from when it was asked for.
void ReleaseService::PlanMany::planHeld() {
  while (!m_held.empty() && m_asked < mostAsked) {
    auto &group = *m_held.front();
    m_held.pop_front();
    planSome(group);
  }
}

void ReleaseService::PlanMany::plan(const Group &group, std::size_t index) {
  const auto &intent = m_intents[index];
  auto planned = planFor(group.now, intent, m_core->watcher.families(), goneBefore(index));
  auto ask = holderProbeOf(planned);
  if (!ask)
    return take(index, std::move(planned));
  ++m_asked;
  askHolderProbe(index, std::move(planned), std::move(*ask), {});
}

void ReleaseService::PlanMany::askHolderProbe(std::size_t index, ReleaseResult planned, Command ask, FairLook look) {
  auto go = [this, index, planned = std::move(planned), look = std::move(look)](const Result<Reply> &reply) mutable {
    if (auto more = lookOn(look, planned, reply))
      return askHolderProbe(index, std::move(planned), std::move(*more), std::move(look));
    take(index, planFor(std::move(planned), reply, look, m_intents[index], m_core->watcher.families(), goneBefore(index)));
    --m_asked;
    planHeld();
    pump();
  };
  laneOf(m_intents[index].lock)->read(std::move(ask), later<Result<Reply>>(std::move(go)));
}

void ReleaseService::PlanMany::take(std::size_t index, ReleaseResult planned) {
  m_results[index] = std::move(planned);
  tellOthers(m_results[index], m_watched->find(m_intents[index].lock));
  auto &plan = m_results[index].plan;
  if (plan)
    m_others->tell(*plan, *m_results[index].now, m_core->watcher.families());
  if (plan && Apart::isNeeded(*plan, *m_watched))
    return Apart::start(m_lanes, std::move(*plan), *m_watched, later<ReleasePlan>([this, index](ReleasePlan taken) {
                          m_results[index].plan = std::move(taken);
                          close(index, {}, std::move(m_results[index].detail));
                          pump();
                        }));
  if (plan && !listsItMayHave(*plan).empty() && isBeforeSeven(m_watched->nodes, plan->lock))
    return leaveOutForbidden(*laneOf(plan->lock), *plan, later<std::optional<ReleasePlan>>([this, index](std::optional<ReleasePlan> shorter) {
      if (shorter)
        m_results[index].plan = std::move(*shorter);
      close(index, {}, std::move(m_results[index].detail));
      pump();
    }));
  close(index, m_results[index].verdict, std::move(m_results[index].detail));
}

// Of one lock those that are named first are taken first; a lease that is shortened takes nobody out.
GoneBefore ReleaseService::PlanMany::goneBefore(std::size_t index) const {
  const auto &holder = m_intents[index].holder;
  const auto &order = m_groups[m_groupOf[index]].order;
  const bool isAlone = order.empty() || (order.size() == 1 && order.contains(holder));
  return {isAlone ? nullptr : &order, index, holder};
}

void ReleaseService::PlanMany::onType(Group &group, const Result<Reply> &reply) {
  const auto [verdict, detail] = noLockThere(reply);
  if (verdict == Verdict::NotALock && reply && group.rereads++ < mostRereads)
    return read(group);
  closeAll(group, verdict, detail);
}

void ReleaseService::PlanMany::closeAll(Group &group, Verdict verdict, const Message &detail) {
  while (group.next < group.indexes.size())
    close(group.indexes[group.next++], verdict, detail);
  group.now.reset();
}

void ReleaseService::PlanMany::close(std::size_t index, std::optional<Verdict> verdict, Message detail) {
  --m_open;
  settle(index, verdict, std::move(detail));
  if (m_progress.answered % tellEvery == 0)
    tell();
}

// A part of what was asked for is no preview of it: whoever stopped it is not to release that part by it.
void ReleaseService::PlanMany::end() {
  const bool isStopped = m_stop.stop_requested();
  if (!isStopped)
    guardMajority(m_results, m_watched->nodes);
  for (auto &result : m_results) {
    if (!isStopped || result.verdict)
      continue;
    result.plan.reset();
    result.verdict = Verdict::Stopped;
    result.detail = notPlanned;
    ++m_progress.refused;
  }
  finish();
}

} // namespace lockhouse
