// SPDX-License-Identifier: Apache-2.0
#include "core/client/node/local_handoff.h"

#include "core/client/node/acquisition.h"
#include "core/client/node/node_driver.h"
#include "core/lock/primitives/handoff/handoff_lock.h"

#include <algorithm>
#include <utility>

namespace lockhouse {

void LocalHandoff::granted() {
  m_lastFence = m_owner.fence + HandoffLock::fencesOfAGrant - 1;
  m_owner.entry.lastFence = std::max(m_owner.entry.lastFence, m_owner.fence);
}

Acquisition *LocalHandoff::successor() {
  const auto fence = m_owner.fence;
  const bool isGone = m_owner.entry.lastFence > m_lastFence; // the server has given it to another owner of this client since
  if (fence == 0 || fence >= m_lastFence || isGone || m_owner.driver.options().handoffLimit < 2)
    return nullptr;
  const auto &queue = *m_owner.queue;
  if (m_owner.policy.kind == AcquirePolicy::Kind::Cohort && queue.holder() == &m_owner.waiter) {
    auto *next = static_cast<Acquisition *>(queue.successor());
    if (next != nullptr && next->attempt().isQueued())
      return next;
  }
  auto *next = firstBehind();
  return next != nullptr && next->attempt().mayTakeOverHold() && next->attempt().seenFence() <= fence ? next : nullptr;
}

// A waiter that has given up releases its place itself.
Acquisition *LocalHandoff::firstBehind() {
  for (; !m_behind.empty(); m_behind.erase(m_behind.begin())) {
    auto *next = m_owner.driver.inbox().owner(m_behind.front());
    if (next != nullptr && next->isOf(m_owner.entry) && next->isAcquiring())
      return next;
  }
  return nullptr;
}

HandoffGrant LocalHandoff::handOver(SteadyTime until, bool isBehind) {
  HandoffGrant grant{.token = m_owner.token,
                     .number = m_owner.isInherited ? m_owner.entry.inheritedNumber : m_owner.number,
                     .fence = m_owner.fence + 1,
                     .lastFence = m_lastFence,
                     .until = until,
                     .behind = std::exchange(m_behind, {}),
                     .served = std::exchange(m_owner.served, {})};
  if (isBehind) {
    grant.served.push_back(grant.behind.front());
    grant.behind.erase(grant.behind.begin());
  }
  return grant;
}

void LocalHandoff::takeOver(HandoffGrant grant) {
  m_owner.token = std::move(grant.token);
  m_owner.isInherited = true;
  m_owner.entry.inheritedNumber = grant.number;
  m_owner.fence = grant.fence;
  m_owner.served = std::move(grant.served);
  m_lastFence = grant.lastFence;
  m_behind = std::move(grant.behind);
}

void LocalHandoff::takeOverToRelease(HandoffGrant grant, SteadyTime now) {
  m_owner.lease = std::chrono::ceil<milliseconds>(std::max<SteadyClock::duration>(grant.until - now, milliseconds(1)));
  m_owner.token = std::move(grant.token);
  m_owner.fence = grant.fence;
  m_owner.served = std::move(grant.served);
}

} // namespace lockhouse
