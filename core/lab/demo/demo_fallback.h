// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "core/client/fallback/fallback_lock.h"
#include "core/lab/demo/demo_clients.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace lockhouse {

/// Two workers of one service that make a report under a FallbackLock. Now and then the way to Redis is taken from this service, and from
/// nobody else: it goes on with a lock of its process until the way is back. "report:made:redis" and "report:made:process" count what was made
/// under which.
class DemoFallback final : public DemoClient {
public:
  /// `address`: of the node, by a Unix socket. `name`: of the lock.
  DemoFallback(DemoNode &node, Uri address, std::string name);
  ~DemoFallback() override; ///< ends its threads, which do not wait for Redis
  void begin() override;

private:
  void cutLater();
  void cut();
  void mend();
  void serve(const std::stop_token &stop);
  void work(const FallbackLock &lock, std::uint64_t seed, const std::stop_token &stop);
  bool rest(milliseconds length, const std::stop_token &stop);
  void tell(HoldScope scope);

  DemoNode &m_node;
  const std::string m_socket; // the server's own
  const std::string m_name;
  Uri m_way; // to it, for this service: a link that can be taken away, and a user who can be thrown out
  Timer m_timer;
  std::mutex m_mutex; // for m_wake alone
  std::condition_variable_any m_wake;
  std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what the threads tell the loop
  std::jthread m_thread;
};

} // namespace lockhouse
