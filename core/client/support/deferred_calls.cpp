// SPDX-License-Identifier: Apache-2.0
#include "core/client/support/deferred_calls.h"

#include <utility>

namespace lockhouse {

void DeferredCalls::post(Loop::Task task) {
  m_tasks.push_back(std::make_shared<Loop::Task>(std::move(task)));
  m_loop.post([this, weak = std::weak_ptr(m_tasks.back())] {
    const auto run = weak.lock();
    if (!run)
      return;
    std::erase(m_tasks, run);
    (*run)();
  });
}

void DeferredCalls::runNow() {
  for (const auto &task : std::exchange(m_tasks, {}))
    (*task)();
}

} // namespace lockhouse
