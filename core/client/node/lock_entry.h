// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/connection/wakeup_subscriptions.h"
#include "core/client/node/local_wait_queue.h"
#include "core/client/node/lock_metrics_recorder.h"
#include "core/lock/primitives/primitive.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lockhouse {

class AcquireAttempt;
class NodeDriver;

/// How many asks for one lock may be under way that nobody of this client wants any more. An acquire that is given up returns at once; its
/// ask is answered later, and what it took is released then. Callers who give up sooner than a server replies, and ask again at once, would
/// fill the server with such asks, and all other clients would wait behind them. Once `most` are abandoned, new asks of waiters are kept
/// back until half of them are settled. Loop thread only.
class AbandonedAskLimit {
public:
  static constexpr unsigned most = 16;

  /// An ask that would be sent now. True if it is kept back: it is returned by settled() or takeAll(), unless forget() comes first.
  bool holdsBack(AcquireAttempt &attempt) {
    if (m_abandoned < most && m_held.empty())
      return false;
    m_held.push_back(&attempt);
    return true;
  }
  void forget(AcquireAttempt &attempt) { std::erase(m_held, &attempt); }

  /// One more that nobody wants.
  void abandoned() { ++m_abandoned; }
  /// One less. Returns those that may be sent now.
  std::vector<AcquireAttempt *> settled() { return --m_abandoned > most / 2 ? std::vector<AcquireAttempt *>{} : takeAll(); }
  std::vector<AcquireAttempt *> takeAll() { return std::exchange(m_held, {}); }

private:
  unsigned m_abandoned = 0;
  std::vector<AcquireAttempt *> m_held;
};

/// One lock as its driver knows it: the local wait queues, the subscription to its channel, and what the server said of it. Exists while
/// a session or an acquisition uses it. Loop thread only.
struct LockEntry final : public WakeupSubscriptions::Listener {
  LockEntry(NodeDriver &itsDriver, const Primitive &kind, LockName lock);

  LocalWaitQueue &waitQueueOf(const AcquirePolicy &policy) { return policy.kind == AcquirePolicy::Kind::Cohort ? cohort : waitQueue; }
  /// The server said that the places of this client in its queue last until then.
  void keepPlacesUntil(SteadyTime until) { placesUntil = std::max(placesUntil, until); }

  void subscribed(bool succeeded) override;
  void messageReceived(std::string_view message) override;
  void messagesMissed() override;

  NodeDriver &driver;
  const Primitive &primitive;
  LockName name;
  LocalWaitQueue waitQueue;
  LocalWaitQueue cohort;
  LockStats stats;
  AbandonedAskLimit asks;
  SteadyTime placesUntil{};
  std::uint64_t lastFence = 0;          // the last one that the server gave to this client
  std::uint64_t inheritedNumber = 0;    // the number under which the server has the hold of a local successor; 0 = there is none
  unsigned users = 0;                   // sessions and acquisitions that point here
  bool isReleaseInBatch = false;        // a release of this lock is in the batch that is being gathered
  bool isReportingPassedOnHold = false; // inside the report of a release that made a waiter of this client the owner
};

} // namespace lockhouse
