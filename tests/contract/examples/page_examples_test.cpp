// SPDX-License-Identifier: Apache-2.0
// The examples on the pages of the primitives: they compile, run, come to what the lock guards, and give everything back.
#include "tests/contract/examples/page_examples.h"

#include "tests/contract/world/lock_world.h"

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

std::atomic<int> worked = 0;

// What stays for a time, or for good, as the pages say: fences, and the signal of a release that nobody waited for.
bool mayStay(std::string_view key) { return key.starts_with("lockhouse:fence:") || key.starts_with("redisson_lock_token:") || key.starts_with("lock-signal:"); }

bool isEmpty(Probe &probe) {
  const Reply keys = probe({"KEYS", "*"});
  for (const auto &key : keys.array())
    if (!mayStay(key.text().value_or("")))
      return false;
  return true;
}

class PageExamples : public testing::TestWithParam<PageExample> {};

} // namespace

TEST_P(PageExamples, runAndGiveEverythingBack) {
  std::vector<Sandbox> servers;
  std::vector<Uri> nodes;
  for (int i = 0; i < 3; ++i) {
    auto server = Sandbox::start({.tcp = true, .config = {}});
    ASSERT_TRUE(server) << server.error().sentence();
    nodes.push_back(server->tcpUri());
    servers.push_back(std::move(*server));
  }
  auto replica = startReplica(nodes[0]); // of which the page on acknowledgement speaks
  ASSERT_TRUE(replica) << replica.error().sentence();
  Loop loop;
  Probe master(loop, nodes[0]);
  ASSERT_TRUE(eventually([&] { return master.isFollowedBy(1); }));
  worked = 0;
  {
    const auto client = Client::connect(nodes[0]);
    ASSERT_TRUE(client) << client.error().sentence();
    const auto quorum = Quorum::connect(nodes, {.restartGuard = RestartGuard::Off});
    ASSERT_TRUE(quorum) << quorum.error().sentence();
    GetParam().run(*client, *quorum, "redis://" + nodes[0].address(), [] { ++worked; });
  }
  EXPECT_GT(worked, 0);
  for (const auto &server : servers) {
    Probe probe(loop, server.unixUri());
    EXPECT_TRUE(eventually([&] { return isEmpty(probe); }));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PageExamples, testing::ValuesIn(pageExamples().begin(), pageExamples().end()),
                         [](const auto &example) { return std::string(example.param.name); });
