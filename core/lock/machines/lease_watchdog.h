// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/lock/options/outcome.h"

namespace lockhouse {

/// One thing that happened to a hold. A reply is always that to the last renewal.
struct LeaseEvent {
  enum class Kind : std::uint8_t {
    Renewed,    ///< reply: the lease runs anew, counted from before the send
    Gone,       ///< reply: the key does not exist any more
    TakenOver,  ///< reply: the key exists and is not ours
    Refused,    ///< reply: an error, nothing was done
    Unsent,     ///< no connection: nothing was sent
    Unanswered, ///< sent, and the connection was lost or too slow: in doubt
    Verify,     ///< the key may be gone: the connection is back (`restarted`: to another run of the server), or a message said so
    Alarm,      ///< the wanted time has come
    Stop,       ///< the owner releases: nothing may be sent from now on
  };
  Kind kind;
  bool restarted = false; ///< of Verify
};

/// What is to be done now, in this order: send, alarm, lost.
struct LeaseActions {
  static constexpr SteadyTime never = SteadyTime::max();
  bool send = false;
  bool lost = false;        ///< tell the holder, with reason()
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The life of a hold between its grant and its release or loss. Pure and total.
///
/// Renews at a third of the lease, which leaves two more chances, and 5–10 % early, so that holds that began together do not renew together.
/// A failed renewal is repeated after a tenth of the lease. Only a reply makes the hold valid for longer. It is lost once: by a reply, or
/// when the lease ends by this machine's clock, whatever is under way. After Lost or Stop nothing is sent.
class LeaseWatchdog {
public:
  enum class State : std::uint8_t { Off, Resting, Asking, Lost };

  LeaseWatchdog() = default;
  enum class Renewals : std::uint8_t {
    None, ///< only the end of the hold is watched
    Once, ///< at once: the hold was passed on with less than its lease
    On,   ///< until it is released or lost
  };
  /// Starts the watch over a hold that was just granted.
  LeaseActions start(SteadyTime now, SteadyTime validUntil, milliseconds lease, Renewals renewals, std::uint64_t seed);
  /// The same hold was acquired again: its validity and its lease grow, never shrink.
  LeaseActions extend(SteadyTime validUntil, milliseconds lease);
  LeaseActions on(LeaseEvent event, SteadyTime now);

  State state() const { return m_state; }
  bool isHeld(SteadyTime now) const { return (m_state == State::Resting || m_state == State::Asking) && now < m_validUntil; }
  SteadyTime validUntil() const { return m_validUntil; }
  milliseconds lease() const { return m_lease; } ///< the longest of all acquires of this hold
  LossReason reason() const { return m_reason; } ///< after Lost

private:
  LeaseActions onResting(const LeaseEvent &event, SteadyTime now);
  LeaseActions onAsking(const LeaseEvent &event, SteadyTime now);
  LeaseActions renewed(SteadyTime now);
  LeaseActions ask(SteadyTime now);
  LeaseActions rest(SteadyTime until);
  LeaseActions lose(LossReason reason);
  LeaseActions stay() const;

  State m_state = State::Off;
  bool m_renew = true;
  bool m_restarted = false; // the server is another run since the last answer
  LossReason m_reason = LossReason::LeaseEnded;
  milliseconds m_lease{};
  SteadyTime m_validUntil{};
  SteadyTime m_askedAt{};
  SteadyTime m_next = LeaseActions::never;
  Jitter m_jitter{0};
};

} // namespace lockhouse
