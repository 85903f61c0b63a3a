// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/hold.h"
#include "core/lock/machines/release_machine.h"

namespace lockhouse {

/// The release under way of one owner: of a hold, of one count of it, or of what an acquire took or may have taken that nobody wants any
/// more. It is repeated until the server has replied or the lease must have ended. Loop thread only.
class ReleaseAttempt final : public TimerHeap::Alarm {
public:
  class Observer {
  public:
    virtual void released(ReleaseOutcome outcome, const Error *why) = 0; ///< as expectReport() wanted it
    virtual void settledChanged() = 0;                                   ///< isSettled() or isAbandoned() may have changed
    virtual void advanced() = 0;                                         ///< as of Hold::Observer

  protected:
    ~Observer() = default;
  };

  ReleaseAttempt(LockOwner &owner, const Hold &hold, Observer &observer) : m_owner(owner), m_hold(hold), m_observer(observer) {}
  ~ReleaseAttempt();

  /// The release that starts next is one of a hold, and its session waits for the outcome.
  void expectReport(bool wasLost);
  /// The session does not wait any more.
  void dropReport() { m_isReported = false; }
  /// The hold ended without a command: it was handed over inside this client.
  void concludeWithoutCommand();
  /// `left`: the count that the server is to keep. `doubtful`: it is not known whether there is anything to release.
  void start(std::int64_t left, bool doubtful, SteadyTime now);
  /// What is under way does not matter any more; a reply to it is ignored.
  void abandon();
  void reconnected(SteadyTime now);

  bool isReported() const { return m_isReported; }
  bool isSettled() const { return m_machine.settled(); }
  /// Nobody waits for its outcome, and a reply is awaited.
  bool isAbandoned() const { return m_machine.state() == ReleaseMachine::State::Sent && !m_isOfHold; }
  bool isAwaitingReplies() const { return m_awaited > 0; }

  // For the ReleaseBatch.
  NodeDriver &driver() const { return m_owner.driver; }
  LockEntry &entry() const { return m_owner.entry; }
  Primitive::Ask ask() const { return m_hold.ask(m_left); }
  void sendAlone(std::uint32_t serial);
  void answered(std::uint32_t serial, const Result<Reply> &reply);

  void onAlarm(SteadyTime now) override;

private:
  void act(const ReleaseActions &actions);
  void send();
  void take(const Result<Reply> &reply, SteadyTime now);

  LockOwner &m_owner;
  const Hold &m_hold;
  Observer &m_observer;
  ReleaseMachine m_machine;
  std::int64_t m_left = 0;
  std::uint32_t m_serial = 0; // of the release under way: only the reply to its command counts
  unsigned m_awaited = 0;     // replies
  Error m_error;              // of the last reply that was one
  bool m_isCompareCommand = false;
  bool m_isOfHold = false;   // its end is counted as that of a hold
  bool m_isReported = false; // the session waits for it
  bool m_wasLost = false;    // the hold was lost before
};

} // namespace lockhouse
