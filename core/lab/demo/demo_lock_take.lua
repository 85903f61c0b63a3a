-- SPDX-License-Identifier: Apache-2.0
-- One try of a Redisson client for a plain lock. KEYS: lock. ARGV: owner, lease ms. Answer 1 if taken, else 0.
if redis.call('exists', KEYS[1]) == 1 then return 0 end
redis.call('hset', KEYS[1], ARGV[1], 1)
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
