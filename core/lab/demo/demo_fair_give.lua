-- SPDX-License-Identifier: Apache-2.0
-- Release of a fair lock by its owner, who wakes the head of the queue and nobody else.
-- KEYS: lock, queue. ARGV: owner, prefix of the waiters' channels.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('del', KEYS[1])
local head = redis.call('lindex', KEYS[2], 0)
if head then redis.call('publish', ARGV[2] .. head, '0') end
return 1
