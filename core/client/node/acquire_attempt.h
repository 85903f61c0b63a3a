// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/release_attempt.h"
#include "core/lock/machines/acquire_machine.h"

namespace lockhouse {

struct ReadAcquire;

/// The acquire under way of one owner: its commands and their replies, the wait for replicas, and the subscription that wakes it. What it
/// took and does not want is released. Loop thread only.
class AcquireAttempt final : public TimerHeap::Alarm, public WakeupSubscriptions::Listener {
public:
  class Observer {
  public:
    virtual void concluded(SteadyTime now) = 0; ///< the verdict is final
    virtual void settledChanged() = 0;          ///< isGivingUp() or isUnsent() may have changed
    virtual void advanced() = 0;                ///< as of Hold::Observer

  protected:
    ~Observer() = default;
  };
  enum class Purpose : std::uint8_t { FirstHold, Reentry, Upgrade };

  AcquireAttempt(LockOwner &owner, Hold &hold, ReleaseAttempt &release, Observer &observer);
  ~AcquireAttempt();

  /// Before the first event of a new acquire.
  void begin(Purpose purpose, const AcquireMachine::Plan &plan, SteadyTime now);
  /// Which replicas have to have a hold: from now on, and for its upgrades too.
  void setAcknowledge(const ReplicaAck &acknowledge);
  void onEvent(AcquireEvent event, SteadyTime now);
  /// The hold that was to be entered again or upgraded is lost.
  void holdLost(SteadyTime now);
  /// Sends the command that was kept back: by the limit on abandoned asks, or until the current write has left.
  void sendAsk(SteadyTime now);

  const AcquireMachine &machine() const { return m_machine; }
  bool isUnderWay() const { return m_machine.verdict() == AcquireMachine::Verdict::None && !m_machine.settled(); }
  bool isGivingUp() const { return m_machine.state() == AcquireMachine::State::GivingUp; }
  bool isSettled() const { return m_machine.settled(); }
  bool isUnsent() const { return m_isUnsent; }
  bool isAwaitingReplies() const { return m_awaited > 0; }
  bool isUpgrade() const { return m_purpose == Purpose::Upgrade; }
  bool wantsReplicas() const { return m_acknowledge.isWanted(); }
  bool waits() const { return m_waits; } ///< else it asks only once
  /// It waits in the local queue.
  bool isQueued() const { return m_machine.state() == AcquireMachine::State::Queued; }
  /// It waits for a message, and the hold is all that it wants.
  bool mayTakeOverHold() const;
  std::uint64_t seenFence() const { return m_machine.seenFence(); }
  /// Messages about its turn arrive.
  bool isNotified();

  // Of the outcome.
  const Error &error() const { return m_error; } ///< of the last reply that was one
  const std::optional<std::string> &holder() const { return m_holder; }
  const std::optional<milliseconds> &timeLeft() const { return m_timeLeft; }
  const std::optional<Acknowledged> &acknowledged() const { return m_acknowledged; }
  bool isAwaitingReplicas() const { return m_isAwaitingReplicas; }

  void onAlarm(SteadyTime now) override;
  void subscribed(bool succeeded) override;
  void messageReceived(std::string_view message) override;
  void messagesMissed() override;

private:
  AcquireActions step(AcquireEvent event, SteadyTime now);
  void act(const AcquireActions &actions, SteadyTime now);
  void giveBack(bool doubtful, SteadyTime now);
  void scheduleAsk(SteadyTime now);
  void forgetUnsentAsk(SteadyTime now);
  void send(Command command);
  void answered(std::uint32_t serial, const Result<Reply> &reply);
  ReadAcquire read(const Result<Reply> &reply, SteadyTime now);
  void noteRefusal(ReadAcquire &answer, SteadyTime now);
  void awaitReplicas(const ReadAcquire &granted, SteadyTime now);
  milliseconds replicaLimit(SteadyTime now) const;
  void take(const ReadAcquire &answer, SteadyTime now);
  WakeupSubscriptions::Listener &listener();
  bool subscribe();
  Error holdLostError() const;

  LockOwner &m_owner;
  Hold &m_hold;
  ReleaseAttempt &m_release;
  Observer &m_observer;
  AcquireMachine m_machine;
  Purpose m_purpose = Purpose::FirstHold;
  std::uint32_t m_serial = 0; // of this acquire: only replies to its commands count
  unsigned m_steps = 0;       // commands of the present ask behind its first one
  unsigned m_awaited = 0;     // replies
  std::string m_sent;         // the name of the last command
  bool m_isUnsent = false;    // the ask is kept back
  bool m_waits = false;
  ReplicaAck m_acknowledge;
  std::optional<Acknowledged> m_acknowledged;
  bool m_isAwaitingReplicas = false;
  std::optional<std::string> m_holder; // of the last refusal
  std::optional<milliseconds> m_timeLeft;
  Error m_error;
};

} // namespace lockhouse
