// SPDX-License-Identifier: Apache-2.0
#include "core/client/client_core.h"
#include "core/client/count_down_latch.h"
#include "core/client/lock.h"
#include "core/client/multi_session.h"

#include <future>
#include <utility>

namespace lockhouse {

Client::Core::Core(Uri node, ClientOptions options) : LockRoom(options.wait, options.closeLimit), m_log(options.log), m_node(node.address()) {
  loop().call([&] {
    m_driver = std::make_unique<LockDriver>(
        loop(), std::move(node), LockDriver::Options{.connection = std::move(options.connection), .log = std::move(options.log), .owners = options.owners});
  });
}

Result<void> Client::Core::open() {
  auto answer = std::make_shared<std::promise<Result<void>>>();
  auto first = answer->get_future();
  loop().call([&] {
    m_driver->onState([this, answer](Connection::State state, const Error *why) mutable {
      connectionChanged(state);
      if (!answer || state == Connection::State::Connecting)
        return;
      if (state == Connection::State::Ready)
        answer->set_value({});
      else
        answer->set_value(std::unexpected(why != nullptr ? *why : Error{ErrorCode::Unreachable, "no connection", {}, {}}));
      answer.reset();
    });
    m_driver->open();
  });
  return first.get();
}

void Client::Core::endConnections() {
  auto seen = m_driver->metrics();
  m_driver.reset();
  const std::scoped_lock guard(m_mutex);
  m_seen = std::move(seen);
}

Metrics Client::Core::metrics() {
  if (isForeign())
    return {};
  if (isLoopThread() && m_driver)
    return m_driver->metrics();
  auto answer = std::make_shared<std::promise<Metrics>>();
  auto seen = answer->get_future();
  if (post([this, answer] { answer->set_value(m_driver->metrics()); }))
    return seen.get();
  const std::scoped_lock guard(m_mutex);
  return m_seen;
}

void Client::Core::connectionChanged(Connection::State state) {
  const auto since = m_goneSince.load(std::memory_order_relaxed); // written here only
  if (state == Connection::State::Ready)
    m_goneSince.store(0, std::memory_order_release);
  else if (since == 0)
    m_goneSince.store(SteadyClock::now().time_since_epoch().count(), std::memory_order_release);
}

SteadyClock::duration Client::Core::goneFor() const {
  const auto since = m_goneSince.load(std::memory_order_acquire);
  return since == 0 ? SteadyClock::duration::zero() : SteadyClock::now().time_since_epoch() - SteadyClock::duration(since);
}

void Client::Core::tell(LogEvent event) {
  if (!m_log)
    return;
  event.node = NodeId(m_node);
  post([this, told = std::move(event)] { m_log(told); });
}

Result<Client> Client::connect(std::string_view uri, ClientOptions options) {
  auto node = parseUri(uri);
  if (!node)
    return std::unexpected(std::move(node.error()));
  return connect(std::move(*node), std::move(options));
}

Result<Client> Client::connect(Uri node, ClientOptions options) {
  auto core = std::make_shared<Core>(std::move(node), std::move(options));
  if (auto opened = core->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return Client(std::move(core));
}

Client::Client(std::shared_ptr<Core> core) : m_core(std::move(core)) {}

Client::~Client() {
  if (m_core)
    m_core->close();
}

Client::Client(Client &&) noexcept = default;

Client &Client::operator=(Client &&other) noexcept {
  const Client old(std::exchange(m_core, std::exchange(other.m_core, {})));
  return *this;
}

Lock Client::lock(const Primitive &primitive, LockName name, LockOptions options) const {
  auto session = [core = m_core.get(), &primitive](const LockName &lock, const LockOptions &chosen) {
    return std::make_unique<LockSession>(core->driver(), primitive, lock, chosen);
  };
  return {{m_core, std::move(session), &primitive.info(), &primitive, {}}, std::move(name), std::move(options)};
}

Lock Client::multiLock(std::vector<LockName> names, LockOptions options) const {
  return multiLock(*Primitive::find("Mutex"), std::move(names), std::move(options));
}

Lock Client::multiLock(const Primitive &primitive, std::vector<LockName> names, LockOptions options) const {
  std::vector<MultiMember> members;
  for (auto &name : names)
    members.push_back({0, std::move(name)});
  return makeMultiLock(
      m_core, [core = m_core.get()](std::size_t) -> LockDriver & { return core->driver(); }, primitive, std::move(members), std::move(options));
}

Lock Client::mutex(LockName name, LockOptions options) const { return lock(*Primitive::find("Mutex"), std::move(name), std::move(options)); }

Lock Client::reentrantLock(LockName name, LockOptions options) const { return lock(*Primitive::find("ReentrantLock"), std::move(name), std::move(options)); }

Lock Client::fairLock(LockName name, LockOptions options) const { return lock(*Primitive::find("FairLock"), std::move(name), std::move(options)); }

Lock Client::fencedLock(LockName name, LockOptions options) const { return lock(*Primitive::find("FencedLock"), std::move(name), std::move(options)); }

Lock Client::readWriteLock(LockName name, LockOptions options) const { return lock(*Primitive::find("ReadWriteLock"), std::move(name), std::move(options)); }

Lock Client::semaphore(LockName name, LockOptions options) const { return lock(*Primitive::find("Semaphore"), std::move(name), std::move(options)); }

Lock Client::expirablePermits(LockName name, LockOptions options) const {
  return lock(*Primitive::find("ExpirablePermits"), std::move(name), std::move(options));
}

CountDownLatch Client::countDownLatch(LockName name) const { return {m_core, std::move(name)}; }

Metrics Client::metrics() const { return m_core->metrics(); }

std::uint64_t Client::commandsSent() const { return m_core->commandsSent(); }

} // namespace lockhouse
