// SPDX-License-Identifier: Apache-2.0
#include "core/base/redisson_names.h"

#include <gtest/gtest.h>

namespace lockhouse::redisson {
namespace {

const std::string uuid = "5b1c0a3e-6f0d-4f1a-9c58-2f4f0e7a1b01";
const std::string hex32 = "3f786850e387550fdab836ed7e6dc881";

TEST(RedissonNames, bracesANameUnlessItHasABraceAlready) {
  EXPECT_EQ(queueKey("plain"), "redisson_lock_queue:{plain}");
  EXPECT_EQ(queueKey("order:{7}:pay"), "redisson_lock_queue:order:{7}:pay");
  EXPECT_EQ(timeoutKey("plain"), "redisson_lock_timeout:{plain}");
  EXPECT_EQ(fenceKey("plain"), "redisson_lock_token:{plain}");
  EXPECT_EQ(readerLeaseKey("plain", uuid + ":1", 2), "{plain}:" + uuid + ":1:rwlock_timeout:2");
  EXPECT_EQ(readerLeaseKey("order:{7}:pay", uuid + ":1", 1), "order:{7}:pay:" + uuid + ":1:rwlock_timeout:1");
  EXPECT_EQ(lockChannel("plain"), "redisson_lock__channel:{plain}");
  EXPECT_EQ(lockChannel("order:{7}:pay"), "redisson_lock__channel:order:{7}:pay");
  EXPECT_EQ(rwChannel("plain"), "redisson_rwlock:{plain}");
  EXPECT_EQ(oldRwChannel("a{b}"), "redisson_rwlock__{a{b}}") << "braces in any case";
}

TEST(RedissonNames, leadBackToTheLock) {
  for (const std::string name : {"plain", "order:{7}:pay", "", "a:b:c", "ends}", "ü"}) {
    EXPECT_EQ(partOf(queueKey(name)).lock, name);
    EXPECT_EQ(partOf(queueKey(name)).part, Part::Queue);
    EXPECT_EQ(partOf(timeoutKey(name)).lock, name);
    EXPECT_EQ(partOf(fenceKey(name)).lock, name);
    EXPECT_EQ(partOf(fenceKey(name)).part, Part::Fence);
    EXPECT_EQ(partOf(readerLeaseKey(name, uuid + ":1", 3)).lock, name);
    EXPECT_EQ(partOf(readerLeaseKey(name, uuid + ":1", 3)).part, Part::ReaderLease);
  }
}

TEST(RedissonNames, leadFromAReadersLeaseToTheLock) {
  EXPECT_EQ(partOf("{report}:" + uuid + ":1:rwlock_timeout:1").lock, "report");
  EXPECT_EQ(partOf("{report}:" + uuid + ":1:rwlock_timeout:12").part, Part::ReaderLease);
  EXPECT_EQ(partOf("a:{7}:b:" + uuid + ":44:rwlock_timeout:1").lock, "a:{7}:b");
  EXPECT_EQ(partOf("{report}:" + uuid + ":1:" + hex32 + ":rwlock_timeout:1").part, Part::None) << "transactions take no reader's lease apart";
}

TEST(RedissonNames, areNotSeenInOtherNames) {
  for (const std::string key : {"lock:a", "redisson_lock", "{report}:x:1:rwlock_timeout:1", "rwlock_timeout:1", ":rwlock_timeout:1", "a:rwlock_timeout:x", ""})
    EXPECT_EQ(partOf(key).part, Part::None) << key;
  EXPECT_EQ(partOf("redisson_unlock_latch:{a}:" + hex32).part, Part::UnlockLatch);
}

TEST(RedissonOwner, isAUuidAndAThread) {
  EXPECT_TRUE(isOwner(uuid + ":1"));
  EXPECT_TRUE(isOwner(uuid + ":-42"));
  EXPECT_TRUE(isOwner(uuid + ":1:" + hex32));
  for (const auto &field : {uuid, uuid + ":", uuid + ":x", uuid + ":1:write", "x" + uuid + ":1", uuid + ":1:abc", uuid.substr(1) + ":1", std::string(),
                            uuid + ":123456789012345678901"})
    EXPECT_FALSE(isOwner(field)) << field;
}

TEST(RedissonOwner, ofAWriterSaysSo) {
  EXPECT_TRUE(isWriter(uuid + ":1:write"));
  EXPECT_TRUE(isWriter(uuid + ":1:write:" + hex32));
  EXPECT_FALSE(isWriter(uuid + ":1"));
  EXPECT_FALSE(isWriter(":write"));
}

TEST(RedissonOwner, hasHoldsOfSeveralNames) {
  const auto thread = uuid + ":1", value = "q83vEjRWeJCrze8SNFZ4kA:" + thread;
  for (const auto &hold : {thread, thread + ":write", value, thread + ":" + hex32, thread + ":write:" + hex32, value + ":" + hex32}) {
    EXPECT_TRUE(isHoldOf(hold, thread)) << hold;
    EXPECT_FALSE(isHoldOf(hold, uuid + ":11")) << hold;
    EXPECT_FALSE(isHoldOf(hold, uuid)) << hold;
  }
  EXPECT_TRUE(isHoldOf(thread, thread + ":write"));
  EXPECT_TRUE(isHoldOf(thread + ":write:" + hex32, thread + ":" + hex32));
  EXPECT_FALSE(isHoldOf(thread, thread + ":" + hex32)) << "a transaction's alone";
  EXPECT_FALSE(isHoldOf("job:write", "job"));
  EXPECT_FALSE(isHoldOf("q83vEjRWeJCrze8SNFZ4kA:job", "job"));
  EXPECT_TRUE(isHoldOf("", ""));
}

TEST(RedissonPermit, isKnownByItsDigits) {
  const std::string permit("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
  EXPECT_EQ(asKnown("redisson-permits", permit), "0102030405060708090a0b0c0d0e0fff");
  EXPECT_EQ(asKnown("redisson-permits", hex32), hex32);
  EXPECT_EQ(asKnown("token", permit), permit) << "of another library these bytes have no other name";
}

} // namespace
} // namespace lockhouse::redisson
