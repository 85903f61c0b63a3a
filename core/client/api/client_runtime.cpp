// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/client_runtime.h"

#include "core/client/api/lock_hold.h"
#include "core/client/support/fallback_queue.h"

#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

namespace lockhouse {

ClientRuntime::ClientRuntime(Loop::Wait wait, milliseconds closeLimit) : m_closeLimit(closeLimit), m_process(::getpid()), m_loop(std::make_unique<Loop>(wait)) {
  m_loop->call([&] { m_loopThread = std::this_thread::get_id(); });
}

bool ClientRuntime::isForkedChild() const { return ::getpid() != m_process; }

bool ClientRuntime::post(Loop::Task task) {
  if (isForkedChild()) // before the mutex: a thread that is not here may have held it during the fork
    return false;
  const std::scoped_lock guard(m_postMutex);
  if (m_closed)
    return false;
  m_loop->post(std::move(task));
  return true;
}

void ClientRuntime::close() {
  if (isForkedChild()) {
    // The loop's thread does not exist in the child: to end either would wait for it.
    abandonConnections();
    static_cast<void>(m_loop.release());
    return;
  }
  {
    const std::scoped_lock guard(m_postMutex);
    if (m_closed)
      return;
    m_sent = sent();
    m_closed = true;
  }
  // All that was posted is in the loop's inbox before this; nothing comes after it.
  auto settled = std::make_shared<std::promise<void>>();
  auto done = settled->get_future();
  m_loop->call([&] {
    endHolds();
    whenSettled([settled] { settled->set_value(); });
  });
  done.wait_for(std::min<milliseconds>(m_closeLimit, longestTime));
  m_loop->call([&] { endConnections(); });
  m_loop.reset();
}

std::uint64_t ClientRuntime::commandsSent() {
  if (isForkedChild())
    return 0;
  const std::scoped_lock guard(m_postMutex);
  return m_closed ? m_sent : sent();
}

bool ClientRuntime::onceSettled(Loop::Task task) {
  return post([this, last = std::move(task)]() mutable { whenSettled(std::move(last)); });
}

std::shared_ptr<FallbackQueue> ClientRuntime::fallbackQueue(const LockName &name) {
  const std::scoped_lock guard(m_fallbackMutex);
  if (const auto known = m_fallbackQueues[name.bytes()].lock())
    return known;
  std::erase_if(m_fallbackQueues, [](const auto &entry) { return entry.second.expired(); });
  auto queue = std::make_shared<FallbackQueue>();
  m_fallbackQueues[name.bytes()] = queue;
  return queue;
}

std::shared_ptr<const Loop::Task> ClientRuntime::onClose(Loop::Task task) {
  if (m_onClose.size() >= m_onCloseTrim) {
    std::erase_if(m_onClose, [](const auto &other) { return other.expired(); });
    m_onCloseTrim = 2 * m_onClose.size() + 16;
  }
  auto last = std::make_shared<Loop::Task>(std::move(task));
  m_onClose.push_back(last);
  return last;
}

void ClientRuntime::add(LockHold &hold) { m_holds.emplace(&hold, hold.weak_from_this()); }

void ClientRuntime::remove(LockHold &hold) { m_holds.erase(&hold); }

void ClientRuntime::endHolds() {
  // The caller of one of them may end another one, so all are kept until the last has ended.
  std::vector<std::shared_ptr<LockHold>> holds;
  for (const auto &[raw, weak] : m_holds)
    if (auto hold = weak.lock())
      holds.push_back(std::move(hold));
  for (const auto &hold : holds)
    hold->endWithClient();
  for (const auto &weak : std::exchange(m_onClose, {}))
    if (const auto last = weak.lock())
      (*last)();
}

} // namespace lockhouse
