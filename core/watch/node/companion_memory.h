// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/node/lock_cache.h"
#include "core/watch/scan/reads_in_flight.h"

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace lockhouse {

/// What earlier reads showed of companion keys, so that later reads include them though no hint names them: a queue, a fence or the like beside a
/// key that is no lock now belongs to the next lock of that name. Bounded in number.
class CompanionMemory {
public:
  CompanionMemory() { m_queues.max_load_factor(0.4F); } // every key that is read is looked up, and hardly any is there

  /// What else is to be read with this key. `type`: as found, Unknown if not known.
  void addTo(Companion &companion, const std::string &key, ValueType type) const;
  /// A scan found the queue key of a Redisson fair lock. Its name is the same for a lock in braces and for the lock without. The one in braces is
  /// read with its queue when the scan finds it, or was found before; the one without is read at once. False: nothing has to be read now.
  bool addQueue(const std::string &lock, const LockCache &cache);
  void noteQueue(ReadsInFlight::Done &done); ///< after a read
  void noteOthers(const ReadsInFlight::Done &done, bool isLock, const FamilyRegistry &families);

  void noteMember() { m_hasMembers = m_hasPossibleCompanions = true; } ///< a key that by its value may be one of several keys of a lock
  bool hasMembers() const { return m_hasMembers; }
  /// A row: its key may be a companion key of a lock that is not known yet.
  void noteRow(const LockRecord &record, std::span<const FamilyRegistry::Owner> owners);
  /// The rows that end because this new lock owns their keys.
  std::vector<std::string> rowsOf(const LockRecord &lock, const LockCache &cache, const FamilyRegistry &families) const;

private:
  std::unordered_set<std::string> m_queues;                 // locks with a queue, or with a queue that could not be read
  std::unordered_map<std::string, std::uint64_t> m_waiting; // keys of no lock with companion keys for the next one: bits as Companion::others
  bool m_hasMembers = false;
  bool m_hasPossibleCompanions = false; // a row is known whose key may belong to a lock
  bool m_hasNotes = false;              // a row is known whose name says that it is data beside a hand-written lock
};

} // namespace lockhouse
