// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/lock_metrics_recorder.h"
#include "core/client/node/node_driver_core.h"
#include "core/client/node/reply_events.h"
#include "core/lock/machines/acquire_machine.h"
#include "core/lock/machines/lease_watchdog.h"
#include "core/lock/machines/release_machine.h"

namespace lockhouse {

/// A hold that goes from one owner of this client to the next without the server, which has it under the first one's name.
struct HandoffGrant {
  LockToken owner;
  std::uint64_t number = 0;    ///< of that owner
  std::uint64_t fence = 0;     ///< of the next hold
  std::uint64_t lastFence = 0; ///< the last one that the server's grant leaves room for
  SteadyTime until{};
  std::vector<std::uint64_t> behind = {}; ///< whose places are the first at the server, in this order
  std::vector<std::uint64_t> served = {}; ///< whose places are still there, though they have had it
};

/// One ownership from the first ask to the last answer: the owner's identity, its three machines, and the hands that do what they
/// say. A session uses it for one hold after the other, as long as each is settled; what is left unsettled (a late answer, a release
/// that is tried again) lives on here without its session, and a new tenure with a new owner takes its place.
/// Owned by the driver. Loop thread only.
class Acquisition final : public LocalWaitQueue::LocalWaiter, public DriverBase::OwnedTask, public WakeupSubscriptions::Ear {
public:
  /// Who is told. Each call is the last thing its caller does with the tenure.
  class Owner {
  public:
    virtual void concluded(AcquireOutcome outcome) = 0;
    virtual void released(ReleaseOutcome outcome, const Error *why) = 0;
    virtual void lost(LossReason reason) = 0;
    virtual void renewed(SteadyTime validUntil) = 0;

  protected:
    ~Owner() = default;
  };

  Acquisition(NodeDriver::Core &driver, NodeDriver::Core::LockEntry &entry);
  ~Acquisition() override;

  void attach(Owner *owner) { m_session = owner; }
  /// The session goes: a hold is released behind, what is under way is settled behind.
  void detach(SteadyTime now);

  /// A first hold, which needs isSettled(), or one count more, which needs isReleaseSettled() and no acquire under way.
  Result<void> acquire(const AcquireMachine::Plan &plan, const LockOptions &options, SteadyTime now);
  void cancel(SteadyTime now);
  /// The writer goes on as a reader. False if it is none.
  bool becomeReader(SteadyTime now);
  /// The reader is to be the writer: needs isReader(), count() > 0, and no acquire or release under way. An acquire as others are.
  void becomeWriter(const AcquireMachine::Plan &plan, SteadyTime now);
  /// One count less; needs count() > 0 or wasLost().
  void release(SteadyTime now);

  bool isAcquiring() const { return m_acquire.verdict() == AcquireMachine::Verdict::None && !m_acquire.settled(); }
  bool isReleasing() const { return m_reportRelease; }
  /// Free for a new hold, or held and free for a re-entry.
  bool isSettled() const { return m_outstanding == 0 && m_acquire.settled() && m_release.settled(); }
  bool isReleaseSettled() const { return m_release.settled(); }
  bool hears() const; ///< messages about its turn
  /// So many of its upgrades have come to nothing that the server knows of that another one has to wait.
  bool hasUnsettledUpgrades() const { return m_upgrades - m_settledUpgrades >= 8; }
  bool isHeld(SteadyTime now) const { return m_count > 0 && m_watchdog.isHeld(now); }
  bool wasLost() const { return m_lost; }
  std::int64_t count() const { return m_count; }
  SteadyTime validUntil() const { return m_watchdog.validUntil(); }

  void tell(AcquireEvent event, SteadyTime now) override;
  void lookNow(SteadyTime now) override;
  bool isReader() const override { return m_mode.shared; }
  void ring(SteadyTime now) override;
  void stands(bool hears) override;
  void heard(std::string_view message) override;
  void gap() override;
  /// The server made the owner of this number the holder. False if that is not wanted, and not given back already.
  bool isPassedOn(const Primitive &primitive, const LockName &lock, const PassedOn &grant, SteadyTime now);
  /// Releases what the server has under that name, which nobody of this client wants and which is gone by then at the latest. Of a new
  /// tenure, which ends with it.
  void releaseOrphan(HandoffGrant what, SteadyTime now);
  void reconnected(std::size_t node, bool restarted, SteadyTime now) override;

  /// Its release was put off to hand the lock on inside the client.
  void handOn();
  /// The ask that sendAcquire() has left to its driver.
  void sendAsk(SteadyTime now);
  bool isUnsent() const { return m_isUnsent; }

