// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/count_down_latch.h"

#include "core/base/safe_text.h"
#include "core/client/api/lock.h"
#include "core/client/api/node_runtime.h"
#include "core/client/node/node_session.h"
#include "core/lock/primitives/redisson/count_down_latch_wait.h"

#include <algorithm>
#include <charconv>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

constexpr CountDownLatchWait waitQueue;

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

Error onOurThread(const LockName &name) {
  return {ErrorCode::Usage, LH_ENGLISH("a blocking call on the client's own thread would never end"), safeText(name.bytes(), 80),
          LH_ENGLISH("call it with a handler, or from another thread")};
}

/// What a call with a handler tells, waited for.
template <class T> Result<T> blocking(const NodeRuntime &client, const LockName &name,
                                      const std::function<void(std::move_only_function<void(Result<T>)>)> &call) {
  if (client.isLoopThread())
    return std::unexpected(onOurThread(name));
  std::promise<Result<T>> answer;
  call([&answer](Result<T> result) { answer.set_value(std::move(result)); });
  return answer.get_future().get();
}

Error isClosed(const LockName &name) { return {ErrorCode::Cancelled, LH_ENGLISH("the client is closed"), safeText(name.bytes(), 80), {}}; }

Result<std::int64_t> countOf(const Result<Reply> &reply, const LockName &name) {
  const auto where = safeText(name.bytes(), 80);
  if (!reply)
    return std::unexpected(reply.error());
  if (reply->isFailure())
    return std::unexpected(errorOf(*reply, where));
  if (const auto count = countIn(*reply))
    return std::max<std::int64_t>(*count, 0);
  return fail(ErrorCode::Server, LH_ENGLISH("the key holds no count"), where, LH_ENGLISH("it is no latch: choose another name"));
}

} // namespace

/// One wait, from ask to ask. Lives as long as an acquire of the gate is under way.
struct CountDownLatch::Wait : std::enable_shared_from_this<CountDownLatch::Wait> {
  Wait(Lock waitQueueLock, std::optional<milliseconds> limit, std::stop_token stop, WaitHandler handler)
      : lock(std::move(waitQueueLock)), cancel(std::move(stop)), done(std::move(handler)) {
    if (limit)
      deadline = SteadyClock::now() + std::clamp<milliseconds>(*limit, milliseconds::zero(), longestTime);
  }

  void ask() {
    auto options = lock.options();
    if (deadline)
      options.waitLimit = std::max(std::chrono::ceil<milliseconds>(*deadline - SteadyClock::now()), milliseconds::zero());
    lock.with(std::move(options)).acquire([self = shared_from_this()](LockResult opened) { self->answered(std::move(opened)); }, cancel);
  }

  void answered(LockResult opened) {
    if (opened)
      return done(true);
    const auto &why = opened.error();
    if (why.is<TimedOut>() || why.is<Contended>() || (why.is<Cancelled>() && cancel.stop_requested()))
      return done(false);
    if (const auto *failed = std::get_if<Failed>(&why.outcome))
      return done(std::unexpected(failed->error));
    if (why.is<InDoubt>()) // asking changes nothing: then it is asked again
      return ask();
    done(std::unexpected(isClosed(lock.name())));
  }

  Lock lock;
  std::stop_token cancel;
  WaitHandler done;
  std::optional<SteadyTime> deadline;
};

void CountDownLatch::ask(MakeCommand command, CountHandler done) const {
  auto shared = std::make_shared<CountHandler>(std::move(done));
  const bool posted = m_client->post([client = m_client.get(), name = m_name, command = std::move(command), shared] {
    auto &driver = client->driver();
    driver.send(command(driver.server()), [name, shared](const Result<Reply> &reply) { (*shared)(countOf(reply, name)); });
  });
  if (!posted)
    (*shared)(std::unexpected(isClosed(m_name)));
}

Result<std::int64_t> CountDownLatch::ask(MakeCommand command) const {
  return blocking<std::int64_t>(*m_client, m_name, [&](CountHandler done) { ask(std::move(command), std::move(done)); });
}

Result<std::int64_t> CountDownLatch::count() const {
  return ask([name = m_name](const ServerFeatures &) { return Command{"GET", name.bytes()}; });
}

Result<bool> CountDownLatch::trySetCount(std::int64_t count) const {
  if (count < 1)
    return fail(ErrorCode::Usage, LH_ENGLISH("a latch counts from at least 1"), safeText(m_name.bytes(), 80));
  const auto made = ask([name = m_name, count](const ServerFeatures &server) { return waitQueue.setCount(name, count, server); });
  return made ? Result<bool>(*made == 1) : std::unexpected(made.error());
}

Result<std::int64_t> CountDownLatch::countDown(std::int64_t by) const {
  return blocking<std::int64_t>(*m_client, m_name, [&](CountHandler done) { countDown(std::move(done), by); });
}

void CountDownLatch::countDown(CountHandler done, std::int64_t by) const {
  if (by < 1)
    return done(fail(ErrorCode::Usage, LH_ENGLISH("a latch counts down by at least 1"), safeText(m_name.bytes(), 80)));
  ask([name = m_name, by](const ServerFeatures &server) { return waitQueue.countDown(name, by, server); }, std::move(done));
}

Awaitable<Result<std::int64_t>> CountDownLatch::countingDown(std::int64_t by) const {
  return Awaitable<Result<std::int64_t>>([latch = *this, by](CountHandler done) { latch.countDown(std::move(done), by); });
}

Result<bool> CountDownLatch::wait(std::optional<milliseconds> limit, std::stop_token cancel, std::optional<AcquirePolicy> policy) const {
  return blocking<bool>(*m_client, m_name, [&](WaitHandler done) { wait(std::move(done), limit, std::move(cancel), policy); });
}

void CountDownLatch::wait(WaitHandler done, std::optional<milliseconds> limit, std::stop_token cancel, std::optional<AcquirePolicy> policy) const {
  auto session = [client = m_client.get()](const LockName &name, const LockOptions &options) {
    return std::make_unique<NodeSession>(client->driver(), waitQueue, name, options);
  };
  if (policy && !policy->waits())
    limit = milliseconds(0);
  Lock lock({m_client, std::move(session), &waitQueue.info(), &waitQueue}, m_name, {.policy = policy, .renew = false});
  std::make_shared<Wait>(std::move(lock), limit, std::move(cancel), std::move(done))->ask();
}

Awaitable<Result<bool>> CountDownLatch::waiting(std::optional<milliseconds> limit, std::stop_token cancel, std::optional<AcquirePolicy> policy) const {
  return Awaitable<Result<bool>>(
      [latch = *this, limit, cancel = std::move(cancel), policy](WaitHandler done) mutable { latch.wait(std::move(done), limit, std::move(cancel), policy); });
}

} // namespace lockhouse
