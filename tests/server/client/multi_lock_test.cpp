// SPDX-License-Identifier: Apache-2.0
// Several locks as one.
#include "tests/server/client/quorum_house.h"

#include <future>
#include <random>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

std::vector<LockName> names(std::initializer_list<const char *> all) {
  std::vector<LockName> out;
  for (const auto *name : all)
    out.emplace_back(name);
  return out;
}

std::string sentenceOf(const LockResult &result) { return result ? std::string() : result.error().sentence(); }
bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

class MultiLocks : public QuorumHouse {
protected:
  void SetUp() override { start(1); }
  std::unique_ptr<Client> client() {
    ClientOptions options;
    options.connection.commandTimeout = 1s;
    options.connection.backoffCap = 100ms;
    auto connected = Client::connect(proxies[0].uri(), options);
    EXPECT_TRUE(connected) << connected.error().sentence();
    return std::make_unique<Client>(std::move(*connected));
  }
};

/// Names of one slot (one script) and of several (one after the other).
class MultiLocksEitherWay : public MultiLocks, public testing::WithParamInterface<std::vector<const char *>> {
protected:
  std::vector<LockName> all() { return {GetParam().begin(), GetParam().end()}; }
  const char *key(std::size_t i) { return GetParam()[i]; }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Names, MultiLocksEitherWay, testing::Values(std::vector{"{s}a", "{s}b", "{s}c"}, std::vector{"a", "b", "c"}),
                         [](const auto &one) { return one.index == 0 ? "OfOneSlot" : "OfSeveralSlots"; });

