// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/stress_backend.h"

#include "core/base/random.h"
#include "core/client/api/multi_lock.h"
#include "core/client/api/quorum.h"
#include "core/client/quorum/quorum_session.h"
#include "core/lab/workload/latch_backend.h"
#include "core/lab/workload/user_backend.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds recheckAfter{200};   // twice, and a reconnection, have to fit into the end of a run
constexpr milliseconds graceOfTheRest{250}; // for the nodes that are still out when a quorum has answered
// Of locks that let several in: enough that it shows, few enough that clients wait.
constexpr unsigned writersEvery = 10;
constexpr std::int64_t permits = 4;

class OneNode final : public StressBackend {
public:
  OneNode(Loop &loop, Uri node, const StressOptions &options, std::vector<LockName> names)
      : m_loop(loop), m_primitive(Primitive::find(options.primitive)), m_lock(stressLock(options)), m_names(std::move(names)), m_dice(randomSeed()),
        m_driver(loop, std::move(node), {.connection = stressConnection(), .recheckAfter = recheckAfter}) {}

  void onState(StateHandler handler) override { m_driver.onState(std::move(handler)); }
  void open() override { m_driver.open(); }
  std::uint64_t commandsSent() const override { return m_driver.commandsSent(); }
  bool isSettled() const override { return m_driver.isSettled(); }
  void whenSettled(Loop::Task task) override { m_driver.whenSettled(std::move(task)); }

  std::unique_ptr<OwnerSession> session(std::span<const std::size_t> resources, LockMode mode) override {
    if (m_primitive != nullptr) {
      auto options = m_lock;
      options.mode = mode;
      return std::make_unique<NodeSession>(m_driver, *m_primitive, m_names[resources.front()], std::move(options));
    }
    std::vector<MultiMember> members;
    for (const auto resource : resources)
      members.push_back({0, m_names[resource]});
    for (std::size_t i = members.size(); i > 1; --i) // every client names them in an order of its own
      std::swap(members[i - 1], members[static_cast<std::size_t>(m_dice.next() % i)]);
    auto parts = multiLockParts([this](std::size_t) -> NodeDriver & { return m_driver; }, *Primitive::find("Mutex"), std::move(members));
    return std::make_unique<MultiSession>(m_loop, std::move(parts), m_names[resources.front()], m_lock);
  }

  std::vector<std::string> lasting() const override {
    std::vector<std::string> keys;
    for (const auto &name : m_names)
      if (m_primitive != nullptr)
        std::ranges::move(m_primitive->lasting(name), std::back_inserter(keys));
    return keys;
  }

private:
  Loop &m_loop;
  const Primitive *m_primitive; // null: a MultiLock
  LockOptions m_lock;
  std::vector<LockName> m_names;
  Jitter m_dice;
  NodeDriver m_driver;
};

class ManyNodes final : public StressBackend {
public:
  ManyNodes(Loop &loop, std::vector<Uri> nodes, const StressOptions &options, std::vector<LockName> names)
      : m_lock(stressLock(options)), m_names(std::move(names)), m_heard(nodes.size(), false), m_grace(loop),
        // The run's keys are its own, so what a node forgot before it began was none of them.
        m_driver(loop, std::move(nodes),
                 {.connection = stressConnection(), .restartGuard = RestartGuard::Seen, .longestLease = options.lease, .recheckAfter = recheckAfter}) {
    m_driver.onStanding([this](std::size_t node) { heard(node); });
  }

  void onState(StateHandler handler) override { m_onState = std::move(handler); }
  void open() override { m_driver.open(); }
  std::uint64_t commandsSent() const override { return m_driver.commandsSent(); }
  bool isSettled() const override { return m_driver.isSettled(); }
  void whenSettled(Loop::Task task) override { m_driver.whenSettled(std::move(task)); }

  std::unique_ptr<OwnerSession> session(std::span<const std::size_t> resources, LockMode) override {
    return std::make_unique<QuorumSession>(m_driver, *Primitive::find("Mutex"), m_names[resources.front()], m_lock);
  }

private:
  // Ready with a quorum; at the beginning the others have a moment to say who they are. Down when there is none any more, or one of
  // them is none that may vote.
  void heard(std::size_t node) {
    m_heard[node] = true;
    for (std::size_t i = 0; i < m_driver.size(); ++i) // of two that are one server it is the later in the list, whichever came first
      if (const auto standing = m_driver.standing(i); standing.isUnfit)
        return m_onState(Connection::State::Down, &*standing.why);
    const auto standing = m_driver.standing(node);
    const bool quorum = m_driver.answering() >= quorumOf(m_driver.size());
    const bool allHeard = std::ranges::all_of(m_heard, std::identity());
    if (quorum && !m_ready && !allHeard) {
      if (!m_grace.isSet())
        m_grace.after(graceOfTheRest, [this] { becomeReady(); });
    } else if (quorum && !m_ready) {
      becomeReady();
    } else if (!quorum && (m_ready || allHeard)) {
      m_ready = false;
      const Error unknown{ErrorCode::Unreachable, LH_MESSAGE("ErrorWords", "too few nodes answer for a quorum"), standing.node.bytes(), {}};
      m_onState(Connection::State::Down, standing.why ? &*standing.why : &unknown);
    }
  }

  void becomeReady() {
    m_grace.cancel();
    m_ready = m_driver.answering() >= quorumOf(m_driver.size());
    if (m_ready)
      m_onState(Connection::State::Ready, nullptr);
  }

  LockOptions m_lock;
  std::vector<LockName> m_names;
  std::vector<bool> m_heard;
  bool m_ready = false;
  StateHandler m_onState;
  Timer m_grace;
  QuorumDriver m_driver;
};

} // namespace

LockOptions stressLock(const StressOptions &options) {
  return {.lease = options.lease,
          .policy = AcquirePolicy::named(options.policy),
          .patience = milliseconds(0), // the run bears an outage itself, once for all clients
          .acknowledge = options.acknowledge};
}

ConnectionOptions stressConnection() {
  ConnectionOptions options;
  options.clientName = "lockhouse-stress";
  options.backoffCap = milliseconds(250); // so that a connection lost near the end is back before the drain is over
  return options;
}

LockMode stressMode(const StressOptions &options, unsigned client) {
  const auto *primitive = Primitive::find(options.primitive);
  if (primitive == nullptr) // made of several Mutexes
    return {};
  return {.shared = primitive->hasReaders() && client % writersEvery != 0, .permits = 1, .capacity = primitive->hasPermits() ? permits : 1};
}

std::unique_ptr<StressBackend> StressBackend::make(Loop &loop, std::vector<Uri> nodes, const StressOptions &options, std::vector<LockName> names) {
  if (options.primitive == redLockInfo().name)
    return std::make_unique<ManyNodes>(loop, std::move(nodes), options, std::move(names));
  if (isLatch(options.primitive))
    return std::make_unique<LatchBackend>(loop, std::move(nodes.front()), options, names);
  if (hasStripes(options.primitive) || options.primitive == fallbackLockInfo().name)
    return std::make_unique<UserBackend>(loop, std::move(nodes.front()), options, std::move(names));
  return std::make_unique<OneNode>(loop, std::move(nodes.front()), options, std::move(names));
}

} // namespace lockhouse
