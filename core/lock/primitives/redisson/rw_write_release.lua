-- SPDX-License-Identifier: Apache-2.0
-- Gives up the writer's hold of a read-write lock, or one count of it.
-- KEYS: 1 the lock, 2 what the names of readers' leases begin with. ARGV: 1 the lease in ms, 2 the owner, 3 the count to be left,
-- 4 the channel, 5 the command that publishes.
-- 1. No writer's field of ours: answer -1, nothing is changed and nothing is published.
-- 2. Something is to be left: lower the count to it, unless this arrived before; the lease may grow, never shrink; answer what is left.
-- 3. Nothing is to be left: take the field away. Nobody else is in: delete the lock. Reads of his own go on: the mode is read from now
--    on. Publish "1", Redisson's word that wakes all readers, and for whoever is about to sleep "0". A user without the right to publish has released it all the same. Answer 0.
-- use rw_lock
local count = redis.call('HGET', KEYS[1], ARGV[2] .. ':write')
if not count then
  return -1
end
local left = tonumber(ARGV[3])
if left > 0 then
  if tonumber(count) > left then
    redis.call('HSET', KEYS[1], ARGV[2] .. ':write', ARGV[3])
  end
  growLease(KEYS[1], ARGV[1])
  return left
end
writerGone(ARGV[2], ARGV[4], ARGV[5])
return 0
