// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/recognisers/claim.h"

namespace lockhouse {

using OwnRecogniser = std::optional<Claim> (*)(const Family &family, const KeyFacts &facts);

/// Of the built-in families whose evidence is more than a form can say; null: a form says it all.
OwnRecogniser ownRecogniser(std::string_view slug);

std::optional<Claim> claimRedissonLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonFair(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonReadWrite(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonMultiLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonPermits(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedissonLatch(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRueidisLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDiscourse(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimBlockingLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimHandoff(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimLeasedSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimMlanett(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDistributedReadWrite(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSymfony(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimRedisSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSymfonySemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSuo(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimToken(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSetnxLegacy(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDistributedLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimFoundatio(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimLaravelFunnel(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimShedLock(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimLaravel(const Family &family, const KeyFacts &facts);
/// Of families whose forms ordinary data has too.
std::optional<Claim> claimUnlessNamedOtherwise(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimDistributedSemaphore(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimSentry(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimHandmadeCount(const Family &family, const KeyFacts &facts);
std::optional<Claim> claimHandmadeList(const Family &family, const KeyFacts &facts);

/// How long most locks are taken for at most; what lies there longer is other data more often.
constexpr milliseconds longestHold = std::chrono::minutes(5);

/// Whether a name speaks of data that applications keep, and of no lock: "sessions:user:9", "uploads:recent".
bool namesData(const NameEvidence &name);
/// Where only the form of its members spoke for it: below what is shown, and why.
void doubtAsData(LockRecord &draft);

/// Whether a string of this name is worth reading however long it is: what its holder writes there may be.
bool namesHolder(std::string_view key);

/// Whether a string of this name and value could be a token mutex at all: the first look of a sweep, before its time to live is known.
/// `isOneOfMany`: also under names of sessions and the like, which only the same token on other masters makes a lock.
bool mayBeToken(std::string_view key, std::string_view value, bool isOneOfMany = false);

/// Whether a field may be one of RFasterMultiLock's three.
bool mayBeLockedValue(std::string_view field);

/// Whether a string opens as suo's packed holders do.
bool mayBeSuo(std::string_view value);
/// Whether suo's packed holders may be as long as that, in bytes.
bool mayBeSuoOf(std::size_t size);

/// So many clients listen for the end of the hold, one subscription each however many of their threads wait. None listening proves
/// nothing: who asks again and again waits too.
void noteListeners(std::uint64_t clients, LockRecord &draft);
void noteListeners(std::uint64_t clients, std::uint64_t old, LockRecord &draft); ///< the latter clients of 2016, on a channel of their own

/// Whether more than a hash's own bytes speak for a lock of Redisson's: its name, a key beside it, somebody who listens.
bool isSupported(const KeyFacts &facts);

/// The client and the thread of each of its holders, who are Redisson's.
void addOwners(LockRecord &draft);

/// The re-entrancy count of a Redisson hash value; nothing unless it is a positive number.
std::optional<std::int64_t> holdCount(std::string_view value);
/// Says once what stands there as a count and is none: 0 or less, more than a number can be, or no number.
void noteOddCount(std::string_view value, LockRecord &draft);

} // namespace lockhouse
