// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/client/support/log_event.h"
#include "core/client/support/metrics.h"
#include "core/lock/options/lock_options.h"
#include "core/lock/options/outcome.h"
#include "core/lock/primitives/owner_id.h"
#include "core/lock/primitives/primitive.h"
#include "core/net/connection/connection.h"

#include <functional>
#include <memory>

namespace lockhouse {

/// Drives the lock machines of one node: sends their commands, feeds them replies, messages and alarms. Loop thread only, except
/// commandsSent(). Owns one Connection and, from the first wait by pub/sub on, one Subscriber shared by all of its locks;
/// for locks that replicas are to acknowledge, one WaitConnection.
///
/// Redis: what the primitives send; after each connect INFO server (to know a restarted server) and COMMAND INFO (to know what it can);
/// SUBSCRIBE and UNSUBSCRIBE, or SSUBSCRIBE and SUNSUBSCRIBE, one subscription per lock however many wait.
///
/// Waiters of one driver for one lock stand in line here: only the first of them asks the server, and it asks right behind the
/// release of the one before it, in the same write. So a lock handed on inside one process costs two commands and one round
/// trip, whatever the number of waiters, and nobody starves. After `handoffLimit` such handoffs the line pauses for a moment, so
/// that other processes get in. Policy "try" does not stand in line.
/// Source: cohort locks (Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012).
class NodeDriver {
public:
  struct Options {
    ConnectionOptions connection;
    unsigned handoffLimit = 64;      ///< handoffs inside this driver before others are let in; 1 = each hold is granted by the server
    LogSink log = {};                ///< none by default
    OwnerOptions owners = {};        ///< what holds call themselves
    milliseconds lookAgain{500};     ///< after an acquire in doubt was found not to have come: how much later it may still come, twice
    milliseconds releaseLimit{3000}; ///< a release that is not confirmed by then is reported InDoubt, and goes on behind
  };

  NodeDriver(Loop &loop, Uri node, Options options);
  /// What is under way is dropped, holds are not released: see whenSettled(). Sessions must be gone before: they point here.
  ~NodeDriver();
  NodeDriver(const NodeDriver &) = delete;
  NodeDriver &operator=(const NodeDriver &) = delete;

  void onState(Connection::StateHandler handler); ///< of the command connection; set before open()
  void open();
  Connection::State state() const;
  const Error *why() const; ///< why Down; null otherwise

  /// Commands sent so far, of both connections. Any thread.
  std::uint64_t commandsSent() const;
  /// Since this driver was made. Its numbers are read as they stand.
  Metrics metrics() const;
  /// Nothing to give back, no release without an answer: all keys that this driver made and gave up are known to be gone.
  bool isSettled() const;
  /// Runs `task` once isSettled(); at once if it is so already.
  void whenSettled(Loop::Task task);

  class Core; ///< known to the sessions only
  Core &core() { return *m_core; }

private:
  std::unique_ptr<Core> m_core;
};

/// One owner of one lock at one node. Contract: OwnerSession.
class NodeSession final : public OwnerSession {
public:
  /// `options` must have passed checkLock(), its policy must be one that the primitive takes.
  NodeSession(NodeDriver &driver, const Primitive &primitive, LockName name, LockOptions options);
  ~NodeSession() override;

  void acquire(AcquireHandler done) override;
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void release(ReleaseHandler done) override;
  bool becomeReader() override;
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override;
  void cancel() override;
  void onLost(LostHandler handler) override;
  void onRenewed(RenewedHandler handler) override;
  bool isAcquiring() const override;
  bool isReleasing() const override;
  bool isHeld() const override;
  std::int64_t count() const override;
  SteadyTime validUntil() const override;
  const LockName &name() const override;
  const Error *lastError() const override;

  class Core;

private:
  std::unique_ptr<Core> m_core;
};

} // namespace lockhouse
