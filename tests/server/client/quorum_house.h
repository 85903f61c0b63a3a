// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "core/lockhouse.h"
#include "tests/server/lab/raw_redis.h"
#include "tests/support/eventually.h"
#include "tests/support/proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>

namespace lockhouse::test {

using namespace std::chrono_literals;

/// Several servers of their own, each behind a proxy, and clients of all of them together.
class QuorumHouse : public testing::Test {
protected:
  void start(std::size_t nodes) {
    for (std::size_t i = 0; i < nodes; ++i) {
      auto started = Sandbox::start({.tcp = true, .config = {}});
      ASSERT_TRUE(started) << started.error().sentence();
      servers.push_back(std::move(*started));
      proxies.emplace_back(servers.back().tcpUri());
    }
  }
  static QuorumOptions options() {
    QuorumOptions options;
    options.restartGuard = RestartGuard::Off; // the servers have just begun
    options.nodeTimeout = 300ms;
    options.connection.commandTimeout = 1s;
    options.connection.backoffCap = 100ms;
    return options;
  }
  std::vector<Uri> uris() {
    std::vector<Uri> all;
    for (auto &proxy : proxies)
      all.push_back(proxy.uri());
    return all;
  }
  std::unique_ptr<Quorum> connect(QuorumOptions wanted = options()) {
    auto connected = Quorum::connect(uris(), wanted);
    EXPECT_TRUE(connected) << connected.error().sentence();
    return connected ? std::make_unique<Quorum>(std::move(*connected)) : nullptr;
  }
  /// What the server says, past the proxy.
  std::string at(std::size_t node, std::initializer_list<std::string_view> words) { return RawRedis(servers[node].unixUri().path)(words); }
  std::string valueAt(std::size_t node, const char *key) { return at(node, {"GET", key}); }
  bool hasKey(std::size_t node, const char *key) { return at(node, {"EXISTS", key}) == "1"; }
  std::size_t holders(const char *key) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < servers.size(); ++i)
      count += hasKey(i, key) ? 1U : 0U;
    return count;
  }
  /// No node that answers has a key; waits for it.
  bool nothingIsLeft(std::vector<std::size_t> nodes) {
    return eventually([&] { return std::ranges::all_of(nodes, [&](std::size_t node) { return at(node, {"DBSIZE"}) == "0"; }); });
  }
  bool nothingIsLeft() {
    std::vector<std::size_t> all(servers.size());
    std::ranges::generate(all, [next = std::size_t{0}]() mutable { return next++; });
    return nothingIsLeft(all);
  }

  std::deque<Sandbox> servers;
  std::deque<Proxy> proxies;
};

} // namespace lockhouse::test
