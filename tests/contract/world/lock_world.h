// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/world/contract_house.h"
#include "tests/contract/world/party.h"

#include <deque>
#include <functional>
#include <future>
#include <initializer_list>
#include <string>

namespace lockhouse::test {

/// What is tried, a primitive or a composition (subjectNamed()), and where.
using World = std::tuple<std::string_view, Topology>;

/// The same cases over every primitive there is, what is composed of them, and every topology. Each case has servers of its own; after each they must be as empty as before.
class LockContract : public ContractHouse, public testing::WithParamInterface<World> {
protected:
  void SetUp() override;
  void TearDown() override;
  virtual std::vector<std::string> serverConfig() { return {}; } ///< further words of the servers' command lines
  virtual std::string serverProgram() { return {}; }             ///< another server than Debian's Redis

  Subject subject() const { return subjectNamed(std::get<0>(GetParam())); }
  /// Of the keys.
  const Primitive &primitive() const { return *subject().primitive; }
  Making making() const { return isQuorum() ? Making::RedLock : subject().making; }
  Topology topology() const { return std::get<1>(GetParam()); }
  bool isQuorum() const { return test::isQuorum(topology()); }
  /// What a client of this topology talks to.
  Place place() const;
  Uri node() const { return server->nodes().front(); }
  Party &party(NodeDriver::Options options = {});
  Party &partyAt(Uri node, NodeDriver::Options options = {});    ///< as another user
  Party &partyAt(Place place, NodeDriver::Options options = {}); ///< through proxies
  /// The policies with which this primitive waits here.
  std::vector<AcquirePolicy> waitingPolicies() const;
  /// The keys of a lock of that name, in the order in which they are taken, and the last of them.
  std::vector<std::string> keysOf(std::string_view lock) const { return test::keysOf(making(), lock); }
  std::string keyOf(std::string_view lock) const { return keysOf(lock).back(); }

  /// Whether so many nodes have the key, as an owner of this primitive writes it, that it is taken: every key of a MultiLock.
  bool keyExists(std::string_view lock);
  /// Deletes the last of its keys, of a RedLock each node's, once it stands at every server that lives: a RedLock is told of its hold before
  /// the last has answered.
  void deleteHeld(std::string_view lock);
  /// Deletes all of its keys.
  void deleteWhole(std::string_view lock);
  /// Writes the lock as a stranger's hold, everywhere; of several keys and nodes the one that is taken last.
  void takeAsStranger(std::string_view lock, milliseconds lease);
  void takeAsStrangerAt(Probe &probe, std::string_view key, milliseconds lease);
  /// What a waiter is told of that stranger; nothing where the data do not name holders.
  std::optional<std::string> stranger() const;
  /// By the servers' clock, which is ours: epoch ms.
  static std::string inAMinute() { return std::to_string(std::chrono::floor<milliseconds>(wallNow().time_since_epoch()).count() + 60'000); }
  /// Of a re-entrant lock: the field of this owner's count.
  std::string fieldOf(const LockToken &owner) const { return owner.bytes() + (primitive().hasReaders() ? ":write" : ""); }
  /// One party holds, another waits for it and gets in, by the policy that is told of its turn where there is one.
  void takeWaitAndHandOn(const std::string &key);
  /// Nothing in any keyspace, no subscription, nobody blocked, nothing under way; waits for it.
  void expectNothingLeft();
  std::vector<std::string> leftKeys(); ///< without what may stay for a time

  bool checksEmptiness = true;

private:
  void awaitHeld(std::string_view lock); ///< the last of its keys, at every server that lives

  std::deque<Party> m_parties;
};

/// Whether the data of a taken lock say who has it; Redisson's semaphores only count.
bool namesHolders(const Primitive &primitive);
std::vector<std::string_view> primitiveNames(); ///< of all there are
std::vector<std::string_view> primitiveNames(const std::function<bool(const Primitive &)> &which);
/// The first policy of the primitive that is told of its turn, with polls an hour apart where it polls; nothing if it has none.
std::optional<AcquirePolicy> listeningPolicy(const Primitive &primitive);
std::string contractName(const testing::TestParamInfo<World> &info);

inline bool anyPrimitive(const Primitive &) { return true; }

/// The primitives of `which`, each in those of `topologies` that it can be in and that this test program takes: see Extent. By default
/// each case meets a primitive over a Unix socket or over TCP, so chosen by place and `suite` that every primitive and every suite is tried
/// over both; and two of them in the other topologies: a lock of one command and one with a line at the server, or, of a RedLock, one that
/// counts its holds and one that does not.
/// Compositions whose primitive is one of `which`, and which are made as `how` says, too: each by default in the first topology that it can
/// be in.
std::vector<World> worlds(
    std::string_view suite, std::initializer_list<Topology> topologies, const std::function<bool(const Primitive &)> &which = anyPrimitive,
    const std::function<bool(Making)> &how = [](Making) { return true; });
/// Those with one server that decides.
inline constexpr std::initializer_list<Topology> oneServer{Topology::UnixSocket, Topology::Tcp, Topology::Tls, Topology::Replicas};
inline constexpr std::initializer_list<Topology> everyTopology{
    Topology::UnixSocket, Topology::Tcp, Topology::Tls, Topology::Replicas, Topology::RedLock3, Topology::RedLock5OneDown, Topology::TwoNodes};

#define LOCKHOUSE_CONTRACT(Suite) INSTANTIATE_TEST_SUITE_P(Every, Suite, testing::ValuesIn(worlds(#Suite, everyTopology)), contractName)

} // namespace lockhouse::test
