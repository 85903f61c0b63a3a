-- SPDX-License-Identifier: Apache-2.0
-- A writer takes a free Redisson read-write lock. KEYS: lock. ARGV: writer, lease ms. Answer 1 if taken, else 0.
if redis.call('exists', KEYS[1]) == 1 then return 0 end
redis.call('hset', KEYS[1], 'mode', 'write', ARGV[1] .. ':write', 1)
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
