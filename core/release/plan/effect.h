// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockhouse {

/// One step of what a plan's script does: what it is, and the same for people with its names and numbers.
struct Effect {
  enum class Kind : std::uint8_t {
    Deletes,    ///< a key of the lock
    HandsOn,    ///< the lock, or what is free of it, to one who waits
    TakesOut,   ///< a hold, the lock goes on
    OpensReads, ///< a write hold, the lock goes on as its read lock
    Stays,      ///< what others hold of it
    Clears,     ///< what belongs to the lock's last hold
    Drops,      ///< places of a queue that have lapsed, or whose waiters do not listen
    KeepsOut,   ///< who waits does not fit in yet
    Pushes,     ///< to the list KEYS[2], by which one who waits is woken
    WakesNone,  ///< KEYS[2] is no list: nothing can be pushed there
    Publishes,  ///< to those who listen
    Shortens,   ///< a lease
    Leaves      ///< as it is, or untold
  };
  Kind kind = Kind::Leaves;
  Message text;
  bool isSharded = false; ///< Publishes: by SPUBLISH too, for the clients of a cluster
  bool operator==(const Effect &) const = default;
};

inline bool has(std::span<const Effect> effects, Effect::Kind kind) { return std::ranges::find(effects, kind, &Effect::kind) != effects.end(); }

inline std::vector<Message> textsOf(std::span<const Effect> effects) {
  std::vector<Message> texts;
  for (const auto &effect : effects)
    texts.push_back(effect.text);
  return texts;
}

} // namespace lockhouse
