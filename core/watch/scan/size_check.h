// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/key_probe.h"
#include "core/watch/scan/read_target.h"

namespace lockhouse {

/// Which keys of one read are too large to fetch. The server cuts strings; it does not cut the entries of other types. So MEMORY USAGE is asked
/// of each key that is no string, and the number of entries of each key of more than 64 KB. Entries of more than a kilobyte on average are not
/// fetched.
/// MEMORY USAGE samples entries. If a fetch then finds an entry that is too long (addLong), the read is repeated without that key.
class SizeCheck {
public:
  struct Size {
    std::string key;
    ValueType type = ValueType::Unknown;
    std::uint64_t bytes = 0, entries = 0;
    bool isTooLarge() const;
  };

  void begin();                              ///< forgets the sizes; keys with a long entry stay known
  void add(std::string key, ValueType type); ///< does nothing for a type without entries
  /// Asks for the sizes of the keys that were added. False: there are none.
  bool ask(ReadCommands &out);
  bool isRunning() const { return m_stage != Stage::Idle; } ///< all answers are for this check
  /// `pending`: how many answers are still missing. True: the check is over.
  bool on(unsigned part, const Result<Reply> &answer, unsigned pending, ReadHeuristics &heuristics, ReadCommands &out);

  const Size *tooLarge(const std::string &key) const; ///< null: it may be fetched
  bool areAllSmall() const;

  void addLong(std::string key); ///< a fetch found an entry that is longer than any that is kept
  bool isLong(const std::string &key) const;
  bool hasLong() const { return !m_long.empty(); }
  bool mustRepeat() const { return m_mustRepeat; } ///< one was found in this turn

private:
  enum class Stage { Idle, Weighing, Counting };

  Stage m_stage = Stage::Idle;
  std::vector<Size> m_sizes; // the part of a command is an index of it
  std::vector<std::string> m_long;
  bool m_mustRepeat = false;
};

} // namespace lockhouse
