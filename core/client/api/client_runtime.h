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

/// What a client, its locks and its handles share: a loop with its thread, the door to it, and the holds that live there. Behind it
/// are the connections of whatever kind of client it is: Client (one node), Quorum and NodeGroup (several).
/// Whoever derives from it calls close() in the destructor.
class ClientRuntime {
public:
  ClientRuntime(Loop::Wait wait, milliseconds closeLimit);
  virtual ~ClientRuntime() = default;
  ClientRuntime(const ClientRuntime &) = delete;
  ClientRuntime &operator=(const ClientRuntime &) = delete;

  void close(); ///< blocking, idempotent; not on the loop thread. In a forked child it only lets go.

  /// Any thread. False, and `task` is destroyed unrun, once the client is closed, and in a forked child, where there is no loop.
  bool post(Loop::Task task);
  /// What `look` sees on the loop, waiting for it; here and now if this is the loop. Nothing where post() is false.
  template <typename Look> std::optional<std::invoke_result_t<Look>> see(Look look) {
    if (!isForeign() && isLoopThread())
      return look();
    auto answer = std::make_shared<std::promise<std::invoke_result_t<Look>>>();
    auto seen = answer->get_future();
    if (!post([answer, look = std::move(look)]() mutable { answer->set_value(look()); }))
      return std::nullopt;
    return seen.get();
  }
  bool isForeign() const; ///< in a forked child
  bool isLoopThread() const { return std::this_thread::get_id() == m_loopThread; }
  std::uint64_t commandsSent();
  /// `task`, on the loop, once everything that was given back is confirmed. As of post().
  bool onceSettled(Loop::Task task);
  std::shared_ptr<FallbackQueue> fallbackQueue(const LockName &name);
  Timer timer() { return Timer(loop()); } ///< on the loop thread
  /// How long what a lock at these nodes (none named: at all) needs of Redis has been out of reach; zero while it is not. One of the nodes;
  /// of a quorum, so many that none is left.
  virtual SteadyClock::duration goneFor(std::span<const std::size_t> nodes) const = 0;
  /// To the log, if there is one, on the loop thread; the node is filled in where there is one only.
  virtual void tell(LogEvent) {}

  // Loop thread only.
  void enter(LockHold &hold);
  void leave(LockHold &hold);
  /// To be run once the client closes and its holds have ended, unless what this gives back ends before.
  std::shared_ptr<const Loop::Task> onClose(Loop::Task task);

protected:
  Loop &loop() { return *m_loop; }
  virtual std::uint64_t sent() const = 0;         ///< commands, so far; any thread
  virtual void whenSettled(Loop::Task task) = 0;  ///< on the loop: `task` once everything given back is confirmed
  virtual void endConnections() = 0;              ///< on the loop
  virtual void abandonConnections() noexcept = 0; ///< in a forked child, whose parent has them: lets go without touching them

private:
  void endHolds();

  milliseconds m_closeLimit;
  pid_t m_process;
  std::mutex m_entry; // guards m_closed and m_sent; a handle may knock while the client closes
  bool m_closed = false;
  std::unique_ptr<Loop> m_loop;
  std::thread::id m_loopThread;
  std::unordered_map<LockHold *, std::weak_ptr<LockHold>> m_holds; // with a session
  std::vector<std::weak_ptr<Loop::Task>> m_onClose;
  std::size_t m_onCloseTrim = 16; // when those that ended are taken out next
  std::mutex m_lineMutex;         // guards m_lines
  std::unordered_map<std::string, std::weak_ptr<FallbackQueue>> m_lines;
  std::uint64_t m_sent = 0; // what had been sent when the client was closed
};

} // namespace lockhouse
