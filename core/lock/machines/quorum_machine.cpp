// SPDX-License-Identifier: Apache-2.0
#include "core/lock/machines/quorum_machine.h"

#include "core/base/random.h"
#include "core/lock/options/lock_options.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockhouse {

using Kind = QuorumEvent::Kind;
using Report = QuorumActions::Report;

namespace {

std::optional<Vote> voteOf(Kind kind) {
  switch (kind) {
  case Kind::Granted: return Vote::Granted;
  case Kind::Refused: return Vote::Refused;
  case Kind::Busy: return Vote::Busy;
  case Kind::Rejected: return Vote::Rejected;
  case Kind::Unsent: return Vote::Unreachable;
  case Kind::Barred: return Vote::Barred;
  case Kind::Silent: return Vote::Silent;
  case Kind::Unanswered: return Vote::InDoubt;
  default: return std::nullopt;
  }
}

} // namespace

QuorumMachine::QuorumMachine(const Plan &plan)
    : m_plan(plan), m_earliness(0.95 - 0.05 * Jitter(plan.seed).unit()), m_members(std::clamp<std::size_t>(plan.members, 1, mostMembers)),
      m_quorum(quorumOf(m_members.size(), plan.capacity)) {}

QuorumActions QuorumMachine::on(QuorumEvent event, SteadyTime now) {
  if (event.member >= m_members.size())
    return stay();
  if (event.kind == Kind::Stop) {
    m_state = State::Stopped;
    return {};
  }
  if (m_state == State::Idle)
    return event.kind == Kind::Start ? start(now) : QuorumActions{};
  const auto before = validUntil();
  const bool toAsk = note(event);
  switch (m_state) {
  case State::Asking: return onAsking(event, now);
  case State::Held: return onHeld(event, toAsk, before, now);
  default: return {};
  }
}

QuorumActions QuorumMachine::start(SteadyTime now) {
  m_state = State::Asking;
  m_startedAt = now;
  auto actions = QuorumActions{};
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    m_members[i].asking = true;
    m_members[i].askedAt = now;
    m_mayHave.set(i);
    actions.ask.set(i);
  }
  actions.alarm = stay().alarm;
  return actions;
}

// What a reply says of the member, in any state: even after the end it says whether there is something to release.
bool QuorumMachine::note(const QuorumEvent &event) {
  auto &member = m_members[event.member];
  if (event.kind == Kind::Reconnected)
    member.restarted = member.restarted || event.restarted;
  const auto vote = voteOf(event.kind);
  if (!vote || !member.asking)
    return false;
  member.asking = false;
  if (m_state == State::Asking || member.vote == Vote::Pending)
    member.vote = *vote;
  if (*vote == Vote::Granted)
    member.believedUntil = member.askedAt + m_plan.lease - driftOf(m_plan.lease);
  else if (*vote == Vote::InDoubt)
    ++member.doubts;
  else
    m_mayHave.set(event.member, member.doubts > 0); // an earlier ask without a reply may still have taken it
  return true;
}

QuorumActions QuorumMachine::onAsking(const QuorumEvent &event, SteadyTime now) {
  if (event.kind == Kind::Alarm && now >= m_startedAt + m_plan.nodeTime)
    for (auto &member : m_members)
      if (member.vote == Vote::Pending)
        member.vote = Vote::Silent; // its ask has no reply yet: a grant that arrives now is released
  return decide(now);
}

QuorumActions QuorumMachine::decide(SteadyTime now) {
  const auto granted = count(Vote::Granted);
  if (granted >= m_quorum)
    return now < validUntil() ? win(now) : fail(Failure::TooLate);
  if (granted + count(Vote::Pending) < m_quorum)
    return fail(whyFailed());
  return stay();
}

QuorumActions QuorumMachine::win(SteadyTime now) {
  m_state = State::Held;
  for (auto &member : m_members)
    if (member.vote == Vote::Granted)
      member.confirmedAt = member.askedAt;
  for (auto &member : m_members)
    if (!member.asking)
      member.next = member.vote == Vote::Granted ? member.askedAt + early(renewalInterval(m_plan.lease)) : now + early(renewalRetry(m_plan.lease));
  auto actions = stay();
  actions.report = Report::Won;
  return actions;
}

QuorumActions QuorumMachine::fail(Failure failure) {
  m_state = State::Failed;
  m_failure = failure;
  QuorumActions actions;
  actions.report = Report::Failed;
  return actions;
}

// Which refusals decided: errors that remain, nodes that may come back, or another owner, which will release it.
QuorumMachine::Failure QuorumMachine::whyFailed() const {
  const auto rejected = count(Vote::Rejected);
  if (rejected >= decisive())
    return Failure::Rejected;
  const auto away = count(Vote::Silent) + count(Vote::InDoubt) + count(Vote::Unreachable) + count(Vote::Barred) + count(Vote::Busy);
  return away + rejected >= decisive() || count(Vote::Refused) == 0 ? Failure::OutOfReach : Failure::Contended;
}

QuorumActions QuorumMachine::onHeld(const QuorumEvent &event, bool toAsk, SteadyTime before, SteadyTime now) {
  if (now >= before)
    return lose(LossReason::LeaseEnded);
  auto &member = m_members[event.member];
  switch (event.kind) {
  case Kind::Alarm: return renewDue(now);
  case Kind::Reconnected:
    if (!member.renewing && !member.asking)
      member.next = std::min(member.next, now);
    return renewDue(now);
  case Kind::Granted: return toAsk ? confirmed(member, before, now) : stay();
  case Kind::Refused:
    if (toAsk)
      member.next = now + early(renewalInterval(m_plan.lease));
    return stay();
  default: return toAsk || member.renewing ? onRenewal(member, event, before, now) : stay();
  }
}

