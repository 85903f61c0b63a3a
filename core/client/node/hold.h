// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/lock_owner.h"
#include "core/client/support/timer_heap.h"
#include "core/lock/machines/lease_watchdog.h"

namespace lockhouse {

/// The hold of one owner, from its grant to its release or loss: its count, and its lease, which it renews. Loop thread only.
class Hold final : public TimerHeap::Alarm {
public:
  class Observer {
  public:
    virtual void holdRenewed(SteadyTime validUntil) = 0;
    virtual void holdLost(LossReason reason, SteadyTime now) = 0; ///< lost it, and the wait queue knows
    virtual void advanced() = 0;                                  ///< a reply or an alarm was handled; the last call of its caller

  protected:
    ~Observer() = default;
  };
  /// What a release leaves.
  struct Remainder {
    std::int64_t count;
    bool wasLost; ///< the hold had been lost before; what is left of it at the server is ours or is not touched
  };

  Hold(LockOwner &owner, Observer &observer) : m_owner(owner), m_observer(observer) {}
  ~Hold();

  /// The lock was granted, with the lease of its owner.
  void start(SteadyTime validUntil, LeaseWatchdog::Renewals renewals, SteadyTime now);
  /// It was granted once more, or became the writer's.
  void addCount(SteadyTime validUntil, SteadyTime now);
  void becomeWriter(SteadyTime validUntil, SteadyTime now);
  /// The writer goes on as a reader; a renewal tells the server.
  void becomeReader(SteadyTime now);
  /// One count less. After the last one nothing is renewed any more.
  Remainder removeCount(SteadyTime now);
  /// All counts but the last one are dropped, so that the next removeCount() ends it.
  void keepLastCount() { m_count = std::min<std::int64_t>(m_count, 1); }
  /// A new hold is wanted: the loss of the last one does not matter any more.
  void forgetLoss() { m_isLost = false; }
  /// Asks the server now whether it is still ours. `restarted`: the server is another run than before.
  void verify(SteadyTime now, bool restarted = false);

  std::int64_t count() const { return m_count; }
  bool isLost() const { return m_isLost; }
  bool isValid(SteadyTime now) const { return m_count > 0 && m_watchdog.isHeld(now); }
  SteadyTime validUntil() const { return m_watchdog.validUntil(); }
  milliseconds lease() const { return m_watchdog.lease(); } ///< the longest of all acquires of this hold, or of the last one
  /// As LockOwner::ask(), with the lease of this hold.
  Primitive::Ask ask(std::int64_t count) const { return m_owner.ask(count, m_count > 0 ? m_watchdog.lease() : milliseconds(0)); }
  bool isAwaitingReplies() const { return m_awaited > 0; }

  void onAlarm(SteadyTime now) override;

private:
  /// What the owner was when a renewal was sent.
  struct SentAs {
    std::int64_t upgrades;
    bool isReader, isUpgrading;
    bool operator==(const SentAs &) const = default;
  };

  void act(const LeaseActions &actions, SteadyTime now);
  SentAs sentAs() const { return {m_owner.upgrades.begun, m_owner.mode.shared, m_owner.upgrades.isUnderWay}; }
  void sendRenewal();
  void answered(const Result<Reply> &reply, const SentAs &as);

  LockOwner &m_owner;
  Observer &m_observer;
  LeaseWatchdog m_watchdog;
  SteadyTime m_alarmAt = TimerHeap::never;
  std::int64_t m_count = 0;
  unsigned m_awaited = 0;         // replies
  bool m_isLost = false;          // and not released since
  bool m_announcesReader = false; // the next renewal makes a reader of the writer
};

} // namespace lockhouse
