// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/lock/options/acquire_policy.h"

#include <optional>

namespace lockhouse {

/// One thing that happened to an acquire. A reply is always that to the last ask.
struct AcquireEvent {
  enum class Kind : std::uint8_t {
    Start,            ///< no waiter of this client comes first: ask
    WaitInQueue,      ///< another waiter of this client comes first: wait for the turn
    Turn,             ///< first of this client now: ask; in a server's queue: keep that queue going
    TurnWhileHeld,    ///< first of this client now, but one of this client holds the lock: wait as for any holder
    TurnAfterPause,   ///< first of this client, but other clients are to get in: ask after a pause
    Granted,          ///< reply: it is ours
    PassedOn,         ///< a message: the holder made us the owner, at most `until` then; `fence` of this hold
    TooFewCopies,     ///< reply: it is ours, but fewer replicas have it than are wanted
    Refused,          ///< reply: another owner has it; `timeLeft` of its lease if known
    Busy,             ///< reply: the node cannot reply now, nothing was done
    Rejected,         ///< reply: an error, or the hold to be entered again is lost; nothing was done
    Unsent,           ///< no connection: nothing was sent
    Unanswered,       ///< sent, and the connection was lost or too slow: in doubt
    Subscribed,       ///< messages arrive from now on
    SubscribeFailed,  ///< they will not
    Woken,            ///< a message, messages that were missed, a connection that is back, or a release by this client: it may be free
    ReleaseConfirmed, ///< a release by this client is confirmed: an ask that was refused before it ran may be repeated
    Alarm,            ///< the wanted time has come
    HoldLost,         ///< the hold that was to become more is lost: there is nothing to wait for
    Cancel,           ///< the caller does not want it any more
  };
  Kind kind;
  std::optional<milliseconds> timeLeft = {};
  std::uint64_t fence = 0; ///< of Granted and PassedOn: of our hold; of Refused: of the other's; 0 = unknown
  bool queued = false;     ///< of Refused: we have a place in the server's queue
  SteadyTime until{};      ///< of PassedOn
};

/// What is to be done now, in this order: giveBack, unsubscribe, ask, subscribe, alarm, report.
struct AcquireActions {
  static constexpr SteadyTime never = SteadyTime::max();
  bool giveBack = false; ///< what the ask took, or may have taken, is to be released with the same owner
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
/// An ask without a reply ends the acquire in doubt and is given back. After cancel or timeout with an ask under way the machine goes on
/// until the reply, and gives back what was granted meanwhile; settled() says when it is done.
/// An unreachable node is tried at growing pauses of at most half a second, whatever the policy: a thousand waiters of such a node cost
/// next to nothing. When it is back, Woken ends the pause.
/// Subscribing: always asks again when the subscription exists, because the lock may have been freed before.
/// In the server's queue: a place there is given back like a hold when the acquire ends without one. The first waiter of its client asks
/// every third of the lease, which keeps all of the client's places and passes on a lock whose holder is gone; the others ask once a lease.
/// A message that makes us the owner counts if its fence is younger than the hold in the last reply, so that a message that was long under
/// way is not taken for a new one.
/// An upgrade from reader to writer is an acquire like others: the reader's hold, its lease and its renewals go on meanwhile, and what is
/// given back is the upgrade, not the hold.
class AcquireMachine {
public:
  enum class State : std::uint8_t { Idle, Queued, Asking, Subscribing, Sleeping, GivingUp, Done };
  enum class Verdict : std::uint8_t { None, Granted, Contended, TimedOut, Cancelled, InDoubt, TooLate, TooFewCopies, Rejected, Unreachable };

  struct Plan {
    AcquirePolicy policy;
    milliseconds lease{30000};
    std::optional<SteadyTime> deadline = {}; ///< of the whole acquire
    milliseconds patience{10000};            ///< without a deadline: how long a node may be unreachable
    std::uint64_t seed = 0;                  ///< of the jitter
    bool subscribed = false;                 ///< messages arrive already, before the first ask
  };

