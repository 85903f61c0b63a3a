// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/client.h"
#include "core/client/lock_driver.h"
#include "core/client/lock_room.h"

#include <atomic>
#include <mutex>

namespace lockhouse {

/// The room of the locks of one node.
class Client::Core final : public LockRoom {
public:
  Core(Uri node, ClientOptions options);
  ~Core() override { close(); }

  Result<void> open(); ///< blocking

  // Any thread.
  Metrics metrics();
  SteadyClock::duration goneFor() const override;
  void tell(LogEvent event) override;

  LockDriver &driver() { return *m_driver; } ///< loop thread only

private:
  std::uint64_t sent() const override { return m_driver->commandsSent(); }
  void whenSettled(Loop::Task task) override { m_driver->whenSettled(std::move(task)); }
  void endConnections() override;
  void abandonConnections() noexcept override { static_cast<void>(m_driver.release()); }
  void connectionChanged(Connection::State state);

  LogSink m_log;
  std::string m_node;
  std::unique_ptr<LockDriver> m_driver;
  std::atomic<SteadyTime::rep> m_goneSince = 0; // 0: connected
  std::mutex m_mutex;                           // guards m_seen
  Metrics m_seen;                               // what there was to see when the client was closed
};

} // namespace lockhouse
