-- SPDX-License-Identifier: Apache-2.0
-- One reader takes a Redisson read-write lock, unless a writer has it.
-- KEYS: lock, the reader's lease key. ARGV: reader, lease ms. Answer 1 if taken, else 0.
-- 1. The hash's mode becomes read and the reader a field of it.
-- 2. The reader's own lease is a key of its own; the hash lives as long as the longest of them.
local mode = redis.call('hget', KEYS[1], 'mode')
if mode and mode ~= 'read' then return 0 end
redis.call('hset', KEYS[1], 'mode', 'read', ARGV[1], 1)
redis.call('set', KEYS[2], 1, 'PX', ARGV[2])
redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), tonumber(ARGV[2])))
return 1
