// SPDX-License-Identifier: Apache-2.0
// Random lives of the machines against a server that obeys only the rules of the protocol.
#include "core/lock/machines/acquire_machine.h"
#include "core/lock/machines/lease_watchdog.h"
#include "core/lock/machines/release_machine.h"
#include "core/lock/options/lock_options.h"
#include "tests/unit/lock/manual_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

const auto policies = rc::gen::element(AcquirePolicy::tryOnce(), AcquirePolicy::spin(1ms), AcquirePolicy::backoff(1ms, 20ms), AcquirePolicy::pubSub(50ms));

rc::Gen<std::chrono::milliseconds> upTo(int most) {
  return rc::gen::map(rc::gen::inRange(0, most), [](int n) { return std::chrono::milliseconds(n); });
}

} // namespace

/// What the server took for us is returned to the caller or given back, never forgotten; and every way it ends in bounded time.
RC_GTEST_PROP(AcquireProperty, whatWasTakenIsHeldOrGivenBack, ()) {
  const auto deadline = *upTo(400);
  AcquireMachine machine({.policy = *policies, .lease = 100ms, .deadline = t(deadline), .seed = *rc::gen::arbitrary<std::uint64_t>()});
  auto when = t(0ms);
  auto askedAt = when;
  bool taken = false;
  bool subscribed = false;
  auto actions = machine.on({AcquireEvent::Kind::Start}, when);
  for (int step = 0; !machine.settled(); ++step) {
    RC_ASSERT(step < 5000);
    RC_ASSERT(machine.verdict() != AcquireMachine::Verdict::None || when <= t(deadline) + 210ms);
    askedAt = actions.ask ? when : askedAt;
    subscribed = (subscribed || actions.subscribe) && !actions.unsubscribe;
    const bool asking = machine.state() == AcquireMachine::State::Asking || machine.state() == AcquireMachine::State::GivingUp;
    const int dice = machine.state() == AcquireMachine::State::GivingUp || step > 100 ? 9 : *rc::gen::inRange(0, 10);
    AcquireEvent event{AcquireEvent::Kind::Alarm};
    if (dice == 0) {
      event.kind = AcquireEvent::Kind::Cancel;
    } else if (dice == 1) {
      event.kind = *rc::gen::element(AcquireEvent::Kind::Woken, AcquireEvent::Kind::ReleaseConfirmed);
    } else if (dice == 2 && machine.state() == AcquireMachine::State::Subscribing) {
      event.kind = *rc::gen::element(AcquireEvent::Kind::Subscribed, AcquireEvent::Kind::SubscribeFailed);
    } else if (asking) {
      event.kind = *rc::gen::weightedElement<AcquireEvent::Kind>({{2, AcquireEvent::Kind::Granted},
                                                                  {8, AcquireEvent::Kind::Refused},
                                                                  {1, AcquireEvent::Kind::Busy},
                                                                  {1, AcquireEvent::Kind::Rejected},
                                                                  {1, AcquireEvent::Kind::Unsent},
                                                                  {1, AcquireEvent::Kind::Unanswered}});
      when += *upTo(200);
      taken = event.kind == AcquireEvent::Kind::Granted || event.kind == AcquireEvent::Kind::Unanswered;
    } else if (actions.alarm != AcquireActions::never) {
      when = std::max(when, actions.alarm);
    }
    actions = machine.on(event, when);
    if (actions.giveBack)
      taken = false;
  }
  RC_ASSERT(taken == (machine.verdict() == AcquireMachine::Verdict::Granted));
  RC_ASSERT(!subscribed || actions.unsubscribe);
  if (machine.verdict() == AcquireMachine::Verdict::Granted) {
    RC_ASSERT(when < machine.validUntil());
    RC_ASSERT(machine.validUntil() <= askedAt + 100ms);
  }
}

/// The holder never believes longer than the server keeps the key, whatever of its renewals is lost on either way.
RC_GTEST_PROP(LeaseProperty, beliefNeverOutlivesTheKey, ()) {
  const milliseconds lease(*rc::gen::inRange(20, 2000));
  LeaseWatchdog dog;
  auto keyEnds = t(0ms) + *upTo(5) + lease;
  auto actions = dog.start(t(0ms), t(0ms) + lease - driftOf(lease), lease, LeaseWatchdog::Renewals::On, *rc::gen::arbitrary<std::uint64_t>());
  auto when = t(0ms);
  for (int step = 0; step < 200 && dog.state() != LeaseWatchdog::State::Lost; ++step) {
    RC_ASSERT(dog.validUntil() <= keyEnds);
    RC_ASSERT(actions.alarm <= dog.validUntil());
    when = std::max(when, actions.alarm);
    actions = dog.on({LeaseEvent::Kind::Alarm}, when);
    if (!actions.send)
      continue;
    const auto arrives = when + *upTo(20);
    const int fate = *rc::gen::inRange(0, 4);
    const bool runs = fate <= 1 && arrives < keyEnds;
    if (runs)
      keyEnds = arrives + lease;
    const auto answered = arrives + *upTo(20);
    if (answered >= dog.validUntil()) {
      actions = dog.on({LeaseEvent::Kind::Alarm}, dog.validUntil());
      RC_ASSERT(actions.lost);
      break;
    }
    when = answered;
    const auto answer = fate == 0 ? (runs ? LeaseEvent::Kind::Renewed : LeaseEvent::Kind::Gone)
                                  : *rc::gen::element(LeaseEvent::Kind::Unanswered, LeaseEvent::Kind::Unsent, LeaseEvent::Kind::Refused);
    actions = dog.on({answer}, when);
  }
}

/// A release always comes to an end and is told in time, whatever the network does.
RC_GTEST_PROP(ReleaseProperty, endsAndIsToldInTime, (bool doubtful)) {
  ReleaseMachine machine({.leaseEnds = t(900ms),
                          .keyGone = t(1s),
                          .reportBy = t(300ms),
                          .doubtful = doubtful,
                          .recheckAfter = 50ms,
                          .seed = *rc::gen::arbitrary<std::uint64_t>()});
  auto when = t(0ms);
  bool told = false;
  auto actions = machine.on(ReleaseEvent::Start, when);
  for (int step = 0; !machine.settled(); ++step) {
    RC_ASSERT(step < 1000);
    told = told || actions.report;
    RC_ASSERT(told || when < t(300ms));
    if (machine.state() == ReleaseMachine::State::Pausing) {
      when = std::max(when, actions.alarm);
      actions = machine.on(ReleaseEvent::Alarm, when);
      continue;
    }
    const auto answered = when + *upTo(200);
    if (!told && answered >= t(300ms)) {
      when = t(300ms);
      actions = machine.on(ReleaseEvent::Alarm, when);
      continue;
    }
    when = answered;
    actions = machine.on(
        *rc::gen::weightedElement<ReleaseEvent>(
            {{1, ReleaseEvent::Released}, {2, ReleaseEvent::NotOwner}, {3, ReleaseEvent::Unanswered}, {3, ReleaseEvent::Unsent}, {2, ReleaseEvent::Busy}}),
        when);
  }
  RC_ASSERT(told || actions.report);
  RC_ASSERT(when <= t(1s) + 200ms);
}
