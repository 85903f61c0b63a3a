// SPDX-License-Identifier: Apache-2.0
// Commands that were sent and not answered.
#include "tests/contract/world/lock_world.h"
#include "tests/support/proxy.h"

#include <algorithm>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

NodeDriver::Options quick(milliseconds commandTimeout = 200ms) {
  return {.connection = {.commandTimeout = commandTimeout, .backoffBase = 5ms, .backoffCap = 50ms}, .handoffLimit = 64, .releaseLimit = 5s};
}

} // namespace

class Doubt : public LockContract {
protected:
  void SetUp() override {
    LockContract::SetUp();
    for (const auto &uri : server->nodes())
      m_proxies.emplace_back(uri);
  }
  Party &far(NodeDriver::Options options = quick()) {
    auto through = place();
    through.nodes.clear();
    for (const auto &proxy : m_proxies)
      through.nodes.push_back(proxy.uri());
    return partyAt(std::move(through), std::move(options));
  }
  /// To the proxies of all nodes.
  void each(const std::function<void(Proxy &)> &what) {
    for (auto &proxy : m_proxies)
      what(proxy);
  }
  void cutInsteadOfReply(int n) {
    each([n](Proxy &proxy) { proxy.cutInsteadOfReply(n); });
  }
  /// Of an acquire, where nothing is held: at the node that is asked last.
  void cutInsteadOfGrant() {
    if (topology() != Topology::TwoNodes)
      return cutInsteadOfReply(1);
    std::ranges::max_element(m_proxies, {}, [](const Proxy &proxy) { return proxy.uri().address(); })->cutInsteadOfReply(1);
  }
  void dropReplies(bool on) {
    each([on](Proxy &proxy) { proxy.dropReplies(on); });
  }
  void blackHole(bool on) {
    each([on](Proxy &proxy) { proxy.blackHole(on); });
  }
  void setDelay(milliseconds delay) {
    each([delay](Proxy &proxy) { proxy.setDelay(delay); });
  }
  void cut() {
    each([](Proxy &proxy) { proxy.cut(); });
  }
  /// A quorum that did not answer has not granted it: the votes say which node is in doubt.
  bool isInDoubt(const AcquireOutcome &outcome) const {
    const auto *failed = std::get_if<Failed>(&outcome);
    return isQuorum() ? failed != nullptr && failed->error.code == ErrorCode::Unreachable : std::holds_alternative<InDoubt>(outcome);
  }

private:
  std::deque<Proxy> m_proxies;
};
namespace {
constexpr auto farTopologies = {Topology::Tcp, Topology::Tls, Topology::Replicas, Topology::RedLock3, Topology::RedLock5OneDown, Topology::TwoNodes};
} // namespace
// A proxy listens on a port: there is none in front of a Unix socket.
INSTANTIATE_TEST_SUITE_P(Every, Doubt, testing::ValuesIn(worlds("Doubt", farTopologies)), contractName);

TEST_P(Doubt, anAcquireWhoseReplyIsLostIsInDoubtAndGivenBack) {
  auto &one = far().owner(primitive(), "k");
  ASSERT_TRUE(one.takes());
  ASSERT_EQ(one.release(), ReleaseOutcome::Released);
  cutInsteadOfGrant();
  EXPECT_TRUE(isInDoubt(one.tryAcquire()));
  EXPECT_FALSE(one.isHeld());
  EXPECT_EQ(one.count(), 0);
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }, 10s)) << "long before its lease of 30 s ends";
}

/// A FallbackLock asks again after an answer in doubt.
class DoubtThatIsTold : public Doubt {};
INSTANTIATE_TEST_SUITE_P(Every, DoubtThatIsTold,
                         testing::ValuesIn(worlds("DoubtThatIsTold", farTopologies, anyPrimitive, [](Making making) { return making != Making::Fallback; })),
                         contractName);

TEST_P(DoubtThatIsTold, anAcquireThatIsSwallowedIsInDoubtAndGivenBack) {
  auto &one = far().owner(primitive(), "k", {.patience = 500ms});
  ASSERT_TRUE(one.takes()); // every connection that it needs is up
  ASSERT_EQ(one.release(), ReleaseOutcome::Released);
  dropReplies(true);
  EXPECT_TRUE(isInDoubt(one.start(AcquirePolicy::backoff()).get()));
  dropReplies(false);
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }, 10s));
}

TEST_P(Doubt, theHandleIsFreeForTheNextAcquireWhileTheLastOneIsGivenBack) {
  auto &client = far();
  auto &one = client.owner(primitive(), "k");
  ASSERT_TRUE(one.takes());
  ASSERT_EQ(one.release(), ReleaseOutcome::Released);
  cutInsteadOfGrant();
  EXPECT_TRUE(isInDoubt(one.tryAcquire()));
  const auto next = one.start(AcquirePolicy::backoff(), 20s).get();
  ASSERT_TRUE(std::holds_alternative<Acquired>(next));
  EXPECT_TRUE(eventually([&] { return client.isSettled(); }));
  EXPECT_TRUE(keyExists("k")) << "what is given back is the first owner's, not this one's";
  EXPECT_TRUE(one.isHeld());
  EXPECT_EQ(one.release(), ReleaseOutcome::Released);
}

TEST_P(Doubt, aReleaseWhoseReplyIsLostIsReleasedOnce) {
  auto &one = far().owner(primitive(), "k");
  ASSERT_TRUE(one.takes());
  ASSERT_EQ(one.release(), ReleaseOutcome::Released);
  ASSERT_TRUE(std::holds_alternative<Acquired>(one.start(AcquirePolicy::backoff(), 20s).get())); // a node may have to be taught the release
  cutInsteadOfReply(1);
  EXPECT_EQ(one.release(), ReleaseOutcome::Released) << "the second try found it gone, before the lease could end";
  EXPECT_FALSE(keyExists("k"));
}

