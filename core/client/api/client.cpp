// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/client.h"

#include "core/client/api/count_down_latch.h"
#include "core/client/api/lock.h"
#include "core/client/api/multi_lock.h"
#include "core/client/api/node_runtime.h"
#include "core/client/node/node_session.h"

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
  auto runtime = std::make_shared<NodeRuntime>(std::move(nodes), options);
  if (auto opened = runtime->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return Client(std::move(runtime));
}

Client::Client(std::shared_ptr<NodeRuntime> runtime) : m_runtime(std::move(runtime)) {}

Client::~Client() {
  if (m_runtime)
    m_runtime->close();
}

Client::Client(Client &&) noexcept = default;

Client &Client::operator=(Client &&other) noexcept {
  const Client old(std::exchange(m_runtime, std::exchange(other.m_runtime, {})));
  return *this;
}

Lock Client::lock(const Primitive &primitive, LockName name, LockOptions options) const {
  auto session = [runtime = m_runtime.get(), &primitive](const LockName &lock, const LockOptions &chosen) {
    return std::make_unique<NodeSession>(runtime->driver(), primitive, lock, chosen);
  };
  return {{m_runtime, std::move(session), &primitive.info(), &primitive, {}}, std::move(name), std::move(options)};
}

Lock Client::multiLock(std::vector<LockName> names, LockOptions options) const {
  return multiLock(*Primitive::find("Mutex"), std::move(names), std::move(options));
}

Lock Client::multiLock(const Primitive &primitive, std::vector<LockName> names, LockOptions options) const {
  std::vector<MultiMember> members;
  for (auto &name : names)
    members.push_back({0, std::move(name)});
  return makeMultiLock(
      m_runtime, [runtime = m_runtime.get()](std::size_t) -> NodeDriver & { return runtime->driver(); }, primitive, std::move(members), std::move(options));
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

CountDownLatch Client::countDownLatch(LockName name) const { return {m_runtime, std::move(name)}; }

Metrics Client::metrics() const { return std::move(m_runtime->metrics().front()); }

std::uint64_t Client::commandsSent() const { return m_runtime->commandsSent(); }

} // namespace lockhouse