TEST_P(MultiLocksEitherWay, areTakenAndGivenBackTogether) {
  const auto one = client();
  auto held = one->multiLock(all()).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  EXPECT_TRUE(held->isHeld());
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(valueAt(0, key(i)).size(), 32U) << "a mutex under every name";
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_P(MultiLocksEitherWay, areRefusedWholeWhenOneIsHeld) {
  const auto one = client();
  const auto two = client();
  auto last = one->mutex(LockName(key(2))).tryAcquire();
  ASSERT_TRUE(last);
  const auto refused = two->multiLock(all()).tryAcquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Contended>()) << sentenceOf(refused);
  EXPECT_TRUE(eventually([&] { return !hasKey(0, key(0)) && !hasKey(0, key(1)); }));
  const auto late = two->multiLock(all(), {.waitLimit = 60ms}).acquire();
  ASSERT_FALSE(late);
  EXPECT_TRUE(late.error().is<TimedOut>()) << sentenceOf(late);
  EXPECT_TRUE(has(sentenceOf(late), last->token().bytes())) << sentenceOf(late);
  EXPECT_TRUE(eventually([&] { return !hasKey(0, key(0)) && !hasKey(0, key(1)); }));
  EXPECT_TRUE(last->isHeld());
  EXPECT_EQ(last->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(two->multiLock(all()).acquire());
}

TEST_P(MultiLocksEitherWay, excludeTheSingleLocks) {
  const auto one = client();
  auto held = one->multiLock(all()).acquire();
  ASSERT_TRUE(held);
  const auto two = client();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_FALSE(two->mutex(LockName(key(i))).tryAcquire());
}

TEST_P(MultiLocksEitherWay, areRenewedAndAreLostWholeWithOneOfThem) {
  const auto one = client();
  auto held = one->multiLock(all(), {.lease = 300ms}).acquire();
  ASSERT_TRUE(held);
  const auto first = held->validUntil();
  ASSERT_TRUE(eventually([&] { return held->validUntil() > first + 400ms; }));
  at(0, {"DEL", key(1)});
  EXPECT_TRUE(eventually([&] { return held->lossReason().has_value(); }));
  EXPECT_EQ(held->lossReason(), LossReason::Deleted);
  EXPECT_TRUE(held->stopToken().stop_requested());
  EXPECT_TRUE(nothingIsLeft()) << "the rest is given back";
  EXPECT_EQ(held->release(), ReleaseOutcome::NotOwner);
}

TEST_P(MultiLocksEitherWay, cancelledAtAnyPointLeaveNothing) {
  const auto one = client();
  proxies[0].setDelay(1ms);
  for (int turn = 0; turn < 60; ++turn) {
    std::stop_source cancel;
    std::promise<LockResult> told;
    one->multiLock(all()).acquire([&](LockResult result) { told.set_value(std::move(result)); }, cancel.get_token());
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(turn * 150);
    while (std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    cancel.request_stop();
    auto result = told.get_future().get();
    EXPECT_TRUE(result || result.error().is<Cancelled>()) << sentenceOf(result);
    if (result) {
      EXPECT_EQ(result->release(), ReleaseOutcome::Released);
    }
    ASSERT_TRUE(nothingIsLeft()) << turn;
  }
}

TEST_P(MultiLocksEitherWay, cutAtAnyReplyLeaveNothing) {
  for (int reply = 1; reply <= 4; ++reply) {
    proxies[0].cutInsteadOfReply(0); // the last may not have come so far, and is no reply to a login
    const auto one = client();
    proxies[0].cutInsteadOfReply(reply);
    auto result = one->multiLock(all(), {.waitLimit = 3s}).acquire();
    if (result)
      result->release();
    EXPECT_TRUE(nothingIsLeft()) << reply;
  }
}

/// As the dining philosophers: everybody wants some of the same things, and names them in an order of his own.
TEST_P(MultiLocksEitherWay, inWhateverOrderNeverWaitForEachOtherForEver) {
  std::vector<std::thread> clients;
  std::array<std::atomic<int>, 3> inside{};
  std::atomic<int> overlaps = 0;
  std::atomic<int> rounds = 0;
  for (unsigned i = 0; i < 4; ++i)
    clients.emplace_back([&, i] {
      std::mt19937 dice(i);
      const auto own = client();
      for (int n = 0; n < 25; ++n) {
        std::vector<std::size_t> wanted{0, 1, 2};
        std::ranges::shuffle(wanted, dice);
        wanted.resize(2);
        std::vector<LockName> some;
        for (const auto which : wanted)
          some.emplace_back(key(which));
        auto held = own->multiLock(some).acquire();
        if (!held)
          continue;
        for (const auto which : wanted)
          overlaps += inside[which]++ == 0 ? 0 : 1;
        for (const auto which : wanted)
          --inside[which];
        ++rounds;
        held->release();
      }
    });
  for (auto &thread : clients)
    thread.join();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(rounds, 100);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(MultiLocks, ofOneSlotAreOneCommandEach) {
  const auto one = client();
  one->multiLock(names({"{s}a", "{s}b", "{s}c"})).acquire(); // the scripts are known from now on
  ASSERT_TRUE(nothingIsLeft());
  const auto before = one->commandsSent();
  auto held = one->multiLock(names({"{s}c", "{s}a", "{s}b"})).acquire();
  ASSERT_TRUE(held);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_EQ(one->commandsSent() - before, 2U);
}

TEST_F(MultiLocks, namedTwiceAreOne) {
  const auto one = client();
  auto held = one->multiLock(names({"a", "b", "a", "b"})).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(MultiLocks, ofNoNameOrAnEmptyOneAreRefused) {
  const auto one = client();
  EXPECT_TRUE(has(sentenceOf(one->multiLock({}).acquire()), "needs at least one name"));
  EXPECT_TRUE(has(sentenceOf(one->multiLock(names({"a", ""})).acquire()), "a lock's name is empty"));
}

TEST_F(MultiLocks, areMadeOfPrimitivesThatWaitAsTheyDo) {
  const auto one = client();
  for (const auto *primitive : Primitive::all()) {
    auto result = one->multiLock(*primitive, names({"a", "b"})).tryAcquire();
    EXPECT_EQ(result.has_value(), primitive->takes(AcquirePolicy::backoff())) << primitive->info().name << ": " << sentenceOf(result);
    if (result)
      result->release();
  }
}

TEST_F(MultiLocks, ofReentrantLocksAreEnteredAgain) {
  const auto one = client();
  auto held = one->multiLock(*Primitive::find("ReentrantLock"), names({"{s}a", "{s}b"})).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  EXPECT_EQ(at(0, {"TYPE", "{s}a"}), "hash");
  EXPECT_TRUE(std::holds_alternative<Acquired>(held->acquireAgain()));
  EXPECT_EQ(held->count(), 2);
  EXPECT_EQ(held->release(), ReleaseOutcome::StillHeld);
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(MultiLocks, ofAnotherTypeUnderAScriptAreSomebodyElses) {
  const auto one = client();
  at(0, {"HSET", "{s}b", "f", "v"});
  const auto refused = one->multiLock(names({"{s}a", "{s}b"})).tryAcquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is<Contended>()) << sentenceOf(refused);
  EXPECT_FALSE(hasKey(0, "{s}a"));
}

TEST_F(MultiLocks, ofSeveralNodesAreAllOrNothing) {
  start(1);
  std::vector<Uri> nodes{proxies[0].uri(), proxies[1].uri()};
  auto group = NodeGroup::connect(nodes);
  ASSERT_TRUE(group) << group.error().sentence();
  const std::vector<NodeGroup::Place> places{{1, LockName("k")}, {0, LockName("k")}, {0, LockName("j")}};
  auto held = group->multiLock(places).acquire();
  ASSERT_TRUE(held) << sentenceOf(held);
  EXPECT_TRUE(hasKey(0, "k") && hasKey(0, "j") && hasKey(1, "k"));
  EXPECT_EQ(held->release(), ReleaseOutcome::Released);
  EXPECT_TRUE(nothingIsLeft());

  at(1, {"SET", "k", "of another", "PX", "60000"});
  EXPECT_FALSE(group->multiLock(places, {.waitLimit = 50ms}).acquire());
  EXPECT_TRUE(nothingIsLeft({0}));
  at(1, {"DEL", "k"});

  held = group->multiLock(places, {.lease = 600ms}).acquire();
  ASSERT_TRUE(held);
  proxies[1].blackHole(true);
  EXPECT_TRUE(eventually([&] { return held->lossReason().has_value(); })) << "the loss of one node is the loss of all";
  EXPECT_TRUE(nothingIsLeft());
  EXPECT_TRUE(has(sentenceOf(group->multiLock({{2, LockName("k")}}).acquire()), "a node that is not there"));
}

TEST_F(MultiLocks, endWithTheirClient) {
  auto one = client();
  auto held = one->multiLock(names({"a", "b"})).acquire();
  ASSERT_TRUE(held);
  one.reset();
  EXPECT_TRUE(nothingIsLeft());
}
