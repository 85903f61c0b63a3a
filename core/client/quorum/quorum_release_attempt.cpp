// SPDX-License-Identifier: Apache-2.0
#include "core/client/quorum/quorum_release_attempt.h"

#include "core/client/node/reply_events.h"

#include <utility>

namespace lockhouse {

QuorumReleaseAttempt::QuorumReleaseAttempt(const QuorumOwner &owner, Observer &observer)
    : m_owner(owner), m_observer(observer), m_serials(owner.driver.size()) {}

QuorumReleaseAttempt::~QuorumReleaseAttempt() { m_owner.driver.dropAlarm(*this); }

void QuorumReleaseAttempt::start(std::size_t quorum, SteadyTime leaseEnds, const Members &have, const Members &inDoubt, SteadyTime now) {
  m_isStarted = true;
  const auto &options = m_owner.driver.options();
  m_machine = QuorumRelease(m_serials.size(), quorum,
                            {.leaseEnds = leaseEnds,
                             .keyGone = now + m_owner.lease + driftOf(m_owner.lease),
                             .reportBy = now + options.releaseLimit,
                             .doubtful = false,
                             .recheckAfter = options.recheckAfter,
                             .seed = m_owner.driver.nextSeed()});
  act(m_machine.start(have, inDoubt, now));
}

void QuorumReleaseAttempt::startAgain(std::size_t member, SteadyTime now) { act(m_machine.again(member, now + m_owner.lease + driftOf(m_owner.lease), now)); }

void QuorumReleaseAttempt::reconnected(std::size_t member, SteadyTime now) { act(m_machine.on(member, ReleaseEvent::Reconnected, now)); }

void QuorumReleaseAttempt::onAlarm(SteadyTime now) {
  act(m_machine.onAlarm(now));
  m_observer.advanced();
}

void QuorumReleaseAttempt::act(const QuorumReleaseActions &actions) {
  for (std::size_t i = 0; i < m_serials.size(); ++i)
    if (actions.send.test(i))
      send(i);
  m_owner.driver.setAlarm(*this, actions.alarm);
  m_observer.settledChanged();
  if (actions.report)
    m_observer.released(m_machine.outcome(), m_error);
}

void QuorumReleaseAttempt::send(std::size_t member) {
  ++m_awaited;
  const auto at = static_cast<std::uint32_t>(member);
  m_owner.sendGuarded(member, m_owner.entry.primitive.release(m_owner.ask(0), false),
                      [this, at, serial = ++m_serials[member]](const Result<Reply> &reply) { answered(at, serial, reply); });
}

void QuorumReleaseAttempt::answered(std::uint32_t member, std::uint32_t serial, const Result<Reply> &reply) {
  auto &driver = m_owner.driver;
  if (driver.isEnding())
    return;
  const QuorumDriver::ReentrancyGuard guard(driver);
  --m_awaited;
  auto &node = driver.node(member);
  node.replied();
  if (serial == m_serials[member]) {
    auto answer = readRelease(m_owner.entry.primitive, reply, node.address());
    if (answer.error)
      m_error = std::move(*answer.error);
    act(m_machine.on(member, answer.event, SteadyClock::now()));
  }
  m_observer.advanced();
}

} // namespace lockhouse
