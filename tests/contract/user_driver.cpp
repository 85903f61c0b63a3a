// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/user_driver.h"

#include "core/client/fallback_lock.h"
#include "core/client/lock_room.h"
#include "core/client/striped_lock.h"

#include <utility>

namespace lockhouse::test {
namespace {

constexpr milliseconds never = std::chrono::hours(24); // longer than any case takes Redis away

/// How one acquire is to wait.
struct Wish {
  AcquirePolicy policy;
  std::optional<milliseconds> waitLimit;
};

LockOptions optionsOf(LockOptions options, const Wish &wish) {
  options.policy = wish.policy;
  options.waitLimit = wish.waitLimit;
  return options;
}

class StripedUser final : public UserLock {
public:
  StripedUser(const Lock &pattern, std::string key, const Wish &wish) : m_lock(StripedLock(pattern, stripes).lockFor(key)), m_wish(wish) {}

  void take(std::stop_token cancel, TakenHandler done) override {
    m_lock.with(optionsOf(m_lock.options(), m_wish))
        .acquire(
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
  const Wish &m_wish;
};

class FallbackUser final : public UserLock {
public:
  FallbackUser(Lock lock, Workers &waiting, Workers &leaving, const Wish &wish)
      : m_lock(std::move(lock)), m_waiting(waiting), m_leaving(leaving), m_wish(wish) {}

  void take(std::stop_token cancel, TakenHandler done) override {
    const FallbackLock fallback(m_lock.with(optionsOf(m_lock.options(), m_wish)), {.after = never});
    m_waiting.run([fallback, &leaving = m_leaving, cancel = std::move(cancel), done = std::move(done)]() mutable {
      if (auto held = fallback.acquire(std::move(cancel)))
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

  Lock m_lock;
  Workers &m_waiting;
  Workers &m_leaving;
  const Wish &m_wish;
};

/// A UserSession whose acquires have policies and limits of their own.
class WishingSession final : public OwnerSession {
public:
  using MakeLock = std::function<std::unique_ptr<UserLock>(const Wish &)>;
  WishingSession(Loop &loop, const MakeLock &lock, Wish usual, LockName name, std::shared_ptr<Unanswered> unanswered)
      : m_usual(usual), m_wish(usual), m_session(loop, lock(m_wish), std::move(name), std::move(unanswered)) {}

  void acquire(AcquireHandler done) override { acquire(m_usual.policy, m_usual.waitLimit, std::move(done)); }
  void acquire(AcquirePolicy policy, std::optional<milliseconds> waitLimit, AcquireHandler done) override {
    m_wish = {policy, waitLimit};
    m_session.acquire(std::move(done));
  }
  void release(ReleaseHandler done) override { m_session.release(std::move(done)); }
  void becomeWriter(std::optional<milliseconds> waitLimit, AcquireHandler done) override { m_session.becomeWriter(waitLimit, std::move(done)); }
  void cancel() override { m_session.cancel(); }
  void onLost(LostHandler handler) override { m_session.onLost(std::move(handler)); }
  void onRenewed(RenewedHandler handler) override { m_session.onRenewed(std::move(handler)); }
  bool isAcquiring() const override { return m_session.isAcquiring(); }
  bool isReleasing() const override { return m_session.isReleasing(); }
  bool isHeld() const override { return m_session.isHeld(); }
  std::int64_t count() const override { return m_session.count(); }
  SteadyTime validUntil() const override { return m_session.validUntil(); }
  const LockName &name() const override { return m_session.name(); }
  const Error *lastError() const override { return m_session.lastError(); }

private:
  const Wish m_usual;
  Wish m_wish;
  UserSession m_session;
};

} // namespace

UserDriver::UserDriver(Loop &loop, Place place, const LockDriver::Options &options) : m_loop(loop), m_making(place.making), m_acknowledge(place.acknowledge) {
  if (auto client = Client::connect(std::move(place.nodes.front()), {.connection = options.connection, .owners = options.owners, .log = {}}))
    m_client.emplace(std::move(*client));
}

// Before the threads end: what they wait for is answered by the client when it closes.
UserDriver::~UserDriver() { m_client.reset(); }

std::unique_ptr<OwnerSession> UserDriver::session(const Primitive &primitive, LockName name, LockOptions options) {
  if (!options.acknowledge.isWanted())
    options.acknowledge = m_acknowledge;
  const Wish usual{options.policy.value_or(primitive.defaultPolicy()), options.waitLimit};
  const auto lock = [&](const Wish &wish) -> std::unique_ptr<UserLock> {
    if (m_making == Making::Striped)
      return std::make_unique<StripedUser>(m_client->lock(primitive, LockName(std::string(stripesName)), options), name.bytes(), wish);
    return std::make_unique<FallbackUser>(m_client->lock(primitive, name, options), m_waiting, m_leaving, wish);
  };
  return std::make_unique<WishingSession>(m_loop, lock, usual, name, m_unanswered);
}

bool UserDriver::isSettled() {
  if (!m_unanswered->isNone())
    return false;
  if (m_found && m_found->load()) {
    m_found.reset();
    return true;
  }
  if (!m_found) {
    m_found = std::make_shared<std::atomic<bool>>(false);
    m_client->mutex(LockName("any")).room().onceSettled([found = m_found] { found->store(true); });
  }
  return false;
}

} // namespace lockhouse::test
