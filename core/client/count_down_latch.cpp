// SPDX-License-Identifier: Apache-2.0
#include "core/client/count_down_latch.h"

#include "core/base/safe_text.h"
#include "core/client/client_core.h"
#include "core/client/lock.h"
#include "core/client/lock_driver_core.h"
#include "core/lock/latch_gate.h"

#include <algorithm>
#include <charconv>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

constexpr LatchGate gate;

/// A count as a script tells it (an integer), or as GET does (digits, or nothing for none).
std::optional<std::int64_t> countIn(const Reply &reply) {
  if (reply.isNil())
    return 0;
  if (reply.integer())
    return reply.integer();
  const auto digits = reply.text().value_or("");
  std::int64_t count = 0;
  const auto *end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, count);
  return error == std::errc{} && stop == end ? std::optional(count) : std::nullopt;
}

} // namespace

Result<std::int64_t> CountDownLatch::ask(const MakeCommand &command) const {
  const auto where = safeText(m_name.bytes(), 80);
  if (m_client->isLoopThread())
    return fail(ErrorCode::Usage, "a blocking call on the client's own thread would never end", where, "call from another thread");
  std::promise<Result<Reply>> answer;
  const bool posted = m_client->post([client = m_client.get(), &command, &answer] {
    auto &driver = client->driver().core();
    driver.send(command(driver.server()), [&answer](Result<Reply> reply) { answer.set_value(std::move(reply)); });
  });
  if (!posted)
    return fail(ErrorCode::Cancelled, "the client is closed", where);
  const auto reply = answer.get_future().get();
  if (!reply)
    return std::unexpected(reply.error());
  if (reply->isFailure())
    return std::unexpected(errorOf(*reply, where));
  if (const auto count = countIn(*reply))
    return std::max<std::int64_t>(*count, 0);
  return fail(ErrorCode::Server, "the key holds no count", where, "it is no latch: choose another name");
}

Result<std::int64_t> CountDownLatch::count() const {
  return ask([this](const ServerFeatures &) { return Command{"GET", m_name.bytes()}; });
}

Result<bool> CountDownLatch::trySetCount(std::int64_t count) const {
  if (count < 1)
    return fail(ErrorCode::Usage, "a latch counts from at least 1", safeText(m_name.bytes(), 80));
  const auto made = ask([&](const ServerFeatures &server) { return gate.setCount(m_name, count, server); });
  return made ? Result<bool>(*made == 1) : std::unexpected(made.error());
}

Result<std::int64_t> CountDownLatch::countDown(std::int64_t by) const {
  if (by < 1)
    return fail(ErrorCode::Usage, "a latch counts down by at least 1", safeText(m_name.bytes(), 80));
  return ask([&](const ServerFeatures &server) { return gate.countDown(m_name, by, server); });
}

Result<bool> CountDownLatch::wait(std::optional<milliseconds> limit, std::stop_token cancel, std::optional<AcquirePolicy> policy) const {
  auto session = [client = m_client.get()](const LockName &name, const LockOptions &options) {
    return std::make_unique<LockSession>(client->driver(), gate, name, options);
  };
  const Lock lock({m_client, std::move(session), &gate.info(), &gate}, m_name, {.policy = policy, .renew = false});
  if (policy && !policy->waits())
    limit = milliseconds(0);
  const auto began = SteadyClock::now();
  while (true) {
    const auto spent = std::chrono::floor<milliseconds>(SteadyClock::now() - began);
    const auto opened = lock.acquireFor(limit ? std::optional(std::min<milliseconds>(*limit, longestTime) - spent) : std::nullopt, cancel);
    if (opened)
      return true;
    const auto &why = opened.error();
    if (why.is<TimedOut>() || (why.is<Cancelled>() && cancel.stop_requested()))
      return false;
    if (const auto *failed = std::get_if<Failed>(&why.outcome))
      return std::unexpected(failed->error);
    if (!why.is<InDoubt>()) // asking changes nothing: then it is asked again
      return fail(ErrorCode::Cancelled, "the client is closed", safeText(m_name.bytes(), 80));
  }
}

} // namespace lockhouse
