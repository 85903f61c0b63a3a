// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/place_driver.h"

#include "core/client/api/multi_lock.h"
#include "core/client/quorum/quorum_session.h"
#include "tests/contract/world/user_driver.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace lockhouse::test {
namespace {

using namespace std::chrono_literals;

LockOptions acknowledged(LockOptions options, const ReplicaAck &byDefault) {
  if (!options.acknowledge.isWanted())
    options.acknowledge = byDefault;
  return options;
}

class OneNodeDriver final : public PlaceDriver {
public:
  OneNodeDriver(Loop &loop, Place place, NodeDriver::Options options)
      : m_acknowledge(place.acknowledge), m_driver(loop, std::move(place.nodes.front()), std::move(options)) {
    m_driver.open();
  }
  std::unique_ptr<OwnerSession> session(const Primitive &primitive, LockName name, LockOptions options) override {
    return std::make_unique<NodeSession>(m_driver, primitive, std::move(name), acknowledged(std::move(options), m_acknowledge));
  }
  bool isReady() const override { return m_driver.state() == Connection::State::Ready; }
  bool isSettled() override { return m_driver.isSettled(); }
  std::uint64_t commandsSent() const override { return m_driver.commandsSent(); }

private:
  ReplicaAck m_acknowledge;
  NodeDriver m_driver;
};

class ManyDriver final : public PlaceDriver {
public:
  // The servers of a test are all younger than a lease, and a machine that is busy is no node that is gone.
  ManyDriver(Loop &loop, Place place, NodeDriver::Options options)
      : m_living(place.living), m_driver(loop, std::move(place.nodes),
                                         {.connection = options.connection,
                                          .restartGuard = RestartGuard::Off,
                                          .nodeTimeout = 1000ms,
                                          .handoffLimit = options.handoffLimit,
                                          .recheckAfter = options.recheckAfter,
                                          .releaseLimit = options.releaseLimit,
                                          .log = {},
                                          .owners = options.owners}) {
    m_driver.open();
  }
  std::unique_ptr<OwnerSession> session(const Primitive &primitive, LockName name, LockOptions options) override {
    return std::make_unique<QuorumSession>(m_driver, primitive, std::move(name), std::move(options));
  }
  bool isReady() const override { return m_driver.answering() == m_living; }
  bool isSettled() override { return m_driver.isSettled(); }
  std::uint64_t commandsSent() const override { return m_driver.commandsSent(); }

private:
  std::size_t m_living;
  QuorumDriver m_driver;
};

class MultiDriver final : public PlaceDriver {
public:
  MultiDriver(Loop &loop, Place place, const NodeDriver::Options &options) : m_loop(loop), m_making(place.making), m_acknowledge(place.acknowledge) {
    for (auto &node : place.nodes)
      m_drivers.emplace_back(m_loop, std::move(node), options).open();
  }
  std::unique_ptr<OwnerSession> session(const Primitive &primitive, LockName name, LockOptions options) override {
    std::vector<MultiMember> members;
    for (std::size_t node = 0; node < m_drivers.size(); ++node)
      for (auto &key : keysOf(m_making, name.bytes()))
        members.push_back({node, LockName(std::move(key))});
    auto parts = multiLockParts([this](std::size_t node) -> NodeDriver & { return m_drivers[node]; }, primitive, std::move(members));
    return std::make_unique<MultiSession>(m_loop, std::move(parts), std::move(name), acknowledged(std::move(options), m_acknowledge));
  }
  bool isReady() const override {
    return std::ranges::all_of(m_drivers, [](const NodeDriver &driver) { return driver.state() == Connection::State::Ready; });
  }
  bool isSettled() override {
    return std::ranges::all_of(m_drivers, [](const NodeDriver &driver) { return driver.isSettled(); });
  }
  std::uint64_t commandsSent() const override {
    std::uint64_t all = 0;
    for (const auto &driver : m_drivers)
      all += driver.commandsSent();
    return all;
  }

private:
  Loop &m_loop;
  Making m_making;
  ReplicaAck m_acknowledge;
  std::deque<NodeDriver> m_drivers;
};

} // namespace

std::unique_ptr<PlaceDriver> PlaceDriver::open(Loop &loop, Place place, NodeDriver::Options options) {
  if (place.making == Making::RedLock)
    return std::make_unique<ManyDriver>(loop, std::move(place), std::move(options));
  if (isMulti(place.making))
    return std::make_unique<MultiDriver>(loop, std::move(place), options);
  if (isUsers(place.making))
    return std::make_unique<UserDriver>(loop, std::move(place), options);
  return std::make_unique<OneNodeDriver>(loop, std::move(place), std::move(options));
}

} // namespace lockhouse::test
