// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/world/lock_world.h"

#include "core/lock/pages/composition.h"
#include "tests/contract/world/extent.h"

#include <algorithm>
#include <utility>

namespace lockhouse::test {
namespace {

// Of two transports the one over which a suite meets the primitive at `place`: neighbours differ, and so do suites.
Topology transportOf(std::string_view suite, std::size_t place) {
  return (place + static_cast<std::size_t>(std::ranges::count_if(suite, [](char c) { return c % 2 != 0; }))) % 2 == 0 ? Topology::UnixSocket : Topology::Tcp;
}

bool isTaken(std::string_view suite, std::initializer_list<Topology> topologies, std::size_t place, const Primitive &primitive, Topology topology) {
  if (topology == Topology::TwoNodes)
    return false;
  const auto isThere = [&](Topology one) { return std::ranges::find(topologies, one) != topologies.end(); };
  if (extent().everyTopology)
    return true;
  if (topology == Topology::UnixSocket || topology == Topology::Tcp)
    return topology == transportOf(suite, place) || !isThere(Topology::UnixSocket) || !isThere(Topology::Tcp);
  const auto name = primitive.info().name;
  return name == "Mutex" || name == (isQuorum(topology) ? "ReentrantLock" : "HandoffLock");
}

bool canBeIn(Topology topology, Making making) { return !isQuorum(topology) && (topology == Topology::TwoNodes) == (making == Making::MultiAtTwoNodes); }

} // namespace

void LockContract::SetUp() { open(topology(), serverConfig(), serverProgram()); }

void LockContract::TearDown() {
  if (isOpen() && checksEmptiness)
    expectNothingLeft();
  m_parties.clear();
  close();
}

Place LockContract::place() const {
  return {
      .nodes = server->nodes(), .living = server->living(), .making = making(), .acknowledge = hasReplica(topology()) ? ReplicaAck::by(1, 10s) : ReplicaAck{}};
}

Party &LockContract::party(NodeDriver::Options options) { return partyAt(place(), std::move(options)); }

Party &LockContract::partyAt(Uri at, NodeDriver::Options options) {
  auto other = place();
  other.nodes = {std::move(at)};
  other.living = 1;
  if (isQuorum())
    other.making = Making::Alone;
  return partyAt(std::move(other), std::move(options));
}

Party &LockContract::partyAt(Place place, NodeDriver::Options options) {
  auto &party = m_parties.emplace_back(loop(), std::move(place), std::move(options));
  EXPECT_TRUE(party.isReady());
  return party;
}

std::vector<AcquirePolicy> LockContract::waitingPolicies() const {
  std::vector<AcquirePolicy> policies;
  for (const auto name : isQuorum() ? redLockInfo().policies : isMulti(making()) ? multiLockInfo().policies : primitive().info().policies)
    if (const auto policy = AcquirePolicy::named(name).value(); policy.waits())
      policies.push_back(policy);
  return policies;
}

bool LockContract::keyExists(std::string_view lock) {
  const auto keys = keysOf(lock);
  std::size_t count = 0;
  for (auto &probe : eachProbe())
    count += std::ranges::all_of(keys, [&](const std::string &key) { return probe.number({"EXISTS", key}) == 1; }) ? 1U : 0U;
  return isQuorum() ? count > server->nodes().size() / 2 : count == eachProbe().size();
}

void LockContract::awaitHeld(std::string_view lock) {
  for (auto &probe : eachProbe())
    EXPECT_TRUE(eventually([&] { return probe.number({"EXISTS", keyOf(lock)}) == 1; }));
}

void LockContract::deleteHeld(std::string_view lock) {
  const auto key = keyOf(lock);
  awaitHeld(lock);
  if (isQuorum())
    everywhere({"DEL", key});
  else
    eachProbe().back()({"DEL", key});
}

void LockContract::deleteWhole(std::string_view lock) {
  awaitHeld(lock);
  for (const auto &key : keysOf(lock)) // each once: somebody else may have it then
    everywhere({"DEL", key});
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

void LockContract::takeAsStranger(std::string_view lock, milliseconds lease) {
  const auto key = keyOf(lock);
  if (!isQuorum())
    return takeAsStrangerAt(eachProbe().back(), key, lease);
  for (auto &probe : eachProbe())
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
  expectNobodyThere();
}

std::vector<std::string> LockContract::leftKeys() {
  std::vector<std::string> left;
  for (auto &probe : eachProbe()) {
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

std::vector<World> worlds(std::string_view suite, std::initializer_list<Topology> topologies, const std::function<bool(const Primitive &)> &which,
                          const std::function<bool(Making)> &how) {
  std::vector<World> all;
  std::size_t place = 0; // among all primitives, whichever are meant
  for (const auto *primitive : Primitive::all()) {
    const auto name = primitive->info().name;
    for (const auto topology : topologies)
      if (which(*primitive) && isTaken(suite, topologies, place, *primitive, topology) && how(isQuorum(topology) ? Making::RedLock : Making::Alone))
        all.emplace_back(name, topology);
    ++place;
  }
  for (const auto &[name, primitive, making] : compositions()) {
    const std::size_t before = all.size();
    for (const auto topology : topologies)
      if (which(*primitive) && how(making) && canBeIn(topology, making) && (extent().everyTopology || all.size() == before))
        all.emplace_back(name, topology);
  }
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
