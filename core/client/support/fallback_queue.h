// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <condition_variable>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace lockhouse {

struct FallbackAlarm;

/// The queue of the fallback locks of one name in one client: one of them is admitted at a time, first come first served, whatever the scope
/// of its hold. So holds of the two scopes never overlap in this process. It also knows which scope they have now. Any thread.
class FallbackQueue : public std::enable_shared_from_this<FallbackQueue> {
public:
  /// Being admitted. It ends once: by a release, a loss, or the end of a handle.
  class Pass {
  public:
    explicit Pass(std::shared_ptr<FallbackQueue> queue) : m_queue(std::move(queue)) {}
    ~Pass() { end(); }
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;
    void end();
    bool isValid() const;

  private:
    mutable std::mutex m_mutex; // guards m_queue
    std::shared_ptr<FallbackQueue> m_queue;
  };

  struct Waiter {
    /// Called once, on the thread that leaves, without the queue's mutex: it is admitted now, and makes a Pass of the queue. False if it does
    /// not want it any more: then the next one is admitted.
    std::move_only_function<bool(std::shared_ptr<FallbackQueue> queue)> onAdmitted;

    /// The queue's own.
    std::list<std::shared_ptr<Waiter>>::iterator place = {};
    bool isQueued = false;
  };
  /// The pass, if it is admitted at once. Otherwise null, and `waiter` is queued.
  std::shared_ptr<Pass> enqueue(const std::shared_ptr<Waiter> &waiter);
  /// It is removed and not admitted. False if it was not queued, or is being admitted already.
  bool withdraw(const std::shared_ptr<Waiter> &waiter);

  enum class Refusal : std::uint8_t { TimedOut, Cancelled };
  /// Waits until it is admitted, at most until `deadline`.
  std::expected<std::shared_ptr<Pass>, Refusal> enter(std::optional<SteadyTime> deadline, const std::stop_token &cancel);

  using Alarm = std::function<void(const FallbackAlarm &)>;
  /// Called for each change of isFallenBack(), as long as it exists.
  void add(const std::shared_ptr<const Alarm> &alarm);
  /// From now on holds bind this process only, or are kept in Redis again. True if that is a change. For the admitted one only.
  bool setFallenBack(bool isFallenBack);
  std::vector<std::shared_ptr<const Alarm>> alarms();
  bool isFallenBack() const;

private:
  void admitNext();

  mutable std::mutex m_mutex; // guards all below
  std::list<std::shared_ptr<Waiter>> m_waiters;
  bool m_isOccupied = false;
  bool m_isFallenBack = false;
  std::vector<std::weak_ptr<const Alarm>> m_alarms;
};

} // namespace lockhouse
