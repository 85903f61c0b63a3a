// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "tests/support/test_authority.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockhouse::test {

/// Where the same cases are run.
enum class Topology : std::uint8_t {
  UnixSocket,
  Tcp,
  Tls,
  Replicas,        ///< a server with one replica, and every hold has to be acknowledged by it
  RedLock3,        ///< three servers, independent of each other
  RedLock5OneDown, ///< five, one of which is dead from the beginning
  TwoNodes         ///< two, of which each has its part; nodes() in the order in which locks are taken at them
};

constexpr bool isQuorum(Topology topology) { return topology == Topology::RedLock3 || topology == Topology::RedLock5OneDown; }
/// Whether every hold has to be acknowledged by a replica.
constexpr bool hasReplica(Topology topology) { return topology == Topology::Replicas; }

/// The private servers of one topology. pause(), kill() and restart() are about all that hold keys for a client.
class Servers {
public:
  /// Blocking until all answer. `config`: further words of each one's command line; `program`: as of Sandbox.
  static Result<Servers> start(Topology topology, const std::vector<std::string> &config = {}, const std::string &program = {});

  Topology topology() const { return m_topology; }
  /// As clients are to name them, the dead one too.
  std::vector<Uri> nodes() const { return m_nodes; }
  /// Those that answer; with a replica, one: its master.
  std::size_t living() const { return m_living.size(); }
  Uri unixUri(std::size_t which = 0) const { return m_living.at(which).unixUri(); } ///< of a living one
  Uri tcpUri() const { return m_living.front().tcpUri(); }                          ///< of the first

  void pause();
  void resume();
  void kill();
  Result<void> restart(); ///< all of them empty

private:
  explicit Servers(Topology topology) : m_topology(topology) {}
  Result<void> add(const std::vector<std::string> &config);
  Result<void> addWithTls(std::vector<std::string> config);

  Topology m_topology;
  std::string m_program;
  std::vector<Uri> m_nodes;
  std::vector<Sandbox> m_living;
  std::optional<Sandbox> m_replica;
  std::unique_ptr<TestAuthority> m_authority; // of the topology with TLS
};

/// A server that follows the one at `master`.
Result<Sandbox> startReplica(const Uri &master);

} // namespace lockhouse::test
