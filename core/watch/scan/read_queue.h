// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/watch/scan/key_reader.h"

#include <array>
#include <deque>
#include <map>
#include <unordered_map>

namespace lockhouse {

/// The keys that have to be read, each at most once at a time: a hint for a key that already waits changes nothing; one for a key
/// that is being read makes it read again afterwards, because state comes only from reads made after the hint.
/// Bounded in keys and bytes; when full, mark() says so and the mirror has to be made anew.
/// A key read several times over and found no lock is hot foreign data: its next read waits up to a second and then covers all
/// hints of that time, so that a busy cache costs next to nothing and a lock is still never missed for longer.
class ReadQueue {
public:
  struct Mark {
    ValueType type = ValueType::Unknown;
    Companion companion{};
    bool hinted = false;  ///< by the feed
    bool scanned = false; ///< found by a sweep, or known before it; a sweep is done when all of these are read
    bool urgent = false;  ///< known lock or a name that looks like one: read first, and not deferred, unless it waits already
  };
  struct Item {
    std::string key;
    Mark mark;
  };

  /// False: full.
  [[nodiscard]] bool mark(std::string_view key, const Mark &mark, SteadyTime now);
  /// A hint for every key that waits or is being read.
  void hintAll();
  bool isReady(SteadyTime now); ///< one may be read
  Item next();                  ///< after isReady()
  /// The read of `key` ended; `isLock` false counts towards deferring.
  void finish(std::string_view key, bool isLock, SteadyTime now);
  void clear();

  bool isHinted(std::string_view key) const; ///< a hint came that no finished read covers
  std::size_t size() const { return m_keys.size(); }
  std::size_t waiting() const { return m_urgent.size() + m_idle.size(); }
  std::size_t openScanned() const { return m_openScanned; }
  std::optional<SteadyTime> nextDeferred() const { return m_deferred.empty() ? std::nullopt : std::optional(m_deferred.begin()->first); }

  /// Two generations of marks, for barriers: closeGeneration() starts a new one if all before the present one are read, and
  /// isClosedDone() says when the one closed last is read.
  bool closeGeneration();
  bool isClosedDone() const { return m_open[(m_generation + 1) % 2] == 0; }

private:
  struct State {
    Mark mark;
    unsigned generation = 0;
    bool reading = false;
    bool again = false; // marked while it was being read; `next` says how
    Mark next;
    unsigned nextGeneration = 0;
  };
  struct Cold {
    std::size_t hash = 0;
    unsigned streak = 0;
    SteadyTime readAt{};
  };
  struct Hash { // not noexcept, so that the library keeps each key's
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
  };
  using Keys = std::unordered_map<std::string, State, Hash, std::equal_to<>>;

  Keys m_keys;
  std::deque<const std::string *> m_urgent, m_idle; // keys of m_keys, whose nodes do not move
  std::multimap<SteadyTime, const std::string *> m_deferred;
  std::vector<Cold> m_cold = std::vector<Cold>(coldSize);
  std::size_t m_bytes = 0;
  std::size_t m_openScanned = 0;
  std::array<std::size_t, 2> m_open{};
  unsigned m_generation = 0;

  static constexpr std::size_t coldSize = 8192;
  void enqueue(Keys::iterator key, SteadyTime now);
  static void merge(Mark &into, const Mark &from);
};

} // namespace lockhouse
