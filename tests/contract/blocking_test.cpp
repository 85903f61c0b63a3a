// SPDX-License-Identifier: Apache-2.0
// What BlockingLock promises to others who block on the same list.
#include "tests/contract/world/lock_world.h"
#include "tests/server/lab/raw_redis.h"

#include <future>

using namespace lockhouse;
using namespace lockhouse::test;

class BlockingOnAList : public LockContract {
protected:
  std::size_t blocked() {
    const auto clients = probe().text({"INFO", "clients"});
    return std::stoul(clients.substr(clients.find("blocked_clients:") + 16));
  }
};
INSTANTIATE_TEST_SUITE_P(Every, BlockingOnAList, testing::Combine(testing::Values("BlockingLock"), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(BlockingOnAList, takesNoSignalAwayFromOthersOnceItIsIn) {
  RawRedis python(server->unixUri().path);
  python({"CLIENT", "SETNAME", "python"});
  const auto isPythonBlocked = [&] {
    const auto clients = probe().text({"CLIENT", "LIST"});
    const auto at = clients.find(" name=python ");
    return clients.find(" flags=b", at) < clients.find('\n', at);
  };
  for (int i = 0; i < 5; ++i) {
    auto &holder = party().owner(primitive(), "lock:k");
    ASSERT_TRUE(holder.takes());
    auto &waiter = party().owner(primitive(), "lock:k");
    auto waiting = waiter.start(AcquirePolicy::blocking(1h));
    ASSERT_TRUE(eventually([&] { return blocked() == 1; }));
    EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
    ASSERT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
    auto signal = std::async(std::launch::async, [&] { return python.lines({"BLPOP", "lock-signal:k", "3"}); });
    ASSERT_TRUE(eventually(isPythonBlocked));
    EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
    EXPECT_EQ(signal.get(), (std::vector<std::string>{"lock-signal:k", "1"}));
  }
}

TEST_P(BlockingOnAList, handsOnInsideTheClientWithoutLeavingTheList) {
  auto &client = party();
  auto &holder = party().owner(primitive(), "lock:k");
  ASSERT_TRUE(holder.takes());
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> waits;
  for (int i = 0; i < 5; ++i) {
    waiters.push_back(&client.owner(primitive(), "lock:k"));
    waits.push_back(waiters.back()->start(AcquirePolicy::blocking(1h)));
  }
  ASSERT_TRUE(eventually([&] { return blocked() == 1; })) << "one for all of the client";
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    ASSERT_TRUE(std::holds_alternative<Acquired>(waits[i].get()));
    EXPECT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
  }
  EXPECT_TRUE(eventually([&] { return blocked() == 0; }));
}
