-- SPDX-License-Identifier: Apache-2.0
-- One reader leaves a Redisson read-write lock; the last one frees it and wakes those who wait.
-- KEYS: lock, the reader's lease key. ARGV: reader, channel.
redis.call('del', KEYS[2])
if redis.call('hdel', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('hlen', KEYS[1]) > 1 then return 1 end
redis.call('del', KEYS[1])
redis.call('publish', ARGV[2], '0')
return 1
