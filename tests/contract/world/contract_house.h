// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/world/probe.h"
#include "tests/contract/world/servers.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <deque>
#include <initializer_list>
#include <string>

namespace lockhouse::test {

using namespace std::chrono_literals;

/// A case with servers of its own, and a look at each of them.
class ContractHouse : public testing::Test {
protected:
  void open(Topology topology, const std::vector<std::string> &config = {}, const std::string &program = {});
  void close();
  bool isOpen() const { return !m_probes.empty(); }

  Loop &loop() { return *m_loop; }
  /// Of one of the servers that live, by default the first.
  Probe &probe(std::size_t which = 0) { return m_probes.at(which); }
  std::size_t probes() const { return m_probes.size(); }
  std::deque<Probe> &eachProbe() { return m_probes; }
  /// The same words to every server that lives.
  void everywhere(std::initializer_list<std::string_view> words);
  /// Calls of `command` at all servers.
  std::uint64_t calls(const std::string &command);
  /// The servers' processes were replaced: new probes.
  void renewProbes();
  /// No subscription, nobody who blocks; waits for it.
  void expectNobodyThere();

  std::optional<Servers> server; ///< all of the topology

private:
  std::unique_ptr<Loop> m_loop;
  std::deque<Probe> m_probes;
};

/// Of a topology, as a part of a test's name.
std::string_view nameOf(Topology topology);

} // namespace lockhouse::test
