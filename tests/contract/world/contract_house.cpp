// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/contract_house.h"

#include <utility>

namespace lockhouse::test {

void ContractHouse::open(Topology topology, const std::vector<std::string> &config, const std::string &program) {
  auto started = Servers::start(topology, config, program);
  ASSERT_TRUE(started) << started.error().sentence();
  server = std::move(*started);
  m_loop = std::make_unique<Loop>();
  renewProbes();
}

void ContractHouse::close() {
  m_probes.clear();
  m_loop.reset();
}

void ContractHouse::renewProbes() {
  m_probes.clear();
  for (std::size_t i = 0; i < server->living(); ++i)
    m_probes.emplace_back(*m_loop, server->unixUri(i));
  if (hasReplica(server->topology())) {
    ASSERT_TRUE(eventually([this] { return probe().isFollowedBy(1); })) << probe().text({"INFO", "replication"});
  }
}

void ContractHouse::everywhere(std::initializer_list<std::string_view> words) {
  for (auto &probe : m_probes)
    probe(words);
}

std::uint64_t ContractHouse::calls(const std::string &command) {
  std::uint64_t calls = 0;
  for (auto &probe : m_probes)
    calls += probe.calls(command);
  return calls;
}

void ContractHouse::expectNobodyThere() {
  for (auto &probe : m_probes) {
    EXPECT_TRUE(eventually([&] { return probe.subscriptions() == 0; })) << "a subscription is left";
    EXPECT_TRUE(eventually([&] { return probe.blocked() == 0; })) << "a client is left that blocks";
  }
}

std::string_view nameOf(Topology topology) {
  switch (topology) {
  case Topology::UnixSocket: return "OverUnixSocket";
  case Topology::Tcp: return "OverTcp";
  case Topology::Tls: return "OverTls";
  case Topology::Replicas: return "WithAReplica";
  case Topology::RedLock3: return "AsRedLockOf3";
  case Topology::RedLock5OneDown: return "AsRedLockOf5WithOneDown";
  case Topology::TwoNodes: return "AtTwoNodes";
  }
  return {};
}

} // namespace lockhouse::test
