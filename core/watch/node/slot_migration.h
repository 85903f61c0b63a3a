// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/reads_in_flight.h"

#include <string>
#include <unordered_map>

namespace lockhouse {

/// Keys whose slot moves between two masters of a cluster. In between neither master serves them, and no hint says when one does. So a key that was
/// known or hinted then is read again each beat, up to 60 times, with its companion keys. Bounded in number: the scan finds the others.
class SlotMigration {
public:
  void add(std::string key); ///< a scan found it unserved
  /// The key was read. `isKnown`: a lock was known there; `isLock`: one was found now. Returns whether the key was moving before.
  bool note(const ReadsInFlight::Done &done, bool isKnown, bool isLock);
  std::vector<std::pair<std::string, Companion>> keys() const; ///< to read now
  void clear() { m_keys.clear(); }

private:
  struct Key {
    unsigned reads = 0;
    Companion companion;
  };
  std::unordered_map<std::string, Key> m_keys;
};

} // namespace lockhouse
