// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How Redisson derives the names of a lock's other keys and channels from the lock's own ("prefix:{name}", "{name}:suffix", where a
/// name that has a brace already is used as it is), and what its owner fields look like. Who takes, watches and releases its locks
/// has them from here.
/// Source: redisson, RedissonObject.prefixName/suffixName, RedissonBaseLock.getLockName and the lock classes.
namespace lockhouse::redisson {

/// "uuid:thread", of a transaction "uuid:thread:hex32": the field of an exclusive holder, a reader or a queued waiter.
bool isOwner(std::string_view field);
/// What MATCH takes for every owner, a writer's and a locked value's included; cut up lest it hold trigraphs.
constexpr std::string_view ownerGlob = "*????????"
                                       "-????"
                                       "-????"
                                       "-????"
                                       "-????????????:*";
/// "uuid:thread:write", of a transaction with ":hex32" behind it: the field of a read-write lock's writer.
bool isWriter(std::string_view field);
/// The re-entrancy count of a hash value; nothing unless it is a positive number.
std::optional<std::int64_t> holdCount(std::string_view value);
/// The writer's field of an owner that is no transaction.
std::string writerOf(std::string_view owner);
/// Whether `hold`, a holder as a lock names it, is the hold of the thread that `holder` names: reads, writes ("…:write"), locked values
/// ("value:…") and, where `holder` has none, transactions of it. No other name is a hold of any but itself.
bool isHoldOf(std::string_view hold, std::string_view holder);

/// A holder as his library's own users know him: of a permit of sixteen bytes in `family`, "redisson-permits", its digits; any other as he is.
std::string asKnown(std::string_view family, std::string_view holder);

std::string queueKey(std::string_view lock);   ///< list of waiting owners, head first (fair locks)
std::string timeoutKey(std::string_view lock); ///< zset of the same owners; score = epoch ms at which the place lapses
std::string fenceKey(std::string_view lock);   ///< counter of a fenced lock
/// Carries the lease of a reader's `entry`-th hold (from 1).
std::string readerLeaseKey(std::string_view lock, std::string_view reader, std::int64_t entry);

/// What the names of all readers' leases begin with; behind it stand the reader, ":rwlock_timeout:" and the entry.
std::string readerLeasePrefix(std::string_view lock);

std::string lockChannel(std::string_view lock);    ///< of a reentrant lock; of a fair lock, what fairChannel() begins with
std::string oldLockChannel(std::string_view lock); ///< of a reentrant lock, as clients of 2016 have it (3.0.1); braces in any case
std::string fairChannel(std::string_view lock, std::string_view waiter);
std::string rwChannel(std::string_view lock);
std::string oldRwChannel(std::string_view lock); ///< as clients of 2016 have it; braces in any case
std::string semaphoreChannel(std::string_view lock);
std::string permitsKey(std::string_view lock);   ///< zset of an expirable semaphore's permits; score = epoch ms at which each lapses
std::string latchChannel(std::string_view lock); ///< braces in any case

/// Which lock a key belongs to that is not itself a lock.
enum class Part { None, Queue, Fence, ReaderLease, UnlockLatch };
struct PartOf {
  Part part = Part::None;
  std::string_view lock; ///< inside the key given
};
/// `lock` of "redisson_lock_queue:{a}" is "a"; that a lock called "{a}" has the same queue key is a collision of Redisson's own.
PartOf partOf(std::string_view key);

} // namespace lockhouse::redisson
