// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/server/client/client_house.h"
#include "tests/support/proxy.h"

#include <algorithm>
#include <mutex>

namespace lockhouse::test {

/// A fallback lock on a server that can be taken away and given back. Behind the client's proxy; what is asked of the server as a
/// stranger goes past it.
class FallbackHouse : public ClientHouse {
protected:
  void SetUp() override {
    ClientHouse::SetUp();
    proxy.emplace(server->tcpUri());
    reached = connectThrough(*proxy);
    ASSERT_TRUE(reached);
  }
  std::unique_ptr<Client> connectThrough(Proxy &way) {
    ClientOptions options{.connection = {.connectTimeout = 200ms, .commandTimeout = 200ms, .backoffBase = 2ms, .backoffCap = 10ms}};
    options.closeLimit = 100ms;
    options.log = [this](const LogEvent &event) {
      const std::scoped_lock guard(mutex);
      kinds.push_back(event.kind);
    };
    auto connected = Client::connect(way.uri(), std::move(options));
    return connected ? std::make_unique<Client>(std::move(*connected)) : nullptr;
  }
  FallbackLock fallback(LockOptions options = {}, milliseconds after = 50ms) {
    return FallbackLock(reached->mutex(LockName("k"), std::move(options)), {.after = after, .alarm = [this](const FallbackAlarm &alarm) {
                                                                              const std::scoped_lock guard(mutex);
                                                                              alarms.push_back(alarm);
                                                                            }});
  }
  std::size_t alarmCount() {
    const std::scoped_lock guard(mutex);
    return alarms.size();
  }
  std::ptrdiff_t told(LogEvent::Kind kind) {
    const std::scoped_lock guard(mutex);
    return std::ranges::count(kinds, kind);
  }
  /// The server stops and nobody can connect.
  void takeRedisAway() { server->kill(); }
  /// A new one, empty, at the same place.
  void giveRedisBack() { ASSERT_TRUE(server->restart()); }

  std::optional<Proxy> proxy;
  std::mutex mutex; // guards the two below
  std::vector<FallbackAlarm> alarms;
  std::vector<LogEvent::Kind> kinds;
  std::unique_ptr<Client> reached; // ends before what its log writes to
};

} // namespace lockhouse::test
