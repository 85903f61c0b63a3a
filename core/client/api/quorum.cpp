// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/quorum.h"

#include "core/client/api/client_runtime.h"
#include "core/client/api/lock.h"
#include "core/client/quorum/quorum_session.h"
#include "core/client/support/outage_clock.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds graceOfTheRest{250}; // for the nodes that are still out when a quorum has answered

} // namespace

/// The loop, the driver and the holds of a Quorum.
class QuorumRuntime final : public ClientRuntime {
public:
  QuorumRuntime(std::vector<Uri> nodes, const QuorumOptions &options)
      : ClientRuntime(options.wait, options.closeLimit), m_limit(options.connection.connectTimeout), m_logSink(options.log) {
    loop().call([&] {
      m_driver = std::make_unique<QuorumDriver>(loop(), std::move(nodes),
                                                QuorumDriver::Options{.connection = options.connection,
                                                                      .restartGuard = options.restartGuard,
                                                                      .longestLease = options.longestLease,
                                                                      .nodeTimeout = options.nodeTimeout,
                                                                      .log = options.log,
                                                                      .owners = options.owners});
    });
  }
  ~QuorumRuntime() override { close(); }

  QuorumDriver &driver() { return *m_driver; }
  SteadyClock::duration outage(std::span<const std::size_t>) const override { return m_outage.length(); }
  void log(LogEvent event) override {
    if (m_logSink)
      post([this, logged = std::move(event)] { m_logSink(logged); });
  }
  Metrics metrics() {
    if (auto now = readOnLoop([this] { return m_driver ? m_driver->metrics() : m_lastMetrics; }))
      return std::move(*now);
    if (isForkedChild()) // before the mutex: a thread that is not here may have had it during the fork
      return {};
    const std::scoped_lock guard(m_mutex);
    return m_lastMetrics;
  }

  Result<void> open() {
    auto promise = std::make_shared<std::promise<void>>();
    auto decided = promise->get_future();
    loop().call([&] {
      m_opening = std::make_unique<Opening>(loop(), std::vector<bool>(m_driver->size(), false), std::move(promise));
      m_driver->onStanding([this](std::size_t node) { standingChanged(node); });
      m_opening->end.after(m_limit, [this] { finishOpening(); });
      m_driver->open();
    });
    decided.wait();
    Result<void> result;
    loop().call([&] { result = verdict(); });
    return result;
  }

private:
  /// Until connect() has seen enough.
  struct Opening {
    Opening(Loop &loop, std::vector<bool> nobody, std::shared_ptr<std::promise<void>> promise)
        : hasReported(std::move(nobody)), decided(std::move(promise)), end(loop) {}
    std::vector<bool> hasReported;
    std::shared_ptr<std::promise<void>> decided;
    bool graceRuns = false;
    Timer end;
  };

  void standingChanged(std::size_t node) {
    m_outage.set(m_driver->answering() < quorumOf(m_driver->size()));
    if (!m_opening)
      return;
    m_opening->hasReported[node] = true;
    if (std::ranges::all_of(m_opening->hasReported, std::identity()))
      return finishOpening();
    if (m_driver->answering() >= quorumOf(m_driver->size()) && !std::exchange(m_opening->graceRuns, true))
      m_opening->end.after(std::min(graceOfTheRest, m_limit), [this] { finishOpening(); });
  }

  void finishOpening() {
    if (const auto opening = std::exchange(m_opening, nullptr))
      opening->decided->set_value();
  }

  Result<void> verdict() const {
    std::vector<Message> silent;
    for (std::size_t i = 0; i < m_driver->size(); ++i) {
      const auto standing = m_driver->standing(i);
      if (standing.isUnfit)
        return std::unexpected(*standing.why);
      if (!standing.answered)
        silent.push_back(LH_MESSAGE("ErrorWords", "%1: %2")(standing.node.bytes(), standing.why->what));
    }
    if (m_driver->answering() >= quorumOf(m_driver->size()))
      return {};
    if (m_driver->size() == 1)
      return std::unexpected(*m_driver->standing(0).why);
    return fail(ErrorCode::Unreachable, LH_ENGLISH("too few nodes answer for a quorum: %1")(std::move(silent)), {},
                LH_ENGLISH("start them or check the addresses"));
  }

