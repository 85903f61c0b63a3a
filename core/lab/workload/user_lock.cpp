// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/user_lock.h"

#include <utility>

namespace lockhouse {
namespace {

class CallbackUser final : public UserLock {
public:
  explicit CallbackUser(Lock lock) : m_lock(std::move(lock)) {}

  void take(std::stop_token cancel, TakenHandler done) override {
    m_lock.acquire(
        [done = std::move(done)](LockResult held) mutable {
          if (held)
            done(std::make_shared<Held>(std::move(*held)));
          else
            done(std::unexpected(std::move(held.error())));
        },
        std::move(cancel));
  }

private:
  class Held final : public Hold {
  public:
    explicit Held(LockHandle handle) : m_handle(std::move(handle)) {}
    const LockHandle &handle() const override { return m_handle; }
    void onLost(LostHandler handler) override { m_handle.onLost(std::move(handler)); }
    void giveBack(ReleaseHandler done) override { m_handle.release(std::move(done)); }

  private:
    LockHandle m_handle;
  };

  Lock m_lock;
};

class FallbackUser final : public UserLock {
public:
  FallbackUser(FallbackLock lock, Workers &waiting, Workers &leaving) : m_lock(std::move(lock)), m_waiting(waiting), m_leaving(leaving) {}

  void take(std::stop_token cancel, TakenHandler done) override {
    m_waiting.run([lock = m_lock, &leaving = m_leaving, cancel = std::move(cancel), done = std::move(done)]() mutable {
      if (auto held = lock.acquire(std::move(cancel)))
        done(std::make_shared<Held>(std::move(*held), leaving));
      else
        done(std::unexpected(std::move(held.error())));
    });
  }

private:
  class Held final : public Hold {
  public:
    Held(FallbackHandle handle, Workers &leaving) : m_handle(std::move(handle)), m_leaving(leaving) {}
    const LockHandle &handle() const override { return m_handle.inRedis(); }
    void onLost(LostHandler handler) override { m_handle.onLost(std::move(handler)); }
    void giveBack(ReleaseHandler done) override {
      m_leaving.run([this, done = std::move(done)]() mutable { done(m_handle.release()); }); // whoever waits for `done` keeps this
    }

  private:
    FallbackHandle m_handle;
    Workers &m_leaving;
  };

  FallbackLock m_lock;
  Workers &m_waiting;
  Workers &m_leaving;
};

} // namespace

std::unique_ptr<UserLock> userLockOf(Lock lock) { return std::make_unique<CallbackUser>(std::move(lock)); }

std::unique_ptr<UserLock> userLockOf(FallbackLock lock, Workers &waiting, Workers &leaving) {
  return std::make_unique<FallbackUser>(std::move(lock), waiting, leaving);
}

} // namespace lockhouse