TEST_P(Doubt, aReleaseThatCannotBeSentIsSentWhenTheConnectionIsBack) {
  auto &one = far().owner(primitive(), "k");
  ASSERT_TRUE(one.takes());
  blackHole(true);
  cut();
  auto releasing = one.startRelease();
  EXPECT_EQ(releasing.wait_for(100ms), std::future_status::timeout);
  blackHole(false);
  cut();
  const auto outcome = releasing.get();
  EXPECT_TRUE(outcome == ReleaseOutcome::Released || outcome == ReleaseOutcome::InDoubt || outcome == ReleaseOutcome::Failed);
  EXPECT_TRUE(eventually([&] { return !keyExists("k"); }));
}

TEST_P(Doubt, aRenewalWhoseReplyIsLostProlongsNothing) {
  constexpr auto lease = 600ms;
  auto &one = far(quick(60s)).owner(primitive(), "k", {.lease = lease});
  ASSERT_TRUE(one.takes());
  dropReplies(true);
  const auto silent = SteadyClock::now(); // what is asked from here on is not answered
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  EXPECT_LE(one.validUntil(), silent + lease);
  EXPECT_EQ(one.loss(), LossReason::LeaseEnded);
  EXPECT_FALSE(one.isHeld());
  dropReplies(false);
  cut();
}

/// Takes it, is renewed, and gives it back. False if it was lost on the way: this machine was busy for so long.
static bool isRenewedAndReleased(Owner &one) {
  if (!one.takes())
    return false;
  const auto before = one.validUntil();
  EXPECT_TRUE(eventually([&] { return one.validUntil() > before || !one.isHeld(); }));
  const bool isRenewed = one.validUntil() > before;
  return one.release() == ReleaseOutcome::Released && isRenewed;
}

TEST_P(Doubt, aPartitionLongerThanTheLeaseIsToldByTheLocalClockAndHealed) {
  auto &one = far().owner(primitive(), "k", {.lease = 400ms});
  ASSERT_TRUE(one.takes());
  blackHole(true);
  ASSERT_TRUE(eventually([&] { return one.loss().has_value(); }));
  ASSERT_TRUE(eventually([&] { return !keyExists("k"); }));
  blackHole(false);
  cut();
  EXPECT_TRUE(eventually([&] { return isRenewedAndReleased(one); })) << "renewal works again";
}

TEST_P(Doubt, aGrantThatComesLaterThanItsLeaseIsGivenBack) {
  auto &one = far(quick(60s)).owner(primitive(), "k", {.lease = 100ms});
  setDelay(150ms);
  const auto outcome = one.tryAcquire();
  ASSERT_TRUE(std::holds_alternative<Failed>(outcome));
  EXPECT_EQ(std::get<Failed>(outcome).error.code, isQuorum() ? ErrorCode::Unreachable : ErrorCode::Timeout) << "a node's vote is not waited for so long";
  EXPECT_FALSE(one.isHeld());
  setDelay(0ms);
}

TEST_P(Doubt, everyReplyOfALifeMayBeLostAndNothingIsLeft) {
  for (int n = 1; n <= 8; ++n) {
    SCOPED_TRACE(n);
    auto &client = far();
    auto &one = client.owner(primitive(), "k" + std::to_string(n));
    auto &two = client.owner(primitive(), "k" + std::to_string(n));
    cutInsteadOfReply(n);
    for (auto *owner : {&one, &two, &one})
      if (std::holds_alternative<Acquired>(owner->start(AcquirePolicy::backoff(), 5s).get())) {
        const auto released = owner->release();
        EXPECT_TRUE(released == ReleaseOutcome::Released || released == ReleaseOutcome::NotOwner) << name(released);
      }
    cutInsteadOfReply(0);
  }
}

/// Of those that are one command: the historic SETNX is not, and counts on nobody sending it again.
class Replay : public LockContract {};
std::vector<std::string_view> oneCommandPrimitiveNames() {
  auto names = primitiveNames();
  std::erase_if(names, [](std::string_view name) { return Primitive::find(name)->isGuardedByWatch(); });
  return names;
}
INSTANTIATE_TEST_SUITE_P(Every, Replay, testing::Combine(testing::ValuesIn(oneCommandPrimitiveNames()), testing::Values(Topology::UnixSocket)), contractName);

TEST_P(Replay, ofACommandCountsOnce) {
  const LockName key("k");
  const LockToken owner("5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01:42");
  const auto run = [&](const Command &command) {
    // As the connection does after NOSCRIPT: the whole script.
    std::vector<std::string_view> words{"EVAL", command.script()->body};
    for (std::size_t i = 2; i < command.size(); ++i)
      words.push_back(command[i]);
    return probe()(words);
  };
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(primitive().readAcquire(run(primitive().acquire({key, owner, 30s, 1}, true))).kind, AcquireAnswer::Kind::Granted);
  if (primitive().isReentrant()) {
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(primitive().readAcquire(run(primitive().acquire({key, owner, 30s, 2}, true))).kind, AcquireAnswer::Kind::Granted);
    EXPECT_EQ(probe().text({"HGET", "k", fieldOf(owner)}), "2");
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(primitive().readRelease(run(primitive().release({key, owner, 30s, 1}, false))), ReleaseAnswer::StillHeld);
    EXPECT_EQ(probe().text({"HGET", "k", fieldOf(owner)}), "1");
  }
  EXPECT_EQ(primitive().readRelease(run(primitive().release({key, owner, 30s, 0}, false))), ReleaseAnswer::Released);
  EXPECT_EQ(primitive().readRelease(run(primitive().release({key, owner, 30s, 0}, false))), ReleaseAnswer::NotOwner);
}
