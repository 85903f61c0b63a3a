// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>

namespace lockhouse::test {

/// The least a coroutine type can be: begins at once, ends by itself.
struct Errand {
  struct promise_type {
    Errand get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

} // namespace lockhouse::test
