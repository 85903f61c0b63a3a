// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/client/api/lock.h"

#include <string_view>
#include <vector>

namespace lockhouse {

/// Any number of keys on a fixed number of locks: a key always meets the same stripe, in every process and version (stripeHash()), so
/// two holders of one key exclude each other, and the keys in Redis are at most as many as the stripes. A cheap value; any thread.
/// Made of a lock, whose name is the base of the stripes' names (stripeName()) and whose primitive and options all of them have:
///
///   const StripedLock accounts(client.mutex(LockName("accounts"), {.waitLimit = seconds(1)}), 256);
///   auto held = accounts.acquire("account:4711");
///
/// Two keys may share a stripe, so who holds one key and wants another may want what he holds. acquireAll() takes each stripe once, and in
/// one order for all, so that nobody waits in a circle. A wait without limit for a stripe that the same thread holds by a handle of
/// this object would never end: it is Failed with Usage.
///
/// Redis: as the lock that it is made of. Every process must be given the same number of stripes: another number is another set of locks.
/// No stripes: every acquire is Failed with Usage.
class StripedLock {
public:
  StripedLock(Lock pattern, std::uint64_t stripes);

  static const PrimitiveInfo &info();
  std::uint64_t stripes() const { return m_stripes; }
  std::uint64_t stripeOf(std::string_view key) const; ///< 0 without stripes
  /// The lock of that key's stripe, for what is not said here: callbacks, coroutines, TimedLock.
  Lock lockFor(std::string_view key) const;

  /// Each as of Lock, for the stripe of `key`.
  LockResult tryAcquire(std::string_view key) const;
  LockResult acquire(std::string_view key, std::stop_token cancel = {}) const;
  LockResult acquireFor(std::string_view key, std::optional<milliseconds> waitLimit, std::stop_token cancel = {}) const;

  using AllResult = std::expected<std::vector<LockHandle>, NotAcquired>;
  /// All of the keys or none: their stripes, each once, in ascending order; the wait limit is of all together. One round trip a stripe.
  /// Not atomic: while it waits for one stripe it holds those before. What was taken is given back behind when one is refused.
  AllResult acquireAll(const std::vector<std::string_view> &keys, std::stop_token cancel = {}) const;

private:
  struct Keepers;
  struct Ask {
    bool once = false;
    std::optional<milliseconds> waitLimit = {};
    std::stop_token cancel = {};
  };
  Ask asOptionsSay(std::stop_token cancel) const;
  LockResult take(std::uint64_t stripe, const Ask &ask) const;

  Lock m_pattern;
  std::uint64_t m_stripes;
  std::shared_ptr<Keepers> m_keepers;
};

} // namespace lockhouse
