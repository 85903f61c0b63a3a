// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/contract/world/place_driver.h"
#include "tests/support/eventually.h"

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace lockhouse::test {

using namespace std::chrono_literals;

/// One owner of one lock, for a test's thread: a session on the loop of its party.
class Owner {
public:
  Owner(Loop &loop, PlaceDriver &driver, const Primitive &primitive, LockName name, LockOptions options);
  ~Owner();
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;

  std::future<AcquireOutcome> start(); ///< as the options say
  std::future<AcquireOutcome> start(AcquirePolicy policy, std::optional<milliseconds> waitLimit = {});
  AcquireOutcome acquire() { return start().get(); }
  AcquireOutcome tryAcquire() { return start(AcquirePolicy::tryOnce()).get(); }
  bool takes() { return std::holds_alternative<Acquired>(tryAcquire()); }
  std::future<ReleaseOutcome> startRelease();
  ReleaseOutcome release() { return startRelease().get(); }
  void cancel();
  bool becomesReader();
  std::future<AcquireOutcome> startUpgrade(std::optional<milliseconds> waitLimit = {}, bool cancelled = false);
  /// A reader from now on, and the writer again: both in one turn of the loop.
  std::future<AcquireOutcome> startToAndFro();
  AcquireOutcome upgrade(std::optional<milliseconds> waitLimit = {}) { return startUpgrade(waitLimit).get(); }
  /// Starts, and is cancelled in the same turn of the loop: before anything can have left.
  std::future<AcquireOutcome> startCancelled(AcquirePolicy policy);
  bool isHeld();
  std::int64_t count();
  SteadyTime validUntil();
  std::optional<LossReason> loss() const;
  SteadyTime lostAt() const { return m_lostAt; } ///< once loss() is set
  void destroy();                                ///< the session; nothing else may be called afterwards

private:
  Loop &m_loop;
  std::unique_ptr<OwnerSession> m_session; // the loop's
  std::atomic<int> m_loss = -1;
  std::atomic<SteadyTime> m_lostAt{SteadyTime{}};
};

/// A client as another process would be one: connections of its own, with as many owners as wanted.
class Party {
public:
  Party(Loop &loop, Place place, NodeDriver::Options options = {});
  ~Party();
  Party(const Party &) = delete;
  Party &operator=(const Party &) = delete;

  Owner &owner(const Primitive &primitive, std::string name, LockOptions options = {});
  /// With the connections up; false when they did not come.
  bool isReady();
  bool isSettled();
  std::uint64_t commandsSent();
  /// Lets the loop turn so many times.
  void turn(int times);

private:
  Loop &m_loop;
  std::unique_ptr<PlaceDriver> m_driver; // the loop's
  std::deque<Owner> m_owners;
};

} // namespace lockhouse::test
