// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lockhouse.h"
#include "tests/contract/world/contract_house.h"
#include "tests/contract/world/extent.h"

#include <deque>
#include <future>
#include <set>
#include <vector>

namespace lockhouse::test {

inline constexpr const char *latchKey = "parts";

/// A latch, its server and its clients. At the end the latch must be open, and nobody there.
class LatchHouse : public ContractHouse, public testing::WithParamInterface<Topology> {
protected:
  void SetUp() override { open(GetParam()); }
  void TearDown() override {
    if (isOpen()) {
      expectNobodyThere();
      EXPECT_EQ(probe().number({"DBSIZE"}), 0) << "a key is left";
    }
    m_clients.clear();
    close();
  }

  static ClientOptions quick(milliseconds commandTimeout) {
    return {.connection = {.commandTimeout = commandTimeout, .backoffBase = 5ms, .backoffCap = 50ms}, .log = {}};
  }
  Client &client(const ClientOptions &options = {}) { return clientAt(server->nodes().front(), options); }
  Client &clientAt(const Uri &node, const ClientOptions &options = {}) {
    auto made = Client::connect(node, options);
    EXPECT_TRUE(made) << made.error().sentence();
    return m_clients.emplace_back(std::move(made.value()));
  }
  static CountDownLatch latchOf(const Client &client) { return client.countDownLatch(LockName(latchKey)); }
  static std::future<Result<bool>> startWait(const CountDownLatch &latch, std::optional<milliseconds> limit = {}, std::stop_token cancel = {}) {
    return std::async(std::launch::async, [latch, limit, cancel = std::move(cancel)] { return latch.wait(limit, cancel); });
  }
  /// Whether it is told in time, and so. A wait that is not told would keep its thread, and the test with it.
  static bool isOpened(std::future<Result<bool>> &wait) { return isTold(wait) && valueOf(wait.get()); }
  static bool isRefused(std::future<Result<bool>> &wait) { return isTold(wait) && !valueOf(wait.get()); }
  template <class T> static T valueOf(const Result<T> &result) {
    EXPECT_TRUE(result) << result.error().sentence();
    return result.value_or(T{});
  }

private:
  static bool isTold(const std::future<Result<bool>> &wait) {
    const bool told = wait.wait_for(8s) == std::future_status::ready; // a poll comes after 10 s
    EXPECT_TRUE(told) << "it still waits";
    return told;
  }

  std::deque<Client> m_clients;
};

inline std::vector<Topology> latchTopologies(std::initializer_list<Topology> all) {
  return extent().everyTopology ? std::vector(all) : std::vector{*all.begin()};
}
inline std::string latchName(const testing::TestParamInfo<Topology> &info) { return std::string(nameOf(info.param)); }

} // namespace lockhouse::test
