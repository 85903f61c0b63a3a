// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/node/owner_session.h"
#include "core/client/support/log_event.h"
#include "core/net/loop/loop.h"

#include <sys/types.h>

#include <future>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

namespace lockhouse {

class FallbackQueue;
class LockHold;

/// What a client, its locks and its handles share: a loop with its thread, and the holds that exist on it. A derived class has the
/// connections: of a Client (one node), of a NodeGroup or a Quorum (several). It calls close() in its destructor.
class ClientRuntime {
public:
  ClientRuntime(Loop::Wait wait, milliseconds closeLimit);
  virtual ~ClientRuntime() = default;
  ClientRuntime(const ClientRuntime &) = delete;
  ClientRuntime &operator=(const ClientRuntime &) = delete;

  void close(); ///< blocking, idempotent; not on the loop thread. In a forked child it only drops what it has.

  /// Any thread. False, and `task` is destroyed unrun, once the client is closed, and in a forked child, where there is no loop.
  bool post(Loop::Task task);
  /// Runs `read` on the loop, and waits for what it returns; at once if this is the loop. Nothing if post() is false.
  template <typename Read> std::optional<std::invoke_result_t<Read>> readOnLoop(Read read) {
    if (!isForkedChild() && isLoopThread())
      return read();
    auto answer = std::make_shared<std::promise<std::invoke_result_t<Read>>>();
    auto value = answer->get_future();
    if (!post([answer, read = std::move(read)]() mutable { answer->set_value(read()); }))
      return std::nullopt;
    return value.get();
  }
  bool isForkedChild() const;
  bool isLoopThread() const { return std::this_thread::get_id() == m_loopThread; }
  std::uint64_t commandsSent();
  /// Runs `task` on the loop once every release is confirmed. As post().
  bool onceSettled(Loop::Task task);
  std::shared_ptr<FallbackQueue> fallbackQueue(const LockName &name);
  Timer timer() { return Timer(loop()); } ///< on the loop thread
  /// How long a lock at these nodes (none named: at all nodes) has been impossible: one of them is unreachable, or too many for a quorum. Zero
  /// while it is possible.
  virtual SteadyClock::duration outage(std::span<const std::size_t> nodes) const = 0;
  /// To the log, if there is one, on the loop thread. If there is only one node, it is filled in.
  virtual void log(LogEvent) {}

  // Loop thread only.
  void add(LockHold &hold);
  void remove(LockHold &hold);
  /// Runs `task` when the client closes and its holds have ended, unless the returned object ends before.
  std::shared_ptr<const Loop::Task> onClose(Loop::Task task);

protected:
  Loop &loop() { return *m_loop; }
  virtual std::uint64_t sent() const = 0;         ///< commands, so far; any thread
  virtual void whenSettled(Loop::Task task) = 0;  ///< on the loop: `task` once every release is confirmed
  virtual void endConnections() = 0;              ///< on the loop
  virtual void abandonConnections() noexcept = 0; ///< in a forked child, whose parent has them: drops them without using them

private:
  void endHolds();

  milliseconds m_closeLimit;
  pid_t m_process;
  std::mutex m_postMutex; // guards m_closed and m_sent; a handle may post while the client closes
  bool m_closed = false;
  std::unique_ptr<Loop> m_loop;
  std::thread::id m_loopThread;
  std::unordered_map<LockHold *, std::weak_ptr<LockHold>> m_holds; // with a session
  std::vector<std::weak_ptr<Loop::Task>> m_onClose;
  std::size_t m_onCloseTrim = 16; // at this size, tasks that ended are removed
  std::mutex m_fallbackMutex;     // guards m_fallbackQueues
  std::unordered_map<std::string, std::weak_ptr<FallbackQueue>> m_fallbackQueues;
  std::uint64_t m_sent = 0; // what had been sent when the client was closed
};

} // namespace lockhouse
