// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/client/node/abandoned_ask_limit.h"
#include "core/client/node/driver_base.h"
#include "core/client/node/local_wait_queue.h"
#include "core/client/node/node_driver.h"
#include "core/client/node/release_batch.h"
#include "core/client/node/wait_connection.h"
#include "core/client/node/wakeup_inbox.h"
#include "core/client/node/wakeup_subscriptions.h"
#include "core/client/node/watch_transaction.h"
#include "core/client/support/lock_stats.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class Acquisition;

/// What the tenures of one driver share. Loop thread only, except commandsSent().
class NodeDriver::Core final : public DriverBase {
public:
  /// One lock as this driver knows it: the gates, and the ear on its channel.
  struct LockEntry final : public WakeupSubscriptions::Ear {
    LockEntry(Core &core, const Primitive &kind, LockName lock);
    void stands(bool hears) override;
    void heard(std::string_view message) override;
    void gap() override;
    LocalWaitQueue &waitQueueOf(const AcquirePolicy &policy) { return policy.kind == AcquirePolicy::Kind::Cohort ? cohort : waitQueue; }
    /// The server keeps the places of this client in its line until then, as far as we were told.
    void keptUntil(SteadyTime until) { placesUntil = std::max(placesUntil, until); }

    LocalWaitQueue waitQueue;
    LocalWaitQueue cohort;
    const Primitive &primitive;
    LockName name;
    Core &driver;
    LockStats book;
    SteadyTime placesUntil{};
    AbandonedAskLimit asks;
    std::uint64_t granted = 0;    // the last fence that the server gave to one of us
    std::uint64_t inherited = 0;  // the number under which the server has the hold of a successor; 0 = there is none
    unsigned users = 0;           // tenures and sessions that point here
    bool releaseGathered = false; // a release of this lock stands in the batch
    bool passesOn = false;        // the answer to a release is told, which made a waiter of this client the owner
  };

  Core(Loop &loop, Uri node, Options options);
  ~Core();
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  void onState(Connection::StateHandler handler) { m_onState = std::move(handler); }
  void open();
  const Connection &connection() const { return m_connection; }
  const Options &options() const { return m_options; }
  std::uint64_t commandsSent() const;
  Metrics metrics() const;

  // For tenures and sessions.
  const std::string &address() const { return m_address; }
  const std::string &clientId() const { return m_clientId; }
  std::uint64_t nextNumber() { return ++m_numbers; }
  Result<LockToken> owner(const Primitive &primitive, std::uint64_t number) {
    return m_owners.fresh(primitive, number, m_owners.needsTime() ? wallNow() : WallTime{});
  }
  std::uint64_t nextSeed() { return m_jitter.next(); }
  void send(Command command, Connection::Handler handler) { m_connection.send(std::move(command), std::move(handler)); }
  const ConnectionLog &log() const { return m_log; }
  ReleaseBatch &releases() { return m_releases; }
  LockEntry &entry(const Primitive &primitive, const LockName &name);
  void leaveEntry(LockEntry &entry);
  WakeupSubscriptions &wakeups() { return m_wakeups; }
  WakeupInbox &inbox() { return m_inbox; }
  WatchTransaction &watchLane() { return m_watchLane; }
  WaitConnection &acknowledgedLane() { return m_acknowledgedLane; }
  const ServerFeatures &server() const { return m_server; }
  /// It has a command for compare and delete and refuses it to this user, or at all: from now on scripts do it.
  void releaseByScripts() { m_server.compareAndDelete = ServerFeatures::CompareAndDelete::Script; }
  Acquisition &newAcquisition(LockEntry &entry);
  /// tenure.handOn(), outside of the call that is going on.
  void handOnSoon(Acquisition &acquisition);
  /// tenure.sendAsk(), in a write of its own behind the one that is being gathered; unless forgetAsk() comes first.
  void askSoon(Acquisition &acquisition);
  void forgetAsk(Acquisition &acquisition) { std::erase(m_askingSoon, &acquisition); }

private:
  void handOn();
  void stateChanged(Connection::State state, const Error *why);
  void readInfo(const Result<Reply> &reply);
  void readCommands(const Result<Reply> &reply);
  void reconnected(bool restarted);

  Options m_options;
  std::string m_address;
  ConnectionLog m_log;
  std::string m_clientId;
  OwnerIds m_owners;
  Jitter m_jitter;
  Connection::StateHandler m_onState;
  std::string m_runId;
  std::string m_info; // of this connection's server, until its features are known
  ServerFeatures m_server;
  LockStatsTable m_books;                                                // the doors point into them
  std::unordered_map<std::string, std::unique_ptr<LockEntry>> m_entries; // by primitive and name
  std::vector<Acquisition *> m_handingOn;
  std::vector<Acquisition *> m_askingSoon;
  std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
  std::uint64_t m_numbers = 0;
  WakeupSubscriptions m_wakeups; // these last: their handlers end before what they touch
  WakeupInbox m_inbox;
  Connection m_connection;
  ReleaseBatch m_releases{m_connection};
  WatchTransaction m_watchLane{m_connection};
  WaitConnection m_acknowledgedLane;
};

} // namespace lockhouse
