// SPDX-License-Identifier: Apache-2.0
#include "tests/server/release/own_client.h"

#include "core/lockhouse.h"

#include <gtest/gtest.h>

namespace lockhouse::test {
namespace {

class Hold final : public OwnHold {
public:
  explicit Hold(LockHandle handle) : m_handle(std::move(handle)) {}
  bool isHeld() const override { return m_handle.isHeld(); }
  std::string token() const override { return m_handle.token().bytes(); }
  std::optional<Fence> fence() const override { return m_handle.fence(); }
  bool release() override { return m_handle.release() == ReleaseOutcome::Released; }

private:
  LockHandle m_handle;
};

} // namespace

struct OwnClient::Inside {
  Client client;
};

OwnClient::OwnClient(const Uri &uri) {
  auto connected = Client::connect(uri);
  EXPECT_TRUE(connected) << connected.error().sentence();
  if (connected)
    m_inside = std::make_unique<Inside>(std::move(*connected));
}

OwnClient::~OwnClient() = default;

std::unique_ptr<OwnHold> OwnClient::acquire(std::string_view primitive, const std::string &name, LockMode mode, bool renew) const {
  const auto lock =
      m_inside->client.lock(*Primitive::find(primitive), LockName(name), {.lease = seconds(30), .waitLimit = seconds(25), .renew = renew, .mode = mode});
  auto held = lock.acquire();
  if (!held)
    return nullptr;
  return std::make_unique<Hold>(std::move(*held));
}

struct OwnQuorum::Inside {
  Quorum quorum;
};

OwnQuorum::OwnQuorum(const Uri &uri) {
  QuorumOptions options;
  options.restartGuard = RestartGuard::Seen; // a test's server has only just begun
  auto connected = Quorum::connect(std::vector{uri}, options);
  EXPECT_TRUE(connected) << connected.error().sentence();
  if (connected)
    m_inside = std::make_unique<Inside>(std::move(*connected));
}

OwnQuorum::~OwnQuorum() = default;

std::unique_ptr<OwnHold> OwnQuorum::acquire(std::string_view primitive, const std::string &name) const {
  const auto lock = m_inside->quorum.redLock(*Primitive::find(primitive), LockName(name), {.lease = seconds(30), .waitLimit = seconds(25)});
  auto held = lock.acquire();
  return held ? std::make_unique<Hold>(std::move(*held)) : nullptr;
}

std::uint64_t OwnQuorum::refusals(std::string_view primitive) const {
  const auto metrics = m_inside->quorum.metrics();
  const auto *seen = metrics.of(primitive);
  return seen == nullptr ? 0 : seen->refusals;
}

} // namespace lockhouse::test
