// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/lock.h"
#include "core/client/fallback/fallback_lock.h"
#include "core/lab/workload/workers.h"

#include <expected>
#include <memory>
#include <stop_token>

namespace lockhouse {

/// A lock as a user of the library has it: acquired and released by calls that answer on any thread.
class UserLock {
public:
  /// Taken. Let go of only when giveBack() has answered.
  class Hold {
  public:
    virtual ~Hold() = default;
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

    using LostHandler = std::move_only_function<void(LossReason)>;
    using ReleaseHandler = std::move_only_function<void(ReleaseOutcome)>;

    virtual const LockHandle &handle() const = 0;
    virtual void onLost(LostHandler handler) = 0;
    virtual void giveBack(ReleaseHandler done) = 0;

  protected:
    Hold() = default;
  };
  using Taken = std::expected<std::shared_ptr<Hold>, NotAcquired>;
  using TakenHandler = std::move_only_function<void(Taken)>;

  virtual ~UserLock() = default;
  UserLock(const UserLock &) = delete;
  UserLock &operator=(const UserLock &) = delete;

  virtual void take(std::stop_token cancel, TakenHandler done) = 0;

protected:
  UserLock() = default;
};

/// By its callbacks.
std::unique_ptr<UserLock> userLockOf(Lock lock);
/// By calls that block: it is acquired on `waiting` and released on `leaving`, which outlive its holds.
std::unique_ptr<UserLock> userLockOf(FallbackLock lock, Workers &waiting, Workers &leaving);

} // namespace lockhouse
