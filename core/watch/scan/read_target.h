// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/command.h"
#include "core/base/reply.h"
#include "core/watch/detect/family_registry.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lockhouse {

constexpr std::uint64_t everyOther = ~std::uint64_t{0}; ///< of Companion::others: a caller asks for this one key

/// What is read together with a lock's own key.
struct Companion {
  bool queue = false; ///< the queue and the deadlines of a Redisson fair lock
  bool fence = false;
  bool listeners = false;   ///< the number of subscribers of its channels
  bool sharded = false;     ///< the number of subscribers of its sharded channels
  bool numbers = false;     ///< a client subscribes to it as a Redisson semaphore or latch
  bool light = false;       ///< at the last read none of these keys was large: their size needs no check
  bool isLong = false;      ///< the last read took many pages: a change does not cause a read at once
  std::uint64_t others = 0; ///< bit i: the key that companionKeys()[i] of the families names
  void add(Companion other) {
    light = light && (other.light || covers(other));
    queue |= other.queue;
    fence |= other.fence;
    listeners |= other.listeners;
    sharded |= other.sharded;
    numbers |= other.numbers;
    others |= other.others;
  }
  /// Whether a read of this includes a read of `other`.
  bool covers(Companion other) const {
    return (queue || !other.queue) && (fence || !other.fence) && (numbers || !other.numbers) && (other.others & ~others) == 0;
  }
  bool isExpected() const { return queue || fence || numbers || others != 0; } ///< the key's own value may not be enough to detect the lock
  bool makesLockAlone() const { return queue || others != 0; }                 ///< there may be a lock although its own key is absent
};

/// The key that one KeyReader reads, and what it reads with it.
struct ReadTarget {
  std::string key;
  Companion companion;
  const FamilyRegistry *families = nullptr;
  std::string channel = {}; ///< of the lock's waiters, if its family is known and names one

  bool isRequested() const { return companion.others == everyOther; } ///< by a caller; a scan or a change did not cause this read
};

/// A command of a read. The answer is handed back with the same part.
struct ReadCommand {
  unsigned part = 0;
  Command command;
};
using ReadCommands = std::vector<ReadCommand>;

} // namespace lockhouse
