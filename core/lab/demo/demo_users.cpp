// SPDX-License-Identifier: Apache-2.0
// The actors of the demo that stand on our own locks.
#include "core/lab/demo/demo_clients.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include <utility>

namespace lockhouse {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds tryLater{1000};
constexpr std::int64_t latchParts = 3;
constexpr std::size_t latchWaiters = 2;
constexpr CountDownLatchWait latchGate;

} // namespace

DemoUser::DemoUser(DemoNode &node, std::unique_ptr<OwnerSession> session, const Habits &habits)
    : m_node(node), m_habits(habits), m_timer(node.loop()), m_session(std::move(session)) {
  m_session->onLost([this](LossReason) {
    if (!m_session->isAcquiring())
      think();
  });
}

void DemoUser::begin() {
  m_timer.after(m_node.between(0ms, m_habits.thinkMost), [this] { acquire(); });
}

void DemoUser::acquire() {
  m_session->acquire([this](const AcquireOutcome &outcome) {
    const auto *hold = std::get_if<Acquired>(&outcome);
    if (std::holds_alternative<Cancelled>(outcome))
      return; // by the end of the session
    if (hold == nullptr)
      m_timer.after(tryLater, [this] { acquire(); });
    else if (hold->count < m_habits.depth)
      m_timer.after(m_node.between(100ms, 300ms), [this] { acquire(); });
    else
      m_timer.after(m_node.between(m_habits.holdLeast, m_habits.holdMost), [this] { release(); });
  });
}

void DemoUser::release() {
  m_session->release([this](ReleaseOutcome outcome) {
    if (outcome == ReleaseOutcome::StillHeld)
      m_timer.after(m_node.between(100ms, 300ms), [this] { release(); });
    else
      think();
  });
}

void DemoUser::think() {
  m_timer.after(m_node.between(m_habits.thinkLeast, m_habits.thinkMost), [this] { acquire(); });
}

DemoLatch::DemoLatch(DemoNode &node, NodeDriver &driver, std::string name) : m_node(node), m_name(std::move(name)), m_timer(node.loop()) {
  for (std::size_t i = 0; i < latchWaiters; ++i)
    m_waiters.emplace_back(driver, latchGate, m_name, LockOptions{.renew = false});
}

void DemoLatch::begin() {
  // The demo's servers are no cluster: whatever else they have, the latch's channel is a plain one.
  m_node.send(latchGate.setCount(m_name, latchParts, {}), [this](std::int64_t) {
    for (auto &waiter : m_waiters)
      wait(waiter);
    m_timer.after(m_node.between(800ms, 2000ms), [this] { countDown(); });
  });
}

void DemoLatch::wait(NodeSession &waiter) {
  if (waiter.isAcquiring() || waiter.isReleasing())
    return;
  waiter.acquire([&waiter](const AcquireOutcome &outcome) {
    if (std::holds_alternative<Acquired>(outcome))
      waiter.release([](ReleaseOutcome) {});
  });
}

void DemoLatch::countDown() {
  m_node.send(latchGate.countDown(m_name, 1, {}), [this](std::int64_t left) {
    if (left > 0)
      m_timer.after(m_node.between(800ms, 2000ms), [this] { countDown(); });
    else
      m_timer.after(m_node.between(1500ms, 3000ms), [this] { begin(); });
  });
}

// WAIT of no write of one's own is answered by how many replicas follow.
void DemoReplica::begin() {
  m_node.send({"WAIT", "1", "1"}, [this](std::int64_t replicas) {
    if (replicas > 0)
      m_node.send({"CONFIG", "SET", "port", "0"}); // a server before 7.0 refuses, and goes on listening to this machine
    else
      m_timer.after(200ms, [this] { begin(); });
  });
}

} // namespace lockhouse
