// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <functional>
#include <optional>
#include <utility>

namespace lockhouse {

/// What a coroutine waits for: a call that tells its outcome once, as a callback form does. `T outcome = co_await call;` begins the call and
/// resumes where that tells it, mostly on the client's loop thread. To be awaited once, at once; what it was made from must live until then.
template <class T> class Awaiting {
public:
  using Done = std::move_only_function<void(T)>;

  explicit Awaiting(std::move_only_function<void(Done)> call) : m_call(std::move(call)) {}

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    // Nothing of this object may be touched after the call: the coroutine may have ended by then.
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
