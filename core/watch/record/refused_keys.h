// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace lockhouse {

/// Why keys were not read: the user's rights, a cluster that does not serve them, or one that moves their slots.
struct Refusals {
  bool rights = false, clusterDown = false, slotsMove = false;
  void add(const Refusals &others);
  bool operator==(const Refusals &) const = default;
};

/// The keys of a node that may not or cannot be read: how many, why, and which, by the hashes of their names, of up to a million. When they
/// were looked for, a key under any other name was not there, or was read.
class RefusedKeys {
public:
  static std::size_t hashOf(std::string_view key);
  void add(std::string_view key, const Refusals &why) { add(hashOf(key), why); }
  void add(std::size_t hash, const Refusals &why);
  void addUnnamed() { ++m_count; } ///< one of which the name is not kept
  void add(const RefusedKeys &others);
  void sort(); ///< once all are added: before mayHave(); what was added twice counts once
  std::uint64_t count() const { return m_count; }
  const Refusals &why() const { return m_why; }
  /// Whether a key of this name may be among them; of more than are kept, any may.
  bool mayHave(std::string_view key) const;

private:
  std::vector<std::size_t> m_hashes;
  std::uint64_t m_count = 0;
  Refusals m_why;
};

/// Keys that were refused when the feed told of them: a sweep that had passed, or runs, does not count them. Kept until a sweep that began
/// after it has ended; of more than ten thousand any may be.
class RefusedSince {
public:
  void add(std::string_view key);
  void beginScan();
  void endScan();
  void clear();
  bool hasChanged() { return std::exchange(m_hasChanged, false); } ///< since it was asked this last
  std::shared_ptr<const RefusedKeys> told() const;                 ///< null: none

private:
  std::unordered_set<std::size_t> m_all, m_duringScan; // the latter since the sweep that runs began
  bool m_hasChanged = false;
};

} // namespace lockhouse
