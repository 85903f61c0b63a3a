// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/fallback/fallback_lock.h"
#include "core/client/support/fallback_queue.h"

#include <sys/types.h>

namespace lockhouse {

/// One's turn inside the line of a FallbackLock. Ends when it is left, when the hold in Redis is lost, or with this object.
/// In a forked child it is nobody's: the line is the parent's.
class FallbackTicket {
public:
  explicit FallbackTicket(std::shared_ptr<FallbackQueue::Pass> pass);
  ~FallbackTicket();
  FallbackTicket(const FallbackTicket &) = delete;
  FallbackTicket &operator=(const FallbackTicket &) = delete;

  void leave();
  /// From now on the loss of that hold ends the turn.
  void endWith(std::stop_token loss);
  bool isHere() const;

private:
  struct Leave {
    std::shared_ptr<FallbackQueue::Pass> pass;
    void operator()() const { pass->giveUp(); }
  };
  struct Inside {
    std::shared_ptr<FallbackQueue::Pass> pass;
    std::optional<std::stop_callback<Leave>> onLoss = {};
  };
  bool isForeign() const;

  pid_t m_process;
  std::unique_ptr<Inside> m_inside;
};

} // namespace lockhouse
