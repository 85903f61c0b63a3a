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

/// The line before one name of one client's fallback locks: one inside at a time, the others first come first served, whatever kind
/// of hold he who is inside has. So holds of the two kinds never overlap in this process. Also remembers which kind
/// they are of now. Any thread.
class FallbackQueue : public std::enable_shared_from_this<FallbackQueue> {
public:
  /// The right to be inside; given up once, by whoever is first: a release, a loss, the end of a handle.
  class Pass {
  public:
    explicit Pass(std::shared_ptr<FallbackQueue> line) : m_line(std::move(line)) {}
    ~Pass() { giveUp(); }
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;
    void giveUp();
    bool isInside() const;

  private:
    mutable std::mutex m_mutex; // guards m_line
    std::shared_ptr<FallbackQueue> m_line;
  };

  /// Somebody who stands in line.
  struct Waiter {
    /// Called once, on the thread that leaves, not under the line's mutex: he is inside now, and makes himself a Pass. False if he is not there
    /// any more: then the next one is told.
    std::move_only_function<bool(std::shared_ptr<FallbackQueue> line)> told;

    /// The line's own.
    std::list<std::shared_ptr<Waiter>>::iterator place = {};
    bool stands = false;
  };
  /// Inside at once: the pass. Otherwise none, and `waiter` stands in line.
  std::shared_ptr<Pass> stand(const std::shared_ptr<Waiter> &waiter);
  /// He stands there no more, and is not told. False if he does not, or is being told already.
  bool giveUp(const std::shared_ptr<Waiter> &waiter);

  enum class Refusal : std::uint8_t { TimedOut, Cancelled };
  /// Waits until inside, at most until `deadline`.
  std::expected<std::shared_ptr<Pass>, Refusal> enter(std::optional<SteadyTime> deadline, const std::stop_token &cancel);

  using Alarm = std::function<void(const FallbackAlarm &)>;
  /// To be told of each change, as long as it lives.
  void add(const std::shared_ptr<const Alarm> &alarm);
  /// From now on holds are of this process only, or kept in Redis again. True if that is news. For the one inside.
  bool fallBack(bool on);
  std::vector<std::shared_ptr<const Alarm>> alarms();
  bool isFallenBack() const;

private:
  void leave();

  mutable std::mutex m_mutex; // guards all below
  std::list<std::shared_ptr<Waiter>> m_waiters;
  bool m_occupied = false;
  bool m_fallenBack = false;
  std::vector<std::weak_ptr<const Alarm>> m_alarms;
};

} // namespace lockhouse
