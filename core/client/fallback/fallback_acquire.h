// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/fallback/fallback_ask.h"
#include "core/client/support/fallback_queue.h"
#include "core/net/loop/loop.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace lockhouse {

class FallbackTicket;

/// One acquire of a FallbackLock without blocking: it waits in the queue, asks Redis as often as it takes, and concludes once. It exists until
/// then. Loop thread, except start().
class FallbackAcquire : public std::enable_shared_from_this<FallbackAcquire> {
public:
  FallbackAcquire(FallbackLock lock, FallbackLock::Ask ask, FallbackLock::Handler done);
  ~FallbackAcquire();

  void start(); ///< any thread

private:
  void begin();
  void admitted(std::shared_ptr<FallbackQueue::Pass> pass);
  void askRedis();
  void close();
  void end(); ///< its time is over, or it is not wanted any more
  void finish(FallbackResult result);
  void tell(FallbackResult result); ///< once; any thread
  FallbackResult refused(AcquireOutcome outcome) const;

  FallbackLock m_lock;
  FallbackLock::Ask m_ask;
  FallbackLock::Handler m_done;
  std::atomic<bool> m_isConcluded = false;
  bool m_hasBegun = false;
  std::shared_ptr<FallbackQueue::Waiter> m_waiter;
  std::unique_ptr<FallbackTicket> m_ticket; // once it is admitted
  std::stop_source m_stop;                  // of what Redis is asked
  std::optional<Timer> m_timer;
  std::shared_ptr<const Loop::Task> m_onClose;
  std::optional<std::stop_callback<std::function<void()>>> m_onCancel;
};

} // namespace lockhouse
