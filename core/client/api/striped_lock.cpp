// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/striped_lock.h"

#include "core/base/safe_text.h"
#include "core/client/api/lock_hold.h"
#include "core/client/support/thread_number.h"
#include "core/lock/formats/stripe.h"
#include "core/lock/pages/composition.h"

#include <algorithm>

namespace lockhouse {
/// Which thread took which stripe last, to tell who would wait for himself.
struct StripedLock::Keepers {
  struct Keeper {
    std::uint64_t thread;
    std::weak_ptr<LockHold> hold;
  };
  std::mutex mutex; // guards byStripe
  std::unordered_map<std::uint64_t, Keeper> byStripe;

  bool isOwn(std::uint64_t stripe) {
    const std::scoped_lock guard(mutex);
    const auto found = byStripe.find(stripe);
    if (found == byStripe.end() || found->second.thread != threadNumber())
      return false;
    const auto hold = found->second.hold.lock();
    return hold && hold->isHeld();
  }
  void keep(std::uint64_t stripe, const LockHandle &handle) {
    const std::scoped_lock guard(mutex);
    byStripe.insert_or_assign(stripe, Keeper{threadNumber(), handle.hold()});
  }
};

StripedLock::StripedLock(Lock pattern, std::uint64_t stripes) : m_pattern(std::move(pattern)), m_stripes(stripes), m_keepers(std::make_shared<Keepers>()) {}

const PrimitiveInfo &StripedLock::info() { return stripedLockInfo(); }

std::uint64_t StripedLock::stripeOf(std::string_view key) const { return m_stripes == 0 ? 0 : lockhouse::stripeOf(key, m_stripes); }

Lock StripedLock::lockFor(std::string_view key) const { return m_pattern.named(stripeName(m_pattern.name(), stripeOf(key))); }

LockResult StripedLock::tryAcquire(std::string_view key) const { return take(stripeOf(key), {.once = true}); }

LockResult StripedLock::acquire(std::string_view key, std::stop_token cancel) const { return take(stripeOf(key), asOptionsSay(std::move(cancel))); }

LockResult StripedLock::acquireFor(std::string_view key, std::optional<milliseconds> waitLimit, std::stop_token cancel) const {
  return take(stripeOf(key), {.once = false, .waitLimit = waitLimit, .cancel = std::move(cancel)});
}

StripedLock::Ask StripedLock::asOptionsSay(std::stop_token cancel) const {
  const auto &options = m_pattern.options();
  return {.once = options.policy && !options.policy->waits(), .waitLimit = options.waitLimit, .cancel = std::move(cancel)};
}

LockResult StripedLock::take(std::uint64_t stripe, const Ask &ask) const {
  const auto lock = m_pattern.named(stripeName(m_pattern.name(), stripe));
  const auto refuse = [&](Message what, Message next) -> LockResult {
    return std::unexpected(NotAcquired{Failed{Error{ErrorCode::Usage, std::move(what), safeText(lock.name().bytes(), 80), std::move(next)}}, lock.name()});
  };
  if (m_stripes == 0)
    return refuse(LH_ENGLISH("a striped lock needs at least one stripe"), LH_ENGLISH("say how many"));
  if (!ask.once && !ask.waitLimit && m_keepers->isOwn(stripe))
    return refuse(LH_ENGLISH("this thread holds that stripe already, for this or another key, and would wait for itself"),
                  LH_ENGLISH("take the keys together by acquireAll()"));
  auto held = ask.once ? lock.tryAcquire() : lock.acquireFor(ask.waitLimit, ask.cancel);
  if (held)
    m_keepers->keep(stripe, *held);
  return held;
}

StripedLock::AllResult StripedLock::acquireAll(const std::vector<std::string_view> &keys, std::stop_token cancel) const {
  std::vector<std::uint64_t> wanted;
  for (const auto key : keys)
    wanted.push_back(stripeOf(key));
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  auto ask = asOptionsSay(std::move(cancel));
  const auto deadline = SteadyClock::now() + std::clamp<milliseconds>(ask.waitLimit.value_or(longestTime), milliseconds::zero(), longestTime);
  std::vector<LockHandle> held;
  for (const auto stripe : wanted) {
    if (ask.waitLimit)
      ask.waitLimit = std::chrono::ceil<milliseconds>(std::max(deadline - SteadyClock::now(), SteadyClock::duration::zero()));
    auto one = take(stripe, ask);
    if (!one)
      return std::unexpected(std::move(one.error()));
    held.push_back(std::move(*one));
  }
  return held;
}

} // namespace lockhouse
