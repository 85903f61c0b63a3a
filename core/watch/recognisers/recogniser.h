// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/lock_record.h"

#include <span>
#include <utility>

namespace lockhouse {

enum class ValueType : std::uint8_t { Unknown, None, String, Hash, Other };

/// Everything that was read of one key and of the keys that belong to it, in one turn.
struct KeyFacts {
  std::string_view key;
  ValueType type = ValueType::None;                        ///< None: the key is absent, only its queue was found
  std::string value;                                       ///< of a string, cut at longestToken + 1 bytes
  std::vector<std::pair<std::string, std::string>> fields; ///< of a hash, complete
  std::optional<milliseconds> ttl;                         ///< nothing: it never expires
  std::vector<std::string> queue;                          ///< of a fair lock, in order, cut at 1000
  std::uint64_t queueLength = 0;
  std::vector<std::pair<std::string, double>> places; ///< waiter → epoch milliseconds at which its place lapses
  std::optional<Fence> fence;
  struct Listeners {
    std::uint64_t lock = 0, readWrite = 0; ///< clients, not threads
  };
  std::optional<Listeners> listeners; ///< of the channels by which a hash's waiters are woken; nothing: not known
  std::vector<std::string> oddities;  ///< what was wrong with the keys beside it, in words
  SteadyTime seenAt{};
  milliseconds serverTime{}; ///< the server's wall clock at seenAt, since 1970
};

/// One family of locks. Pure functions of facts; a family is one file in this folder and one line in recognisers().
struct Recogniser {
  std::string_view family;
  ValueType type = ValueType::Unknown; ///< of the key of a lock that is held
  /// Fills family, kind, holders, queue, waiters, fence, confidence and evidence of `draft` and answers true if the facts may be a lock
  /// of this family (any confidence above lowestConfidence).
  bool (*recognise)(const KeyFacts &facts, LockRecord &draft);
};

constexpr double lowestConfidence = 0.25; ///< below it nothing is kept

/// All families, in the order in which they are asked.
std::span<const Recogniser> recognisers();

/// What a lock's key holds, so that it is read again without asking TYPE; Unknown while nobody holds it and only its queue is there.
ValueType typeOf(const LockRecord &record);

/// The first family that knows it; nothing if this is no lock. `id` and the times are left to the caller.
std::optional<LockRecord> recognise(const KeyFacts &facts);

/// Whether a string of this name and value could be a lock at all: the first look of a sweep, before its time to live is known.
bool mayBeToken(std::string_view key, std::string_view value);

bool recogniseToken(const KeyFacts &facts, LockRecord &draft);
bool recogniseRedissonLock(const KeyFacts &facts, LockRecord &draft);
bool recogniseRedissonFair(const KeyFacts &facts, LockRecord &draft);
bool recogniseRedissonReadWrite(const KeyFacts &facts, LockRecord &draft);

/// So many clients listen for the end of the hold, one subscription each however many of their threads wait. None listening proves
/// nothing: who asks again and again waits too.
void noteListeners(std::uint64_t clients, LockRecord &draft);

/// The re-entrancy count of a Redisson hash value; nothing unless it is a positive number.
std::optional<std::int64_t> holdCount(std::string_view value);

} // namespace lockhouse
