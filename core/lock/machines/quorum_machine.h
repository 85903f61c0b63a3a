// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/machines/quorum_vote.h"
#include "core/lock/options/outcome.h"

namespace lockhouse {

/// One thing that happened to a round over several nodes, or to the hold that it won. A reply is always that to the last command to that
/// member.
struct QuorumEvent {
  enum class Kind : std::uint8_t {
    Start,       ///< ask every node
    Granted,     ///< reply to an ask: it is ours there
    Refused,     ///< reply to an ask: another owner has it there
    Busy,        ///< reply: the node cannot reply now, nothing was done
    Rejected,    ///< reply: an error, nothing was done
    Unsent,      ///< no connection: nothing was sent
    Barred,      ///< the node may not vote: nothing was sent
    Silent,      ///< replies of the node are overdue: nothing was sent
    Unanswered,  ///< sent, and the connection was lost or too slow: in doubt
    Renewed,     ///< reply to a renewal: the lease runs anew there
    Gone,        ///< reply to a renewal: the key does not exist any more
    TakenOver,   ///< reply to a renewal: the key exists and is not ours
    Reconnected, ///< the node's connection is back (`restarted`: to another run of the server)
    Alarm,       ///< the wanted time has come
    Stop,        ///< the owner releases, or gives up: nothing may be sent from now on
  };
  Kind kind;
  std::size_t member = 0;
  bool restarted = false; ///< of Reconnected
};

/// What is to be done now, in this order: ask, renew, alarm, report.
struct QuorumActions {
  static constexpr SteadyTime never = SteadyTime::max();
  enum class Report : std::uint8_t {
    Nothing,
    Won,     ///< the lock is ours until validUntil()
    Failed,  ///< it is not, for failure(); what was granted or may have been is to be released
    Renewed, ///< validUntil() has grown
    Lost,    ///< for reason(); what is left is to be released
  };
  Members ask = {};
  Members renew = {};
  Report report = Report::Nothing;
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The life of one token at n nodes, pure: one round of asking, and the hold from its grant to its release or loss. Total: every
/// event is legal in every state. One node is n = 1 of the same path.
///
/// Asking: all nodes at once. Won as soon as a quorum has granted and some of the lease is left; later votes are only counted. Failed as
/// soon as the missing votes cannot make a quorum (a node without a connection has voted no), and when the time of a node is over.
/// Held: each member is valid until lease − drift after the send of its last confirmed command. The hold is valid as long as a quorum of
/// members is, so a renewal counts when a quorum has confirmed it. A member is renewed a third of a lease after its last confirmation, and
/// after a failure again within a tenth. A member whose key is gone, or that never had it, is asked again (healing), once later replies
/// prove that a quorum exists without it. If the others are too few, the hold is lost instead. Lost is reported once, at the latest when the
/// quorum is not valid any more by this clock.
///
/// Source: Redis documentation, "Distributed Locks with Redis" (Redlock); redsync's extend-or-set; the deciding vote of
/// madelson/DistributedLock.
class QuorumMachine {
public:
  enum class State : std::uint8_t { Idle, Asking, Held, Failed, Lost, Stopped };
  /// Why a round failed: what asking again can do about it.
  enum class Failure : std::uint8_t {
    Contended,  ///< somebody else has it at so many nodes that it cannot be ours
    OutOfReach, ///< too few nodes answer
    Rejected,   ///< so many nodes answered with errors that asking again is no use
    TooLate,    ///< granted, with no validity left
  };

  struct Plan {
    std::size_t members = 1;
    std::int64_t capacity = 1; ///< how many may be in at once: see quorumOf()
    milliseconds lease{30000};
    std::chrono::nanoseconds nodeTime{milliseconds(500)}; ///< how long a node's vote is waited for
    bool renew = true;                                    ///< false: the hold ends with its first lease, and nothing is healed
    std::uint64_t seed = 0;                               ///< of the jitter
  };

  explicit QuorumMachine(const Plan &plan);

  QuorumActions on(QuorumEvent event, SteadyTime now);

  State state() const { return m_state; }
  Vote vote(std::size_t member) const { return m_members[member].vote; } ///< of the round
  Failure failure() const { return m_failure; }                          ///< after Failed
  LossReason reason() const { return m_reason; }                         ///< after Lost
  /// Until when a quorum is valid.
  SteadyTime validUntil() const;
  bool isHeld(SteadyTime now) const { return m_state == State::Held && now < validUntil(); }
  std::size_t quorum() const { return m_quorum; } ///< how many nodes decide
  /// Members that got an ask and did not refuse it: they have, or may have, the key.
  Members mayHave() const { return m_mayHave; }
  /// Members with an ask that never got a reply: it may still arrive there.
  Members inDoubt() const;

private:
  struct Member {
    Vote vote = Vote::Pending;
    bool asking = false;   // an ask has no reply yet
    bool renewing = false; // a renewal has no reply yet
    unsigned doubts = 0;   // asks that never got a reply
    bool missing = false;  // its key is gone, and is to be set again
    bool restarted = false;
    SteadyTime confirmedAt{}; // the send of the last command that was
    SteadyTime askedAt{};     // from where the validity counts once this is confirmed
    SteadyTime believedUntil{};
    SteadyTime next = QuorumActions::never; // renewal
  };

  QuorumActions start(SteadyTime now);
  QuorumActions onAsking(const QuorumEvent &event, SteadyTime now);
  QuorumActions onHeld(const QuorumEvent &event, bool toAsk, SteadyTime before, SteadyTime now);
  QuorumActions onRenewal(Member &member, const QuorumEvent &event, SteadyTime before, SteadyTime now);
  bool note(const QuorumEvent &event); // true for the reply to an ask
  QuorumActions decide(SteadyTime now);
  QuorumActions win(SteadyTime now);
  QuorumActions fail(Failure failure);
  QuorumActions gone(Member &member, const QuorumEvent &event, SteadyTime now);
  QuorumActions confirmed(Member &member, SteadyTime before, SteadyTime now);
  QuorumActions heal(SteadyTime now);
  QuorumActions renewDue(SteadyTime now);
  QuorumActions lose(LossReason reason);
  QuorumActions stay() const;
  std::size_t count(Vote vote) const;
  std::size_t decisive() const { return m_members.size() - m_quorum + 1; } ///< so many without it, and no quorum can come about
  Failure whyFailed() const;
  std::chrono::nanoseconds early(std::chrono::nanoseconds interval) const;

  Plan m_plan;
  double m_earliness; // the same for every renewal of this hold, so that its members are renewed together
  std::vector<Member> m_members;
  std::size_t m_quorum;
  State m_state = State::Idle;
  Failure m_failure = Failure::OutOfReach;
  LossReason m_reason = LossReason::LeaseEnded;
  Members m_mayHave;
  SteadyTime m_startedAt{};
};

} // namespace lockhouse
