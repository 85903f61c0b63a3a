// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_release.h"

#include <algorithm>

namespace lockhouse {

QuorumReleaseActions QuorumRelease::start(Members members, Members doubtful, SteadyTime now) {
  QuorumReleaseActions actions;
  for (std::size_t i = 0; i < m_machines.size(); ++i) {
    if (!members.test(i))
      continue;
    auto plan = m_plan;
    plan.doubtful = doubtful.test(i);
    plan.seed += i;
    m_machines[i] = {.machine = ReleaseMachine(plan), .alarm = QuorumReleaseActions::never, .told = false, .released = false, .free = false, .failed = false};
    take(i, m_machines[i].machine.on(ReleaseEvent::Start, now), actions);
  }
  return done(actions);
}

QuorumReleaseActions QuorumRelease::again(std::size_t member, SteadyTime keyGone, SteadyTime now) {
  auto &part = m_machines[member];
  auto plan = m_plan;
  plan.doubtful = true;
  plan.keyGone = keyGone;
  plan.reportBy = keyGone;
  part.machine = ReleaseMachine(plan);
  QuorumReleaseActions actions;
  take(member, part.machine.on(ReleaseEvent::Start, now), actions);
  return done(actions);
}

QuorumReleaseActions QuorumRelease::on(std::size_t member, ReleaseEvent event, SteadyTime now) {
  QuorumReleaseActions actions;
  take(member, m_machines[member].machine.on(event, now), actions);
  return done(actions);
}

QuorumReleaseActions QuorumRelease::onAlarm(SteadyTime now) {
  QuorumReleaseActions actions;
  for (std::size_t i = 0; i < m_machines.size(); ++i)
    if (m_machines[i].alarm <= now)
      take(i, m_machines[i].machine.on(ReleaseEvent::Alarm, now), actions);
  return done(actions);
}

void QuorumRelease::take(std::size_t member, const ReleaseActions &actions, QuorumReleaseActions &all) {
  auto &part = m_machines[member];
  part.alarm = actions.alarm;
  if (actions.send)
    all.send.set(member);
  if (!actions.report)
    return;
  const auto outcome = part.machine.outcome();
  part.told = true;
  part.released = part.released || outcome == ReleaseOutcome::Released;
  part.free = part.released || outcome == ReleaseOutcome::NotOwner;
  part.failed = outcome == ReleaseOutcome::Failed;
}

QuorumReleaseActions QuorumRelease::done(QuorumReleaseActions actions) {
  for (const auto &part : m_machines)
    actions.alarm = std::min(actions.alarm, part.alarm);
  if (m_reported)
    return actions;
  if (const auto outcome = together()) {
    m_reported = true;
    m_outcome = *outcome;
    actions.report = true;
  }
  return actions;
}

std::optional<ReleaseOutcome> QuorumRelease::together() const {
  const auto free = static_cast<std::size_t>(std::ranges::count(m_machines, true, &Part::free));
  const bool released = std::ranges::any_of(m_machines, &Part::released);
  const bool allTold = std::ranges::all_of(m_machines, &Part::told);
  if (free >= m_wanted && (released || allTold))
    return released ? ReleaseOutcome::Released : ReleaseOutcome::NotOwner;
  if (!allTold)
    return std::nullopt;
  return std::ranges::any_of(m_machines, [](const Part &part) { return !part.free && !part.failed; }) ? ReleaseOutcome::InDoubt : ReleaseOutcome::Failed;
}

bool QuorumRelease::settled() const {
  return std::ranges::all_of(m_machines, [](const Part &part) { return part.machine.settled(); });
}

} // namespace lockhouse
