// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/client.h"
#include "core/client/support/awaitable.h"

#include <optional>
#include <stop_token>

namespace lockhouse {

/// Redisson's RCountDownLatch: a counter in Redis; who waits goes on when it is zero. A cheap value; any thread. The key is deleted when it
/// reaches zero, and a latch without a key is open; it can be closed again by a new count.
///
///   auto latch = client.countDownLatch(LockName("import:parts"));
///   latch.trySetCount(3);        // one of them
///   latch.countDown();           // who has done a part
///   latch.wait(minutes(10));     // who needs all parts
///
/// Redis: each call 1 round trip (GET, or one EVALSHA); waiting as CountDownLatchWait says. The channel's messages are Redisson's.
/// Calls without a `done` block, all but wait() no longer than the node is given to answer (three seconds); on the client's loop thread they
/// fail with Usage. Those with one do not wait: `done` is called once, on the
/// client's loop thread, where it must not block, or here if there is nothing to ask. After the client is closed they fail with Cancelled.
/// Not promised: a countDown() whose answer was lost (error InDoubt or Timeout) is not sent again, it may have been counted. That the
/// counter ever goes if nobody counts it down: as with Redisson it has no expiry.
/// Source: Redisson, RedissonCountDownLatch (data format and messages).
class CountDownLatch {
public:
  using CountHandler = std::move_only_function<void(Result<std::int64_t>)>;
  using WaitHandler = std::move_only_function<void(Result<bool>)>;

  CountDownLatch(std::shared_ptr<NodeRuntime> client, LockName name) : m_client(std::move(client)), m_name(std::move(name)) {}

  const LockName &name() const { return m_name; }
  /// What is left to count; 0 = open.
  Result<std::int64_t> count() const;
  /// Closes the latch, if it is open; false if it has a count already. Usage for a count below one.
  Result<bool> trySetCount(std::int64_t count) const;
  /// By as much, but not below zero; what is left. Usage for less than one. An open latch stays open.
  Result<std::int64_t> countDown(std::int64_t by = 1) const;
  void countDown(CountHandler done, std::int64_t by = 1) const;
  /// `Result<std::int64_t> left = co_await latch.countingDown();`
  Awaitable<Result<std::int64_t>> countingDown(std::int64_t by = 1) const;
  /// Until the latch is open: true. False when the limit has passed (zero or less: looks once; nothing: no limit), `cancel` ended it, or
  /// `policy` (nothing: pubsub) looks only once. Errors as of Lock::acquire(): Unreachable after ten seconds without the node, if there is no
  /// limit; Usage for a policy that is not among those of the page.
  Result<bool> wait(std::optional<milliseconds> limit = {}, std::stop_token cancel = {}, std::optional<AcquirePolicy> policy = {}) const;
  void wait(WaitHandler done, std::optional<milliseconds> limit = {}, std::stop_token cancel = {}, std::optional<AcquirePolicy> policy = {}) const;
  /// `Result<bool> open = co_await latch.waiting();`
  Awaitable<Result<bool>> waiting(std::optional<milliseconds> limit = {}, std::stop_token cancel = {}, std::optional<AcquirePolicy> policy = {}) const;

private:
  using MakeCommand = std::function<Command(const ServerFeatures &server)>;
  struct Wait;
  Result<std::int64_t> ask(MakeCommand command) const;
  void ask(MakeCommand command, CountHandler done) const;

  std::shared_ptr<NodeRuntime> m_client;
  LockName m_name;
};

} // namespace lockhouse
