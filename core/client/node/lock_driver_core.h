// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/client/node/acknowledged_lane.h"
#include "core/client/node/ask_bound.h"
#include "core/client/node/driver_turns.h"
#include "core/client/node/ears.h"
#include "core/client/node/inbox.h"
#include "core/client/node/key_gate.h"
#include "core/client/node/lock_driver.h"
#include "core/client/node/release_batch.h"
#include "core/client/node/watch_lane.h"
#include "core/client/support/lock_book.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class LockTenure;

/// What the tenures of one driver share. Loop thread only, except commandsSent().
class LockDriver::Core final : public DriverTurns {
public:
  /// One lock as this driver knows it: the gates, and the ear on its channel.
  struct Door final : public Ears::Ear {
    Door(Core &core, const Primitive &kind, LockName lock);
    void stands(bool hears) override;
    void heard(std::string_view message) override;
    void gap() override;
    KeyGate &gateOf(const AcquirePolicy &policy) { return policy.kind == AcquirePolicy::Kind::Cohort ? cohort : gate; }
    /// The server keeps the places of this client in its line until then, as far as we were told.
    void keptUntil(SteadyTime until) { placesUntil = std::max(placesUntil, until); }

    KeyGate gate;
    KeyGate cohort;
    const Primitive &primitive;
    LockName name;
    Core &driver;
    LockBook book;
    SteadyTime placesUntil{};
    AskBound asks;
    std::uint64_t granted = 0;    // the last fence that the server gave to one of us
    std::uint64_t inherited = 0;  // the number under which the server has the hold of an heir; 0 = there is none
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
  const LineLog &log() const { return m_log; }
  ReleaseBatch &releases() { return m_releases; }
  Door &door(const Primitive &primitive, const LockName &name);
  void leaveDoor(Door &door);
  Ears &ears() { return m_ears; }
  Inbox &inbox() { return m_inbox; }
  WatchLane &watchLane() { return m_watchLane; }
  AcknowledgedLane &acknowledgedLane() { return m_acknowledgedLane; }
  const ServerFeatures &server() const { return m_server; }
  /// It has a command for compare and delete and refuses it to this user, or at all: from now on scripts do it.
  void releaseByScripts() { m_server.compareAndDelete = ServerFeatures::CompareAndDelete::Script; }
  LockTenure &newTenure(Door &door);
  /// tenure.handOn(), outside of the call that is going on.
  void handOnSoon(LockTenure &tenure);
  /// tenure.sendAsk(), in a write of its own behind the one that is being gathered; unless forgetAsk() comes first.
  void askSoon(LockTenure &tenure);
  void forgetAsk(LockTenure &tenure) { std::erase(m_askingSoon, &tenure); }

private:
  void handOn();
  void stateChanged(Connection::State state, const Error *why);
  void readInfo(const Result<Reply> &reply);
  void readCommands(const Result<Reply> &reply);
  void reconnected(bool restarted);

  Options m_options;
  std::string m_address;
  LineLog m_log;
  std::string m_clientId;
  OwnerIds m_owners;
  Jitter m_jitter;
  Connection::StateHandler m_onState;
  std::string m_runId;
  std::string m_info; // of this connection's server, until its features are known
  ServerFeatures m_server;
  LockBooks m_books;                                              // the doors point into them
  std::unordered_map<std::string, std::unique_ptr<Door>> m_doors; // by primitive and name
  std::vector<LockTenure *> m_handingOn;
  std::vector<LockTenure *> m_askingSoon;
  std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
  std::uint64_t m_numbers = 0;
  Ears m_ears; // these last: their handlers end before what they touch
  Inbox m_inbox;
  Connection m_connection;
  ReleaseBatch m_releases{m_connection};
  WatchLane m_watchLane{m_connection};
  AcknowledgedLane m_acknowledgedLane;
};

} // namespace lockhouse
