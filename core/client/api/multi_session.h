// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/node_session.h"

namespace lockhouse {

/// Several locks of one owner, all or nothing, perhaps at several nodes. Contract: OwnerSession. Loop thread only.
///
/// Mutexes of one slot of one node (MultiMutex::sameSlot) are one script. Otherwise the locks are taken one after the other in one
/// order for all clients, by the address of the node and then by name: who waits for a lock holds only such as stand before it, so
/// that no circle of waiting can come about. Holds taken early are renewed while the later ones are waited for. One wait limit is
/// for all; policy "try" asks each once. On a refusal, a cancel, a timeout, or when a member is lost before the last is there, what
/// was taken is given back behind the outcome. Held as long as each member is; the loss of one is the loss of all, and the rest is
/// given back.
/// Re-entry (ReentrantLock) is counted here and costs nothing; each member is entered once.
///
/// Redis: what the members send. The order is the same for clients that call the nodes by the same addresses.
/// Source: resource ordering (Havender 1968).
class MultiSession final : public OwnerSession {
public:
  /// A lock of one node, by its driver.
  struct Part {
    NodeDriver *driver;
    const Primitive *primitive;
    LockName name;
  };

  /// `parts` in the order of their taking, as multiLockParts() makes them. Policy and options as of a NodeSession.
  MultiSession(Loop &loop, std::vector<Part> parts, LockName name, LockOptions options);
  ~MultiSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void release(ReleaseHandler done) override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override; ///< fails with Usage
  void cancel() override;
  void onLost(LostHandler handler) override;
  void onRenewed(RenewedHandler handler) override;
  bool isAcquiring() const override { return m_stage == Stage::Acquiring; }
  bool isReleasing() const override { return m_stage == Stage::Releasing; }
  bool isHeld() const override { return m_stage == Stage::Held && SteadyClock::now() < validUntil(); }
  std::int64_t count() const override { return m_stage == Stage::Held ? m_count : 0; }
  SteadyTime validUntil() const override;
  const LockName &name() const override { return m_name; }
  const Error *lastError() const override { return m_error ? &*m_error : nullptr; }
  std::string detail() const override { return m_detail; }

private:
  enum class Stage : std::uint8_t { Free, Acquiring, Held, Lost, Releasing };

  void begin(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done);
  void takeNext();
  void taken(const AcquireOutcome &outcome);
  void conclude(AcquireOutcome outcome);
  void giveBack();
  void lost(std::size_t member, LossReason reason);
  void renewed();
  void released(ReleaseOutcome outcome);
  void refuse(Error error, AcquireHandler done);
  std::optional<Error> whyNotAcquire() const;
  std::string nameOf(std::size_t part) const;
  bool isReentrant() const { return m_parts.front().primitive->isReentrant(); }

  std::vector<Part> m_parts;
  LockName m_name;
  LockOptions m_options;
  std::vector<std::unique_ptr<NodeSession>> m_taken; // of the parts, in their order; the last one may be on its way
  Stage m_stage = Stage::Free;
  AcquirePolicy m_policy;
  std::optional<SteadyTime> m_deadline;
  LockToken m_token;
  SteadyTime m_toldUntil{};
  std::int64_t m_count = 0;
  std::size_t m_releasing = 0;
  ReleaseOutcome m_outcome = ReleaseOutcome::Released; // of the release, so far
  AcquireHandler m_done;
  ReleaseHandler m_released;
  std::shared_ptr<LostHandler> m_lost;
  RenewedHandler m_renewed;
  std::optional<Error> m_error;
  std::string m_detail;
  DeferredCalls m_deferred;
};

} // namespace lockhouse
