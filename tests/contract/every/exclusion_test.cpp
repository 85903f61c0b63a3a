// SPDX-License-Identifier: Apache-2.0
// Never two at once, and nobody is left outside for ever.
#include "tests/contract/world/lock_world.h"

#include <functional>

using namespace lockhouse;
using namespace lockhouse::test;

namespace {

/// Many owners that take and give back one lock as fast as they can, on one loop, so that "inside" is a plain number.
class Crowd {
public:
  Crowd(Loop &loop, const Place &place, const Primitive &primitive, AcquirePolicy policy, int parties, int each) : m_loop(loop), m_policy(policy) {
    m_loop.call([&] {
      for (int i = 0; i < parties; ++i)
        m_drivers.push_back(PlaceDriver::open(m_loop, place, {}));
      for (int i = 0; i < parties * each; ++i)
        m_guests.emplace_back(m_drivers[static_cast<std::size_t>(i % parties)]->session(primitive, LockName("k"), {}));
    });
  }
  ~Crowd() {
    m_loop.call([&] {
      m_stop = true;
      m_guests.clear();
      m_drivers.clear();
    });
  }
  Crowd(const Crowd &) = delete;
  Crowd &operator=(const Crowd &) = delete;

  bool isReady() {
    return eventually([&] {
      bool ready = true;
      m_loop.call([&] {
        for (const auto &driver : m_drivers)
          ready = ready && driver->isReady();
      });
      return ready;
    });
  }
  void begin() {
    m_loop.call([&] {
      for (auto &guest : m_guests)
        next(guest);
    });
  }
  std::uint64_t least() {
    std::uint64_t least = UINT64_MAX;
    m_loop.call([&] {
      for (const auto &guest : m_guests)
        least = std::min(least, guest.entries);
    });
    return least;
  }
  std::uint64_t all() {
    std::uint64_t all = 0;
    m_loop.call([&] {
      for (const auto &guest : m_guests)
        all += guest.entries;
    });
    return all;
  }
  void stop() {
    m_loop.call([&] { m_stop = true; });
    eventually([&] {
      bool idle = true;
      m_loop.call([&] {
        for (auto &guest : m_guests)
          idle = idle && !guest.busy;
        for (auto &driver : m_drivers)
          idle = idle && driver->isSettled();
      });
      return idle;
    });
  }
  int violations() const { return m_violations; }
  int troubles() const { return m_troubles; }

private:
  struct Guest {
    explicit Guest(std::unique_ptr<OwnerSession> own) : session(std::move(own)) {}
    std::unique_ptr<OwnerSession> session;
    std::uint64_t entries = 0;
    bool busy = false;
  };

  void next(Guest &guest) {
    guest.busy = !m_stop;
    if (m_stop)
      return;
    guest.session->acquire(m_policy, std::nullopt, [this, &guest](const AcquireOutcome &outcome) {
      if (!std::holds_alternative<Acquired>(outcome)) {
        m_troubles += std::holds_alternative<Contended>(outcome) || m_stop ? 0 : 1;
        next(guest);
        return;
      }
      m_violations += m_inside++ > 0 ? 1 : 0;
      ++guest.entries;
      --m_inside;
      guest.session->release([this, &guest](ReleaseOutcome released) {
        m_troubles += released == ReleaseOutcome::Released || m_stop ? 0 : 1;
        next(guest);
      });
    });
  }

  Loop &m_loop;
  AcquirePolicy m_policy;
  std::vector<std::unique_ptr<PlaceDriver>> m_drivers;
  std::deque<Guest> m_guests;
  int m_inside = 0;
  std::atomic<int> m_violations = 0;
  std::atomic<int> m_troubles = 0;
  bool m_stop = false;
};

} // namespace

class Exclusion : public LockContract {};
LOCKHOUSE_CONTRACT(Exclusion);

/// A FallbackLock waits on a thread for each.
class ExclusionOfAThousand : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, ExclusionOfAThousand,
                         testing::ValuesIn(worlds("ExclusionOfAThousand", everyTopology, anyPrimitive,
                                                  [](Making making) { return making != Making::Fallback; })),
                         contractName);

/// Over several nodes, tries without a pause may split the votes for ever.
class ExclusionOfTries : public LockContract {};
INSTANTIATE_TEST_SUITE_P(Every, ExclusionOfTries, testing::ValuesIn(worlds("ExclusionOfTries", oneServer)), contractName);

TEST_P(Exclusion, holdsAndNobodyStarvesUnderEveryWaitingPolicy) {
  Loop loop;
  for (const auto &policy : waitingPolicies()) {
    SCOPED_TRACE(policy.name());
    Crowd crowd(loop, place(), primitive(), policy, 3, 6);
    ASSERT_TRUE(crowd.isReady());
    crowd.begin();
    EXPECT_TRUE(eventually([&] { return crowd.least() >= 10; }, 60s)) << crowd.least();
    crowd.stop();
    EXPECT_EQ(crowd.violations(), 0);
    EXPECT_EQ(crowd.troubles(), 0);
  }
}

TEST_P(ExclusionOfTries, holdsUnderTheTryPolicy) {
  Loop loop;
  Crowd crowd(loop, place(), primitive(), AcquirePolicy::tryOnce(), 2, 4);
  ASSERT_TRUE(crowd.isReady());
  crowd.begin();
  EXPECT_TRUE(eventually([&] { return crowd.all() >= 20; })) << "who never waits has no right to a turn, but somebody gets in";
  crowd.stop();
  EXPECT_EQ(crowd.violations(), 0);
  EXPECT_EQ(crowd.troubles(), 0);
}

TEST_P(ExclusionOfAThousand, waitersCostOneCommandEachNotOneEachPerRelease) {
  const auto policy = primitive().line() == Primitive::Line::InClient ? AcquirePolicy::spin(100ms) : primitive().defaultPolicy();
  auto &client = party();
  auto &holder = client.owner(primitive(), "k");
  ASSERT_TRUE(holder.takes());
  std::vector<Owner *> waiters;
  std::vector<std::future<AcquireOutcome>> outcomes;
  for (int i = 0; i < 1000; ++i) {
    waiters.push_back(&client.owner(primitive(), "k"));
    outcomes.push_back(waiters.back()->start(policy));
  }
  const auto before = client.commandsSent();
  EXPECT_EQ(holder.release(), ReleaseOutcome::Released);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ASSERT_TRUE(std::holds_alternative<Acquired>(outcomes[i].get()));
    ASSERT_EQ(waiters[i]->release(), ReleaseOutcome::Released);
  }
  const bool hearEachForItself = primitive().word() == Primitive::Word::OnOwner;
  const std::uint64_t each = primitive().isGuardedByWatch() ? 8 : hearEachForItself ? 7 : 4;
  const std::uint64_t waits = hasReplica(topology()) ? 1 : 0;
  const std::uint64_t parts = making() == Making::MultiInTwoSlots ? 2 : 1;
  EXPECT_LE(client.commandsSent() - before, 1000 * (each + waits) * parts * server->living())
      << "an ask and a release each, another ask when told, and some polls; where each hears for itself, its subscription too";
}
