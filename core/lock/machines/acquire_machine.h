// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/lock/options/acquire_policy.h"

#include <optional>

namespace lockhouse {

/// One thing that happened to an acquire. Of the answers, every one is to the ask that was sent last.
struct AcquireEvent {
  enum class Kind : std::uint8_t {
    Start,           ///< nobody of this client is before us: ask
    StandInLine,     ///< somebody of this client is before us: wait for the turn
    Turn,            ///< first in line now: ask; of those who stand in the server's line: see to it that the line goes on
    TurnInside,      ///< first in line now, but one of this client is inside: wait as for a stranger
    TurnYield,       ///< first in line, but others than this client are to be let in: ask after a pause
    Granted,         ///< answer: it is ours
    PassedOn,        ///< a message: who had it made us the owner, `until` then at the latest; `fence` of this hold
    TooFewCopies,    ///< answer: it is ours, but fewer replicas have it than are wanted
    Refused,         ///< answer: somebody else has it; `timeLeft` of his lease if known
    Busy,            ///< answer: the node cannot answer now, nothing was done
    Rejected,        ///< answer: an error, or the hold to re-enter is lost; nothing was done
    Unsent,          ///< no connection: nothing was sent
    Unanswered,      ///< sent, and the connection was lost or too slow: in doubt
    Subscribed,      ///< messages will be heard from now on
    SubscribeFailed, ///< they will not
    Woken,           ///< a message, a gap in the messages, a connection that is back, or a release by one of this client: it may be free
    Freed,           ///< a release by one of this client is confirmed: who was refused before it arrived may ask again
    Alarm,           ///< the time asked for has come
    HoldLost,        ///< the hold that was to become more is lost: nothing to wait for is left
    Cancel,          ///< the caller does not want it any more
  };
  Kind kind;
  std::optional<milliseconds> timeLeft = {};
  std::uint64_t fence = 0; ///< of Granted and PassedOn: of our hold; of Refused: of the other's; 0 = not told
  bool queued = false;     ///< of Refused: we have a place in the server's line
  SteadyTime until{};      ///< of PassedOn
};

/// What is to be done now, in this order: giveBack, unsubscribe, ask, subscribe, alarm, report.
struct AcquireActions {
  static constexpr SteadyTime never = SteadyTime::max();
  bool giveBack = false; ///< what the ask took, or may have taken, must be released with the same owner
  bool doubtful = false; ///< of giveBack: it is not known whether the ask took anything
  bool unsubscribe = false;
  bool ask = false;
  bool subscribe = false;
  bool report = false;      ///< verdict() is final
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The life of one acquire, pure: no clock, socket, log or coroutine. Total: every event is legal in every state.
///
/// Validity is counted from before the send of the ask that was granted; a grant that comes too late is given back, not returned.
/// An ask without an answer ends the acquire in doubt and is given back. After cancel or timeout with an ask under way the machine
/// lives on until the answer, to give back what was granted meanwhile; settled() says when it is done.
/// A node out of reach is tried at growing pauses of at most half a second, whatever the policy: a thousand waiters of a node that
/// is away cost next to nothing. Whoever knows that it is back says Woken.
/// Subscribing: always asks again after the subscription stands, since the lock may have come free before.
/// In the server's line: a place there is given back like a hold when the acquire ends without one. Who is first of its client polls
/// every third of the lease, which keeps all of the client's places and passes on a lock whose holder is gone; the others only once
/// a lease. A message that makes us the owner counts if its fence is younger than the hold that the last answer told of, so that a
/// message that was long under way cannot be taken for a new one.
/// A reader who is to become the writer is an acquire like others: his hold, its lease and its renewals are his own meanwhile, and
/// what is given back is the wish, not the hold.
class AcquireMachine {
public:
  enum class State : std::uint8_t { Idle, InLine, Asking, Subscribing, Sleeping, GivingUp, Done };
  enum class Verdict : std::uint8_t { None, Granted, Contended, TimedOut, Cancelled, InDoubt, TooLate, TooFewCopies, Rejected, Unreachable };

