// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/fallback_line.h"
#include "core/client/fallback_lock.h"

#include <sys/types.h>

namespace lockhouse {

/// One's stay inside the line of a FallbackLock. Ends when it is left, when the hold in Redis is lost, or with this object.
/// In a forked child it is nobody's: the line is the parent's.
class FallbackStay {
public:
  explicit FallbackStay(std::shared_ptr<FallbackLine::Pass> pass);
  ~FallbackStay();
  FallbackStay(const FallbackStay &) = delete;
  FallbackStay &operator=(const FallbackStay &) = delete;

  void leave();
  /// From now on the loss of that hold ends the stay.
  void endWith(std::stop_token loss);
  bool isHere() const;

private:
  struct Leave {
    std::shared_ptr<FallbackLine::Pass> pass;
    void operator()() const { pass->giveUp(); }
  };
  struct Inside {
    std::shared_ptr<FallbackLine::Pass> pass;
    std::optional<std::stop_callback<Leave>> onLoss = {};
  };
  bool isForeign() const;

  pid_t m_process;
  std::unique_ptr<Inside> m_inside;
};

} // namespace lockhouse
