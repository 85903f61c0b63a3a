// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/user_driver.h"

#include "core/client/api/client_runtime.h"
#include "core/client/api/striped_lock.h"

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

/// A lock that is taken as was last wished.
class WishedLock final : public UserLock {
public:
  using Make = std::function<std::unique_ptr<UserLock>(const Wish &)>;
  WishedLock(Make make, const Wish &wish) : m_make(std::move(make)), m_wish(wish) {}

  void take(std::stop_token cancel, TakenHandler done) override { m_make(m_wish)->take(std::move(cancel), std::move(done)); }

private:
  Make m_make;
  const Wish &m_wish;
};

/// A UserSession whose acquires have policies and limits of their own.
class WishingSession final : public OwnerSession {
public:
  WishingSession(Loop &loop, WishedLock::Make lock, Wish usual, LockName name, std::shared_ptr<Unanswered> unanswered)
      : m_usual(usual), m_wish(usual), m_session(loop, std::make_unique<WishedLock>(std::move(lock), m_wish), std::move(name), std::move(unanswered)) {}

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

UserDriver::UserDriver(Loop &loop, Place place, const NodeDriver::Options &options) : m_loop(loop), m_making(place.making), m_acknowledge(place.acknowledge) {
  if (auto client = Client::connect(std::move(place.nodes.front()), {.connection = options.connection, .owners = options.owners, .log = {}}))
    m_client.emplace(std::move(*client));
}

// Before the threads end: what they wait for is answered by the client when it closes.
UserDriver::~UserDriver() { m_client.reset(); }

std::unique_ptr<OwnerSession> UserDriver::session(const Primitive &primitive, LockName name, LockOptions options) {
  if (!options.acknowledge.isWanted())
    options.acknowledge = m_acknowledge;
  const Wish usual{options.policy.value_or(primitive.defaultPolicy()), options.waitLimit};
  const Lock pattern = m_client->lock(primitive, m_making == Making::Striped ? LockName(std::string(stripesName)) : name, options);
  auto lock = [this, pattern, key = name.bytes()](const Wish &wish) {
    const Lock wished = pattern.with(optionsOf(pattern.options(), wish));
    if (m_making == Making::Striped)
      return userLockOf(StripedLock(wished, stripes).lockFor(key));
    return userLockOf(FallbackLock(wished, {.after = never}), m_waiting, m_leaving);
  };
  return std::make_unique<WishingSession>(m_loop, std::move(lock), usual, name, m_unanswered);
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
    m_client->mutex(LockName("any")).runtime().onceSettled([found = m_found] { found->store(true); });
  }
  return false;
}

} // namespace lockhouse::test
