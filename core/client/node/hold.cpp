// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/hold.h"

#include "core/client/node/node_driver.h"
#include "core/client/node/reply_events.h"

#include <utility>

namespace lockhouse {

Hold::~Hold() { m_owner.driver.dropAlarm(*this); }

void Hold::start(SteadyTime validUntil, LeaseWatchdog::Renewals renewals, SteadyTime now) {
  m_count = 1;
  act(m_watchdog.start(now, validUntil, m_owner.lease, renewals, m_owner.driver.nextSeed()), now);
}

void Hold::addCount(SteadyTime validUntil, SteadyTime now) {
  ++m_count;
  act(m_watchdog.extend(validUntil, m_owner.lease), now);
}

void Hold::becomeWriter(SteadyTime validUntil, SteadyTime now) {
  m_owner.mode.shared = false;
  act(m_watchdog.extend(validUntil, m_owner.lease), now);
}

void Hold::becomeReader(SteadyTime now) {
  m_owner.mode.shared = m_announcesReader = true;
  const auto awaited = m_awaited;
  verify(now);
  if (m_awaited == awaited)
    sendRenewal();
}

Hold::Remainder Hold::removeCount(SteadyTime now) {
  const bool wasLost = std::exchange(m_isLost, false);
  const std::int64_t left = wasLost ? 0 : m_count - 1;
  if (left == 0)
    act(m_watchdog.on({LeaseEvent::Kind::Stop}, now), now);
  if (left == 0 && !wasLost)
    m_owner.metrics.releaseBegan(now);
  m_count = left;
  return {left, wasLost};
}

void Hold::verify(SteadyTime now, bool restarted) { act(m_watchdog.on({LeaseEvent::Kind::Verify, restarted}, now), now); }

void Hold::onAlarm(SteadyTime now) {
  const auto planned = m_alarmAt;
  const auto actions = m_watchdog.on({LeaseEvent::Kind::Alarm}, now);
  if (actions.send)
    m_owner.metrics.renewalDue(planned);
  act(actions, now);
  m_observer.advanced();
}

void Hold::act(const LeaseActions &actions, SteadyTime now) {
  if (actions.send)
    sendRenewal();
  m_alarmAt = actions.alarm;
  m_owner.driver.setAlarm(*this, m_alarmAt);
  if (!actions.lost)
    return;
  m_count = 0;
  m_isLost = true;
  m_owner.metrics.lost(m_watchdog.reason(), now);
  m_owner.queue->lost(m_owner.waiter, now);
  m_observer.holdLost(m_watchdog.reason(), now);
}

void Hold::sendRenewal() {
  ++m_awaited;
  auto command = m_owner.primitive().renew(ask(m_count));
  // Nobody waits for this reply. Sent again after NOSCRIPT, the command would arrive after the hold's release, and would change the next one.
  if (std::exchange(m_announcesReader, false) && command.script() != nullptr)
    command = evalOf(command);
  m_owner.sendGuarded(std::move(command), [this, as = sentAs()](const Result<Reply> &reply) { answered(reply, as); });
}

void Hold::answered(const Result<Reply> &reply, const SentAs &as) {
  const NodeDriver::ReentrancyGuard guard(m_owner.driver);
  --m_awaited;
  const bool isSame = as == sentAs();
  auto event = readRenewal(m_owner.primitive(), reply);
  // The renewal expected a reader, and by now it is the writer, or the other way round. The server did not know the script, so that a command
  // that was sent later ran first.
  if (event.kind == LeaseEvent::Kind::TakenOver && !isSame)
    event.kind = LeaseEvent::Kind::Refused;
  const bool isRenewed = event.kind == LeaseEvent::Kind::Renewed;
  if (isRenewed && isSame && !as.isUpgrading)
    m_owner.upgrades.settled = m_owner.upgrades.begun;
  const auto now = SteadyClock::now();
  m_owner.metrics.renewalAnswered(isRenewed, now);
  act(m_watchdog.on(event, now), now);
  if (isRenewed && m_watchdog.isHeld(now))
    m_observer.holdRenewed(m_watchdog.validUntil());
  m_observer.advanced();
}

} // namespace lockhouse
