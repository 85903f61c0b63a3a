// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/command.h"
#include "core/base/error.h"
#include "core/base/reply.h"

#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace lockhouse {

/// What a resource says to a write that carries a fence. Stale: somebody with a newer one has written already, so this writer has lost
/// its lock and must stop. Full: the check cannot take on another resource; refuse the write, or make room.
enum class FenceVerdict : std::uint8_t { Admitted, Stale, Full };

/// The resource's side of a fence, inside the process that owns the resource: remembers the highest fence of each resource and refuses
/// older ones. The same fence passes again, for one holder writes often. Thread-safe. Memory is bounded by `mostResources`.
///
/// A lock alone cannot do this: its holder may be stopped between looking at the lock and writing, for longer than its lease lasts.
/// Promise: after check(r, f) was Admitted, check(r, g) with g < f is never Admitted again, unless r was forgotten in between.
/// Not promised: anything about work that was admitted and is still running when a newer fence comes, so check right at the write, in
/// its own transaction or critical section; anything beyond this process and its life. Fences of different locks are not comparable:
/// name the resource after the lock.
/// Source: M. Kleppmann, "How to do distributed locking" (2016), fencing tokens.
class FenceCheck {
public:
  struct Options {
    std::size_t mostResources = 100'000;
    std::size_t longestName = 1024; ///< bytes; a longer one is Full
    /// To make room, a resource that nobody wrote to for so long may be forgotten: longer than any writer can be late. Zero: none ever is.
    milliseconds forgetAfter{0};
  };

  FenceCheck() : FenceCheck(Options{}) {}
  explicit FenceCheck(Options options) : m_options(options) {}

  FenceVerdict check(std::string_view resource, Fence fence, SteadyTime now = SteadyClock::now());
  std::optional<Fence> highest(std::string_view resource) const; ///< nothing if it is not known
  void forget(std::string_view resource);                        ///< the resource is gone for good
  std::size_t size() const;

private:
  struct Mark {
    std::string resource;
    Fence highest;
    SteadyTime lastSeen{};
  };
  bool makeRoom(SteadyTime now);

  const Options m_options;
  mutable std::mutex m_mutex; // guards the two below
  std::list<Mark> m_marks;    // the longest unseen first
  std::unordered_map<std::string_view, std::list<Mark>::iterator> m_byResource;
};

/// The same where the resource is a value in Redis: fence_guard.lua, one command. The mark and the value have to be in one slot.
struct FencedKeys {
  std::string mark;
  std::string value; ///< empty: the mark alone is checked and raised

  /// `value` with a mark beside it: `lockhouse:fence:<value>` if the value's key has a hash tag, else `lockhouse:fence:{<value>}`.
  static FencedKeys of(std::string_view value);
};
/// Sets the value (as SET does: an expiry of the value goes) if the fence is not older than the mark. The mark is kept for `markLife`
/// after each admitted write, nothing = for ever; once it is gone any fence passes, so let it outlive every writer that may be late.
Command fencedSet(const FencedKeys &keys, Fence fence, std::string_view value, std::optional<milliseconds> markLife = {});

struct FencedAnswer {
  FenceVerdict verdict = FenceVerdict::Stale; ///< Admitted or Stale
  Fence highest;                              ///< the mark after it
};
/// Error as of errorOf() when the server refused (nothing was written), Protocol when it is no answer to fencedSet().
Result<FencedAnswer> readFencedSet(const Reply &reply);

} // namespace lockhouse
