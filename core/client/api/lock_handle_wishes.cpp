// SPDX-License-Identifier: Apache-2.0
// What a holder may wish for: to hold the lock once more, to go from writer to reader, from reader to writer.
#include "core/client/api/lock_hold.h"

#include <functional>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

AcquireOutcome usage(Message what, Message next) { return Failed{Error{ErrorCode::Usage, std::move(what), {}, std::move(next)}}; }

/// A wish on its way: what to tell, and the caller's wish to cancel.
struct Journey {
  explicit Journey(std::move_only_function<void(const AcquireOutcome &)> handler) : done(std::move(handler)) {}

  void conclude(const AcquireOutcome &outcome) {
    onCancel.reset();
    std::exchange(done, {})(outcome);
  }

  std::move_only_function<void(const AcquireOutcome &)> done;
  std::optional<std::stop_callback<std::function<void()>>> onCancel;
};

// An acquire that asks once has no limit of zero: that would be over before the answer.
void enterAgain(LockHold &hold, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) {
  const auto limit = waitLimit && *waitLimit > milliseconds::zero() ? waitLimit : std::nullopt;
  hold.acquire(AcquirePolicy::tryOnce(), limit, std::move(done));
}

void goOnAsWriter(LockHold &hold, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done) { hold.becomeWriter(waitLimit, std::move(done)); }

} // namespace

/// What is asked for, for how long, until when.
struct LockHandle::Wish {
  void (*ask)(LockHold &hold, std::optional<milliseconds> waitLimit, OwnerSession::AcquireHandler done);
  bool usualWait = true; ///< as the lock's options say, in place of:
  std::optional<milliseconds> waitLimit = {};
  std::stop_token cancel = {};
};

void LockHandle::grant(Wish wish, std::move_only_function<void(const AcquireOutcome &)> done) {
  if (!m_hold || m_hold->isForeign())
    return done(usage(LH_ENGLISH("this handle holds nothing"), LH_ENGLISH("acquire the lock anew")));
  auto journey = std::make_shared<Journey>(std::move(done));
  const bool posted = m_hold->room().post([journey, wish = std::move(wish), hold = m_hold] {
    wish.ask(*hold, wish.usualWait ? hold->usualWait() : wish.waitLimit, [journey](const AcquireOutcome &outcome) { journey->conclude(outcome); });
    if (!wish.cancel.stop_possible() || !journey->done)
      return;
    // Last, and by the loop's inbox: a wish that was concluded meanwhile cancels nothing that came after it.
    journey->onCancel.emplace(wish.cancel, [room = &hold->room(), weak = std::weak_ptr(journey), weakHold = std::weak_ptr(hold)] {
      room->post([weak, weakHold] {
        const auto waiting = weak.lock();
        if (const auto waits = weakHold.lock(); waits && waiting && waiting->done)
          waits->cancel();
      });
    });
  });
  if (!posted)
    std::exchange(journey->done, {})(Cancelled{});
}

AcquireOutcome LockHandle::grant(Wish wish) {
  if (m_hold && m_hold->room().isLoopThread())
    return usage(LH_ENGLISH("a blocking call on the client's own thread would never end"), LH_ENGLISH("use the callback or co_await"));
  std::promise<AcquireOutcome> answer;
  grant(std::move(wish), [&answer](const AcquireOutcome &outcome) { answer.set_value(outcome); });
  return answer.get_future().get();
}

AcquireOutcome LockHandle::acquireAgain(std::stop_token cancel) { return grant({.ask = enterAgain, .cancel = std::move(cancel)}); }

AcquireOutcome LockHandle::acquireAgainFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) {
  return grant({.ask = enterAgain, .usualWait = false, .waitLimit = waitLimit, .cancel = std::move(cancel)});
}

void LockHandle::acquireAgain(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel) {
  grant({.ask = enterAgain, .cancel = std::move(cancel)}, std::move(done));
}

void LockHandle::becomeReader() {
  if (m_hold && !m_hold->isForeign())
    m_hold->room().post([hold = m_hold] { hold->becomeReader(); });
}

AcquireOutcome LockHandle::becomeWriter(std::stop_token cancel) { return grant({.ask = goOnAsWriter, .cancel = std::move(cancel)}); }

AcquireOutcome LockHandle::becomeWriterFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) {
  return grant({.ask = goOnAsWriter, .usualWait = false, .waitLimit = waitLimit, .cancel = std::move(cancel)});
}

void LockHandle::becomeWriter(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel) {
  grant({.ask = goOnAsWriter, .cancel = std::move(cancel)}, std::move(done));
}

} // namespace lockhouse
