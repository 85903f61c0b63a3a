// SPDX-License-Identifier: Apache-2.0
#include "core/lab/workload/latch_backend.h"

#include "core/base/safe_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockhouse {
namespace {

LatchRounds::Plan planOf(const StressOptions &options, unsigned key) {
  LatchRounds::Plan plan;
  for (unsigned client = key; client < options.clients; client += options.keys == 0 ? options.clients : options.keys) {
    ++plan.clients;
    if (options.count && client < *options.count % options.clients)
      ++plan.more;
  }
  if (options.count)
    plan.each = *options.count / options.clients;
  return plan;
}

} // namespace

const CountDownLatchWait LatchBackend::latch;

LatchBackend::LatchBackend(Loop &loop, Uri node, const StressOptions &options, const std::vector<LockName> &names)
    : m_loop(loop), m_options(options), m_names(names), m_driver(loop, std::move(node), {.connection = stressConnection()}) {
  for (unsigned key = 0; key < m_names.size(); ++key)
    m_rounds.emplace_back(m_names[key], planOf(options, key), m_violations);
}

// A client that is in doubt must see that the connection is lost, or it would retry at once.
void LatchBackend::onState(StateHandler handler) {
  m_onState = std::move(handler);
  m_driver.onState([this](Connection::State state, const Error *why) {
    const bool wasReady = std::exchange(m_isReady, state == Connection::State::Ready);
    if (m_isReady && !wasReady)
      returned();
    m_onState(state, why);
    if (wasReady && !m_isReady)
      lost(why != nullptr ? *why : Error{ErrorCode::InDoubt, LH_MESSAGE("ErrorWords", "the connection was lost in mid-round"), {}, {}});
  });
}

void LatchBackend::lost(const Error &why) {
  for (auto &rounds : m_rounds)
    rounds.giveUp();
  const auto sessions = m_sessions;
  for (auto *session : sessions)
    session->roundGivenUp(why);
}

// A latch that is known to be open stays open, even if the server came back with older data.
void LatchBackend::returned() {
  for (const auto &rounds : m_rounds)
    for (const auto &round : rounds.open())
      send(latch.countDown(round->name(), round->parties(), server()), [](const Result<std::int64_t> &) {});
}

const ServerFeatures &LatchBackend::server() { return m_driver.server(); }

void LatchBackend::send(Command command, CountHandler done) {
  ++m_unanswered;
  m_driver.send(std::move(command), [this, done = std::move(done)](const Result<Reply> &reply) mutable {
    if (!reply)
      done(std::unexpected(reply.error()));
    else if (const auto number = reply->integer())
      done(*number);
    else if (reply->isFailure())
      done(std::unexpected(errorOf(*reply, m_driver.address())));
    else
      done(fail(ErrorCode::Protocol, LH_MESSAGE("ErrorWords", "the answer is no number"), {}, LH_MESSAGE("ErrorWords", "check that the server is a Redis")));
    --m_unanswered;
    settle();
  });
}

std::unique_ptr<NodeSession> LatchBackend::waiter(const LockName &name) {
  // As CountDownLatch::wait() does, but the run handles an outage itself.
  LockOptions options{.policy = AcquirePolicy::named(m_options.policy), .renew = false, .patience = milliseconds(0)};
  return std::make_unique<NodeSession>(m_driver, latch, name, std::move(options));
}

void LatchBackend::whenSettled(Loop::Task task) {
  m_whenSettled = std::move(task);
  settle();
}

void LatchBackend::settle() {
  if (m_unanswered == 0 && m_whenSettled)
    m_driver.whenSettled(std::exchange(m_whenSettled, {}));
}

std::unique_ptr<OwnerSession> LatchBackend::session(std::span<const std::size_t> resources, LockMode) {
  return std::make_unique<LatchSession>(*this, m_rounds[resources.front()], m_names[resources.front()]);
}

std::vector<std::string> LatchBackend::lasting() const {
  std::vector<std::string> keys;
  for (const auto &rounds : m_rounds)
    std::ranges::move(rounds.leftovers(), std::back_inserter(keys));
  return keys;
}

} // namespace lockhouse
