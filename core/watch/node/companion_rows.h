// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/node/lock_cache.h"

#include <span>

namespace lockhouse {

/// One lock, one row: a key that lies beside a lock may look like a lock of another family, where no prefix tells what it is: the ends of a
/// Redisson semaphore's permits, "{N}:timeout", are a sorted set of owners and times. Where its lock is known, in the family whose key that is, it
/// has no row, whichever of the two a sweep meets first. Nor has what hand-written code keeps beside its lock, "lock:orders:queue", where that of
/// "lock:orders" is known.
/// `owners`: what ownersOf() says of the key of `record`.
bool isCompanionKnown(const LockRecord &record, std::span<const FamilyRegistry::Owner> owners, const LockCache &cache, const FamilyRegistry &families);
/// The same of one lock.
bool isCompanionOf(const LockRecord &record, std::span<const FamilyRegistry::Owner> owners, const LockRecord &lock, const FamilyRegistry &families);
/// Of the keys beside a lock, those that were taken for locks of their own before it was known.
std::vector<std::string> companionRows(const LockRecord &lock, const LockCache &cache, const FamilyRegistry &families);
/// Of a lock that was written by hand, the one beside which its name says that it lies; empty: none.
std::string_view notedLock(const LockRecord &record);
/// Of what lies so beside a lock, that which was taken for locks of their own before it was known.
std::vector<std::string> notesCompanion(const LockRecord &lock, const LockCache &cache);

/// Whether keys may lie beside it, as its family has them, besides those that were read: bit i is families.companionKeys()[i].
bool mayHaveCompanions(const LockRecord &lock, std::uint64_t read, const FamilyRegistry &families);
/// Which of the keys beside it, not among those that were read, may hold those who read it: bits as above.
std::uint64_t readersUnread(const LockRecord &lock, std::uint64_t read, const FamilyRegistry &families);
/// Adds to what is read with a known lock's key what was read with it before; of our own textbook queues all that may lie beside them, told or not: the
/// deadlines tell what it is when its line is empty.
void addCompanion(Companion &companion, const LockCache::Known &lock, const FamilyRegistry &families);

} // namespace lockhouse
