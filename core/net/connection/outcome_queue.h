// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/loop/ring.h"

namespace lockhouse {

/// Outcomes that wait to be told, each to its handler, in order. A handler may do anything to the object whose outcomes these are:
/// close it, destroy it (whoever tells keeps it alive), or cause further outcomes; so the queue itself is drained, never a copy.
template <class Handler, class Outcome> class OutcomeQueue {
public:
  void add(Handler handler, Outcome outcome) {
    if (handler)
      m_waiting.push({std::move(handler), std::move(outcome)});
  }
  bool empty() const { return m_waiting.empty(); }
  /// Those that wait now. What is added meanwhile waits for the next call, lest who tries again at once keeps us here for ever.
  void tellPresent() {
    for (auto left = m_waiting.size(); left > 0 && !m_waiting.empty(); --left)
      tellFirst();
  }
  void tellAll() {
    while (!m_waiting.empty())
      tellFirst();
  }

private:
  struct Waiting {
    Handler handler;
    Outcome outcome;
  };
  Ring<Waiting> m_waiting;

  void tellFirst() {
    auto first = m_waiting.pop();
    first.handler(std::move(first.outcome));
  }
};

} // namespace lockhouse