  std::uint64_t sent() const override { return m_driver->commandsSent(); }
  void whenSettled(Loop::Task task) override { m_driver->whenSettled(std::move(task)); }
  void endConnections() override {
    auto last = m_driver->metrics();
    m_opening.reset();
    m_driver.reset();
    const std::scoped_lock guard(m_mutex);
    m_lastMetrics = std::move(last);
  }
  void abandonConnections() noexcept override {
    static_cast<void>(m_opening.release());
    static_cast<void>(m_driver.release());
  }

  milliseconds m_limit;
  LogSink m_logSink;
  OutageClock m_outage;  // of a quorum
  std::mutex m_mutex;    // guards m_lastMetrics
  Metrics m_lastMetrics; // when the client was closed
  std::unique_ptr<QuorumDriver> m_driver;
  std::unique_ptr<Opening> m_opening;
};

Result<void> checkQuorum(std::span<const Uri> nodes) {
  if (nodes.empty() || nodes.size() > mostMembers)
    return fail(ErrorCode::Usage, LH_ENGLISH("a quorum of %1 nodes cannot be")(nodes.size()), {}, LH_ENGLISH("name 3 or 5, at most %1")(mostMembers));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (nodes[i].address() == nodes[earlier].address())
        return fail(ErrorCode::Usage, LH_ENGLISH("the node is named twice"), nodes[i].address(), LH_ENGLISH("name each server once"));
  if (nodes.size() % 2 == 0)
    return fail(ErrorCode::Usage, LH_ENGLISH("%1 nodes bear the loss of no more of them than %2 do")(nodes.size(), nodes.size() - 1), {},
                LH_ENGLISH("name an odd number of nodes"));
  return {};
}

Result<Quorum> Quorum::connect(std::vector<Uri> nodes, QuorumOptions options) {
  if (auto checked = checkQuorum(nodes); !checked)
    return std::unexpected(std::move(checked.error()));
  auto runtime = std::make_shared<QuorumRuntime>(std::move(nodes), options);
  if (auto opened = runtime->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return Quorum(std::move(runtime));
}

Result<Quorum> Quorum::connect(std::span<const std::string> uris, QuorumOptions options) {
  auto nodes = parseUris(uris);
  if (!nodes)
    return std::unexpected(std::move(nodes.error()));
  return connect(std::move(*nodes), std::move(options));
}

Quorum::Quorum(std::shared_ptr<QuorumRuntime> runtime) : m_runtime(std::move(runtime)) {}

Quorum::~Quorum() {
  if (m_runtime)
    m_runtime->close();
}

Quorum::Quorum(Quorum &&) noexcept = default;

Quorum &Quorum::operator=(Quorum &&other) noexcept {
  const Quorum old(std::exchange(m_runtime, std::exchange(other.m_runtime, {})));
  return *this;
}

Lock Quorum::redLock(LockName name, LockOptions options) const { return redLock(*Primitive::find("Mutex"), std::move(name), std::move(options)); }

Lock Quorum::redLock(const Primitive &primitive, LockName name, LockOptions options) const {
  auto session = [runtime = m_runtime.get(), &primitive](const LockName &lock, const LockOptions &chosen) {
    return std::make_unique<QuorumSession>(runtime->driver(), primitive, lock, chosen);
  };
  std::optional<Error> refusal;
  if (options.acknowledge.isWanted())
    refusal = Error{ErrorCode::Usage,
                    LH_MESSAGE("ErrorWords", "a RedLock's nodes are independent: it cannot be acknowledged by replicas"),
                    {},
                    LH_ENGLISH("leave acknowledge out, or use a Client")};
  return {{m_runtime, std::move(session), &redLockInfo(), &primitive, std::move(refusal)}, std::move(name), std::move(options)};
}

std::vector<NodeStanding> Quorum::standings() const {
  auto all = m_runtime->readOnLoop([runtime = m_runtime.get()] {
    std::vector<NodeStanding> each;
    for (std::size_t i = 0; i < runtime->driver().size(); ++i)
      each.push_back(runtime->driver().standing(i));
    return each;
  });
  return std::move(all).value_or(std::vector<NodeStanding>{});
}

Metrics Quorum::metrics() const { return m_runtime->metrics(); }

std::uint64_t Quorum::commandsSent() const { return m_runtime->commandsSent(); }

} // namespace lockhouse
