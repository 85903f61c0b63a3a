// SPDX-License-Identifier: Apache-2.0
// What the default run leaves out of the matrix leaves no pair untried.
#include "tests/contract/world/lock_world.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace lockhouse::test {
namespace {

TEST(Selection, triesEveryPrimitiveAndEverySuiteOverBothTransports) {
  std::map<std::string, std::set<Topology>> ofPrimitive;
  for (const auto *suite : {"Lease", "Waiting"}) {
    std::map<std::string, std::size_t> met;
    std::set<Topology> ofSuite;
    for (const auto &[name, topology] :
         worlds(suite, {Topology::UnixSocket, Topology::Tcp}, anyPrimitive, [](Making making) { return making == Making::Alone; })) {
      ofPrimitive[std::string(name)].insert(topology);
      ofSuite.insert(topology);
      ++met[std::string(name)];
    }
    EXPECT_EQ(met.size(), Primitive::all().size()) << suite;
    EXPECT_EQ(ofSuite.size(), 2U) << suite;
    for (const auto &[name, times] : met)
      EXPECT_EQ(times, 1U) << name;
  }
  for (const auto &[name, transports] : ofPrimitive)
    EXPECT_EQ(transports.size(), 2U) << name;
}

} // namespace
} // namespace lockhouse::test
