// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/fallback/fallback_lock.h"
#include "core/client/support/fallback_queue.h"

#include <sys/types.h>

namespace lockhouse {

/// A Pass of the queue of a FallbackLock. It ends with leave(), when the hold in Redis is lost, or with this object. In a forked child it is
/// not valid: the queue is the parent's.
class FallbackTicket {
public:
  explicit FallbackTicket(std::shared_ptr<FallbackQueue::Pass> pass);
  ~FallbackTicket();
  FallbackTicket(const FallbackTicket &) = delete;
  FallbackTicket &operator=(const FallbackTicket &) = delete;

  void leave();
  /// From now on the loss of that hold ends it.
  void endWith(std::stop_token loss);
  bool isValid() const;

private:
  struct Leave {
    std::shared_ptr<FallbackQueue::Pass> pass;
    void operator()() const { pass->end(); }
  };
  struct Inside {
    std::shared_ptr<FallbackQueue::Pass> pass;
    std::optional<std::stop_callback<Leave>> onLoss = {};
  };
  bool isForkedChild() const;

  pid_t m_process;
  std::unique_ptr<Inside> m_inside;
};

} // namespace lockhouse
