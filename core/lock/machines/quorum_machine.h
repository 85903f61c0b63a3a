// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/machines/quorum_vote.h"
#include "core/lock/options/outcome.h"

namespace lockhouse {

/// One thing that happened to a round over several nodes, or to the hold that came of it.
/// Of the answers, every one is to what was sent to that member last.
struct QuorumEvent {
  enum class Kind : std::uint8_t {
    Start,       ///< ask every node
    Granted,     ///< answer to an ask: it is ours there
    Refused,     ///< answer to an ask: somebody else has it there
    Busy,        ///< answer: the node cannot answer now, nothing was done
    Rejected,    ///< answer: an error, nothing was done
    Unsent,      ///< no connection: nothing was sent
    Barred,      ///< the node may not vote: nothing was sent
    Silent,      ///< the node has owed answers for too long: nothing was sent
    Unanswered,  ///< sent, and the connection was lost or too slow: in doubt
    Renewed,     ///< answer to a renewal: the lease runs anew there
    Gone,        ///< answer to a renewal: the key is not there any more
    TakenOver,   ///< answer to a renewal: the key is there and not ours
    Reconnected, ///< the node's connection is back (`restarted`: it is another run of the server)
    Alarm,       ///< the time asked for has come
    Stop,        ///< the owner releases, or gives up: nothing may be sent from now on
  };
  Kind kind;
  std::size_t member = 0;
  bool restarted = false; ///< of Reconnected
};

/// What is to be done now, in this order: ask, renew, alarm, tell.
struct QuorumActions {
  static constexpr SteadyTime never = SteadyTime::max();
  enum class Tell : std::uint8_t {
    Nothing,
    Won,     ///< the lock is ours until validUntil()
    Failed,  ///< it is not, for failure(); what was granted or may have been is to be released
    Renewed, ///< validUntil() has grown
    Lost,    ///< for reason(); what is left is to be released
  };
  Members ask = {};
  Members renew = {};
  Tell tell = Tell::Nothing;
  SteadyTime alarm = never; ///< the next Alarm wanted; replaces the one before
};

/// The life of one token at n nodes, pure: one round of asking, and the hold from its grant to its release or loss. Total: every
/// event is legal in every state. One node is n = 1 of the same path.
///
/// Asking: all nodes at once. Won as soon as a quorum has granted and there is validity left; what comes later is counted behind.
/// Failed as soon as the votes that are still out cannot make a quorum (a node without connection has voted no), and when the time
/// that a node has is over.
/// Held: each member is believed in until lease − drift after the send of its last confirmed command. The hold is valid as long as
/// a quorum of members is, so a renewal counts from the moment when a quorum has confirmed it. A third of a lease after its last
/// confirmation a member is renewed, after a failure again within a tenth. A member that says the key is gone, or never had it, is
/// asked for it again (healing), once a quorum has proved by later answers that it stands without it; one that says gone while the
/// others are too few ends the hold instead. Lost is told once, at the latest when the quorum's belief ends by this clock.
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
  /// Until when a quorum is believed in.
  SteadyTime validUntil() const;
  bool isHeld(SteadyTime now) const { return m_state == State::Held && now < validUntil(); }
  std::size_t quorum() const { return m_quorum; } ///< how many nodes decide
  /// Members that have been sent an ask and have not refused it: they have, or may have, the key.
  Members mayHave() const { return m_mayHave; }
  /// Members with an ask that was sent and never answered: it may come to them yet.
  Members inDoubt() const;

private:
  struct Member {
    Vote vote = Vote::Pending;
    bool asking = false;   // an ask is out
    bool renewing = false; // a renewal is out
    unsigned doubts = 0;   // asks of ours that were sent and never answered
    bool missing = false;  // found gone, and to be given the key again
    bool restarted = false;
    SteadyTime confirmedAt{}; // the send of the last command that was
    SteadyTime askedAt{};     // where the belief counts from once this is confirmed
    SteadyTime believedUntil{};
    SteadyTime next = QuorumActions::never; // renewal
  };

  QuorumActions start(SteadyTime now);
  QuorumActions onAsking(const QuorumEvent &event, SteadyTime now);
  QuorumActions onHeld(const QuorumEvent &event, bool toAsk, SteadyTime before, SteadyTime now);
  QuorumActions onRenewal(Member &member, const QuorumEvent &event, SteadyTime before, SteadyTime now);
  bool note(const QuorumEvent &event); // true for the answer to an ask
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
  double m_earliness; // the same for every beat of this hold, so that its members are renewed together
  std::vector<Member> m_members;
  std::size_t m_quorum;
  State m_state = State::Idle;
  Failure m_failure = Failure::OutOfReach;
  LossReason m_reason = LossReason::LeaseEnded;
  Members m_mayHave;
  SteadyTime m_startedAt{};
};

} // namespace lockhouse
