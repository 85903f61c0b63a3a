// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lockhouse {

/// The ends of leases, the next one first: a binary heap whose entries know where they stand, so that a lease that is renewed is taken
/// out without a search. A sweep adds 100 000 of them, in any order, most of which never come to pass: adding one takes O(1) on average,
/// taking one out O(log n). Whoever adds an end keeps its place and the key's text where they are for as long as it is in.
class LeaseHeap {
public:
  /// Where an end stands; kept by who has added it, written here.
  using Place = std::size_t;
  static constexpr Place nowhere = ~std::size_t{0};

  bool empty() const { return m_heap.empty(); }
  SteadyTime next() const { return m_heap.front().at; }              ///< of one that is not empty
  const std::string &nextKey() const { return *m_heap.front().key; } ///< the same
  void add(SteadyTime at, const std::string &key, Place &place);
  void remove(Place place);

private:
  struct End {
    SteadyTime at;
    const std::string *key = nullptr;
    Place *place = nullptr;
  };
  std::vector<End> m_heap;

  void put(End end, Place place);
  void raise(End end, Place place);
  void sink(End end, Place place);
};

} // namespace lockhouse