QuorumActions QuorumMachine::onRenewal(Member &member, const QuorumEvent &event, SteadyTime before, SteadyTime now) {
  switch (event.kind) {
  case Kind::Renewed:
    member.believedUntil = std::max(member.believedUntil, member.askedAt + m_plan.lease - driftOf(m_plan.lease));
    m_mayHave.set(event.member);
    member.doubts = member.doubts == 1 ? 0 : member.doubts; // the ask without a reply did arrive: it is what was renewed
    return confirmed(member, before, now);
  case Kind::Gone:
  case Kind::TakenOver: return gone(member, event, now);
  case Kind::Busy:
  case Kind::Rejected:
  case Kind::Unsent:
  case Kind::Barred:
  case Kind::Silent:
  case Kind::Unanswered:
    member.renewing = false;
    member.next = now + early(renewalRetry(m_plan.lease));
    return stay();
  default: return stay();
  }
}

QuorumActions QuorumMachine::confirmed(Member &member, SteadyTime before, SteadyTime now) {
  member.renewing = false;
  member.restarted = false;
  member.confirmedAt = member.askedAt;
  member.next = member.askedAt + early(renewalInterval(m_plan.lease));
  auto actions = heal(now);
  if (validUntil() > before)
    actions.report = Report::Renewed;
  return actions;
}

QuorumActions QuorumMachine::gone(Member &member, const QuorumEvent &event, SteadyTime now) {
  member.renewing = false;
  member.believedUntil = {};
  m_mayHave.set(event.member, member.doubts > 0);
  if (now >= validUntil())
    return lose(event.kind == Kind::TakenOver ? LossReason::TakenOver : member.restarted ? LossReason::ServerRestarted : LossReason::Deleted);
  member.next = now + early(renewalInterval(m_plan.lease));
  if (event.kind == Kind::TakenOver)
    return stay();
  member.missing = true;
  return heal(now);
}

// Only when a quorum has confirmed renewals as late as the one that found the key gone: nodes that were confirmed before may have lost it at
// the same time, and then another owner can have had the lock meanwhile.
QuorumActions QuorumMachine::heal(SteadyTime now) {
  Members ask;
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    auto &member = m_members[i];
    if (!member.missing)
      continue;
    const auto proves = [&](const Member &other) { return now < other.believedUntil && other.confirmedAt >= member.askedAt; };
    if (static_cast<std::size_t>(std::ranges::count_if(m_members, proves)) < m_quorum) {
      for (auto &other : m_members)
        if (!other.asking && !other.renewing && now < other.believedUntil && other.confirmedAt < member.askedAt)
          other.next = now; // renew it now, as a proof
      continue;
    }
    // Counted from the renewal: an ask that seemed lost may have arrived since, and this one would not renew its lease.
    member.missing = false;
    member.asking = true;
    member.next = QuorumActions::never;
    m_mayHave.set(i);
    ask.set(i);
  }
  auto actions = renewDue(now);
  actions.ask = ask;
  return actions;
}

QuorumActions QuorumMachine::renewDue(SteadyTime now) {
  QuorumActions actions;
  for (std::size_t i = 0; i < m_members.size() && m_plan.renew; ++i) {
    auto &member = m_members[i];
    if (member.asking || member.renewing || now < member.next)
      continue;
    member.renewing = true;
    member.missing = false; // the next reply says so again, if it still is
    member.askedAt = now;
    member.next = QuorumActions::never;
    actions.renew.set(i);
  }
  actions.alarm = stay().alarm;
  return actions;
}

QuorumActions QuorumMachine::lose(LossReason reason) {
  m_state = State::Lost;
  m_reason = reason;
  QuorumActions actions;
  actions.report = Report::Lost;
  return actions;
}

QuorumActions QuorumMachine::stay() const {
  QuorumActions actions;
  if (m_state == State::Asking)
    actions.alarm = m_startedAt + m_plan.nodeTime;
  if (m_state != State::Held)
    return actions;
  actions.alarm = validUntil();
  for (const auto &member : m_members)
    if (m_plan.renew && !member.asking && !member.renewing)
      actions.alarm = std::min(actions.alarm, member.next);
  return actions;
}

SteadyTime QuorumMachine::validUntil() const {
  std::array<SteadyTime, mostMembers> beliefs;
  for (std::size_t i = 0; i < m_members.size(); ++i)
    beliefs[i] = m_members[i].believedUntil;
  const auto all = std::span(beliefs).first(m_members.size());
  const auto deciding = all.begin() + static_cast<std::ptrdiff_t>(m_quorum - 1);
  std::ranges::nth_element(all, deciding, std::greater());
  return *deciding;
}

Members QuorumMachine::inDoubt() const {
  Members members;
  for (std::size_t i = 0; i < m_members.size(); ++i)
    members.set(i, m_members[i].doubts > 0);
  return members;
}

std::size_t QuorumMachine::count(Vote vote) const { return static_cast<std::size_t>(std::ranges::count(m_members, vote, &Member::vote)); }

std::chrono::nanoseconds QuorumMachine::early(std::chrono::nanoseconds interval) const {
  return std::chrono::nanoseconds(std::llround(static_cast<double>(interval.count()) * m_earliness));
}

} // namespace lockhouse
