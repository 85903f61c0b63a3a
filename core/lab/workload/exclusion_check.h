// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockhouse {

/// Counts how often two clients were inside one lock at once, by looking, not by trusting the lock. Single thread.
///
/// Two independent looks. At every entry: is somebody inside this key? And, as in the classic count-to-N test: every client reads
/// the key's plain counter when it enters and writes it back plus one when it leaves; two inside at once lose a count.
///
/// Readers may be inside together, but not with a writer; a reader whose counter changed under it is a violation too. Of locks with
/// permits as many may be inside as their capacity says, and the first look is the only one.
///
/// A client counts as inside from the reply that granted the lock to the reply that confirmed its release. All clients of a run
/// share one connection and Redis answers a connection in the order in which it ran the commands, so this interval holds the whole
/// time during which the server took the client for the owner, and a correct lock never shows an overlap, however short a hold.
/// Of several locks at once it is inside until it begins to release, since each is free by itself before all are confirmed; and so where
/// the answers come over from another thread than the one that takes the locks. Over several nodes each has a connection, and what
/// decides of a release is answered before what decides of the next grant.
class ExclusionCheck {
public:
  explicit ExclusionCheck(std::size_t keys, std::uint32_t capacity = 1) : m_cells(keys), m_capacity(capacity) {}

  /// The reading that leave() wants back.
  std::uint64_t enter(std::size_t key, bool asReader = false) {
    auto &cell = m_cells[key];
    const bool alone = asReader ? cell.inside == 0 : cell.inside < m_capacity && cell.readers == 0;
    m_overlaps += alone ? 0 : 1;
    ++(asReader ? cell.readers : cell.inside);
    return cell.counter;
  }
  void leave(std::size_t key, std::uint64_t reading, bool asReader = false) {
    auto &cell = m_cells[key];
    abandon(key, asReader);
    if (asReader)
      m_overlaps += cell.counter == reading ? 0 : 1;
    if (asReader || m_capacity > 1)
      return;
    cell.counter = reading + 1;
    ++m_leaves;
  }
  /// Leaves without a claim to have been alone: the lock was lost, and the client was told so.
  void abandon(std::size_t key, bool asReader = false) { --(asReader ? m_cells[key].readers : m_cells[key].inside); }

  /// The greater of both looks: an overlap is usually seen by each of them.
  std::uint64_t violations() const;

private:
  struct Cell {
    std::uint64_t counter = 0;
    std::uint32_t inside = 0;
    std::uint32_t readers = 0;
  };
  std::vector<Cell> m_cells;
  std::uint32_t m_capacity;
  std::uint64_t m_overlaps = 0;
  std::uint64_t m_leaves = 0;
};

} // namespace lockhouse
