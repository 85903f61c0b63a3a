// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_snapshot.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace lockhouse {

/// What is known of a row whose holder has other keys.
struct Sharing {
  std::size_t masters = 0; ///< see mastersOf()
  bool isProven = true;    ///< its holder's other keys prove that it is a lock, of a library that writes one token under several
  std::string family = {}; ///< of which one of these keys is by itself, whose library writes one token everywhere; empty: of none
  bool operator==(const Sharing &) const = default;
};

/// Rows of one database that name the same holder name each other (LockRecord::alsoUnder): a lock of several resources, an instance that
/// writes one token everywhere, or a client with several locks. Of a token that several libraries may have written those are left that
/// write one under several keys (Family::isTokenShared), where there are such.
/// Only shown rows of one holder whose name is no accident, and those that are doubtful by the words of their names where another of that
/// holder lies in the same registry of Spring Integration, whose name speaks of locks, or is shown, may be of a library that takes several
/// resources with one token, and ends together with it: these are its locks too, and shown. O(locks). Remembers what was noted last, so that
/// a row stays the same record while nothing about it changes.
/// Of a doubtful holder of three keys or more under one prefix, with leases as short as a registry's, it is told too, and of one whose keys end
/// together, as those of a lock of several resources; they stay doubtful: ids of records lie so as well.
class SharedTokens {
public:
  /// `locks` is sorted by id before and after.
  void note(std::vector<LockRecordPtr> &locks, const FamilyRegistry &families);

private:
  struct Noted {
    LockRecordPtr plain, noted;
    Sharing how;
  };
  using Memory = std::unordered_map<const LockRecord *, Noted>;
  Memory m_noted;

  void noteRows(std::vector<LockRecordPtr> &locks, const std::vector<std::uint32_t> &rows, bool areProven, const FamilyRegistry &families, Memory &kept);
  LockRecordPtr noted(const LockRecordPtr &lock, std::vector<LockName> others, bool areMany, const FamilyRegistry &families, Sharing how);
};

constexpr std::size_t mostKeysNamed = 8; ///< of one holder's beside a row

/// Whether its holder's other rows are named beside it: it is shown, and has one holder whose name is no accident.
bool mayShare(const LockRecord &lock);
/// Whether it is doubtful by the words of its name alone, and shown where another of its holder lies in the same registry.
bool mayBeOfRegistry(const LockRecord &lock);
/// Whether it is doubtful by its name, and a resource of a lock of several where a shown row of its holder ends together with it.
bool mayBeResource(const LockRecord &lock, const FamilyRegistry &families);
/// Whether both may be resources of one lock: one script gives all of them their lease.
bool areTakenTogether(const LockRecord &a, const LockRecord &b, const FamilyRegistry &families);
/// Whether both lie in one registry of Spring Integration's, if they are locks of such.
bool areOfOneRegistry(const LockRecord &a, const LockRecord &b);
/// Whether its family is one that many libraries' locks may be of, or is known by an ending which others give their locks' names too, and makes
/// each token for one key: then its holder's other keys tell more.
bool mayBeAnothers(const LockRecord &lock);
/// Whether it is by itself of a library that writes one token under all of an instance's keys.
bool isSureOfInstance(const LockRecord &lock);
/// Whether it may be known better whose it is by one other key of its holder.
bool mayBeNarrowed(const LockRecord &lock, const FamilyRegistry &families);
/// `lock` with the other keys of its holder, of which none is named where there are many.
LockRecordPtr sharing(const LockRecord &lock, std::vector<LockName> others, bool areMany, const FamilyRegistry &families, Sharing how = {});
/// Of a doubtful row, on how many masters its lock would lie by one that proves it and lies on one of them alone; else 0.
std::size_t mastersOf(const LockRecord &lock, const LockRecord &proof);

/// The other keys of a row's holder, of many without their names; empty of none.
Message otherKeys(std::span<const LockName> names, bool areMany);

/// Whether a library whose locks have several keys under one token may have written this row.
bool mayLieUnderMore(const LockRecord &lock, const FamilyRegistry &families);
/// What is said of such a row where its neighbours were not looked at.
inline Message unlookedKeys() {
  return LH_MESSAGE("Evidence", "the same token may lie under other keys, which were not looked for: %1 frees them all")(
      Action{"release --all --holder of this token", releaseAllOfHolder});
}
/// `lock`, which was read alone, with what a look at all of its database tells of its neighbours, or that there was none to the end.
LockRecordPtr withNeighbours(const LockRecordPtr &lock, const LockSnapshot &looked, const FamilyRegistry &families);
/// Whether all of a lock's database was looked at.
bool isLookedAt(const LockId &lock, const LockSnapshot &looked);

} // namespace lockhouse