  struct Plan {
    AcquirePolicy policy;
    milliseconds lease{30000};
    std::optional<SteadyTime> deadline = {}; ///< of the whole acquire
    milliseconds patience{10000};            ///< without a deadline: how long a node out of reach is borne
    std::uint64_t seed = 0;                  ///< of the jitter
    bool subscribed = false;                 ///< messages are heard already, before the first ask
  };

  AcquireMachine() : AcquireMachine(Plan{}) {}
  explicit AcquireMachine(const Plan &plan)
      : m_plan(plan), m_backoff(plan.policy.pause, plan.policy.cap, plan.seed), m_patient(milliseconds(10), milliseconds(500), plan.seed),
        m_subscribed(plan.subscribed) {}

  AcquireActions on(AcquireEvent event, SteadyTime now);

  State state() const { return m_state; }
  Verdict verdict() const { return m_verdict; }
  SteadyTime validUntil() const { return m_validUntil; } ///< after Granted
  unsigned asks() const { return m_asks; }
  SteadyTime askedAt() const { return m_askedAt; } ///< when the last ask was sent
  SteadyTime deadline() const { return m_plan.deadline.value_or(AcquireActions::never); }
  std::uint64_t fence() const { return m_fence; }         ///< after Granted; 0 = not told
  std::uint64_t seenFence() const { return m_seenFence; } ///< of the hold that the last refusal told of
  bool wasRefused() const { return m_refused; }           ///< by the last answer, and the node was not out of reach since
  /// Nothing is under way any more.
  bool settled() const { return m_state == State::Done || m_state == State::Idle; }

private:
  AcquireActions onIdle(const AcquireEvent &event, SteadyTime now);
  AcquireActions onInLine(const AcquireEvent &event, SteadyTime now);
  AcquireActions onAsking(const AcquireEvent &event, SteadyTime now);
  AcquireActions onSubscribing(const AcquireEvent &event, SteadyTime now);
  AcquireActions onSleeping(const AcquireEvent &event, SteadyTime now);
  AcquireActions onGivingUp(const AcquireEvent &event);
  void note(const AcquireEvent &event);

  AcquireActions ask(SteadyTime now);
  AcquireActions granted(const AcquireEvent &event, SteadyTime now);
  AcquireActions passedOn(const AcquireEvent &event, SteadyTime now);
  AcquireActions firstInLine(SteadyTime now);
  AcquireActions waitForTurn(const AcquireEvent &event, SteadyTime now);
  AcquireActions refused(const AcquireEvent &event, SteadyTime now);
  AcquireActions outOfReach(SteadyTime now, Verdict otherwise);
  AcquireActions yield(SteadyTime now);
  AcquireActions sleep(SteadyTime now, std::chrono::nanoseconds pause);
  AcquireActions pauseOrEnd(SteadyTime now, std::optional<milliseconds> timeLeft);
  AcquireActions finish(Verdict verdict);
  AcquireActions giveUp(Verdict verdict);
  AcquireActions stay() const;
  std::chrono::nanoseconds nextPause(std::optional<milliseconds> timeLeft);
  std::chrono::nanoseconds poll() const;
  bool isOver(SteadyTime now) const { return m_plan.deadline && now >= *m_plan.deadline; }

  Plan m_plan;
  Backoff m_backoff;
  Backoff m_patient; // while the node is out of reach, whatever the policy: an ask is not even sent then
  State m_state = State::Idle;
  Verdict m_verdict = Verdict::None;
  bool m_subscribed;                    // messages are heard
  bool m_heldSubscription = false;      // we asked for them, so we must say when we need them no more
  bool m_mute = false;                  // subscribing failed: poll
  bool m_yielding = false;              // asleep so that others get in
  bool m_askAgain = false;              // something happened after the ask was sent that makes its refusal stale
  bool m_queued = false;                // we have a place in the server's line
  bool m_refused = false;               // by the last answer
  bool m_first = false;                 // of those of this client who stand there
  std::optional<AcquireEvent> m_passed; // came while an ask was under way
  std::uint64_t m_fence = 0;
  std::uint64_t m_seenFence = 0; // of the hold that the last refusal told of
  unsigned m_asks = 0;
  SteadyTime m_askedAt{};
  SteadyTime m_validUntil{};
  SteadyTime m_alarm = AcquireActions::never;
  std::optional<SteadyTime> m_outOfReachSince;
};

} // namespace lockhouse
