// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// How Redisson derives the names of a lock's other keys from the lock's own, and what its owner fields look like.
/// Source: redisson, RedissonObject.prefixName/suffixName and RedissonBaseLock.getLockName.
namespace lockhouse::redisson {

/// "uuid:thread", of a transaction "uuid:thread:hex32": the field of an exclusive holder, a reader or a queued waiter.
bool isOwner(std::string_view field);
/// "uuid:thread:write", of a transaction with ":hex32" behind it: the field of a read-write lock's writer.
bool isWriter(std::string_view field);

std::string queueKey(std::string_view lock);   ///< list of waiting owners, head first (fair locks)
std::string timeoutKey(std::string_view lock); ///< zset of the same owners; score = epoch ms at which the place lapses
std::string fenceKey(std::string_view lock);   ///< counter of a fenced lock

/// Which lock a key belongs to that is not itself a lock.
enum class Part { None, Queue, Fence, ReaderLease, UnlockLatch };
struct PartOf {
  Part part = Part::None;
  std::string_view lock; ///< inside the key given
};
/// `lock` of "redisson_lock_queue:{a}" is "a"; that a lock called "{a}" has the same queue key is a collision of Redisson's own.
PartOf partOf(std::string_view key);

} // namespace lockhouse::redisson
