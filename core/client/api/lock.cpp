// SPDX-License-Identifier: Apache-2.0
#include "core/client/api/lock.h"

#include "core/base/safe_text.h"
#include "core/client/api/lock_hold.h"

#include <future>
#include <utility>

namespace lockhouse {
namespace {

/// One acquire on its way: its hold, what to tell, and the caller's wish to cancel it.
struct Pending {
  explicit Pending(std::shared_ptr<LockHold> toBe, LockName name, Lock::Handler handler)
      : hold(std::move(toBe)), lock(std::move(name)), done(std::move(handler)) {}

  void conclude(const AcquireOutcome &outcome) {
    onCancel.reset();
    auto told = std::exchange(done, {});
    if (std::holds_alternative<Acquired>(outcome)) {
      told(LockHandle(hold));
      return;
    }
    auto detail = hold->detail();
    hold->end();
    told(std::unexpected(NotAcquired{outcome, lock, std::move(detail)}));
  }

  std::shared_ptr<LockHold> hold;
  LockName lock;
  Lock::Handler done;
  std::optional<std::stop_callback<std::function<void()>>> onCancel;
};

} // namespace

Result<void> Lock::check(const AcquirePolicy &policy) const {
  if (m_kind->refusal)
    return std::unexpected(*m_kind->refusal);
  if (auto checked = checkLock(m_name.bytes(), m_options); !checked)
    return checked;
  if (!takesPolicy(*m_kind->info, policy))
    return fail(ErrorCode::Usage, LH_ENGLISH("%1 does not take the policy %2")(m_kind->info->name, policy.name()), safeText(m_name.bytes(), 80));
  return {};
}

void Lock::start(AcquirePolicy policy, std::optional<milliseconds> waitLimit, std::stop_token cancel, Handler done) const {
  if (auto checked = check(policy); !checked)
    return done(std::unexpected(NotAcquired{Failed{std::move(checked.error())}, m_name}));
  auto pending = std::make_shared<Pending>(std::make_shared<LockHold>(m_kind->runtime), m_name, std::move(done));
  const auto usualWait = this->policy().waits() ? m_options.waitLimit : std::optional(milliseconds::zero());
  const bool posted = m_kind->runtime->post([pending, policy, waitLimit, usualWait, cancel = std::move(cancel), kind = m_kind, options = m_options] {
    auto &hold = *pending->hold;
    hold.begin(kind->session(pending->lock, options), usualWait);
    hold.acquire(policy, waitLimit, [pending](const AcquireOutcome &outcome) { pending->conclude(outcome); });
    // Last: a cancel that was requested before comes by the loop's inbox like a later one.
    if (cancel.stop_possible() && pending->done)
      pending->onCancel.emplace(cancel, [runtime = &hold.runtime(), weak = std::weak_ptr(pending->hold)] {
        runtime->post([weak] {
          if (const auto waiting = weak.lock())
            waiting->cancel();
        });
      });
  });
  if (!posted)
    std::exchange(pending->done, {})(std::unexpected(NotAcquired{Cancelled{}, m_name}));
}

void Lock::acquire(Handler done, std::stop_token cancel) const { start(policy(), m_options.waitLimit, std::move(cancel), std::move(done)); }

LockResult Lock::wait(AcquirePolicy policy, std::optional<milliseconds> waitLimit, std::stop_token cancel) const {
  if (m_kind->runtime->isLoopThread())
    return std::unexpected(NotAcquired{
        Failed{
            Error{ErrorCode::Usage, LH_ENGLISH("a blocking call on the client's own thread would never end"), {}, LH_ENGLISH("use the callback or co_await")}},
        m_name});
  std::promise<LockResult> answer;
  start(policy, waitLimit, std::move(cancel), [&answer](LockResult result) { answer.set_value(std::move(result)); });
  return answer.get_future().get();
}

SteadyClock::duration Lock::outage() const { return runtime().outage(m_kind->nodes); }

LockResult Lock::tryAcquire() const { return wait(AcquirePolicy::tryOnce(), std::nullopt, {}); }

LockResult Lock::acquire(std::stop_token cancel) const { return wait(policy(), m_options.waitLimit, std::move(cancel)); }

LockResult Lock::acquireFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) const {
  return wait(policy().waits() ? policy() : defaultPolicyOf(*m_kind->info), waitLimit, std::move(cancel));
}

} // namespace lockhouse
