// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/client_core.h"
#include "core/client/api/count_down_latch.h"
#include "core/client/api/lock.h"
#include "core/client/api/multi_session.h"

#include <utility>

namespace lockhouse {

Result<Client> Client::connect(std::string_view uri, ClientOptions options) {
  auto node = parseUri(uri);
  if (!node)
    return std::unexpected(std::move(node.error()));
  return connect(std::move(*node), std::move(options));
}

Result<Client> Client::connect(Uri node, ClientOptions options) {
  std::vector<Uri> nodes;
  nodes.push_back(std::move(node));
  auto core = std::make_shared<Core>(std::move(nodes), options);
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
    return std::make_unique<NodeSession>(core->driver(), primitive, lock, chosen);
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
      m_core, [core = m_core.get()](std::size_t) -> NodeDriver & { return core->driver(); }, primitive, std::move(members), std::move(options));
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

Metrics Client::metrics() const { return std::move(m_core->metrics().front()); }

std::uint64_t Client::commandsSent() const { return m_core->commandsSent(); }

} // namespace lockhouse
