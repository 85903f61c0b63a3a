// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/quorum.h"

#include "core/client/api/client_runtime.h"
#include "core/client/api/lock.h"
#include "core/client/support/outage_clock.h"
#include "core/lock/pages/composition.h"

#include <algorithm>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

constexpr milliseconds graceOfTheRest{250}; // for the nodes that are still out when a quorum has answered

} // namespace

/// The room of the locks of several nodes.
class Quorum::Core final : public ClientRuntime {
public:
  Core(std::vector<Uri> nodes, const QuorumOptions &options)
      : ClientRuntime(options.wait, options.closeLimit), m_limit(options.connection.connectTimeout), m_log(options.log) {
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
  ~Core() override { close(); }

  QuorumDriver &driver() { return *m_driver; }
  SteadyClock::duration goneFor(std::span<const std::size_t>) const override { return m_outage.length(); }
  void tell(LogEvent event) override {
    if (m_log)
      post([this, told = std::move(event)] { m_log(told); });
  }
  Metrics metrics() {
    if (auto now = see([this] { return m_driver ? m_driver->metrics() : m_seen; }))
      return std::move(*now);
    if (isForeign()) // before the mutex: a thread that is not here may have had it during the fork
      return {};
    const std::scoped_lock guard(m_mutex);
    return m_seen;
  }

  Result<void> open() {
    auto told = std::make_shared<std::promise<void>>();
    auto decided = told->get_future();
    loop().call([&] {
      m_opening = std::make_unique<Opening>(loop(), std::vector<bool>(m_driver->size(), false), std::move(told));
      m_driver->onStanding([this](std::size_t node) { heard(node); });
      m_opening->end.after(m_limit, [this] { opened(); });
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
        : heard(std::move(nobody)), told(std::move(promise)), end(loop) {}
    std::vector<bool> heard;
    std::shared_ptr<std::promise<void>> told;
    bool graceRuns = false;
    Timer end;
  };

  void heard(std::size_t node) {
    m_outage.set(m_driver->answering() < quorumOf(m_driver->size()));
    if (!m_opening)
      return;
    m_opening->heard[node] = true;
    if (std::ranges::all_of(m_opening->heard, std::identity()))
      return opened();
    if (m_driver->answering() >= quorumOf(m_driver->size()) && !std::exchange(m_opening->graceRuns, true))
      m_opening->end.after(std::min(graceOfTheRest, m_limit), [this] { opened(); });
  }

  void opened() {
    if (const auto opening = std::exchange(m_opening, nullptr))
      opening->told->set_value();
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
    m_seen = std::move(last);
  }
  void abandonConnections() noexcept override {
    static_cast<void>(m_opening.release());
    static_cast<void>(m_driver.release());
  }

  milliseconds m_limit;
  LogSink m_log;
  OutageClock m_outage; // of a quorum
  std::mutex m_mutex;   // guards m_seen
  Metrics m_seen;       // what there was to see when the client was closed
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
  auto core = std::make_shared<Core>(std::move(nodes), options);
  if (auto opened = core->open(); !opened)
    return std::unexpected(std::move(opened.error()));
  return Quorum(std::move(core));
}

Result<Quorum> Quorum::connect(std::span<const std::string> uris, QuorumOptions options) {
  auto nodes = parseUris(uris);
  if (!nodes)
    return std::unexpected(std::move(nodes.error()));
  return connect(std::move(*nodes), std::move(options));
}

Quorum::Quorum(std::shared_ptr<Core> core) : m_core(std::move(core)) {}

Quorum::~Quorum() {
  if (m_core)
    m_core->close();
}

Quorum::Quorum(Quorum &&) noexcept = default;

Quorum &Quorum::operator=(Quorum &&other) noexcept {
  const Quorum old(std::exchange(m_core, std::exchange(other.m_core, {})));
  return *this;
}

Lock Quorum::redLock(LockName name, LockOptions options) const { return redLock(*Primitive::find("Mutex"), std::move(name), std::move(options)); }

Lock Quorum::redLock(const Primitive &primitive, LockName name, LockOptions options) const {
  auto session = [core = m_core.get(), &primitive](const LockName &lock, const LockOptions &chosen) {
    return std::make_unique<QuorumSession>(core->driver(), primitive, lock, chosen);
  };
  std::optional<Error> refusal;
  if (options.acknowledge.isWanted())
    refusal = Error{ErrorCode::Usage,
                    LH_ENGLISH("a RedLock's nodes are independent: it cannot be acknowledged by replicas"),
                    {},
                    LH_ENGLISH("leave acknowledge out, or use a Client")};
  return {{m_core, std::move(session), &redLockInfo(), &primitive, std::move(refusal)}, std::move(name), std::move(options)};
}

std::vector<QuorumDriver::Standing> Quorum::standings() const {
  auto all = m_core->see([core = m_core.get()] {
    std::vector<QuorumDriver::Standing> each;
    for (std::size_t i = 0; i < core->driver().size(); ++i)
      each.push_back(core->driver().standing(i));
    return each;
  });
  return std::move(all).value_or(std::vector<QuorumDriver::Standing>{});
}

Metrics Quorum::metrics() const { return m_core->metrics(); }

std::uint64_t Quorum::commandsSent() const { return m_core->commandsSent(); }

} // namespace lockhouse