  // For the ReleaseBatch.
  NodeDriver::Core &driver() { return m_driver; }
  NodeDriver::Core::LockEntry &entry() { return m_entry; }
  Primitive::Ask askToLeave() const { return ask(m_left); }
  void sendReleaseAlone(std::uint32_t serial);
  void releaseAnswered(std::uint32_t serial, const Result<Reply> &reply);

private:
  /// What it was when a command was sent.
  struct SentAs {
    std::int64_t upgrades;
    bool reader, upgrading;
    bool operator==(const SentAs &) const = default;
  };
  void act(const AcquireActions &actions, SteadyTime now);
  void act(const ReleaseActions &actions);
  void act(const LeaseActions &actions, SteadyTime now);
  bool listen();
  void stopListening(SteadyTime now);
  void sendAcquire(SteadyTime now);
  void forgetUnsentAsk(SteadyTime now);
  void sendAcquireStep(Command command);
  void sendGuarded(Command command, Connection::Handler handler);
  void sendRelease();
  void sendRenewal();
  void acquireAnswered(std::uint32_t serial, const Result<Reply> &reply);
  void takeAnswer(const ReadAcquire &answer, SteadyTime now);
  void awaitReplicas(const ReadAcquire &granted, SteadyTime now);
  void renewalAnswered(const Result<Reply> &reply, const SentAs &sentAs);
  Result<void> nameOwner();
  void begin(const AcquireMachine::Plan &plan, SteadyTime now);
  bool isUpgrading() const { return m_upgrade && isAcquiring(); }
  SentAs sentAs() const { return {m_upgrades, m_mode.shared, isUpgrading()}; }
  void giveBack(bool doubtful, SteadyTime now);
  void tellHoldLost(SteadyTime now);
  Error holdLost() const;
  void noteRefusal(ReadAcquire &answer);
  void leaveWaitQueue(SteadyTime now);
  Acquisition *localSuccessor(); ///< of this client, to whom the lock can be handed on without the server
  Acquisition *firstBehind();    ///< who waits
  bool mayTakeOverGrant() const; ///< by a word; an ask is not under way, and the hold is all it wants
  void takeOverGrant(HandoffGrant what, SteadyTime now);
  void startRelease(std::int64_t left, bool doubtful, SteadyTime now);
  void conclude(SteadyTime now);
  AcquireOutcome outcome() const;
  Error tooLate() const;
  bool isHeldByOthers() const;
  Error unanswered() const;
  Error notAcknowledged() const;
  void becomeHeld(SteadyTime now);
  void refreshAlarm();
  void refreshSettled();
  void retireIfDone();
  Primitive::Ask ask(std::int64_t count) const;

  NodeDriver::Core &m_driver;
  NodeDriver::Core::LockEntry &m_entry;
  LocalWaitQueue *m_waitQueue; // of its door; by the policy of the acquire
  Owner *m_session = nullptr;
  LockMetricsRecorder m_record{m_entry.book};
  LockToken m_owner;
  std::string m_listener; // as of Primitive::Ask
  AcquireMachine m_acquire;
  ReleaseMachine m_release;
  LeaseWatchdog m_watchdog;
  SteadyTime m_acquireAlarm = TimerHeap::never;
  SteadyTime m_releaseAlarm = TimerHeap::never;
  SteadyTime m_leaseAlarm = TimerHeap::never;
  milliseconds m_lease{};
  LockMode m_mode;
  AcquirePolicy m_policy;
  std::int64_t m_count = 0;           // of the hold
  std::uint64_t m_number = 0;         // our own; 0 = none yet
  std::uint64_t m_fence = 0;          // of the hold; 0 = none
  std::uint64_t m_lastFence = 0;      // that the server's grant leaves room for
  std::int64_t m_left = 0;            // what the release under way is to leave
  std::int64_t m_upgrades = 0;        // begun by this owner
  std::int64_t m_settledUpgrades = 0; // up to which the server said what came of them
  std::uint32_t m_askSerial = 0;      // of the acquire
  bool m_upgrade = false;             // the last acquire was one
  bool m_tellsReader = false;         // the next renewal is to make a reader of the writer
  bool m_isUnsent = false;            // the ask is still to be sent
  bool m_isAbandoned = false;         // counted as such by the door
  std::string m_sent;                 // the name of the acquire's last command
  unsigned m_steps = 0;               // of the acquire, behind its first command
  unsigned m_outstanding = 0;
  std::uint32_t m_releaseSerial = 0;
  ReplicaAck m_acknowledge;
  std::optional<Acknowledged> m_acknowledged; // of the acquire
  bool m_awaitsReplicas = false;
  bool m_byCompareCommand = false; // the release under way: the server has one
  bool m_reenters = false;         // the acquire is one of a hold that is there
  bool m_renew = true;
  bool m_waits = false;
  bool m_wake = false;                 // a release is to be published
  bool m_reportRelease = false;        // the session waits for the release's outcome
  bool m_recordRelease = false;        // the release under way is one of a hold
  bool m_lost = false;                 // the hold was lost and not released since
  bool m_reportLost = false;           // the release under way is of a lost hold
  bool m_isHandingOn = false;          // handOn() is to come
  bool m_isLocalSuccessor = false;     // m_owner is another one of this client, from whom we have the hold
  std::vector<std::uint64_t> m_behind; // as of HandoffGrant
  std::vector<std::uint64_t> m_served;
  Error m_error;                       // of the last failed answer
  std::optional<std::string> m_holder; // of the last refusal
  std::optional<milliseconds> m_timeLeft;
};

} // namespace lockhouse
