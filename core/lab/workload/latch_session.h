// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/node_session.h"
#include "core/lab/workload/latch_rounds.h"

#include <memory>
#include <optional>

namespace lockhouse {

class LatchBackend;

/// A client of a latch round in the form of a lock owner. To acquire is to try to close the latch, to count it down once and to wait until it is
/// open. To release is to go on. Loop thread only. An acquire after one that was refused or cancelled continues it and does not count down again.
/// InDoubt: an outage ended the round, or the wait was not answered.
class LatchSession final : public OwnerSession {
public:
  LatchSession(LatchBackend &backend, LatchRounds &rounds, LockName key);
  ~LatchSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override; ///< as acquire(done)
  void release(ReleaseHandler done) override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override; ///< fails with Usage
  void cancel() override;
  void onLost(LostHandler) override {}       ///< an open latch cannot be lost
  void onRenewed(RenewedHandler) override {} ///< nothing is
  bool isAcquiring() const override { return static_cast<bool>(m_done); }
  bool isReleasing() const override { return static_cast<bool>(m_released); }
  bool isHeld() const override { return m_isThrough; }
  std::int64_t count() const override { return m_isThrough ? 1 : 0; }
  SteadyTime validUntil() const override { return m_isThrough ? SteadyTime::max() : SteadyTime{}; }
  const LockName &name() const override { return m_key; }
  const Error *lastError() const override { return m_error ? &*m_error : nullptr; }

  /// Of the round that it is in, if that was given up.
  void roundGivenUp(const Error &why);

private:
  enum class Step : std::uint8_t { Close, CountDown, Wait };
  /// Of one acquire; whose answers have become of no interest, has none.
  struct Ticket {
    LatchSession *session;
  };

  void go();
  void ask(Command command);
  void answered(const Result<std::int64_t> &count);
  void countDownLast();
  void wait();
  void waited(const AcquireOutcome &outcome);
  void pass();
  void conclude(const AcquireOutcome &outcome);
  void forget();

  LatchBackend &m_backend;
  LatchRounds &m_rounds;
  const LockName m_key;
  std::uint64_t m_roundsDone = 0;
  std::shared_ptr<LatchRound> m_round; // null: not in one
  Step m_step = Step::Close;
  bool m_isThrough = false;
  AcquireHandler m_done;
  ReleaseHandler m_released;
  std::shared_ptr<Ticket> m_ticket;
  std::optional<Error> m_error;
  std::unique_ptr<NodeSession> m_wait; // last: it ends with a call to its handler
};

} // namespace lockhouse
