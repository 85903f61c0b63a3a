// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/client/connection/server_probe.h"
#include "core/client/connection/wait_connection.h"
#include "core/client/connection/watch_transaction.h"
#include "core/client/node/driver_base.h"
#include "core/client/node/lock_entry.h"
#include "core/client/node/release_batch.h"
#include "core/client/node/wakeup_inbox.h"
#include "core/lock/primitives/owner_id.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class AcquireAttempt;
class Acquisition;

/// Runs the locks of one node: owns their acquisitions, the Connection that all of them share and, from the first wait by pub/sub on, one
/// Subscriber; for locks that replicas acknowledge, one WaitConnection. Loop thread only, except commandsSent().
///
/// Redis: what the primitives send; after each connect what ServerProbe asks; SUBSCRIBE and UNSUBSCRIBE, or SSUBSCRIBE and SUNSUBSCRIBE, one
/// subscription for each lock, however many wait.
///
/// Waiters of one driver for one lock form a local queue. Only the first of them asks the server, right behind the release of the owner
/// before it, in the same write. So a lock handed over inside one process costs two commands and one round trip, whatever the number of
/// waiters, and nobody starves. After `handoffLimit` such handoffs the queue pauses for a moment, so that other processes get in. Policy
/// "try" does not use the queue.
/// Source: cohort locks (Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012).
class NodeDriver final : public DriverBase {
public:
  struct Options {
    ConnectionOptions connection;
    unsigned handoffLimit = 64;      ///< handoffs inside this driver before others get in; 1 = each hold is granted by the server
    LogSink log = {};                ///< none by default
    OwnerOptions owners = {};        ///< the names of holds
    milliseconds recheckAfter{500};  ///< an acquire in doubt was found not to have run: how much later it may still arrive, twice
    milliseconds releaseLimit{3000}; ///< a release without a reply by then is reported InDoubt, and is repeated in the background
  };

  NodeDriver(Loop &loop, Uri node, Options options);
  /// Drops what is under way. Holds are not released: see whenSettled(). Its sessions must have ended.
  ~NodeDriver();

  void onState(Connection::StateHandler handler) { m_onState = std::move(handler); } ///< of the command connection; set before open()
  void open() { m_connection.open(); }
  Connection::State state() const { return m_connection.state(); }
  const Error *why() const { return m_connection.why(); } ///< why Down; null otherwise
  /// Commands sent so far, by all connections. Any thread.
  std::uint64_t commandsSent() const;
  /// Since this driver was made.
  Metrics metrics() const;
  /// `host:port`, or the path of the socket.
  const std::string &address() const { return m_address; }
  void send(Command command, Connection::Handler handler) { m_connection.send(std::move(command), std::move(handler)); }
  const ServerFeatures &server() const { return m_probe.features(); }

  // For sessions and acquisitions.
  const Options &options() const { return m_options; }
  const std::string &clientId() const { return m_clientId; }
  std::uint64_t nextNumber() { return ++m_numbers; }
  std::uint64_t nextSeed() { return m_jitter.next(); }
  Result<LockToken> newToken(const Primitive &primitive, std::uint64_t number) {
    return m_owners.fresh(primitive, number, m_owners.needsTime() ? wallNow() : WallTime{});
  }
  const ConnectionLog &log() const { return m_log; }
  LockMetrics &metricsOf(const Primitive &primitive) { return m_metrics.of(primitive); }
  LockEntry &entry(const Primitive &primitive, const LockName &name);
  void leaveEntry(LockEntry &entry);
  Acquisition &newAcquisition(LockEntry &entry);
  ReleaseBatch &releases() { return m_releases; }
  WakeupSubscriptions &wakeups() { return m_wakeups; }
  WakeupInbox &inbox() { return m_inbox; }
  WatchTransaction &watchTransaction() { return m_watchTransaction; }
  WaitConnection &waitConnection() { return m_waitConnection; }
  void useScriptToDelete() { m_probe.useScriptToDelete(); }
  /// Calls acquisition.handOver() after the current call.
  void scheduleHandoff(Acquisition &acquisition);
  /// Calls attempt.sendAsk() in the write after the present one, unless forgetAsk() comes first.
  void scheduleAsk(AcquireAttempt &attempt);
  void forgetAsk(AcquireAttempt &attempt) { std::erase(m_scheduledAsks, &attempt); }

private:
  void handOver();
  void sendAsks();
  void stateChanged(Connection::State state, const Error *why);
  void reconnected(bool restarted);

  Options m_options;
  std::string m_address;
  ConnectionLog m_log;
  std::string m_clientId;
  OwnerIds m_owners;
  Jitter m_jitter;
  Connection::StateHandler m_onState;
  LockStatsTable m_metrics;                                              // the entries point into it
  std::unordered_map<std::string, std::unique_ptr<LockEntry>> m_entries; // by primitive and name
  std::vector<Acquisition *> m_scheduledHandoffs;
  std::vector<AcquireAttempt *> m_scheduledAsks;
  std::shared_ptr<bool> m_alive = std::make_shared<bool>(true); // of the tasks that are posted
  std::uint64_t m_numbers = 0;
  WakeupSubscriptions m_wakeups; // these last: their handlers end before what they use
  WakeupInbox m_inbox;
  Connection m_connection;
  ServerProbe m_probe{m_connection};
  ReleaseBatch m_releases{m_connection};
  WatchTransaction m_watchTransaction{m_connection};
  WaitConnection m_waitConnection;
};

} // namespace lockhouse
