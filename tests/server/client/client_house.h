// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/sandbox/sandbox.h"
#include "core/lockhouse.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace lockhouse::test {

using namespace std::chrono_literals;

/// A server and a client of the library, as a user of it has them.
class ClientHouse : public testing::Test {
protected:
  void SetUp() override {
    auto started = Sandbox::start({.tcp = true, .config = {}});
    ASSERT_TRUE(started) << started.error().sentence();
    server = std::move(*started);
    client = connect();
    ASSERT_TRUE(client);
  }
  std::unique_ptr<Client> connect() {
    auto connected = Client::connect(server->unixUri());
    EXPECT_TRUE(connected) << connected.error().sentence();
    return connected ? std::make_unique<Client>(std::move(*connected)) : nullptr;
  }
  /// Whether the lock is free, as a stranger finds it.
  bool isFree(const char *name, const char *primitive = "Mutex") {
    const auto other = connect();
    return other->lock(*Primitive::find(primitive), LockName(name)).tryAcquire().has_value();
  }

  std::optional<Sandbox> server;
  std::unique_ptr<Client> client;
};

} // namespace lockhouse::test
