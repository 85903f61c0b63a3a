// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <functional>
#include <optional>
#include <utility>

namespace lockhouse {

/// A call that a coroutine waits for, and that has one outcome. `T outcome = co_await call;` begins the call and resumes where its callback
/// is called, mostly on the client's loop thread. To be awaited once, at once; what it was made from must exist until then.
template <class T> class Awaitable {
public:
  using Done = std::move_only_function<void(T)>;

  explicit Awaitable(std::move_only_function<void(Done)> call) : m_call(std::move(call)) {}

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    // This object may not be used after the call: the coroutine may have ended by then.
    auto call = std::move(m_call);
    call([this, waiter](T outcome) {
      m_outcome.emplace(std::move(outcome));
      waiter.resume();
    });
  }
  T await_resume() { return std::move(*m_outcome); }

private:
  std::move_only_function<void(Done)> m_call;
  std::optional<T> m_outcome;
};

} // namespace lockhouse
