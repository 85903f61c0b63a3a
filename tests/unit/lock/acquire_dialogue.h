// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lock/machines/acquire_machine.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>

namespace lockhouse::test {

/// A dialogue with an acquire: what happens when, and what the machine then wants.
class AcquireDialogue : public testing::Test {
protected:
  using Kind = AcquireEvent::Kind;
  using State = AcquireMachine::State;
  using Verdict = AcquireMachine::Verdict;

  void begin(AcquirePolicy policy, std::optional<std::chrono::nanoseconds> deadline = {}, milliseconds lease = 30s) {
    AcquireMachine::Plan plan{.policy = policy, .lease = lease, .seed = 42};
    if (deadline)
      plan.deadline = t(*deadline);
    machine = AcquireMachine(plan);
  }
  AcquireActions at(std::chrono::nanoseconds when, Kind kind, std::optional<milliseconds> timeLeft = {}) { return machine.on({kind, timeLeft}, t(when)); }

  AcquireMachine machine;
};

} // namespace lockhouse::test
