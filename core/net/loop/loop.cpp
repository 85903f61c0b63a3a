// SPDX-License-Identifier: Apache-2.0
#include "core/net/loop/engine.h"

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>

#include <future>

#include <pthread.h>

namespace lockhouse {
namespace {

constexpr std::chrono::microseconds worthSleeping{100};

// Tells the waiting thread how its task ended, also when the task is destroyed unrun.
class Ticket {
public:
  std::future<bool> outcome() { return m_outcome.get_future(); }
  void succeed() { m_ran = true; }
  ~Ticket() { m_outcome.set_value(m_ran); }

private:
  std::promise<bool> m_outcome;
  bool m_ran = false;
};

} // namespace

bool Loop::Engine::post(Task &task) {
  const std::lock_guard hold(m_mutex);
  if (m_stopped)
    return false;
  m_inbox.push_back(std::move(task));
  if (!m_drainPosted) {
    m_drainPosted = true;
    asio::post(io, [this] { drain(); });
  }
  return true;
}

void Loop::Engine::drain() {
  {
    const std::lock_guard hold(m_mutex);
    m_drainPosted = false;
    std::swap(m_inbox, m_running);
  }
  for (auto &task : m_running) {
    if (io.stopped())
      break;
    std::exchange(task, nullptr)();
  }
  m_running.clear();
}

void Loop::Engine::run() {
  m_owner.store(std::this_thread::get_id(), std::memory_order_relaxed);
  pthread_setname_np(pthread_self(), "lockhouse-loop");
  const auto work = asio::make_work_guard(io);
  while (!io.stopped())
    turn();
  std::vector<Task> unrun;
  {
    const std::lock_guard hold(m_mutex);
    m_stopped = true;
    std::swap(unrun, m_inbox);
  }
  unrun.clear();
  m_owner.store({}, std::memory_order_relaxed); // another thread may get this id later
}

// Runs what is ready; if nothing is, waits.
void Loop::Engine::turn() {
  if (m_wait == Wait::Asleep) {
    io.run_one();
    return;
  }
  if (io.poll() > 0)
    return;
  const auto began = std::chrono::steady_clock::now();
  const auto brief = [began] { return std::chrono::steady_clock::now() - began < worthSleeping; };
  while (m_answersFast && brief()) {
    std::this_thread::yield(); // to the server, where both share a core
    if (io.poll() > 0)
      return;
  }
  io.run_one();
  m_answersFast = brief();
}

void Loop::Engine::stop() {
  {
    const std::lock_guard hold(m_mutex);
    m_stopped = true;
  }
  io.stop();
}

Loop::Loop(Wait wait) : m_engine(std::make_unique<Engine>(wait)) {
  m_engine->thread = std::thread([engine = m_engine.get()] { engine->run(); });
}

Loop::~Loop() { stop(); }

void Loop::post(Task task) { m_engine->post(task); }

bool Loop::call(Task task) {
  if (isLoopThread()) {
    task();
    return true;
  }
  auto ticket = std::make_unique<Ticket>();
  auto outcome = ticket->outcome();
  post([&task, ticket = std::move(ticket)] {
    task();
    ticket->succeed();
  });
  return outcome.get();
}

bool Loop::isLoopThread() const { return m_engine->isHere(); }

void Loop::stop() {
  m_engine->stop();
  if (isLoopThread())
    return;
  const std::lock_guard one(m_engine->joining);
  if (m_engine->thread.joinable())
    m_engine->thread.join();
}

struct Timer::State {
  explicit State(Loop &loop) : timer(loop.engine().io) {}
  EngineTimer timer;
  Loop::Task task;
  std::uint64_t setting = 0; // which after() the task belongs to: a wait that has ended already cannot be cancelled any more
};

Timer::Timer(Loop &loop) : m_state(std::make_shared<State>(loop)) {}

Timer::~Timer() {
  if (m_state)
    cancel();
}

Timer::Timer(Timer &&) noexcept = default;

Timer &Timer::operator=(Timer &&other) noexcept {
  if (this != &other) {
    if (m_state)
      cancel();
    m_state = std::move(other.m_state);
  }
  return *this;
}

void Timer::after(std::chrono::nanoseconds delay, Loop::Task task) {
  m_state->task = std::move(task);
  m_state->timer.expires_after(delay);
  m_state->timer.async_wait([state = m_state, setting = ++m_state->setting](const std::error_code &) {
    if (state->setting == setting && state->task)
      std::exchange(state->task, nullptr)();
  });
}

void Timer::cancel() {
  ++m_state->setting;
  m_state->task = nullptr;
  m_state->timer.cancel();
}

bool Timer::isSet() const { return static_cast<bool>(m_state->task); }

} // namespace lockhouse
