// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/client.h"
#include "core/client/lock_driver.h"

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace lockhouse {

class FallbackLine;
class LockHold;

/// What a Client, its locks and its handles share: the door to the loop, and the driver behind it.
class Client::Core {
public:
  Core(Uri node, ClientOptions options);
  ~Core();
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  Result<void> open(); ///< blocking
  void close();        ///< blocking, idempotent; not on the loop thread. In a forked child it only lets go.

  /// Any thread. False, and `task` is destroyed unrun, once the client is closed, and in a forked child, where there is no loop.
  bool post(Loop::Task task);
  bool isForeign() const; ///< in a forked child
  bool isLoopThread() const { return std::this_thread::get_id() == m_loopThread; }
  std::uint64_t commandsSent();
  Metrics metrics();
  std::shared_ptr<FallbackLine> fallbackLine(const LockName &name);
  /// How long there has been no connection; zero while there is one.
  SteadyClock::duration goneFor() const;
  void tell(LogEvent event); ///< to the log, on the loop thread; the node is filled in

  // Loop thread only.
  LockDriver &driver() { return *m_driver; }
  void enter(LockHold &hold);
  void leave(LockHold &hold);

private:
  void connectionChanged(Connection::State state);
  void endHolds();
  void keepMetrics();

  ClientOptions m_options;
  pid_t m_process;
  std::mutex m_door; // guards m_closed, m_sent and m_seen; a handle may knock while the client closes
  bool m_closed = false;
  std::unique_ptr<Loop> m_loop;
  std::thread::id m_loopThread;
  std::unique_ptr<LockDriver> m_driver;
  std::unordered_map<LockHold *, std::weak_ptr<LockHold>> m_holds; // with a session
  std::uint64_t m_sent = 0;                                        // what had been sent when the client was closed
  std::atomic<SteadyTime::rep> m_goneSince = 0;                    // 0: connected
  std::mutex m_lineMutex;                                          // guards m_lines
  std::unordered_map<std::string, std::weak_ptr<FallbackLine>> m_lines;
  std::string m_node;
  Metrics m_seen; // and seen
};

} // namespace lockhouse
