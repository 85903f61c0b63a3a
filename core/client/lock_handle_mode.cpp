// SPDX-License-Identifier: Apache-2.0
// A handle goes from writer to reader and from reader to writer.
#include "core/client/lock_hold.h"

#include <functional>
#include <future>
#include <utility>

namespace lockhouse {
namespace {

AcquireOutcome usage(const char *what, const char *next) { return Failed{Error{ErrorCode::Usage, what, {}, next}}; }

} // namespace

/// A reader's wish to become the writer, on its way: what to tell, and the caller's wish to cancel.
struct LockHandle::Wish {
  explicit Wish(std::move_only_function<void(const AcquireOutcome &)> handler) : done(std::move(handler)) {}

  void conclude(const AcquireOutcome &outcome) {
    onCancel.reset();
    std::exchange(done, {})(outcome);
  }

  std::move_only_function<void(const AcquireOutcome &)> done;
  std::optional<std::stop_callback<std::function<void()>>> onCancel;
};

void LockHandle::becomeReader() {
  if (m_hold && !m_hold->isForeign())
    m_hold->room().post([hold = m_hold] { hold->becomeReader(); });
}

void LockHandle::becomeWriter(bool usualWait, std::optional<milliseconds> waitLimit, std::stop_token cancel,
                              std::move_only_function<void(const AcquireOutcome &)> done) {
  if (!m_hold || m_hold->isForeign())
    return done(usage("this handle holds nothing", "acquire the lock anew"));
  auto wish = std::make_shared<Wish>(std::move(done));
  const bool posted = m_hold->room().post([wish, usualWait, waitLimit, cancel = std::move(cancel), hold = m_hold] {
    hold->becomeWriter(usualWait ? hold->usualWait() : waitLimit, [wish](const AcquireOutcome &outcome) { wish->conclude(outcome); });
    if (!cancel.stop_possible() || !wish->done)
      return;
    // Last, and by the loop's inbox: a wish that was concluded meanwhile cancels nothing that came after it.
    wish->onCancel.emplace(cancel, [room = &hold->room(), weak = std::weak_ptr(wish), weakHold = std::weak_ptr(hold)] {
      room->post([weak, weakHold] {
        const auto waiting = weak.lock();
        if (const auto waits = weakHold.lock(); waits && waiting && waiting->done)
          waits->cancel();
      });
    });
  });
  if (!posted)
    std::exchange(wish->done, {})(Cancelled{});
}

AcquireOutcome LockHandle::becomeWriter(std::stop_token cancel) {
  if (m_hold && m_hold->room().isLoopThread())
    return usage("a blocking call on the client's own thread would never end", "use the callback or co_await");
  std::promise<AcquireOutcome> answer;
  becomeWriter([&answer](const AcquireOutcome &outcome) { answer.set_value(outcome); }, std::move(cancel));
  return answer.get_future().get();
}

AcquireOutcome LockHandle::becomeWriterFor(std::optional<milliseconds> waitLimit, std::stop_token cancel) {
  if (m_hold && m_hold->room().isLoopThread())
    return usage("a blocking call on the client's own thread would never end", "use the callback or co_await");
  std::promise<AcquireOutcome> answer;
  becomeWriter(false, waitLimit, std::move(cancel), [&answer](const AcquireOutcome &outcome) { answer.set_value(outcome); });
  return answer.get_future().get();
}

void LockHandle::becomeWriter(std::move_only_function<void(const AcquireOutcome &)> done, std::stop_token cancel) {
  becomeWriter(true, {}, std::move(cancel), std::move(done));
}

} // namespace lockhouse
