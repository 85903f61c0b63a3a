// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/servers.h"

#include "tests/support/socket_fd.h"

#include <utility>

namespace lockhouse::test {
namespace {

int countOf(Topology topology) {
  switch (topology) {
  case Topology::TwoNodes: return 2;
  case Topology::RedLock3: return 3;
  case Topology::RedLock5OneDown: return 5;
  default: return 1;
  }
}

} // namespace

Result<Sandbox> startReplica(const Uri &master) {
  return Sandbox::start({.tcp = false, .config = {"--replicaof", master.host, std::to_string(master.port), "--repl-diskless-sync-delay", "0"}});
}

Result<Servers> Servers::start(Topology topology, const std::vector<std::string> &config, const std::string &program) {
  Servers servers(topology);
  servers.m_program = program;
  if (topology == Topology::Tls) {
    if (auto added = servers.addWithTls(config); !added)
      return std::unexpected(std::move(added.error()));
    return servers;
  }
  auto words = config;
  if (hasReplica(topology)) // a replica that comes is served at once
    words.insert(words.end(), {"--repl-diskless-sync-delay", "0"});
  for (int i = 0; i < countOf(topology); ++i)
    if (auto added = servers.add(words); !added)
      return std::unexpected(std::move(added.error()));
  if (topology == Topology::TwoNodes && servers.m_nodes[1].address() < servers.m_nodes[0].address()) {
    std::swap(servers.m_nodes[0], servers.m_nodes[1]);
    std::swap(servers.m_living[0], servers.m_living[1]);
  }
  if (topology == Topology::RedLock5OneDown)
    servers.m_living.erase(servers.m_living.begin() + 1); // neither the first that is asked nor the last
  if (hasReplica(topology)) {
    auto replica = startReplica(servers.tcpUri());
    if (!replica)
      return std::unexpected(std::move(replica.error()));
    servers.m_replica = std::move(*replica);
  }
  return servers;
}

Result<void> Servers::add(const std::vector<std::string> &config) {
  auto server = Sandbox::start({.tcp = true, .config = config, .program = m_program});
  if (!server)
    return std::unexpected(std::move(server.error()));
  m_nodes.push_back(m_topology == Topology::UnixSocket ? server->unixUri() : server->tcpUri());
  m_living.push_back(std::move(*server));
  return {};
}

// The port may be taken by another process between the look and the start: then another one is tried.
Result<void> Servers::addWithTls(std::vector<std::string> config) {
  m_authority = std::make_unique<TestAuthority>("Lockhouse contract authority");
  const auto pair = m_authority->sign("server", "IP:127.0.0.1");
  config.insert(config.end(), {"--tls-cert-file", pair.cert, "--tls-key-file", pair.key, "--tls-ca-cert-file", m_authority->cert(), "--tls-auth-clients", "no",
                               "--tls-port"});
  for (int tries = 1;; ++tries) {
    Uri uri;
    uri.kind = Uri::Kind::Tls;
    uri.host = "127.0.0.1";
    uri.port = static_cast<std::uint16_t>(SocketFd::listenOnLoopback().port());
    uri.caCert = m_authority->cert();
    auto words = config;
    words.push_back(std::to_string(uri.port));
    auto server = Sandbox::start({.tcp = false, .config = words});
    if (server) {
      m_nodes.push_back(std::move(uri));
      m_living.push_back(std::move(*server));
      return {};
    }
    if (tries == 5)
      return std::unexpected(std::move(server.error()));
  }
}

void Servers::pause() {
  for (auto &server : m_living)
    server.pause();
}

void Servers::resume() {
  for (auto &server : m_living)
    server.resume();
}

void Servers::kill() {
  for (auto &server : m_living)
    server.kill();
}

Result<void> Servers::restart() {
  for (auto &server : m_living)
    if (auto begun = server.restart(); !begun)
      return begun;
  return {};
}

} // namespace lockhouse::test
