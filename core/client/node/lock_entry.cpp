// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/lock_entry.h"

#include "core/client/node/node_driver.h"
#include "core/lock/primitives/handoff/handoff_lock.h"

namespace lockhouse {
namespace {

LocalWaitQueue::Kind queueKind(Primitive::Line line) {
  switch (line) {
  case Primitive::Line::InClient: return LocalWaitQueue::Kind::InClient;
  case Primitive::Line::AtServer: return LocalWaitQueue::Kind::AtServer;
  case Primitive::Line::WhileFull: return LocalWaitQueue::Kind::WhileFull;
  }
  return LocalWaitQueue::Kind::InClient;
}

} // namespace

LockEntry::LockEntry(NodeDriver &itsDriver, const Primitive &kind, LockName lock)
    : driver(itsDriver), primitive(kind), name(std::move(lock)), waitQueue(queueKind(kind.line()), driver.options().handoffLimit),
      cohort(LocalWaitQueue::Kind::Cohort, std::min(driver.options().handoffLimit, HandoffLock::fencesOfAGrant)),
      stats{driver.metricsOf(kind), driver.log(), name} {}

void LockEntry::subscribed(bool succeeded) {
  const NodeDriver::ReentrancyGuard guard(driver);
  waitQueue.forgetOwnMessages();
  waitQueue.notifyAskers({succeeded ? AcquireEvent::Kind::Subscribed : AcquireEvent::Kind::SubscribeFailed}, SteadyClock::now());
}

void LockEntry::messageReceived(std::string_view) {
  const NodeDriver::ReentrancyGuard guard(driver);
  const auto now = SteadyClock::now();
  if (waitQueue.holder() == nullptr && !waitQueue.expectsOwnMessage())
    stats.freedAt = now;
  waitQueue.messageReceived(now);
}

void LockEntry::messagesMissed() {
  const NodeDriver::ReentrancyGuard guard(driver);
  waitQueue.forgetOwnMessages();
  waitQueue.recheck(SteadyClock::now());
}

} // namespace lockhouse
