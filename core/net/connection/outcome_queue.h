// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/ring.h"

namespace lockhouse {

/// Outcomes that wait for their handlers to be called, in order. A handler may do anything to the object whose outcomes these are: close it,
/// destroy it (the caller keeps it alive), or cause further outcomes; so the queue itself is drained, never a copy.
template <class Handler, class Outcome> class OutcomeQueue {
public:
  void add(Handler handler, Outcome outcome) {
    if (handler)
      m_waiting.push({std::move(handler), std::move(outcome)});
  }
  bool empty() const { return m_waiting.empty(); }
  /// Only those that wait now. What is added meanwhile waits for the next call: a handler that tries again at once would keep this going for
  /// ever.
  void callPresent() {
    for (auto left = m_waiting.size(); left > 0 && !m_waiting.empty(); --left)
      callFirst();
  }
  void callAll() {
    while (!m_waiting.empty())
      callFirst();
  }

private:
  struct Waiting {
    Handler handler;
    Outcome outcome;
  };
  Ring<Waiting> m_waiting;

  void callFirst() {
    auto first = m_waiting.pop();
    first.handler(std::move(first.outcome));
  }
};

} // namespace lockhouse
