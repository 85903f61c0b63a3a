// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockhouse {

/// Counts how often two clients were inside one lock at once. It checks that itself and does not trust the lock. Single thread.
///
/// It has two independent checks. At every entry: is another client inside? And the classic count-to-N test: every client reads a plain
/// counter when it enters and writes it back plus one when it leaves, so that two inside at once lose a count.
///
/// Readers may be inside together, but not with a writer. A counter that changes while a reader is inside is a violation too. A lock with
/// permits lets in as many as its capacity, and only the first check applies.
///
/// A client counts as inside from the reply that grants the lock to the reply that confirms its release. All clients of a run share one
/// connection, and Redis answers a connection in the order in which it runs the commands. So this interval contains the time in which the
/// client was the owner, and a correct lock never shows an overlap, however short a hold is. With several locks at once, or if the answers
/// come from another thread, a client is inside only until it starts to release: each lock is free before all are confirmed. Each of
/// several nodes has a connection of its own, and the reply that decides a release comes before the reply that decides the next grant.
class ExclusionCheck {
public:
  explicit ExclusionCheck(std::size_t keys, std::uint32_t capacity = 1) : m_resources(keys), m_capacity(capacity) {}

  /// The reading that leave() wants back.
  std::uint64_t enter(std::size_t key, bool asReader = false) {
    auto &resource = m_resources[key];
    const bool alone = asReader ? resource.inside == 0 : resource.inside < m_capacity && resource.readers == 0;
    m_overlaps += alone ? 0 : 1;
    ++(asReader ? resource.readers : resource.inside);
    return resource.counter;
  }
  void leave(std::size_t key, std::uint64_t reading, bool asReader = false) {
    auto &resource = m_resources[key];
    abandon(key, asReader);
    if (asReader)
      m_overlaps += resource.counter == reading ? 0 : 1;
    if (asReader || m_capacity > 1)
      return;
    resource.counter = reading + 1;
    ++m_leaves;
  }
  /// Leaves without saying that it was alone: the lock was lost, and the client knows it.
  void abandon(std::size_t key, bool asReader = false) { --(asReader ? m_resources[key].readers : m_resources[key].inside); }

  /// The greater count of both checks, for most overlaps fail both.
  std::uint64_t violations() const;

private:
  struct Resource {
    std::uint64_t counter = 0;
    std::uint32_t inside = 0;
    std::uint32_t readers = 0;
  };
  std::vector<Resource> m_resources;
  std::uint32_t m_capacity;
  std::uint64_t m_overlaps = 0;
  std::uint64_t m_leaves = 0;
};

} // namespace lockhouse
