// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/loop.h"

#include <memory>
#include <vector>

namespace lockhouse {

/// Calls that an object makes after the current one. Loop thread only.
class DeferredCalls {
public:
  explicit DeferredCalls(Loop &loop) : m_loop(loop) {}
  /// Runs `task` in a later turn of the loop, or by runNow(); not at all if this has ended.
  void post(Loop::Task task);
  /// Runs those that wait.
  void runNow();

private:
  Loop &m_loop;
  std::vector<std::shared_ptr<Loop::Task>> m_tasks;
};

} // namespace lockhouse
