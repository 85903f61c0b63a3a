// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/lock_world.h"

#include "core/lock/composition.h"
#include "tests/contract/extent.h"

#include <algorithm>
#include <utility>

namespace lockhouse::test {
namespace {

bool isTaken(const Primitive &primitive, Topology topology) {
  if (extent().everyTopology || topology == Topology::UnixSocket || topology == Topology::Tcp)
    return true;
  const auto name = primitive.info().name;
  return name == "Mutex" || name == (isQuorum(topology) ? "ReentrantLock" : "HandoffLock");
}

std::string_view nameOf(Topology topology) {
  switch (topology) {
  case Topology::UnixSocket: return "OverUnixSocket";
  case Topology::Tcp: return "OverTcp";
  case Topology::Tls: return "OverTls";
  case Topology::Replicas: return "WithAReplica";
  case Topology::RedLock3: return "AsRedLockOf3";
  case Topology::RedLock5OneDown: return "AsRedLockOf5WithOneDown";
  }
  return {};
}

} // namespace

void LockContract::SetUp() {
  auto started = Servers::start(topology(), serverConfig(), serverProgram());
  ASSERT_TRUE(started) << started.error().sentence();
  server = std::move(*started);
  m_loop = std::make_unique<Loop>();
  renewProbes();
}

void LockContract::TearDown() {
  if (server && !m_probes.empty() && checksEmptiness)
    expectNothingLeft();
  m_parties.clear();
  m_probes.clear();
  m_loop.reset();
}

void LockContract::renewProbes() {
  m_probes.clear();
  for (std::size_t i = 0; i < server->living(); ++i)
    m_probes.emplace_back(*m_loop, server->unixUri(i));
  if (topology() == Topology::Replicas) {
    ASSERT_TRUE(eventually([this] { return probe().isFollowedBy(1); })) << probe().text({"INFO", "replication"});
  }
}

Place LockContract::place() const {
  return {.nodes = server->nodes(),
          .living = server->living(),
          .isQuorum = isQuorum(),
          .acknowledge = topology() == Topology::Replicas ? ReplicaAck::by(1, 10s) : ReplicaAck{}};
}

Party &LockContract::party(LockDriver::Options options) { return partyAt(place(), std::move(options)); }

Party &LockContract::partyAt(Uri at, LockDriver::Options options) {
  auto other = place();
  other.nodes = {std::move(at)};
  other.living = 1;
  other.isQuorum = false;
  return partyAt(std::move(other), std::move(options));
}

Party &LockContract::partyAt(Place place, LockDriver::Options options) {
  auto &party = m_parties.emplace_back(*m_loop, std::move(place), std::move(options));
  EXPECT_TRUE(party.isReady());
  return party;
}

std::vector<AcquirePolicy> LockContract::waitingPolicies() const {
  std::vector<AcquirePolicy> policies;
  for (const auto name : isQuorum() ? redLockInfo().policies : primitive().info().policies)
    if (const auto policy = AcquirePolicy::named(name).value(); policy.waits())
      policies.push_back(policy);
  return policies;
}

void LockContract::everywhere(std::initializer_list<std::string_view> words) {
  for (auto &probe : m_probes)
    probe(words);
}

bool LockContract::keyExists(std::string_view key) {
  std::size_t count = 0;
  for (auto &probe : m_probes)
    count += probe.number({"EXISTS", key}) == 1 ? 1U : 0U;
  return count > server->nodes().size() / 2;
}

void LockContract::deleteHeld(std::string_view key) {
  for (auto &probe : m_probes)
    EXPECT_TRUE(eventually([&] { return probe.number({"EXISTS", key}) == 1; }));
  everywhere({"DEL", key});
}

std::uint64_t LockContract::calls(const std::string &command) {
  std::uint64_t calls = 0;
  for (auto &probe : m_probes)
    calls += probe.calls(command);
  return calls;
}

std::optional<std::string> LockContract::stranger() const {
  const std::string clientsHold = "0e9d8c7b-1a2b-4c3d-8e4f-5a6b7c8d9e02:7";
  if (!namesHolders(primitive()))
    return std::nullopt;
  if (primitive().hasReaders() && primitive().isReentrant())
    return clientsHold + ":write";
  const bool isNumbered = primitive().isReentrant() || primitive().hasReaders() || primitive().hasPermits();
  return isNumbered ? clientsHold : "3f786850e387550fdab836ed7e6dc881";
}

void LockContract::takeAsStranger(std::string_view key, milliseconds lease) {
  for (auto &probe : m_probes)
    takeAsStrangerAt(probe, key, lease);
}

void LockContract::takeAsStrangerAt(Probe &probe, std::string_view key, milliseconds lease) {
  if (!namesHolders(primitive()))
    probe({"SET", key, "0"});
  else if (primitive().hasReaders() && primitive().isReentrant())
    probe({"HSET", key, "mode", "write", *stranger(), "1"});
  else if (primitive().hasReaders() || primitive().hasPermits()) {
    const Reply now = probe({"TIME"});
    const auto till = std::stoll(std::string(now.array().at(0).text().value())) * 1000 + 1000 + lease.count();
    probe({"ZADD", key, std::to_string(till), primitive().hasPermits() ? *stranger() + "/1" : "w/" + *stranger()});
  } else if (primitive().isReentrant())
    probe({"HSET", key, *stranger(), "1"});
  else
    probe({"SET", key, *stranger()});
  probe({"PEXPIRE", key, std::to_string(lease.count())});
}

void LockContract::takeWaitAndHandOn(const std::string &key) {
  const LockOptions options{.policy = listeningPolicy(primitive())};
  auto &holder = party().owner(primitive(), key, options);
  ASSERT_TRUE(std::holds_alternative<Acquired>(holder.acquire()));
  auto &waiter = party().owner(primitive(), key, options);
  auto waiting = waiter.start();
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(std::holds_alternative<Acquired>(waiting.get()));
  EXPECT_EQ(waiter.release(), ReleaseOutcome::Released);
}

void LockContract::expectNothingLeft() {
  for (auto &party : m_parties)
    EXPECT_TRUE(eventually([&] { return party.isSettled(); }));
  EXPECT_TRUE(eventually([&] { return leftKeys().empty(); })) << "a key is left: " << testing::PrintToString(leftKeys());
  for (auto &probe : m_probes) {
    EXPECT_TRUE(eventually([&] { return probe.subscriptions() == 0; })) << "a subscription is left";
    EXPECT_TRUE(eventually([&] { return probe.blocked() == 0; })) << "a client is left that blocks";
  }
}

std::vector<std::string> LockContract::leftKeys() {
  std::vector<std::string> left;
  for (auto &probe : m_probes) {
    const Reply reply = probe({"KEYS", "*"});
    for (const auto &key : reply.array()) {
      const std::string name(key.text().value_or(""));
      const bool lasts = name.starts_with("lockhouse:fence:") && probe.number({"PTTL", name}) > 0; // longer than the lock, but not for ever
      const bool isRedissons = name.starts_with("redisson_lock_token:") && !primitive().lasting(LockName("k")).empty();
      if (!lasts && !isRedissons)
        left.push_back(name);
    }
  }
  return left;
}

bool namesHolders(const Primitive &primitive) { return !primitive.hasPermits() || primitive.line() == Primitive::Line::AtServer; }

std::vector<std::string_view> primitiveNames() {
  return primitiveNames([](const Primitive &) { return true; });
}

std::vector<std::string_view> primitiveNames(const std::function<bool(const Primitive &)> &which) {
  std::vector<std::string_view> names;
  for (const auto *primitive : Primitive::all())
    if (which(*primitive))
      names.push_back(primitive->info().name);
  return names;
}

std::vector<World> worlds(std::initializer_list<Topology> topologies, const std::function<bool(const Primitive &)> &which) {
  std::vector<World> all;
  for (const auto name : primitiveNames(which))
    for (const auto topology : topologies)
      if (isTaken(*Primitive::find(name), topology))
        all.emplace_back(name, topology);
  return all;
}

std::optional<AcquirePolicy> listeningPolicy(const Primitive &primitive) {
  for (const auto name : primitive.info().policies)
    if (const auto policy = AcquirePolicy::named(name).value(); policy.listens())
      return policy.queues() ? policy : AcquirePolicy::pubSub(1h);
  return std::nullopt;
}

std::string contractName(const testing::TestParamInfo<World> &info) { return std::string(std::get<0>(info.param)).append(nameOf(std::get<1>(info.param))); }

} // namespace lockhouse::test