  AcquireMachine() : AcquireMachine(Plan{}) {}
  explicit AcquireMachine(const Plan &plan)
      : m_plan(plan), m_backoff(plan.policy.pause, plan.policy.cap, plan.seed),
        m_outage{.pauses = Backoff(milliseconds(10), milliseconds(500), plan.seed), .since = {}}, m_messages{.arrive = plan.subscribed} {}

  AcquireActions on(AcquireEvent event, SteadyTime now);

  State state() const { return m_state; }
  Verdict verdict() const { return m_verdict; }
  SteadyTime validUntil() const { return m_validUntil; } ///< after Granted
  unsigned asks() const { return m_asks; }
  SteadyTime askedAt() const { return m_askedAt; } ///< when the last ask was sent
  SteadyTime deadline() const { return m_plan.deadline.value_or(AcquireActions::never); }
  std::uint64_t fence() const { return m_fence; }         ///< after Granted; 0 = unknown
  std::uint64_t seenFence() const { return m_seenFence; } ///< of the hold in the last refusal
  bool wasRefused() const { return m_isRefused; }         ///< by the last reply, and the node was not unreachable since
  /// Nothing is under way.
  bool settled() const { return m_state == State::Done || m_state == State::Idle; }

private:
  AcquireActions onIdle(const AcquireEvent &event, SteadyTime now);
  AcquireActions onQueued(const AcquireEvent &event, SteadyTime now);
  AcquireActions onAsking(const AcquireEvent &event, SteadyTime now);
  AcquireActions onSubscribing(const AcquireEvent &event, SteadyTime now);
  AcquireActions onSleeping(const AcquireEvent &event, SteadyTime now);
  AcquireActions onGivingUp(const AcquireEvent &event);
  void note(const AcquireEvent &event);

  AcquireActions ask(SteadyTime now);
  AcquireActions granted(const AcquireEvent &event, SteadyTime now);
  AcquireActions passedOn(const AcquireEvent &event, SteadyTime now);
  AcquireActions becomeFirst(SteadyTime now);
  AcquireActions takeTurn(const AcquireEvent &event, SteadyTime now);
  AcquireActions refused(const AcquireEvent &event, SteadyTime now);
  AcquireActions unreachable(SteadyTime now, Verdict otherwise);
  AcquireActions letOthersIn(SteadyTime now);
  AcquireActions sleep(SteadyTime now, std::chrono::nanoseconds pause);
  AcquireActions pauseOrEnd(SteadyTime now, std::optional<milliseconds> timeLeft);
  AcquireActions finish(Verdict verdict);
  AcquireActions giveUp(Verdict verdict);
  AcquireActions stay() const;
  std::chrono::nanoseconds nextPause(std::optional<milliseconds> timeLeft);
  std::chrono::nanoseconds keepPlaceInterval() const;
  bool isOver(SteadyTime now) const { return m_plan.deadline && now >= *m_plan.deadline; }

  /// Messages that say that the lock may be free.
  struct Messages {
    bool arrive = false;
    bool areOurs = false; // we subscribed, so we have to unsubscribe
    bool failed = false;  // then we ask now and then
  };
  /// The node is unreachable. Its pauses do not follow the policy: an ask is not even sent then.
  struct Outage {
    Backoff pauses;
    std::optional<SteadyTime> since;
  };

  Plan m_plan;
  Backoff m_backoff;
  Outage m_outage;
  Messages m_messages;
  State m_state = State::Idle;
  Verdict m_verdict = Verdict::None;
  bool m_letsOthersIn = false;            // the pause is for other clients: our own messages do not end it
  bool m_askAgain = false;                // the reply to the present ask is outdated if it is a refusal
  bool m_hasPlace = false;                // in the server's queue
  bool m_isRefused = false;               // by the last reply
  bool m_isFirst = false;                 // of this client in the server's queue
  std::optional<AcquireEvent> m_passedOn; // arrived while an ask was under way
  std::uint64_t m_fence = 0;
  std::uint64_t m_seenFence = 0; // of the hold in the last refusal
  unsigned m_asks = 0;
  SteadyTime m_askedAt{};
  SteadyTime m_validUntil{};
  SteadyTime m_alarm = AcquireActions::never;
};

} // namespace lockhouse
